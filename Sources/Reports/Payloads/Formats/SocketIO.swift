import Dissection

/// Engine.IO 3 and 4 (socket.io/docs/v4/engine-io-protocol) with Socket.IO 2 to 5 in its messages
/// (socket.io/docs/v4/socket-io-protocol): as WebSocket messages, and as the bodies of its polling phase.
///
/// ```
/// 4 2 /admin, 17 ["upload",{"_placeholder":true,"num":0}]
/// │ │ │       │  └ JSON: the name of the event and its arguments
/// │ │ │       └ the number that an acknowledgement names
/// │ │ └ namespace, / where there is none
/// │ └ Socket.IO: event
/// └ Engine.IO: message
/// ```
enum SocketIO: PayloadFormat {
    static var name: StaticString { "socket.io" }
    static var layers: [any FormatTraits.Type] { [EngineIO.self] }
    static var keys: [StaticString] { ["type", "namespace", "event", "args", "id", "latency", "attachments", "data", "sid", "abandoned"] }
    static var typesAreOfApp: Bool { true }

    static let occasions: PayloadOccasions = PayloadOccasions.messages.union(.body)

    static func mayBegin(with byte: UInt8) -> Bool { 0x30...0x36 ~= byte }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        let isEngine = context.targetHas("EIO=")
        switch context.carrier {
        case .message: break
        case .body:
            guard isEngine, context.targetHas("transport=polling") else { return .no }
            if EngineIOPolling.isOne(bytes, version: EngineIO.version(of: context)) { return .typed }
            guard context.targetHas("&j="), let packets = JSONP.packets(of: bytes, from: context.from) else { return .no }
            return EngineIOPolling.isOne(packets.rawBytes, version: EngineIO.version(of: context)) ? .typed : .no
        case .framed, .data, .head: return .no
        }
        // Whatever its bytes look like, a binary message of Engine.IO is an attachment.
        guard context.isText else { return isEngine ? .certain : .no }
        guard bytes.byteCount > 0, (0x30...0x36).contains(bytes[0]) else { return .no }
        if isEngine { return .certain }
        // Without the request: the forms that hardly anything else has.
        if bytes.begins("0{\"sid\":") { return .certain }
        if context.spoke("socket.io") || context.spoke("engine.io") { return .likely }
        return bytes.begins("40{\"") || hasArguments(bytes) ? .likely : .no
    }

    /// Whether it is an event with arguments, or an acknowledgement with a number and arguments: `42["chat"` alone may be anything.
    private static func hasArguments(_ bytes: RawSpan) -> Bool {
        guard bytes.begins("42") || bytes.begins("43") else { return false }
        // The names are short.
        let bytes = bytes.prefix(512)
        var position = 2
        if position < bytes.byteCount, bytes[position] == UInt8(ascii: "/") {
            guard let comma = bytes.position(of: UInt8(ascii: ","), from: position) else { return false }
            position = comma + 1
        }
        let start = position
        while position < bytes.byteCount, bytes[position].isDigit { position += 1 }
        let hasNumber = position > start
        var cursor = JSONCursor(bytes, at: position)
        guard cursor.take(UInt8(ascii: "[")) else { return false }
        if bytes[1] == UInt8(ascii: "3") { return hasNumber && !cursor.take(UInt8(ascii: "]")) }
        return cursor.string() != nil && cursor.take(UInt8(ascii: ","))
    }

    /// Of an event that waits for attachments one may be empty.
    static func readsEmpty(in context: PayloadContext, memory: PayloadMemory) -> Bool {
        guard context.carrier == .message, !context.isText else { return false }
        return memory[EngineIOSession.self].awaited[context.from == .client ? 0 : 1] != nil
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        if context.carrier == .body {
            guard context.targetHas("&j="), let packets = JSONP.packets(of: bytes, from: context.from) else {
                return EngineIOPolling.decode(bytes, in: context, memory: &memory, into: &decoded)
            }
            EngineIOPolling.decode(packets.rawBytes, in: context, memory: &memory, into: &decoded)
            // What is said stood in a string, with escapes.
            return decoded.unwrap(from: bytes.byteCount)
        }
        if context.isText {
            EngineIO.packet(bytes, in: context, memory: &memory, into: &decoded)
        } else {
            memory[EngineIOSession.self].awaited[context.from == .client ? 0 : 1]?.place = nil
            // In version 3 the type stands before the bytes of a binary message as well.
            let hasType = EngineIO.version(of: context) == 3 && bytes.byteCount > 0 && bytes[0] == 4
            EngineIO.attachment(of: UInt64(bytes.byteCount - (hasType ? 1 : 0)), in: context, memory: &memory, into: &decoded)
        }
        EngineIO.addSession(in: context, memory: memory, to: &decoded)
    }
}

