import Dissection

@testable import Reports

/// One conversation, read message by message, or several that one reader reads.
struct MessagingTalk {
    typealias Said = (json: String, line: String)

    var reader = PayloadReader(.standard)
    private var now: Int64 = 0

    /// A WebSocket.
    init(target: String = "/", subprotocol: String = "") { open(target: target, subprotocol: subprotocol) }

    /// Opens a WebSocket in a conversation.
    mutating func open(_ conversation: UInt64 = 1, target: String, subprotocol: String = "") {
        let content = Array((target + subprotocol).utf8)
        var upgrade = Upgrade(protocolName: ByteRange(), accepted: true)
        upgrade.target = ByteRange(0..<target.utf8.count)
        upgrade.subprotocol = ByteRange(target.utf8.count..<content.count)
        _ = read(.upgrade(upgrade), content, from: .server, in: conversation)
    }

    mutating func wait(seconds: Int64) { now += seconds * 1_000_000_000 }

    mutating func close(_ conversation: UInt64 = 1) { _ = read(.closed(Closing(by: .client, how: .fin)), [], from: nil, in: conversation) }

    /// A message 5 ms after the one before; nil where no format knows it.
    mutating func say(_ bytes: [UInt8], from side: Side = .client, opcode: UInt8 = 1, in conversation: UInt64 = 1) -> Said? {
        now += 5_000_000
        let length = UInt64(bytes.count)
        let message = Message(opcode: opcode, length: length, wireLength: length, fragments: 1, compressed: false)
        return read(.message(message), bytes, from: side, in: conversation)
    }

    mutating func say(_ text: String, from side: Side = .client, in conversation: UInt64 = 1) -> Said? {
        say(Array(text.utf8), from: side, in: conversation)
    }

    /// The body of a request, or of the response to it, 5 ms after what was before.
    mutating func body(
        _ bytes: [UInt8], from side: Side, target: String, type: String = "text/plain", element: BodyPart.Element? = nil,
        exchange: UInt64 = 1, in conversation: UInt64 = 1
    ) -> Said? {
        now += 5_000_000
        let fields = Array("Content-Type: \(type)\r\n".utf8)
        let head = fields + Array(target.utf8)
        let range = ByteRange(0..<fields.count)
        if side == .client {
            let request = RequestHead(
                method: ByteRange(), target: ByteRange(fields.count..<head.count), version: ByteRange(), fields: range, exchange: exchange)
            _ = read(.request(request), head, from: .client, in: conversation)
        } else {
            let asked = AskedRequest(exchange: exchange, method: ByteRange(), target: ByteRange(0..<target.utf8.count))
            let response = ResponseHead(
                status: 200, version: ByteRange(), reason: ByteRange(), fields: range, latency: nil, asked: asked)
            reader.note(
                ConversationEvent(
                    conversation: conversation, from: .server, place: Place(), offset: 0, fact: .response(response),
                    content: fields.rawBytes,
                    asked: Array(target.utf8).rawBytes))
        }
        let part = BodyPart(
            length: UInt64(bytes.count), wireLength: UInt64(bytes.count), part: 1, final: element == nil,
            payload: ByteRange(0..<bytes.count), element: element)
        return read(.body(part), bytes, from: side, in: conversation)
    }

    mutating func body(_ text: String, from side: Side, target: String, type: String = "text/plain", in conversation: UInt64 = 1) -> Said? {
        body(Array(text.utf8), from: side, target: target, type: type, in: conversation)
    }

    private mutating func read(_ fact: Fact, _ bytes: [UInt8], from side: Side?, in conversation: UInt64) -> Said? {
        let event = ConversationEvent(
            conversation: conversation, from: side, place: Place(time: Timestamp(nanoseconds: now)), offset: 0, fact: fact,
            content: bytes.rawBytes)
        let decoded = reader.read(event)
        NodeRangeTests.check(decoded, bytes)
        return decoded.map { Self.said($0) }
    }

    /// What a record has, and the line for people.
    static func said(_ decoded: DecodedPayload) -> Said {
        var output = OutputBuffer(capacity: 256)
        output.append(decoded)
        let text = String(decoding: output.bytes.copy, as: UTF8.self)
        return (String(text.dropFirst(",\"decoded\":".count)), String(decoding: decoded.summary, as: UTF8.self))
    }
}

/// A conversation of raw TCP whose messages a protocol frames.
struct FramedMessagingTalk {
    let framing: String
    var memory = PayloadMemory()
    private var now: Int64 = 0

    private let table: PayloadTable

    init(_ framing: String, _ table: PayloadTable = .standard) {
        self.framing = framing
        self.table = table
    }

    mutating func wait(seconds: Int64) { now += seconds * 1_000_000_000 }

    mutating func say(_ bytes: [UInt8], from side: Side = .client) -> MessagingTalk.Said? {
        now += 5_000_000
        var context = PayloadContext(from: side, opcode: 0, isCut: false, time: Timestamp(nanoseconds: now))
        context.carrier = .framed
        context.framing = Array(framing.utf8)
        let decoded = table.decode(bytes.rawBytes, in: context, memory: &memory)
        NodeRangeTests.check(decoded, bytes)
        return decoded.map { MessagingTalk.said($0) }
    }

    mutating func say(_ text: String, from side: Side = .client) -> MessagingTalk.Said? { say(Array(text.utf8), from: side) }
}
