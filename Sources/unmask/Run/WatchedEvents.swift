#if os(Linux)
import CaptureFiles
import Dissection
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
    /// What the programs used when a conversation began, which may be over before its keys are missed.
    private var users: [UInt64: [WatchedPrograms.User]] = [:]
    private var advised: Set<WatchedPrograms.User> = []
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
    var heldBytes: Int { line.heldBytes + users.count * 128 }
    mutating func receive(stream: borrowing StreamRun) { line.receive(stream: stream) }

    mutating func receive(_ event: borrowing ConversationEvent) {
        line.receive(event)
        switch event.kind {
        case .opened:
            open += 1
            if users.count < Self.mostKept { users[event.conversation] = programs.users() }
        case .closed:
            open -= min(open, 1)
            users[event.conversation] = nil
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
        let users = users[conversation] ?? programs.users()
        let using = users.filter { $0.library != .unknown }
        // A shell that has started the program has no TLS library either.
        for user in using.isEmpty ? Array(users.suffix(1)) : using where advised.count < 64 && advised.insert(user).inserted {
            tell(
                "unmask: TLS of conversation \(conversation) is not decrypted: \(user.name) \(user.library.advice(hasJavaAgent: hasJavaAgent)). "
                    + "Without --watch, the proxy of unmask run decrypts it")
        }
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
        var looks = 1

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
                let name = WholeFile.read("/proc/\(process)/comm") ?? []
                let user = User(name: String(decoding: name.prefix { $0 != 0x0A }, as: UTF8.self).visible, library: library)
                let looks = found.first { $0.process == process }?.looks ?? 0
                next.append(Found(process: process, user: user, looks: looks + 1))
            }
        }
        // What has just ended is better than nothing.
        if !next.isEmpty { found = next }
    }

    mutating func users() -> [User] {
        look()
        return found.map(\.user)
    }
}
#endif
