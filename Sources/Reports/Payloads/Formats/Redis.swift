import Dissection

/// Commands of one conversation with Redis that wait for their reply, in order.
struct RedisConversation: PayloadState {
    struct Command: Sendable {
        let name: [UInt8]
        let time: Timestamp?
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
        guard !isLost, isAnswered(reply) else { return }
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
        return next
    }
}

/// The protocol of Redis, RESP2 and RESP3 (redis.io/docs/latest/develop/reference/protocol-spec), of framed raw TCP: commands, and their
/// replies in order.
enum Redis: PayloadFormat {
    static var name: StaticString { "redis" }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        context.isFramed(by: "redis") ? .agreed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard bytes.byteCount > 0 else { return }
        if context.from == .client { return command(bytes, in: context, memory: &memory, into: &decoded) }
        var state = memory.take(RedisConversation.self)
        defer { memory[RedisConversation.self] = state }
        var reader = RESPReader(bytes)
        guard let type = RESPReader.type(of: bytes[0]) else {
            // Which reply comes next is not known.
            state.lose(bytesOf: .server)
            return decoded.stop(reader.reason, at: 0)
        }
        decoded.add("type", .word(type.description), at: 0..<1)
        decoded.say(type)
        let value = reader.value()
        if let value {
            let isError = bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "!")
            decoded.add(isError ? "message" : "value", value, at: 0..<reader.position)
            decoded.say(" ")
            say(value, into: &decoded)
        }
        if isPushed(bytes[0], value ?? .nothing, state) {
            decoded.add("pushed", .flag(true))
        } else if let command = state.answer(at: context.time) {
            answer(command, in: context, into: &decoded)
        }
        guard value != nil else { return decoded.stop(reader.reason, at: reader.position) }
        if reader.position < bytes.byteCount { decoded.stop("something follows its reply", at: reader.position) }
    }

    private static func answer(_ command: RedisConversation.Command, in context: PayloadContext, into decoded: inout DecodedPayload) {
        decoded.add("command", .text(command.name))
        decoded.say(", of ")
        decoded.say(command.name)
        guard let before = command.time, let now = context.time else { return }
        let latency = now.nanoseconds(since: before)
        decoded.add("latency", .duration(latency))
        decoded.say(", after ")
        decoded.say(span: latency)
    }

    /// Whether it answers no command: a push of RESP3, a published message, or one of several confirmations of one SUBSCRIBE.
    private static func isPushed(_ marker: UInt8, _ value: DecodedPayload.Value, _ state: RedisConversation) -> Bool {
        guard marker == UInt8(ascii: "*") || marker == UInt8(ascii: ">") else { return false }
        guard case .list(let values) = value, case .text(let kind)? = values.first else { return marker == UInt8(ascii: ">") }
        if values.count == 3 || values.count == 4 {
            for word in ["message", "pmessage", "smessage"] as [StaticString] where kind.rawBytes.isWord(word) {
                // A list of strings looks the same: it answers a command that waits, unless that one subscribes.
                return marker == UInt8(ascii: ">") || state.next == nil || isSubscribing(state.next?.name ?? [])
            }
            if isSubscribing(kind) {
                return !(state.next.map { $0.name.rawBytes.lowercased == kind.rawBytes.lowercased } ?? false)
            }
        }
        return marker == UInt8(ascii: ">")
    }

    private static func isSubscribing(_ name: [UInt8]) -> Bool {
        ["subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"].contains { name.rawBytes.isWord($0) }
    }

    /// Arguments that are told; the others are counted.
    private static let mostArguments = 64

    private static func command(
        _ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        var words: [DecodedPayload.Value] = []
        if bytes[0] == UInt8(ascii: "*") {
            var reader = RESPReader(bytes)
            guard let value = reader.value(), case .list(let values) = value else {
                return decoded.stop(reader.reason, at: reader.position)
            }
            guard reader.position == bytes.byteCount else { return decoded.stop("something follows its command", at: reader.position) }
            words = values
        } else {
            // Inline: words with blanks between them.
            var line: [[UInt8]] = [[]]
            for index in 0..<bytes.byteCount {
                if bytes[index] > 0x20 {
                    line[line.count - 1].append(bytes[index])
                } else if line[line.count - 1] != [], line.count <= mostArguments {
                    line.append([])
                }
            }
            words = line.filter { !$0.isEmpty }.map { .text($0) }
        }
        guard case .text(let name)? = words.first else { return decoded.stop("it does not begin with the name of a command", at: 0) }
        let upper = name.map { 0x61...0x7a ~= $0 ? $0 - 0x20 : $0 }
        decoded.add("type", .word("command"))
        decoded.add("command", .text(upper))
        decoded.say(upper)
        // What is secret stays in the payload alone.
        let isSecret =
            ["AUTH", "ACL", "CONFIG", "MIGRATE"].contains(String(decoding: upper, as: UTF8.self))
            || upper == Array("HELLO".utf8) && words.count > 2
        if !isSecret {
            decoded.add("args", .list(Array(words.dropFirst().prefix(mostArguments))))
            for word in words.dropFirst().prefix(mostArguments) {
                decoded.say(" ")
                say(word, into: &decoded)
            }
        }
        if words.count - 1 > mostArguments { decoded.add("count", .number(UInt64(words.count - 1))) }
        var state = memory.take(RedisConversation.self)
        state.note(.init(name: Array(upper.prefix(64)), time: context.time), reply: reply(upper, words))
        memory[RedisConversation.self] = state
    }

    /// What a command says of the replies to it and those after it.
    private static func reply(_ name: [UInt8], _ words: [DecodedPayload.Value]) -> [UInt8]? {
        guard name == Array("CLIENT".utf8), words.count == 3, case .text(let second) = words[1], case .text(let third) = words[2],
            second.rawBytes.isWord("reply")
        else { return nil }
        return third.map { 0x61...0x7a ~= $0 ? $0 - 0x20 : $0 }
    }

    private static func say(_ value: DecodedPayload.Value, into decoded: inout DecodedPayload) {
        guard decoded.summary.count < 512 else { return }
        switch value {
        case .text(let text): decoded.say(text.rawBytes)
        case .number(let number): decoded.say("\(number)".utf8)
        case .signed(let number): decoded.say("\(number)".utf8)
        case .real(let number): decoded.say("\(number)".utf8)
        case .flag(let flag): decoded.say(flag ? "true" : "false")
        case .nothing: decoded.say("nil")
        case .binary(let count): decoded.say("\(count) bytes".utf8)
        case .items(let members): say(.list(members.map(\.value)), into: &decoded)
        case .list(let values):
            for (index, value) in values.prefix(32).enumerated() {
                if index > 0 { decoded.say(" ") }
                say(value, into: &decoded)
            }
            if values.count > 32 { decoded.say(" …".utf8) }
        case .object(let members): decoded.say(members.count, "member")
        case .word(let word): decoded.say(word.utf8)
        case .json(let text): decoded.say(text.rawBytes)
        case .duration, .fields: break
        }
    }
}

extension RawSpan {
    /// Its letters of ASCII in lower case.
    fileprivate var lowercased: [UInt8] { copy.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 } }
}
