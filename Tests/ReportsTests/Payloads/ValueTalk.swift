import Dissection

@testable import Reports

/// One conversation whose payloads are decoded by a table of one's own: messages, bodies, framed messages.
struct ValueTalk {
    struct Said {
        let json: String
        let line: String
        let payload: DecodedPayload

        init(_ decoded: DecodedPayload) {
            var output = OutputBuffer(capacity: 256)
            output.append(decoded)
            json = String(String(decoding: output.bytes.copy, as: UTF8.self).dropFirst(",\"decoded\":".count))
            line = String(decoding: decoded.summary, as: UTF8.self)
            payload = decoded
        }
    }

    var reader: PayloadReader

    init(_ table: PayloadTable = .standard) { reader = PayloadReader(table) }

    /// The conversation begins.
    mutating func open(host: String = "", port: UInt16) {
        let content = Array(host.utf8)
        let opening = Opening(
            client: Endpoint(address: IPAddress(ipv4: 1), port: 50_000), server: Endpoint(address: IPAddress(ipv4: 2), port: port),
            start: .handshake, roles: .handshake, serverName: ByteRange(0..<content.count))
        note(.opened(opening), content)
    }

    /// It becomes a WebSocket.
    mutating func upgrade(_ target: String = "/", host: String = "", subprotocol: String = "") {
        let content = Array((target + subprotocol + host).utf8)
        let (first, second) = (target.utf8.count, target.utf8.count + subprotocol.utf8.count)
        var upgrade = Upgrade(protocolName: ByteRange(), accepted: true)
        upgrade.target = ByteRange(0..<first)
        upgrade.subprotocol = ByteRange(first..<second)
        upgrade.host = ByteRange(second..<content.count)
        note(.upgrade(upgrade), content)
    }

    private mutating func note(_ fact: Fact, _ content: [UInt8]) {
        reader.note(
            ConversationEvent(conversation: 1, from: .server, place: Place(), offset: 0, fact: fact, content: content.rawBytes))
    }

    /// A WebSocket message; nil where no format knows it.
    mutating func message(_ bytes: [UInt8], from side: Side = .client, opcode: UInt8 = 2) -> Said? {
        let length = UInt64(bytes.count)
        let message = Message(opcode: opcode, length: length, wireLength: length, fragments: 1, compressed: false)
        return read(.message(message), bytes, from: side)
    }

    /// The body of a request or response with this type.
    mutating func body(_ bytes: [UInt8], type: String, target: String = "/", from side: Side = .client) -> Said? {
        let fields = "content-type: \(type)\r\n"
        let content = Array((target + fields).utf8)
        let range = ByteRange(target.utf8.count..<content.count)
        if side == .client {
            let targetRange = ByteRange(0..<target.utf8.count)
            note(.request(RequestHead(method: ByteRange(), target: targetRange, version: ByteRange(), fields: range, exchange: 1)), content)
        } else {
            let head = ResponseHead(
                status: 200, version: ByteRange(), reason: ByteRange(), fields: range, latency: nil,
                asked: AskedRequest(exchange: 1, method: ByteRange(), target: ByteRange(0..<target.utf8.count)))
            let event = ConversationEvent(
                conversation: 1, from: .server, place: Place(), offset: 0, fact: .response(head), content: content.rawBytes,
                asked: content.rawBytes)
            reader.note(event)
        }
        let part = BodyPart(
            length: UInt64(bytes.count), wireLength: UInt64(bytes.count), part: 1, final: true, payload: ByteRange(0..<bytes.count))
        return read(.body(part), bytes, from: side)
    }

    /// The head of a response that says all, or the rest of a body with its trailers.
    mutating func response(_ fields: String, target: String = "/", status: UInt16 = 200) -> Said? {
        let content = Array((target + fields).utf8)
        let head = ResponseHead(
            status: status, version: ByteRange(), reason: ByteRange(), fields: ByteRange(target.utf8.count..<content.count), latency: nil,
            asked: AskedRequest(exchange: 1, method: ByteRange(), target: ByteRange(0..<target.utf8.count)))
        let event = ConversationEvent(
            conversation: 1, from: .server, place: Place(), offset: 0, fact: .response(head), content: content.rawBytes,
            asked: content.rawBytes)
        return reader.read(event).map(Said.init)
    }

    /// The last part of a response's body, with its trailers.
    ///
    /// - Parameter part: its number, from 1.
    mutating func end(_ bytes: [UInt8], trailers: String, part: UInt32 = 1) -> Said? {
        let content = bytes + Array(trailers.utf8)
        let end = BodyPart(
            length: UInt64(bytes.count), wireLength: UInt64(bytes.count), part: part, final: true, payload: ByteRange(0..<bytes.count),
            trailers: ByteRange(bytes.count..<content.count))
        return read(.body(end), content, from: .server)
    }

    private mutating func read(_ fact: Fact, _ bytes: [UInt8], from side: Side) -> Said? {
        let event = ConversationEvent(conversation: 1, from: side, place: Place(), offset: 0, fact: fact, content: bytes.rawBytes)
        let decoded = reader.payload(of: event)
        if case .body(let part) = fact {
            NodeRangeTests.check(decoded, event.bytes(part.payload).copy)
        } else {
            NodeRangeTests.check(decoded, bytes)
        }
        return decoded.map(Said.init)
    }

    /// What one format makes of bytes, whoever sent them.
    static func decode(_ format: String, _ bytes: [UInt8], schema: ProtobufSchema? = nil, argument: String = "") -> Said {
        let rule = "*=\(format)" + (argument.isEmpty ? "" : ":\(argument)")
        guard let row = PayloadTable.standard.rows.first(where: { $0.name.description == format }) else {
            preconditionFailure("there is no format \(format)")
        }
        // Alone, so that nothing else is tried.
        guard let table = try? PayloadTable([row]).with(rules: [rule], schema: schema) else { preconditionFailure("\(rule) is wrong") }
        var memory = PayloadMemory()
        let context = PayloadContext(from: .client, opcode: 2, isCut: false)
        // What it makes of no bytes, for which the table asks it only where a type is named.
        if bytes.isEmpty, argument.isEmpty { return Said(table.read(bytes.rawBytes, by: 0, in: context, memory: &memory)) }
        guard let decoded = table.decode(bytes.rawBytes, in: context, memory: &memory) else {
            preconditionFailure("a rule was not followed")
        }
        NodeRangeTests.check(decoded, bytes)
        return Said(decoded)
    }
}

/// Bytes from hexadecimal digits, blanks between them.
func hex(_ digits: String) -> [UInt8] {
    let letters = digits.utf8.filter { $0 != 0x20 && $0 != 0x0a }
    return stride(from: 0, to: letters.count - 1, by: 2).compactMap {
        UInt8(String(decoding: letters[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
}
