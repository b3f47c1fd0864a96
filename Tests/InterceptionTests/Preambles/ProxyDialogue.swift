import Dissection
import Interception

/// A client of plain HTTP, the proxy's machine and a server, played as the relay plays them: bytes of the client wait while the machine
/// waits for answers.
struct ProxyDialogue {
    enum Step {
        case client([UInt8])
        case server([UInt8])
        case clientEnds

        static func client(_ text: String) -> Step { .client(Array(text.utf8)) }
        static func server(_ text: String) -> Step { .server(Array(text.utf8)) }
    }

    /// Something else came of a head than the test is about.
    struct Surprise: Error { let head: String }

    private var machine: HTTPProxyRequests
    private var waiting: [UInt8] = []
    private var isWaiting = false
    private var isTunnel = false
    private var isClosed = false
    private(set) var told: [String] = []
    /// What the server sent and the client got.
    private(set) var passed: [UInt8] = []
    private(set) var surpluses: [HTTPProxyRequests.Admission.Surplus] = []
    /// Connections to servers that were begun; bytes of one that is over go nowhere.
    private var connections = 0
    private var isServerGone = false

    /// What the machine has done, in order; runs of bytes that go on as they are, are joined.
    static func play(_ steps: [Step], _ cutting: Cutting, asking credentials: ProxyCredentials? = nil) -> [String] {
        run(steps, cutting, asking: credentials).told
    }

    static func run(_ steps: [Step], _ cutting: Cutting, asking credentials: ProxyCredentials? = nil) -> ProxyDialogue {
        var dialogue = ProxyDialogue(machine: HTTPProxyRequests(credentials: credentials))
        for step in steps {
            switch step {
            case .client(let bytes): for piece in cutting.pieces(of: bytes) { dialogue.client(piece) }
            case .server(let bytes):
                let connection = dialogue.connections
                for piece in cutting.pieces(of: bytes) where connection == dialogue.connections { dialogue.server(piece) }
            case .clientEnds: if let action = dialogue.machine.finish() { dialogue.tell(action, []) }
            }
        }
        return dialogue
    }

    private init(machine: HTTPProxyRequests) { self.machine = machine }

    private mutating func client(_ piece: [UInt8]) {
        waiting += piece
        if !isWaiting { goOn() }
    }

    private mutating func server(_ piece: [UInt8]) {
        guard !isServerGone, !isClosed else { return }
        let admission = machine.takeAnswer(piece.rawBytes)
        passed += piece[..<admission.passed]
        if let surplus = admission.surplus {
            surpluses.append(surplus)
            isServerGone = true
        }
        if admission.endsClient {
            isClosed = true
            told.append("ends")
        }
        guard admission.isSettled else { return }
        isWaiting = false
        goOn()
    }

    private mutating func goOn() {
        while !isClosed {
            if isTunnel {
                say("tunnel", waiting)
                waiting = []
                return
            }
            let bytes = waiting
            let (consumed, action) = machine.take(bytes.rawBytes)
            let taken = Array(waiting[..<consumed])
            waiting.removeFirst(consumed)
            guard action != .needMore else { return }
            if action == .awaitAnswers {
                isWaiting = true
                if told.last != "awaits" { told.append("awaits") }
                return
            }
            // A caller that goes on would never stop.
            guard !taken.isEmpty || action != .relay && action != .discard else {
                told.append("spins")
                isClosed = true
                return
            }
            tell(action, taken)
        }
    }

    private mutating func tell(_ action: HTTPProxyRequests.Action, _ taken: [UInt8]) {
        switch action {
        case .needMore, .awaitAnswers: break
        case .connect(let target):
            told.append("connect \(target)")
            isTunnel = true
        case .forward(let head):
            if head.opens {
                told.append("opens \(head.origin)")
                connections += 1
                isServerGone = false
            }
            told.append(head.sent == head.relayed ? "unchanged \(head.sent.shown)" : "relayed \(head.relayed.shown)")
        case .relay: say("relay", taken)
        case .tunnel(let held):
            say("tunnel", held)
            isTunnel = true
        case .discard: say("discard", taken)
        case .answer(let answer):
            let words = answer.reason.map { " (\($0))" } ?? ""
            let marks = (answer.isToHead ? " head only" : "") + (answer.closes ? " and closes" : "")
            if case .refusal(let status, let reason) = answer.content {
                told.append("answer \(status)\(marks) (\(reason))")
            } else {
                told.append("answer \(answer.content)\(marks)\(words)")
            }
            isClosed = answer.closes
        case .close(let reply, let reason):
            told.append("close \(reply) (\(reason))")
            isClosed = true
        case .end:
            told.append("closes")
            isClosed = true
        }
    }

    private mutating func say(_ word: String, _ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if let last = told.last, last.hasPrefix(word + " ") {
            told[told.count - 1] = last + bytes.shown
        } else {
            told.append("\(word) \(bytes.shown)")
        }
    }
}
