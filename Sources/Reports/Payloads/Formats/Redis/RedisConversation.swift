import Dissection

/// Commands of one conversation with Redis that wait for their reply, in order.
struct RedisConversation: PayloadState {
    struct Command: Sendable {
        /// In upper case.
        let name: [UInt8]
        let time: Timestamp?
        /// How many arguments it has.
        var arguments = 0
    }

    /// At most 1,024; the first to come is answered first.
    private var commands: [Command] = []
    private var first = 0
    /// Replies that the client does not want (CLIENT REPLY).
    private enum Silence { case none, next, all }
    private var silence = Silence.none
    /// Some commands or replies are not known: what answers what is not either.
    private(set) var isLost = false
    /// They were not known once, and since `resumption` of silence they are again.
    private var hasResumed = false
    /// When the last reply came, where nothing was said or lost after it.
    private var lastReply: Timestamp?

    /// It has asked for messages that are published, or for all commands of the server: what answers no command may come.
    private(set) var hasSubscribed = false
    private(set) var isMonitoring = false
    /// The client is a replica: the server sends its commands, and neither side replies.
    private(set) var isReplica = false
    /// Confirmations that are still to come of the last command that subscribes or ends a subscription, one for each channel.
    private var confirmations: (name: [UInt8], left: Int) = ([], 0)

    private static let most = 1_024
    /// After so much silence behind a reply no other is taken to be due: commands and replies are paired again from there.
    private static let resumption: Int64 = 1_000_000_000

    init() {}

    var heldBytes: Int { commands.capacity * (MemoryLayout<Command>.stride + 64) }

    mutating func lose(bytesOf side: Side) {
        commands = []
        first = 0
        isLost = true
        lastReply = nil
    }

    /// - Parameter reply: what it says of replies: the word after `CLIENT REPLY`, in upper case; nil for another command.
    mutating func note(_ command: Command, reply: [UInt8]? = nil) {
        if isLost, let before = lastReply, let now = command.time, now.nanoseconds(since: before) >= Self.resumption {
            isLost = false
            hasResumed = true
        }
        lastReply = nil
        if ["subscribe", "psubscribe", "ssubscribe"].contains(where: { command.name.rawBytes.isWord($0) }) { hasSubscribed = true }
        if command.name.rawBytes.isWord("monitor") { isMonitoring = true }
        guard !isLost, !isReplica, isAnswered(reply) else { return }
        guard commands.count - first < Self.most else { return lose(bytesOf: .client) }
        if first >= Self.most {
            commands.removeFirst(first)
            first = 0
        }
        commands.append(command)
    }

    /// Whether a reply comes to the next command (redis.io/docs/latest/commands/client-reply).
    private mutating func isAnswered(_ reply: [UInt8]?) -> Bool {
        switch reply {
        case Array("ON".utf8)?:
            silence = .none
            return true
        case Array("OFF".utf8)?:
            silence = .all
            return false
        case Array("SKIP".utf8)?:
            if silence == .none { silence = .next }
            return false
        case _: break
        }
        if silence == .next {
            silence = .none
            return false
        }
        return silence == .none
    }

    /// The command that is answered next.
    var next: Command? { first < commands.count ? commands[first] : nil }

    /// The server sends its own commands from here on (redis.io, "Replication internals").
    mutating func becomeReplica() {
        isReplica = true
        commands = []
        first = 0
    }

    /// Whether a command is one of those that a client may send while it is subscribed, in RESP2 (redis.io/docs/latest/develop/pubsub).
    static func mayBeSubscribed(_ name: [UInt8]) -> Bool {
        isSubscription(name.rawBytes) || ["ping", "quit", "reset"].contains { name.rawBytes.isWord($0) }
    }

    /// Whether this word subscribes or ends a subscription: the command, and the kind of what confirms it.
    static func isSubscription(_ name: RawSpan) -> Bool {
        ["subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"].contains { name.isWord($0) }
    }

    /// Takes a confirmation of this kind. Whether it is one more of a command that was answered before.
    mutating func takeConfirmation(_ kind: RawSpan) -> Bool {
        if confirmations.left > 0, kind.isSameWord(confirmations.name) {
            confirmations.left -= 1
            return true
        }
        return next == nil
    }

    /// Takes a reply. Returns the command that it answers; nil where that is not known.
    mutating func answer(at time: Timestamp?) -> Command? {
        guard let next else {
            // One more than there should be: it was due from before, and so was perhaps another.
            if hasResumed { isLost = true }
            lastReply = time
            return nil
        }
        first += 1
        lastReply = time
        if Self.isSubscription(next.name.rawBytes) {
            // Without channels all that there are.
            confirmations = (next.name, next.arguments == 0 ? .max : next.arguments - 1)
        }
        return next
    }
}

extension RawSpan {
    /// Whether they are the same but for the case of letters of ASCII.
    fileprivate func isSameWord(_ other: [UInt8]) -> Bool {
        guard byteCount == other.count else { return false }
        for index in 0..<byteCount where lowercased(self[index]) != lowercased(other[index]) { return false }
        return true
    }

    private func lowercased(_ byte: UInt8) -> UInt8 { 0x41...0x5a ~= byte ? byte | 0x20 : byte }
}
