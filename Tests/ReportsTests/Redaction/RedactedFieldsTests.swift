import Dissection
import Support
import Testing

@testable import Reports

/// MQTT and AMQP, whose lengths are binary: secrets are overwritten within their field, however the messages are cut.
@Suite("Redacted fields of MQTT and AMQP") struct RedactedFieldsTests {
    private typealias Said = (Side, [UInt8])

    private static let secret = "hunter2sekret"
    private static let hidden = String(repeating: "x", count: secret.utf8.count)

    /// The records of a conversation, with what is in base64 undone.
    private static func shown(_ talk: [Said], _ framing: FramedProtocol? = nil) -> String {
        let pair = framing.map { FramingPair(client: .protocol($0), server: .protocol($0)) }
        var dissector = LiveDissector(decodeAs: pair.map { [DecodeRule(port: RecordScript.server.port, framing: $0)] } ?? [])
        var settings = RecordSettings()
        settings.payloads = .standard
        var sink = RedactingSink(RecordReport(Output(), settings: settings), hiding: Redacted.plan)
        let time = RecordScript.time
        let place = dissector.begin(RecordScript.opening, content: RawSpan(), number: 1, at: time, sink: &sink)
        for (side, bytes) in talk { _ = dissector.receive(.bytes(bytes.rawBytes), from: side, at: place, time, sink: &sink) }
        dissector.finish(sink: &sink)
        return Redacted.plain(sink.sink.takeBytes()).replacing(/"base64":"([^"]*)"/) { match in
            String(decoding: Base64.decode(Array(match.1.utf8).rawBytes) ?? [], as: UTF8.self)
        }
    }

    private static func field(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + text.bytes }
    private static func packet(_ first: UInt8, _ rest: [UInt8]) -> [UInt8] { [first, UInt8(rest.count)] + rest }

    // MARK: - MQTT over WebSocket

    /// A WebSocket with the subprotocol mqtt, and what its client sends in messages of these bytes.
    private static func webSocket(_ messages: [[UInt8]]) -> [Said] {
        let request = """
            GET /mqtt HTTP/1.1\r\nHost: a.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n
            """
        let response = """
            HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n
            """
        let frames = messages.map { (Side.client, [0x82, 0x80 | UInt8($0.count), 0, 0, 0, 0] + $0) }
        return [(.client, request.bytes), (.server, response.bytes)] + frames
    }

    private static let connect: [[UInt8]] = [field("MQTT"), [4], [0xc2], [0, 60], field("cid"), field("bob"), field(secret)]
    private static let publish = packet(0x30, field("a/b") + "25.3 C".bytes)

    @Test("the password of a CONNECT is hidden in however many messages it comes", arguments: 1...16)
    func split(size: Int) {
        let bytes = Self.packet(0x10, Self.connect.flatMap { $0 }) + Self.publish
        let messages = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
        let left = Self.shown(Self.webSocket(messages))
        #expect(!left.contains("sekret") && !left.contains("hunter"), "\(left)")
        #expect(left.contains("bob") || size < 4, "\(left)")
        #expect(left.contains(#""topic":"a/b""#) && !left.contains(#""error""#), "\(left)")
    }

    @Test("each field a message, and the password alone in the last")
    func fields() {
        let fields = Self.connect
        let each: [[UInt8]] = [[0x10], [UInt8(fields.reduce(0) { $0 + $1.count })]] + fields
        let whole = Self.packet(0x10, fields.flatMap { $0 })
        let last = [Array(whole.dropLast(Self.secret.utf8.count)), Self.secret.bytes]
        for messages in [each, last] {
            let left = Self.shown(Self.webSocket(messages + [Self.publish]))
            #expect(!left.contains("sekret") && left.contains(Self.hidden), "\(left)")
            #expect(left.contains("bob") && left.contains("25.3 C") && left.contains(#""username":"bob""#), "\(left)")
        }
    }

    @Test("a secret in a payload that goes on in the next message is hidden in both, and what follows it is not")
    func payload() {
        let packet = Self.packet(0x30, Self.field("a/b") + #"{"password":"hunter2sekret","temp":21}"#.bytes)
        for cut in 1..<packet.count {
            let left = Self.shown(Self.webSocket([Array(packet[..<cut]), Array(packet[cut...]), Self.publish]))
            #expect(!left.contains("sekret") && !left.contains("hunter"), "\(cut): \(left)")
            #expect(left.contains("21}") || cut > packet.count - 4, "\(cut): \(left)")
            #expect(left.contains("25.3 C"), "\(cut): \(left)")
        }
    }

    // MARK: - MQTT 5

    @Test("a secret at the end of a user property does not reach into the payload")
    func userProperty() {
        func talk(_ key: String, _ value: String) -> [Said] {
            let properties: [UInt8] = [0x26] + Self.field(key) + Self.field(value)
            return [
                (.client, Self.packet(0x10, Self.field("MQTT") + [5, 2, 0, 60, 0] + Self.field("cid"))), (.server, [0x20, 3, 0, 0, 0]),
                (.client, Self.packet(0x30, Self.field("t/1") + [UInt8(properties.count)] + properties + "25.3 C".bytes)),
            ]
        }
        let address = Self.shown(talk("callback", "https://h/?token=abc"), .mqtt)
        #expect(address.contains("token=xxx") && address.contains("25.3 C") && !address.contains("abc"), "\(address)")
        let named = Self.shown(talk("x-api-key", Self.secret), .mqtt)
        #expect(named.contains(Self.hidden) && named.contains("25.3 C") && !named.contains("sekret"), "\(named)")
        let plain = Self.shown(talk("device", "kitchen"), .mqtt)
        #expect(plain.contains("kitchen") && plain.contains("25.3 C") && !plain.contains("redacted"), "\(plain)")
    }

    // MARK: - AMQP

    private static func frame(_ type: UInt8, _ payload: [UInt8], channel: UInt8 = 1) -> [UInt8] {
        [type, 0, channel, 0, 0, 0, UInt8(payload.count)] + payload + [0xce]
    }

    private static func short(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.bytes }
    private static func long(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }

    private static let before: [Said] = [
        (.client, "AMQP".bytes + [0, 0, 9, 1]), (.client, frame(1, [0, 60, 0, 40, 0, 0] + short("ex") + short("rk") + [0])),
    ]

    /// A content in body frames, after the frame with its header.
    private static func content(_ bodies: [[UInt8]], headers: [UInt8]? = nil) -> [Said] {
        let length = UInt8(bodies.reduce(0) { $0 + $1.count })
        let properties = short("text/plain") + (headers.map(long) ?? [])
        let header: [UInt8] = [0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, length, headers == nil ? 0x80 : 0xa0, 0] + properties
        return before + [(.client, frame(2, header) + bodies.flatMap { frame(3, $0) })]
    }

    @Test(
        "a secret at the end of a content leaves its frame's end",
        arguments: ["password=hunter2sekret", "Authorization: Bearer hunter2sekret", "https://h/?token=hunter2sekret"])
    func frameEnd(text: String) {
        let left = Self.shown(Self.content([text.bytes]), .amqp)
        #expect(!left.contains("sekret") && left.contains("xxxx") && !left.contains(#""error""#), "\(left)")
        #expect(left.contains(#""type":"body""#), "\(left)")
    }

    @Test("a content whose frames end anywhere in it shows nothing of the secret, and all that follows it")
    func frames() {
        let content = #"{"password":"hunter2sekret","temp":21}"#.bytes
        for cut in 1..<content.count {
            let left = Self.shown(Self.content([Array(content[..<cut]), Array(content[cut...])]), .amqp)
            #expect(!left.contains("hunter") && !left.contains("sekret") && !left.contains("ekret"), "\(cut): \(left)")
            #expect(left.contains(#""temp":21"#) && !left.contains(#""error""#), "\(cut): \(left)")
        }
    }

    @Test("contents of two channels do not go on in each other")
    func channels() {
        let text = #"{"password":"hunter2sekret","temp":21}"#.bytes
        func header(_ length: Int, _ channel: UInt8) -> [UInt8] {
            Self.frame(2, [0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(length), 0, 0], channel: channel)
        }
        let left = Self.shown(
            Self.before + [
                (.client, header(text.count, 1) + Self.frame(3, Array(text[..<18]))),
                (.client, header(5, 2) + Self.frame(3, "hello".bytes, channel: 2)), (.client, Self.frame(3, Array(text[18...]))),
                (.client, header(5, 1) + Self.frame(3, "after".bytes)),
            ], .amqp)
        #expect(!left.contains("sekret") && !left.contains("2sek") && left.contains("hello") && left.contains("after"), "\(left)")
    }

    @Test("values under secret names in a table of headers are hidden, also in tables and lists inside of it, and numbers are not")
    func headerTable() {
        func text(_ name: String, _ value: String) -> [UInt8] { Self.short(name) + "S".bytes + Self.long(value.bytes) }
        var table = text("x-api-key", Self.secret)
        table += Self.short("token") + "F".bytes + Self.long(text("inner", Self.secret))
        table += Self.short("auth") + "A".bytes + Self.long("S".bytes + Self.long(Self.secret.bytes))
        table += Self.short("pin") + "I".bytes + "4321".bytes
        table += text("device", "kitchen") + text("authorization", Self.secret)
        let left = Self.shown(Self.content([#"{"a":1}"#.bytes], headers: table), .amqp)
        #expect(left.matches(of: /x{13}/).count == 4 && !left.contains("sekret"), "\(left)")
        #expect(left.contains("kitchen") && left.contains("4321") && left.contains(#"{"a":1}"#), "\(left)")
        #expect(!left.contains(#""error""#), "\(left)")
    }

    @Test("what SASL says is hidden, and a mechanism is not")
    func login() {
        var start: [UInt8] = [0, 10, 0, 11] + Self.long([])
        start += Self.short("PLAIN") + Self.long("\0bob\0hunter2sekret".bytes) + Self.short("en_US")
        let left = Self.shown([Self.before[0], (.client, Self.frame(1, start, channel: 0))], .amqp)
        #expect(!left.contains("sekret") && left.contains("PLAIN") && left.contains("en_US") && !left.contains(#""error""#), "\(left)")
    }

    @Test("any bytes have fields in their place, and an overwritten message is as long as it was")
    func anyBytes() {
        var random = SplitMix(seed: 11)
        let signs: [UInt8] = [0, 1, 2, 3, 5, 0x10, 0x26, 0x30, 0x46, 0x53, 0x41, 0xce, 0xff] + "token=password".bytes
        for _ in 0..<3_000 {
            let bytes = (0..<random.next() % 48).map { _ in signs[Int(random.next() % UInt64(signs.count))] }
            let parts = AMQPFrameParts(bytes)
            for range in parts.texts + parts.secrets { #expect(range.lowerBound >= 0 && range.upperBound <= bytes.count) }
            var walk = MQTTWalk(level: 5)
            var last = 0
            for segment in walk.take(bytes) {
                #expect(segment.range.lowerBound >= last && segment.range.upperBound <= bytes.count)
                last = segment.range.upperBound
            }
        }
    }
}