/// One packet of Socket.IO, as it stands in a message of Engine.IO.
struct SocketIOPacket {
    static let types: [StaticString] = [
        "connect", "disconnect", "event", "ack", "connect_error", "binary_event", "binary_ack",
    ]

    /// What is wrong with one, and where.
    typealias Problem = (reason: StaticString, at: Int)

    /// Of a binary event or acknowledgement, that of an event or acknowledgement.
    private let type: Int
    private let typeRange: Range<Int>
    /// How many binary attachments come after it.
    private(set) var attachments: UInt64?
    private(set) var attachmentsRange = 0..<0
    private var namespace = Array("/".utf8)
    private var namespaceRange = 0..<0
    private let id: Range<Int>
    private let content: Range<Int>

    /// Reads the packet whose type stands at `start`; `problem` says why it is none.
    init?(_ bytes: RawSpan, from start: Int, problem: inout Problem) {
        let type = Int(bytes[start]) - 0x30
        // Binary events and acknowledgements are events and acknowledgements with attachments.
        self.type = type == 5 ? 2 : type == 6 ? 3 : type
        typeRange = start..<start + 1
        var position = start + 1
        if type >= 5 {
            let start = position
            while position < bytes.byteCount, bytes[position].isDigit { position += 1 }
            guard position < bytes.byteCount, bytes[position] == UInt8(ascii: "-"), let count = bytes.extracting(start..<position).decimal
            else {
                problem = ("the number of its attachments is missing", start)
                return nil
            }
            attachments = count
            attachmentsRange = start..<position
            position += 1
        }
        let namespaceStart = position
        if position < bytes.byteCount, bytes[position] == UInt8(ascii: "/") {
            position = bytes.position(of: UInt8(ascii: ","), from: position) ?? bytes.byteCount
            namespaceRange = namespaceStart..<position
            namespace = bytes.extracting(namespaceRange).copy
            if position < bytes.byteCount { position += 1 }
        }
        let idStart = position
        while position < bytes.byteCount, bytes[position].isDigit { position += 1 }
        id = idStart..<position
        content = position..<bytes.byteCount
    }

    /// Where the name of its event stands, with its quotes.
    func event(in bytes: RawSpan) -> Range<Int>? {
        var cursor = JSONCursor(bytes, at: content.lowerBound)
        guard type == 2, cursor.take(UInt8(ascii: "[")), let name = cursor.string() else { return nil }
        return name.lowerBound - 1..<name.upperBound + 1
    }

