#if os(Linux)
import CaptureFiles
import Dissection
import Interception
import Libc
import Reports

/// The outputs of `unmask run --watch`, and what is noted on the way to them: conversations that are open, and of those whose TLS is not decrypted
/// how their keys could be had.
struct WatchedEvents: ConversationSink, ~Copyable {
    var line: OutputLine
    /// Conversations that have begun and not ended.
    private(set) var open: UInt64 = 0
    /// Those whose TLS was not decrypted.
    private(set) var sealed: UInt64 = 0
    private var programs: WatchedPrograms
    /// What is known of a conversation when it begins, which may be over before its keys are missed.
    private struct Beginning {
        let client: Endpoint
        let server: Endpoint
        /// Who may have made it.
        let users: Set<WatchedPrograms.User>
    }

    private var beginnings: [UInt64: Beginning] = [:]
    private var advised: Set<Set<WatchedPrograms.User>> = []
    /// Java was given an agent that has it write its keys.
    private let hasJavaAgent: Bool
    private let tell: (String) -> Void

    /// Conversations whose programs are kept at most; of others, what runs when their keys are missed.
    private static let mostKept = 4_096

    init(_ line: consuming OutputLine, _ programs: WatchedPrograms, hasJavaAgent: Bool, tell: @escaping (String) -> Void) {
        self.line = line
        (self.programs, self.hasJavaAgent, self.tell) = (programs, hasJavaAgent, tell)
    }

    var takesFrames: Bool { line.takesFrames }
    var takesStreams: Bool { line.takesStreams }
    var heldBytes: Int { line.heldBytes + beginnings.count * 192 }
    mutating func receive(stream: borrowing StreamRun) { line.receive(stream: stream) }

    mutating func receive(_ event: borrowing ConversationEvent) {
        line.receive(event)
        switch event.kind {
        case .opened:
            open += 1
            if case .opened(let opening) = event.fact, beginnings.count < Self.mostKept {
                beginnings[event.conversation] = Beginning(client: opening.client, server: opening.server, users: programs.users())
            }
        case .closed:
            open -= min(open, 1)
            beginnings[event.conversation] = nil
        case .tls:
            // Without a ServerHello there is nothing to decrypt.
            if case .tls(let facts) = event.fact, facts.secrets == .missing, facts.version != nil { advise(event.conversation) }
        default: break
        }
    }

    /// Packets have come: the programs that they belong to may end before they are looked at.
    mutating func lookAtPrograms() { programs.look() }

    private mutating func advise(_ conversation: UInt64) {
        sealed += 1
        guard advised.count < 64 else { return }
        let beginning = beginnings[conversation]
        let owner = beginning.flatMap { programs.owner(of: $0.client, $0.server) }
        // Of several that may have made it, none is blamed.
        let users = owner.map { [$0] } ?? beginning?.users ?? programs.users()
        guard advised.insert(users).inserted else { return }
        let said =
            if let user = users.first, users.count == 1 {
                ": \(user.name) \(user.library.advice(hasJavaAgent: hasJavaAgent))"
            } else {
                ", and which program made it is not known"
                    + (users.isEmpty ? "" : "; these ran: \(Set(users.map(\.name)).sorted().prefix(8).joined(separator: ", "))")
            }
        tell("unmask: TLS of conversation \(conversation) is not decrypted\(said). Without --watch, the proxy of unmask run decrypts it")
    }
}

/// The processes of a control group, and what they do TLS with.
struct WatchedPrograms {
    struct User: Hashable {
        /// As the system has it: at most 15 bytes.
        let name: String
        let library: TLSLibrary
    }

    private struct Found {
        let process: Int32
        var user: User
        /// It had a socket when it was last looked at.
        var hasSocket: Bool
        var looks = 1

        /// It may have made a connection: a shell that has started the program has neither.
        var isCandidate: Bool { user.library != .unknown || hasSocket }

        /// Whether it may have loaded a library since: asked less and less often.
        var isDue: Bool { user.library == .unknown && looks & (looks - 1) == 0 }
    }

    private let processes: () -> [Int32]
    private var found: [Found] = []
    private var looked: ContinuousClock.Instant?

    /// Time between two looks.
    private static let pause = Duration.milliseconds(50)
    /// Processes that are looked at, at most.
    private static let most = 256

    init(_ processes: @escaping () -> [Int32]) { self.processes = processes }

    mutating func look() {
        let now = ContinuousClock.now
        if let looked, now - looked < Self.pause { return }
        looked = now
        var next: [Found] = []
        for process in processes().prefix(Self.most) {
            if var known = found.first(where: { $0.process == process }), !known.isDue {
                known.looks += 1
                next.append(known)
            } else if let library = TLSLibrary.used(by: process) {
                let user = Self.user(process, library)
                let looks = found.first { $0.process == process }?.looks ?? 0
                next.append(Found(process: process, user: user, hasSocket: SocketOwner.hasSocket(process), looks: looks + 1))
            }
        }
        // What has just ended is better than nothing.
        if !next.isEmpty { found = next }
    }

    /// Those that may have made a connection that has just begun.
    mutating func users() -> Set<User> {
        look()
        let candidates = found.filter(\.isCandidate)
        return Set((candidates.isEmpty ? found : candidates).map(\.user))
    }

    /// What has an end of a connection; nil where that is closed by now.
    mutating func owner(of client: Endpoint, _ server: Endpoint) -> User? {
        let running = processes()
        let process =
            SocketOwner.process(local: client, remote: server, among: running)
            ?? SocketOwner.process(local: server, remote: client, among: running)
        guard let process = process.flatMap({ Int32($0) }) else { return nil }
        // It may have loaded a library since it was looked at.
        return TLSLibrary.used(by: process).map { Self.user(process, $0) } ?? found.first { $0.process == process }?.user
    }

    private static func user(_ process: Int32, _ library: TLSLibrary) -> User {
        let name = WholeFile.read("/proc/\(process)/comm") ?? []
        return User(name: String(decoding: name.prefix { $0 != 0x0A }, as: UTF8.self).visible, library: library)
    }
}
#endif
