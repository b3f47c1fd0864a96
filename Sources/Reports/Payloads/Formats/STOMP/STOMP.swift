import Dissection

/// STOMP 1.0 to 1.2 (stomp.github.io/stomp-specification-1.2.html): a command, header lines, an empty line, a body, and NUL; a line break
/// alone is a heartbeat.
enum STOMP: FramedFormat {
    typealias Grammar = STOMPGrammar
    /// Few clients agree on a subprotocol.
    static var occasions: PayloadOccasions { .all }
    static var keys: [StaticString] { ["command", "headers", "length", "payload", "latency", "frames"] }
    static var hasGoodbye: Bool { true }

    static func isGoodbye(_ decoded: DecodedPayload, from side: Side, _ content: RawSpan) -> Bool {
        side == .client && decoded.says("command", "DISCONNECT")
    }

    static var beatDelay: BeatDelay { .ownBytes }

    /// Each side says what it can send and what it wants; what both have more than 0 of holds, at the longer of the two times.
    static func note(_ decoded: DecodedPayload, in timeouts: inout HeartbeatTimeouts) {
        timeouts.format = FormatName(name, Self.self)
        guard let (sends, wants) = beats(decoded) else { return }
        if decoded.says("command", "CONNECTED") {
            let offered = timeouts.offered
            timeouts.keepAlive = offered.sends > 0 && wants > 0 ? max(offered.sends, wants) : 0
            timeouts.serverKeepAlive = offered.wants > 0 && sends > 0 ? max(offered.wants, sends) : 0
        } else {
            timeouts.offered = (sends, wants)
        }
    }

    /// The two times of a `heart-beat` header, in nanoseconds.
    private static func beats(_ decoded: DecodedPayload) -> (sends: Int64, wants: Int64)? {
        guard case .fields(let headers)? = decoded.value(of: "headers"),
            let value = headers.first(where: { $0.name.rawBytes.isWord("heart-beat") })?.value
        else { return nil }
        let parts = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        guard parts.count == 2, numbers.count == 2 else { return nil }
        return (HeartbeatTimeouts.nanoseconds(numbers[0], 1_000_000), HeartbeatTimeouts.nanoseconds(numbers[1], 1_000_000))
    }

    private static let commands = Grammar.clientCommands + Grammar.serverCommands

