import Dissection

/// SockJS 0.3 (sockjs.github.io/sockjs-protocol): frames in the messages of its WebSocket and in the bodies of its other transports, with
/// the messages of the app in them, which are read in turn.
///
/// ```
/// o   h   a["SEND\n…","…"]   c[3000,"Go away!"]    from the server
/// ["…"]                                            from the client
/// ```
enum SockJS: PayloadFormat {
    static var name: StaticString { "sockjs" }
    static var keys: [StaticString] { ["type", "messages", "code", "reason", "frames"] }
    static var beatDelay: BeatDelay { .ownBytes }

    static let occasions: PayloadOccasions = [.text, .agreedText, .body]

    static func mayBegin(with byte: UInt8) -> Bool { ("[\"aohc" as StaticString).bytes.position(of: byte) != nil }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard bytes.byteCount > 0, context.isText else { return .no }
        let transport = transport(of: context.target.rawBytes)
        switch context.carrier {
        case .message:
            if transport == .webSocket { return isFrame(bytes, from: context.from) ? .certain : .no }
            // Without the request: what hardly anything else has.
            guard context.from == .server, bytes.begins("a[\""), bytes[bytes.byteCount - 1] == UInt8(ascii: "]"),
                JSONParts(bytes, from: 1, isArray: true) != nil
            else { return .no }
            return .likely
        case .body:
            switch transport {
            case .bodies: return isFrame(bytes, from: context.from) ? .typed : .no
            case .script:
                guard let frame = script(bytes, from: context.from), !frame.isEmpty else { return .no }
                return isFrame(frame.rawBytes, from: context.from) ? .typed : .no
            case .webSocket, nil: return .no
            }
        case .framed, .data, .head: return .no
        }
    }

    /// What carries frames: messages, bodies, or bodies that are calls and forms.
    private enum Transport { case webSocket, bodies, script }

    /// The transport that a target ends with: `/prefix/SERVER/SESSION/websocket`.
    private static func transport(of target: RawSpan) -> Transport? {
        let path = target.extracting(0..<(target.position(of: UInt8(ascii: "?")) ?? target.byteCount))
        var slashes: [Int] = []
        var index = path.byteCount - 1
        while index >= 0, slashes.count < 3 {
            if path[index] == UInt8(ascii: "/") { slashes.append(index) }
            index -= 1
        }
        guard slashes.count == 3 else { return nil }
        // Neither name is empty or has a dot; clients take three digits for the server.
        let server = path.extracting(slashes[2] + 1..<slashes[1])
        let session = path.extracting(slashes[1] + 1..<slashes[0])
        guard !server.isEmpty, server.byteCount <= 8, session.byteCount >= 4, server.position(of: 0x2e) == nil,
            session.position(of: 0x2e) == nil
        else { return nil }
        let last = path.extracting(slashes[0] + 1..<path.byteCount)
        if last.isWord("websocket") { return .webSocket }
        if last.isWord("jsonp") || last.isWord("jsonp_send") { return .script }
        return last.isWord("xhr") || last.isWord("xhr_send") || last.isWord("xhr_streaming") ? .bodies : nil
    }

    /// The frame in a body of JSONP. A client may send it without a form as well.
    private static func script(_ bytes: RawSpan, from side: Side) -> [UInt8]? {
        if side == .client, bytes.byteCount > 0, bytes[0] == UInt8(ascii: "[") { return bytes.copy }
        return JSONP.frame(of: bytes, from: side)
    }

    private static func isFrame(_ bytes: RawSpan, from side: Side) -> Bool {
        let next = bytes.byteCount > 1 ? bytes[1] : 0x0a
        if side == .client { return bytes[0] == UInt8(ascii: "[") || bytes[0] == UInt8(ascii: "\"") }
        switch bytes[0] {
        case UInt8(ascii: "o"), UInt8(ascii: "h"): return next == 0x0a || next == UInt8(ascii: "h")
        case UInt8(ascii: "a"), UInt8(ascii: "c"): return next == UInt8(ascii: "[")
        case _: return false
        }
    }

    private static let mostFrames = 256
    /// What may be in its messages.
    private static let inside = PayloadTable([PayloadRow(STOMP.self), PayloadRow(JSONRPC.self), PayloadRow(Phoenix.self)])

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        if context.carrier == .body, transport(of: context.target.rawBytes) == .script {
            guard let content = script(bytes, from: context.from), !content.isEmpty else {
                return decoded.stop("it is neither a call with a string nor a form", at: 0)
            }
            frames(content.rawBytes, in: context, memory: &memory, into: &decoded)
            // What is said stood in a string, with escapes.
            return decoded.unwrap(from: bytes.byteCount)
        }
        frames(bytes, in: context, memory: &memory, into: &decoded)
    }

    private static func frames(
        _ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        if context.carrier == .message || context.from == .client {
            return frame(bytes, in: context, memory: &memory, into: &decoded)
        }
        // A frame a line.
        var frames: [(said: DecodedPayload, range: Range<Int>)] = []
        func addAll() {
            let members: [DecodedPayload.Value.Member] = frames.map { .init([], $0.said.asMembers, at: $0.range) }
            decoded.add("frames", .items(members), at: members.place)
        }
        var start = 0
        while start < bytes.byteCount {
            let end = bytes.position(of: 0x0a, from: start) ?? bytes.byteCount
            guard frames.count < mostFrames else {
                addAll()
                return decoded.stop("it has more than 256 frames", at: start)
            }
            if end > start {
                var one = DecodedPayload(format: name, base: start)
                frame(bytes.extracting(start..<end), in: context, memory: &memory, into: &one)
                frames.append((one, start..<end))
            }
            start = end + 1
        }
        if frames.count == 1 {
            decoded = frames[0].said
            decoded.base = 0
            return
        }
        addAll()
        for (index, one) in frames.enumerated() {
            if index > 0 { decoded.say("; ") }
            decoded.say(one.said.summary)
        }
        if let stopped = frames.first(where: \.said.hasStopped) { decoded.stop(like: stopped.said) }
    }

    private static func frame(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload)
    {
        if context.from == .client {
            decoded.note("type", .word("message"))
            if bytes[0] == UInt8(ascii: "\"") {
                var cursor = JSONCursor(bytes)
                guard let range = cursor.string(), cursor.isAtEnd() else {
                    return decoded.stop("its JSON is not valid or not whole", at: 0)
                }
                return messages([range], of: bytes, in: context, memory: &memory, into: &decoded)
            }
            return array(bytes, from: 0, in: context, memory: &memory, into: &decoded)
        }
        switch bytes[0] {
        case UInt8(ascii: "o") where bytes.byteCount == 1:
            decoded.add("type", .word("open"), at: 0..<1)
            decoded.say("open")
        case UInt8(ascii: "h") where (1..<bytes.byteCount).allSatisfy({ bytes[$0] == UInt8(ascii: "h") }):
            // Streaming begins with 2,048 of them.
            decoded.add("type", .word(bytes.byteCount == 1 ? "heartbeat" : "prelude"), at: 0..<bytes.byteCount)
            decoded.say(bytes.byteCount == 1 ? "heartbeat" : "prelude")
        case UInt8(ascii: "a"):
            decoded.add("type", .word("message"), at: 0..<1)
            array(bytes, from: 1, in: context, memory: &memory, into: &decoded)
        case UInt8(ascii: "c"):
            decoded.add("type", .word("close"), at: 0..<1)
            guard let parts = JSONParts(bytes, from: 1, isArray: true), parts.isAll(of: bytes), parts.parts.count == 2 else {
                return decoded.stop("its close frame is not [code, reason]", at: 1)
            }
            decoded.add("code", json: parts.parts[0].value, of: bytes)
            decoded.add("reason", json: parts.parts[1].value, of: bytes)
            decoded.say("close ", bytes.extracting(parts.parts[0].value))
            decoded.say(" ", bytes.extracting(parts.parts[1].value))
        case _: decoded.stop("it is not a frame of SockJS", at: 0)
        }
    }

    private static func array(
        _ bytes: RawSpan, from start: Int, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        guard let parts = JSONParts(bytes, from: start, isArray: true) else {
            return decoded.stop(JSONParts.problem(bytes, from: start, isArray: true), at: start)
        }
        guard parts.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: parts.end) }
        var strings: [Range<Int>] = []
        for part in parts.parts {
            guard bytes[part.value.lowerBound] == UInt8(ascii: "\"") else {
                return decoded.stop("a message is not a string", at: part.value.lowerBound)
            }
            strings.append(part.value.lowerBound + 1..<part.value.upperBound - 1)
        }
        messages(strings, of: bytes, in: context, memory: &memory, into: &decoded)
    }

    private static func messages(
        _ strings: [Range<Int>], of bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        var context = context
        context.isPolled = context.carrier == .body
        context.carrier = .message
        context.opcode = 1
        var values: [DecodedPayload.Value.Member] = []
        for (index, range) in strings.enumerated() {
            let text = bytes.extracting(range).unescapedJSON
            // With its quotes.
            let place = range.lowerBound - 1..<range.upperBound + 1
            if index > 0 { decoded.say("; ") }
            if let inner = inside.decode(text.rawBytes, in: context, memory: &memory), !inner.hasStopped {
                values.append(.init([], inner.asValue.inside(range, ofCount: text.count), at: place))
                decoded.say(inner.format)
                decoded.say(" ", inner.summary)
            } else {
                values.append(.init([], text.rawBytes.asContent, at: place))
                decoded.say(text.rawBytes)
            }
        }
        decoded.add("messages", .items(values), at: values.place)
        if strings.isEmpty { decoded.say("no message") }
    }
}
