import Dissection

/// The protocol of Redis, RESP2 and RESP3 (redis.io/docs/latest/develop/reference/protocol-spec), of framed raw TCP: commands, and their
/// replies in order.
enum Redis: FramedFormat {
    typealias Grammar = RedisGrammar
    static var keys: [StaticString] { ["type", "command", "args", "count", "value", "message", "attributes", "latency", "pushed"] }

    static var hasAllBeats: Bool { true }

    static func isReply(_ decoded: DecodedPayload) -> Bool {
        decoded.entries.contains { entry in
            if entry.key.rawBytes.isWord("type"), case .word(let word) = entry.value { word != "command" } else { false }
        }
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard bytes.byteCount > 0 else { return }
        if bytes[0] == 0x0a {
            // A line feed alone, while a snapshot is made or loaded.
            decoded.add("type", .word("keep-alive"), at: 0..<1)
            return decoded.say("keep-alive")
        }
        var state = memory.take(RedisConversation.self)
        defer { memory[RedisConversation.self] = state }
        if context.from == .client { return command(bytes, in: context, &state, into: &decoded) }
        // Only a snapshot begins so, as the answer to SYNC without a line before it.
        if bytes.begins("$EOF:") { state.becomeReplica() }
        if state.isReplica {
            if bytes[0] == UInt8(ascii: "*") { return command(bytes, in: context, &state, into: &decoded) }
            if bytes[0] == UInt8(ascii: "$") { return snapshot(bytes, into: &decoded) }
        }
        reply(bytes, in: context, &state, into: &decoded)
    }

    /// The database, as a replica gets it: its length or the mark that it ends with, and the bytes of a file.
    private static func snapshot(_ bytes: RawSpan, into decoded: inout DecodedPayload) {
        decoded.add("type", .word("snapshot"), at: 0..<1)
        decoded.say("snapshot")
        let start = (bytes.position(of: 0x0a, from: 0) ?? bytes.byteCount - 1) + 1
        let mark = bytes.begins("$EOF:") ? min(40, bytes.byteCount - start) : 0
        decoded.add("value", .binary(UInt64(bytes.byteCount - start - mark)), at: start..<bytes.byteCount - mark)
    }

    private static func reply(
        _ bytes: RawSpan, in context: PayloadContext, _ state: inout RedisConversation, into decoded: inout DecodedPayload
    ) {
        var reader = RESPReader(bytes)
        let attributes = reader.attributes()
        let start = reader.position
        guard start < bytes.byteCount, let type = Grammar.type(of: bytes[start])?.name else {
            // Which reply comes next is not known.
            state.lose(bytesOf: .server)
            return decoded.stop(reader.reason, at: start)
        }
        decoded.add("type", .word(type.description), at: start..<start + 1)
        decoded.say(type)
        let value = reader.value()
        if let value {
            let isError = bytes[start] == UInt8(ascii: "-") || bytes[start] == UInt8(ascii: "!")
            decoded.add(isError ? "message" : "value", value, at: start..<reader.position)
            decoded.say(" ")
            say(value, into: &decoded)
        }
        if let attributes { decoded.add("attributes", attributes, at: 0..<start) }
        if isPushed(bytes[start], value ?? .nothing, &state) {
            decoded.note("pushed", .flag(true))
        } else if !state.isReplica {
            let command = state.answer(at: context.time)
            if let command { answer(command, in: context, into: &decoded) }
            if beginsReplication(value, after: command, state) { state.becomeReplica() }
        }
        guard value != nil else { return decoded.stop(reader.reason, at: reader.position) }
        if reader.position < bytes.byteCount { decoded.stop("something follows its reply", at: reader.position) }
    }

    /// Whether a reply says that the server's own commands follow it.
    private static func beginsReplication(
        _ value: DecodedPayload.Value?, after command: RedisConversation.Command?, _ state: RedisConversation
    ) -> Bool {
        guard case .text(let text)? = value, command.map({ $0.name.rawBytes.isWord("psync") }) ?? state.isLost else { return false }
        return text.rawBytes.begins("FULLRESYNC ") || command != nil && text.rawBytes.begins("CONTINUE")
    }

    private static func answer(_ command: RedisConversation.Command, in context: PayloadContext, into decoded: inout DecodedPayload) {
        decoded.note("command", .text(command.name))
        decoded.say(", of ", command.name)
        guard let before = command.time, let now = context.time else { return }
        let latency = now.nanoseconds(since: before)
        decoded.note("latency", .duration(latency))
        decoded.say(", after ", span: latency)
    }