    static func mayBegin(with byte: UInt8) -> Bool { 0x41...0x5a ~= byte }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        if context.isFramed(by: name) { return .agreed }
        let isAgreed = ["v10.stomp", "v11.stomp", "v12.stomp", "stomp"].contains { context.speaks($0) }
        if isAgreed { return .agreed }
        var end = bytes.byteCount
        while end > 0, bytes[end - 1] == 0x0a || bytes[end - 1] == 0x0d { end -= 1 }
        guard bytes.byteCount > 4, end > 0, bytes[end - 1] == 0 || context.isCut else { return .no }
        return command(bytes) == nil ? .no : .likely
    }

    /// The command that the bytes begin with, up to the end of its line.
    private static func command(_ bytes: RawSpan) -> StaticString? {
        commands.first {
            let count = $0.utf8CodeUnitCount
            return bytes.begins($0) && bytes.byteCount > count && (bytes[count] == 0x0a || bytes[count] == 0x0d)
        }
    }

    private static let mostHeaders = 256

    private static let mostFrames = 256

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var position = 0
        skipLineEnds(bytes, &position)
        if position == bytes.byteCount {
            decoded.add("command", .word("heartbeat"), at: 0..<bytes.byteCount)
            decoded.say("heartbeat")
            return
        }
        var frames: [(said: DecodedPayload, range: Range<Int>)] = []
        repeat {
            var one = DecodedPayload(format: name)
            let start = position
            if frames.count < mostFrames {
                frame(bytes, &position, in: context, memory: &memory, into: &one)
            } else {
                one.stop("it has more than 256 frames", at: position)
            }
            frames.append((one, start..<position))
            skipLineEnds(bytes, &position)
        } while position < bytes.byteCount && !frames[frames.count - 1].said.hasStopped
        tell(frames, into: &decoded)
    }

    /// Tells the frames of one payload, and why no more were read, which the last one says.
    private static func tell(_ frames: [(said: DecodedPayload, range: Range<Int>)], into decoded: inout DecodedPayload) {
        let told = frames.map { (said: $0.said.withoutProblem, range: $0.range) }.filter { !$0.said.entries.isEmpty }
        if told.count == 1 {
            decoded = told[0].said
        } else if !told.isEmpty {
            let members: [DecodedPayload.Value.Member] = told.map { .init([], $0.said.asMembers, at: $0.range) }
            decoded.add("frames", .items(members), at: members.place)
            for (index, frame) in told.enumerated() {
                if index > 0 { decoded.say("; ") }
                decoded.say(frame.said.summary)
            }
        }
        if let last = frames.last { decoded.stop(like: last.said) }
    }

    /// Line breaks before a frame are heartbeats, or follow the frame before.
    private static func skipLineEnds(_ bytes: RawSpan, _ position: inout Int) {
        while position < bytes.byteCount, bytes[position] == 0x0a || bytes[position] == 0x0d { position += 1 }
    }

    /// Reads the frame that begins at `position`, and goes to its end.
    private static func frame(
        _ bytes: RawSpan, _ position: inout Int, in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        let start = position
        guard let command = command(bytes.suffix(from: start)) else {
            return decoded.stop("it does not begin with a command of STOMP", at: start)
        }
        position += command.utf8CodeUnitCount
        decoded.add("command", .word(command.description), at: start..<position)
        decoded.say(command)
        _ = line(bytes, &position)
        let first = position
        var problem: (reason: StaticString, at: Int)?
        let headers = headers(bytes, &position, of: command, problem: &problem)
        if let problem { return decoded.stop(problem.reason, at: problem.at) }
        // The passcode stays in the payload alone.
        decoded.add("headers", .fields(headers.filter { !$0.name.rawBytes.isWord("passcode") }), at: first..<position)
        /// Of several headers with one name the first counts (1.2, "Repeated Header Entries").
        func header(_ name: StaticString) -> [UInt8]? { headers.first { $0.name.rawBytes.isEqual(name.bytes) }?.value }
        var end = position
        if let value = header(Grammar.lengthHeader) {
            guard let length = value.rawBytes.decimal else { return decoded.stop("its content-length is not a number", at: first) }
            guard length <= UInt64(bytes.byteCount - position) else {
                return decoded.stop("its content-length is more than came", at: position)
            }
            end = position + Int(length)
        } else {
            end = bytes.position(of: 0, from: position) ?? bytes.byteCount
        }
        decoded.add("length", .number(UInt64(end - position)), at: position..<end)
        for name in ["destination", "message", "version", "receipt-id"] as [StaticString] {
            guard let value = header(name) else { continue }
            decoded.say(" ", value)
            break
        }
        if end > position {
            let inner = InnerPayload(topic: header("destination") ?? [], contentType: header("content-type") ?? [])
            decoded.add(inner, bytes.extracting(position..<end), at: position..<end, in: context)
        }
        match(command, header, in: context, memory: &memory, into: &decoded)
        position = end
        if end == bytes.byteCount, context.isCut { return }
        guard end < bytes.byteCount, bytes[end] == 0 else { return decoded.stop("its frame does not end with NUL", at: end) }
        position += 1
    }

    /// Matches a receipt with the frame that asked for it, and CONNECTED or an ERROR with CONNECT.
    private static func match(
        _ command: StaticString, _ header: (StaticString) -> [UInt8]?, in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        let connecting = Array("stomp connect".utf8)
        switch command.description {
        case "CONNECT", "STOMP": memory.calls.note(connecting, owed: command.bytes.copy, in: context)
        case "CONNECTED": decoded.addAnswer(to: connecting, in: context, memory: &memory)
        // A login that is refused is answered by an ERROR (1.2, "Connecting").
        case "ERROR" where header("receipt-id") == nil: decoded.addAnswer(to: connecting, in: context, memory: &memory)
        case "RECEIPT", "ERROR":
            if let id = header("receipt-id") { decoded.addAnswer(to: Array("stomp".utf8) + id, in: context, memory: &memory) }
        case _:
            // Of a server it is a header of the app's that a MESSAGE has from its SEND.
            if context.from == .client, let id = header("receipt") {
                let label = command.bytes.copy + " (receipt ".utf8 + id + [0x29]
                memory.calls.note(Array("stomp".utf8) + id, name: command.bytes.copy, owed: label, in: context)
            }
        }
    }

    /// The header lines up to the empty line, their escapes undone (1.2, "Value Encoding"); CONNECT and CONNECTED have none.
    private static func headers(
        _ bytes: RawSpan, _ position: inout Int, of command: StaticString, problem: inout (reason: StaticString, at: Int)?
    ) -> [DecodedPayload.Value.Field] {
        let isEscaped =
            !command.bytes.isEqual(("CONNECT" as StaticString).bytes) && !command.bytes.isEqual(("CONNECTED" as StaticString).bytes)
        var headers: [DecodedPayload.Value.Field] = []
        let start = position
        while true {
            guard let range = line(bytes, &position) else {
                problem = ("its headers have no end", start)
                return headers
            }
            if range.isEmpty { return headers }
            guard let colon = range.first(where: { bytes[$0] == UInt8(ascii: ":") }) else {
                problem = ("a header has no colon", range.lowerBound)
                return headers
            }
            guard headers.count < mostHeaders else {
                problem = ("it has more than 256 headers", range.lowerBound)
                return headers
            }
            let name = bytes.extracting(range.lowerBound..<colon)
            let value = bytes.extracting(colon + 1..<range.upperBound)
            headers.append(isEscaped ? .init(unescaped(name), unescaped(value), at: range) : .init(name.copy, value.copy, at: range))
        }
    }

    /// What a text stands for; as it is where an escape is not valid, since STOMP 1.0 has none.
    private static func unescaped(_ text: RawSpan) -> [UInt8] {
        guard text.position(of: UInt8(ascii: "\\")) != nil else { return text.copy }
        var result: [UInt8] = []
        var index = 0
        while index < text.byteCount {
            if text[index] == UInt8(ascii: "\\") {
                index += 1
                guard index < text.byteCount else { return text.copy }
                switch text[index] {
                case UInt8(ascii: "n"): result.append(0x0a)
                case UInt8(ascii: "r"): result.append(0x0d)
                case UInt8(ascii: "c"): result.append(UInt8(ascii: ":"))
                case UInt8(ascii: "\\"): result.append(UInt8(ascii: "\\"))
                case _: return text.copy
                }
            } else {
                result.append(text[index])
            }
            index += 1
        }
        return result
    }

    /// The next line without its end; nil where it has none.
    private static func line(_ bytes: RawSpan, _ position: inout Int) -> Range<Int>? {
        let start = position
        while position < bytes.byteCount {
            if bytes[position] == 0x0a {
                position += 1
                let end = position - 1
                return start..<(end > start && bytes[end - 1] == 0x0d ? end - 1 : end)
            }
            position += 1
        }
        return nil
    }
}
