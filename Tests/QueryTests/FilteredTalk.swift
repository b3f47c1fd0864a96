import Dissection
import Query
import Reports

/// Events of a made-up conversation, each put to a filter: which of them it picks.
final class FilteredTalk {
    private let filter: FilterRun
    private var payloads: PayloadReader
    private var packet: UInt64 = 0
    /// Whether each event was picked, in order.
    private(set) var picked: [Bool] = []
    var conversation: UInt64 = 1

    static let time = Timestamp(nanoseconds: 1_795_211_280_123_456_789)
    static let client = Endpoint(address: IPAddress(ipv4: 0x0a00_0005), port: 51_422)
    static let server = Endpoint(address: IPAddress(ipv4: 0xc0a8_0109), port: 8_080)

    init(_ expression: String) throws(DisplayFilterProblem) {
        filter = try DisplayFilter(expression).makeFilter()
        payloads = PayloadReader(filter.wantsDecoded ? .standard : .none)
    }

    /// Searches that were given up.
    var givenUp: UInt64 { filter.givenUp }
    /// Tests of the expression that were made.
    var testsMade: UInt64 { filter.testsMade }
    var heldBytes: Int { filter.heldBytes }
    var wantsDecoded: Bool { filter.wantsDecoded }

    func highlight(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        return filter.highlight(bytes.span.bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// Tells one event, each in a packet of its own. Returns whether it was picked.
    @discardableResult
    func say(_ from: Side?, _ fact: Fact, _ content: [UInt8] = [], asked: [UInt8] = []) -> Bool {
        packet += 1
        let event = ConversationEvent(
            conversation: conversation, from: from,
            place: Place(time: Timestamp(nanoseconds: Self.time.nanoseconds + Int64(packet) * 1_000_000), packets: PacketRange(packet)),
            offset: from == nil ? nil : packet * 100, fact: fact, content: content.span.bytes, asked: asked.span.bytes)
        let decoded = payloads.isIdle ? nil : payloads.read(event)
        let isPicked = filter.accepts(event, decoded)
        picked.append(isPicked)
        return isPicked
    }

    @discardableResult
    func open(client: Endpoint = client, server: Endpoint = server, name: String = "chat.example") -> Bool {
        let content = Array(name.utf8)
        var opening = Opening(client: client, server: server, start: .handshake, roles: .handshake)
        opening.serverName = ByteRange(content.indices)
        return say(nil, .opened(opening), content)
    }

    @discardableResult
    func message(_ from: Side, _ text: String, opcode: UInt8 = 1) -> Bool { message(from, Array(text.utf8), opcode: opcode) }

    @discardableResult
    func message(_ from: Side, _ bytes: [UInt8], opcode: UInt8 = 1) -> Bool {
        let length = UInt64(bytes.count)
        return say(from, .message(Message(opcode: opcode, length: length, wireLength: length, fragments: 1, compressed: false)), bytes)
    }

    @discardableResult
    func request(_ method: String, _ target: String, _ fields: String, exchange: UInt64) -> Bool {
        let (content, parts) = Self.content(method, target, "HTTP/1.1", fields)
        let head = RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: exchange)
        return say(.client, .request(head), content)
    }

    @discardableResult
    func response(
        _ status: UInt16, _ fields: String, to request: (exchange: UInt64, method: String, target: String)?, latency: Int64? = nil
    ) -> Bool {
        let (content, parts) = Self.content("HTTP/1.1", "Some Reason", fields)
        let (asked, places) = Self.content(request?.method ?? "", request?.target ?? "")
        let question = request.map { AskedRequest(exchange: $0.exchange, method: places[0], target: places[1]) }
        let head = ResponseHead(status: status, version: parts[0], reason: parts[1], fields: parts[2], latency: latency, asked: question)
        return say(.server, .response(head), content, asked: asked)
    }

    @discardableResult
    func body(_ from: Side, _ text: String) -> Bool {
        let content = Array(text.utf8)
        let length = UInt64(content.count)
        let part = BodyPart(length: length, wireLength: length, part: 1, final: true, payload: ByteRange(content.indices))
        return say(from, .body(part), content)
    }

    @discardableResult
    func upgrade(host: String, target: String, subprotocol: String = "") -> Bool {
        let (content, parts) = Self.content("websocket", host, target, subprotocol)
        let upgrade = Upgrade(protocolName: parts[0], accepted: true, host: parts[1], target: parts[2], subprotocol: parts[3])
        return say(.server, .upgrade(upgrade), content)
    }

    /// Content put together from parts.
    private static func content(_ parts: String...) -> ([UInt8], [ByteRange]) {
        var bytes: [UInt8] = []
        let ranges = parts.map { part in
            bytes += Array(part.utf8)
            return ByteRange(bytes.count - part.utf8.count..<bytes.count)
        }
        return (bytes, ranges)
    }

    /// Whether a text message of the client's is picked.
    static func picks(_ expression: String, _ text: String) throws -> Bool {
        let talk = try FilteredTalk(expression)
        talk.open()
        return talk.message(.client, text)
    }
}