    /// Whether it answers no command: a push of RESP3, a published message, one of several confirmations of one SUBSCRIBE, or a command that
    /// MONITOR shows. A list of strings may look the same: it answers a command that waits, unless that one may be sent while subscribed.
    private static func isPushed(_ marker: UInt8, _ value: DecodedPayload.Value, _ state: inout RedisConversation) -> Bool {
        let isPush = marker == UInt8(ascii: ">")
        if marker == UInt8(ascii: "+"), case .text(let line) = value {
            return (state.isMonitoring || state.next == nil) && isMonitored(line.rawBytes)
        }
        guard isPush || marker == UInt8(ascii: "*"), case .items(let values) = value, case .text(let kind)? = values.first?.value else {
            return isPush
        }
        guard values.count == 3 || values.count == 4 else { return isPush }
        if RedisConversation.isSubscription(kind.rawBytes) {
            guard isPush || state.hasSubscribed || state.next == nil else { return false }
            return state.takeConfirmation(kind.rawBytes)
        }
        guard !isPush, Grammar.publications.contains(where: { kind.rawBytes.isWord($0) }) else { return isPush }
        guard let next = state.next else { return true }
        return state.hasSubscribed && RedisConversation.mayBeSubscribed(next.name)
    }

    /// Whether a line is a command of a client as MONITOR shows it: `1700000000.123456 [0 127.0.0.1:50000] "get" "a"`.
    private static func isMonitored(_ line: RawSpan) -> Bool {
        guard let dot = line.position(of: UInt8(ascii: "."), from: 0), dot > 0, line.extracting(0..<dot).decimal != nil,
            let blank = line.position(of: 0x20, from: dot), line.extracting(dot + 1..<blank).decimal != nil
        else { return false }
        return line.suffix(from: blank).begins(" [")
    }

    /// Arguments that are told; the others are counted.
    private static let mostArguments = 64

    private static func command(
        _ bytes: RawSpan, in context: PayloadContext, _ state: inout RedisConversation, into decoded: inout DecodedPayload
    ) {
        var words: [DecodedPayload.Value.Member] = []
        if bytes[0] == UInt8(ascii: "*") {
            var reader = RESPReader(bytes)
            guard let value = reader.value(), case .items(let values) = value else {
                return decoded.stop(reader.reason, at: reader.position)
            }
            guard reader.position == bytes.byteCount else { return decoded.stop("something follows its command", at: reader.position) }
            words = values
        } else {
            // Inline: words with blanks between them.
            var line: [(text: [UInt8], range: Range<Int>)] = [([], 0..<0)]
            for index in 0..<bytes.byteCount {
                let last = line.count - 1
                if bytes[index] > 0x20 {
                    line[last].range = (line[last].text.isEmpty ? index : line[last].range.lowerBound)..<index + 1
                    line[last].text.append(bytes[index])
                } else if !line[last].text.isEmpty, line.count <= mostArguments {
                    line.append(([], index..<index))
                }
            }
            words = line.filter { !$0.text.isEmpty }.map { .init([], .text($0.text), at: $0.range) }
        }
        guard let first = words.first, case .text(let name) = first.value else {
            return decoded.stop("it does not begin with the name of a command", at: 0)
        }
        let upper = name.map { 0x61...0x7a ~= $0 ? $0 - 0x20 : $0 }
        decoded.note("type", .word("command"))
        decoded.add([.init(Array("command".utf8), .text(upper), in: first.range)])
        decoded.say(upper)
        // What is secret stays in the payload alone.
        let isSecret =
            ["AUTH", "ACL", "CONFIG", "MIGRATE"].contains(String(decoding: upper, as: UTF8.self))
            || upper == Array("HELLO".utf8) && words.count > 2
        if !isSecret {
            let arguments = Array(words.dropFirst().prefix(mostArguments))
            decoded.add("args", .items(arguments), at: arguments.isEmpty ? bytes.byteCount..<bytes.byteCount : arguments.place)
            for word in arguments {
                decoded.say(" ")
                say(word.value, into: &decoded)
            }
        }
        if words.count - 1 > mostArguments { decoded.note("count", .number(UInt64(words.count - 1))) }
        // Commands of the server are those of its own clients.
        guard context.from == .client else { return }
        if upper == Array("REPLCONF".utf8), words.count > 1, case .text(let word) = words[1].value, word.rawBytes.isWord("ack") {
            return state.becomeReplica()
        }
        state.note(.init(name: Array(upper.prefix(64)), time: context.time, arguments: words.count - 1), reply: reply(upper, words))
    }

    /// What a command says of the replies to it and those after it.
    private static func reply(_ name: [UInt8], _ words: [DecodedPayload.Value.Member]) -> [UInt8]? {
        guard name == Array("CLIENT".utf8), words.count == 3, case .text(let second) = words[1].value,
            case .text(let third) = words[2].value, second.rawBytes.isWord("reply")
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
        case .items(let members):
            for (index, member) in members.prefix(32).enumerated() {
                if index > 0 { decoded.say(" ") }
                say(member.value, into: &decoded)
            }
            if members.count > 32 { decoded.say(" …".utf8) }
        case .object(let members): decoded.say(members.count, "member")
        case .word(let word): decoded.say(word.utf8)
        case .json(let text): decoded.say(text.rawBytes)
        case .duration, .fields: break
        }
    }
}