    /// Tells the packet.
    ///
    /// - Parameter binary: the lengths of its attachments, where all of them are known.
    func tell(
        _ bytes: RawSpan, binary: [UInt64]?, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        decoded.add("type", .word(Self.types[type].description), at: typeRange)
        if let attachments { decoded.add("attachments", .number(attachments), at: attachmentsRange) }
        if namespaceRange.isEmpty {
            decoded.note("namespace", .text(namespace))
        } else {
            decoded.add("namespace", .text(namespace), at: namespaceRange)
        }
        decoded.say(Self.types[type])
        var event: [UInt8] = []
        if type == 2 || type == 3 {
            // An acknowledgement may have no arguments.
            if type == 3, content.isEmpty { return answer(bytes, event: event, in: context, memory: &memory, into: &decoded) }
            guard let elements = JSONParts(bytes, from: content.lowerBound, isArray: true) else {
                return decoded.stop(JSONParts.problem(bytes, from: content.lowerBound, isArray: true), at: content.lowerBound)
            }
            guard elements.isAll(of: bytes) else { return decoded.stop("something follows its arguments", at: elements.end) }
            var first = content.lowerBound + 1
            var rest = elements.parts[...]
            if type == 2, let name = rest.first?.value {
                if name.count >= 2, bytes[name.lowerBound] == UInt8(ascii: "\"") {
                    event = bytes.extracting(name.lowerBound + 1..<name.upperBound - 1).copy
                    decoded.say(" ", event)
                }
                decoded.add("event", json: name, of: bytes)
                rest = rest.dropFirst()
                first = name.upperBound
            }
            if let next = rest.first { first = next.value.lowerBound }
            var arguments = rest.isEmpty ? [] : bytes.extracting(first..<elements.end - 1).copy
            if let binary { arguments = arguments.rawBytes.withAttachments(of: binary) }
            decoded.add("args", .json([0x5b] + arguments + [0x5d]), at: first..<elements.end)
            if !arguments.isEmpty {
                decoded.say("  ", arguments)
            }
        } else if !content.isEmpty {
            var cursor = JSONCursor(bytes, at: content.lowerBound)
            guard cursor.value() != nil, cursor.isAtEnd() else {
                return decoded.stop(cursor.isTooDeep ? PayloadBounds.tooDeep : "its data is not valid JSON", at: content.lowerBound)
            }
            decoded.add("data", json: content, of: bytes)
            decoded.say(" ", bytes.extracting(content).copy)
        }
        answer(bytes, event: event, in: context, memory: &memory, into: &decoded)
    }

    /// Notes who waits for an acknowledgement, and who has waited for this one.
    private func answer(
        _ bytes: RawSpan, event: [UInt8], in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        if namespace.count > 1 {
            decoded.say(" in ", namespace)
        }
        guard let number = bytes.extracting(id).decimal else { return }
        decoded.add("id", .number(number), at: id)
        let key = namespace + [0] + bytes.extracting(id).copy
        if type == 2 {
            let label = event + " (acknowledgement \(number))".utf8
            memory.calls.note(key, name: event, owed: label, in: context)
            decoded.say(", wants acknowledgement \(number)".utf8)
        } else if type == 3 {
            decoded.addAnswer(to: key, in: context, memory: &memory)
        }
    }
}

extension RawSpan {
    /// JSON in which each `{"_placeholder":true,"num":N}` is replaced by the length of attachment N.
    fileprivate func withAttachments(of lengths: [UInt64]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        var tokens = JSONTokens(self)
        var copied = 0
        while let token = tokens.next() {
            guard token.kind == .openObject, let (number, end) = attachmentMark(at: token.range.lowerBound), number < UInt64(lengths.count)
            else { continue }
            text.append(copying: extracting(copied..<token.range.lowerBound))
            text.append(contentsOf: "{\"$binary\":\(lengths[Int(number)])}".utf8)
            copied = end
        }
        text.append(copying: suffix(from: copied))
        return text
    }

    /// The number in the mark of an attachment that begins at `start`, and where it ends. One is short, so the search is.
    private func attachmentMark(at start: Int) -> (number: UInt64, end: Int)? {
        let near = extracting(start..<Swift.min(byteCount, start + 64))
        guard let close = near.position(of: UInt8(ascii: "}")) else { return nil }
        let object = near.extracting(0..<close + 1)
        guard let members = JSONParts(object), members.parts.count == 2, let mark = members.value("_placeholder", in: object),
            object.extracting(mark).isWord("true"), let number = members.value("num", in: object),
            let value = object.extracting(number).decimal
        else { return nil }
        return (value, start + close + 1)
    }
}

extension RawSpan {
    /// Whether the bytes begin with these.
    func begins(_ words: StaticString) -> Bool {
        byteCount >= words.utf8CodeUnitCount && extracting(0..<words.utf8CodeUnitCount).isEqual(words.bytes)
    }
}
