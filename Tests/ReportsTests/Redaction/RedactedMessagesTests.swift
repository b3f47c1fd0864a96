import Dissection
import Support
import Testing

@testable import Reports

/// Messages of protocols that tell lengths, of which secrets are hidden: what is left is read as what was sent.
@Suite("Redacted messages that tell lengths") struct RedactedMessagesTests {
    private typealias Said = (Side, [UInt8])

    private static let json = #"{"user":"ana","password":"hunter2"}"#
    private static let pack = [0x82, 0xa4] + "user".bytes + [0xa3] + "ana".bytes + [0xa8] + "password".bytes + [0xa7] + "hunter2".bytes
    private static let cbor = [0xa1, 0x68] + "password".bytes + [0x67] + "hunter2".bytes

    /// The records of a conversation, with what is decoded and with what is in base64 undone.
    private static func shown(_ framing: FramedProtocol, _ talk: [Said], hides: Bool = true) -> String {
        let pair = FramingPair(client: .protocol(framing), server: .protocol(framing))
        var dissector = LiveDissector(decodeAs: [DecodeRule(port: RecordScript.server.port, framing: pair)])
        var settings = RecordSettings()
        settings.payloads = .standard
        var sink = RedactingSink(RecordReport(Output(), settings: settings), hiding: hides ? Redacted.plan : nil)
        let time = RecordScript.time
        let place = dissector.begin(RecordScript.opening, content: RawSpan(), number: 1, at: time, sink: &sink)
        for (side, bytes) in talk { _ = dissector.receive(.bytes(bytes.rawBytes), from: side, at: place, time, sink: &sink) }
        dissector.finish(sink: &sink)
        let records = Redacted.plain(sink.sink.takeBytes())
        return records.replacing(/"base64":"([^"]*)"/) { match in
            String(decoding: Base64.decode(Array(match.1.utf8).rawBytes) ?? [], as: UTF8.self)
        }
    }

    /// What a conversation is read as: commands and what answers them.
    private static func words(_ records: String) -> [String] {
        let keys =
            /"(?:command|type|subject|reply|topic|packetId|destination|method|routingKey|key|receipt|error|latency)":(?:"[^"]*"|[0-9.]+)/
        return records.matches(of: keys).map { String($0.output) }
    }

    private static func command(_ words: [UInt8]...) -> [UInt8] {
        words.reduce("*\(words.count)\r\n".bytes) { $0 + "$\($1.count)\r\n".bytes + $1 + "\r\n".bytes }
    }

    private static func command(_ words: String...) -> [UInt8] {
        words.reduce("*\(words.count)\r\n".bytes) { $0 + "$\($1.utf8.count)\r\n\($1)\r\n".bytes }
    }

    private static func field(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + text.bytes }

    private static func frame(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [type, 0, 1, 0, 0, 0, UInt8(payload.count)] + payload + [0xce]
    }

    private static let redis: [Said] = [
        (.client, command("AUTH", "hunter2") + command("SET", "a", json) + command("GET", "session:42") + command("INCR", "n")),
        (.server, "+OK\r\n+OK\r\n$-1\r\n:7\r\n".bytes),
        (.client, command("GET", "cfg") + command("HGETALL", "h") + command("LLEN", "q")),
        (.server, "$\(json.utf8.count)\r\n\(json)\r\n*2\r\n$1\r\nk\r\n$\(json.utf8.count)\r\n\(json)\r\n:3\r\n".bytes),
        // A value that goes on over the ends of what it stands in.
        (.client, command("RPUSH", "q", #"{"token":["a"#, #"hunter2"]}"#) + command("GET", "b")), (.server, ":1\r\n$-1\r\n".bytes),
        (.client, command("SET".bytes, "p".bytes, pack) + command("SET".bytes, "c".bytes, cbor)), (.server, "+OK\r\n+OK\r\n".bytes),
    ]

    private static let nats: [Said] = {
        let headers = "NATS/1.0\r\nAuthorization: Bearer hunter2hunter2\r\n\r\n"
        let (count, whole) = (json.utf8.count, headers.utf8.count + json.utf8.count)
        return [
            (.server, "INFO {\"server_id\":\"A\"}\r\n".bytes),
            (.client, "CONNECT {\"user\":\"a\",\"pass\":\"hunter2\"}\r\nSUB _I.1 1\r\nPUB svc.login _I.1 \(count)\r\n\(json)\r\n".bytes),
            (.server, "MSG _I.1 1 \(count)\r\n\(json)\r\n".bytes),
            (.client, "HPUB a.b \(headers.utf8.count) \(whole)\r\n\(headers)\(json)\r\nPUB c 0\r\n\r\nPING\r\n".bytes),
            (.client, "PUB m \(pack.count)\r\n".bytes + pack + "\r\nPUB c \(cbor.count)\r\n".bytes + cbor + "\r\n".bytes),
            (.server, "PONG\r\n".bytes),
        ]
    }()

    private static let mqtt: [Said] = {
        let connect = field("MQTT") + [4, 2, 0, 60] + field("id")
        let publish = field("a/b") + [0, 7] + #"{"pin":123456,"password":"hunter2"}"#.bytes
        return [
            (.client, [0x10, UInt8(connect.count)] + connect), (.server, [0x20, 2, 0, 0]),
            (.client, [0x32, UInt8(publish.count)] + publish), (.server, [0x40, 2, 0, 7]), (.client, [0xe0, 0]),
        ]
    }()

    private static let stomp: [Said] = [
        (.client, "CONNECT\naccept-version:1.2\nhost:a\nlogin:ana\npasscode:hunter2\n\n\0".bytes),
        (.server, "CONNECTED\nversion:1.2\n\n\0".bytes),
        (.client, "SEND\ndestination:/a\nreceipt:r1\ncontent-length:\(json.utf8.count)\ntoken:hunter2\n\n\(json)\0".bytes),
        (.server, "RECEIPT\nreceipt-id:r1\n\n\0".bytes),
        (.client, "SEND\ndestination:/a\nreceipt:r2\n\n\(json)\0".bytes), (.server, "RECEIPT\nreceipt-id:r2\n\n\0".bytes),
    ]

    private static let amqp: [Said] = [
        (.client, "AMQP".bytes + [0, 0, 9, 1]),
        (.client, frame(1, [0, 60, 0, 40, 0, 0, 0, 1] + "q".bytes + [0])),
        (.client, frame(2, [0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(json.utf8.count), 0, 0])), (.client, frame(3, json.bytes)),
    ]

    private static let talks: [(FramedProtocol, [Said], Int)] = [
        (.redis, redis, 7), (.nats, nats, 6), (.mqtt, mqtt, 0), (.stomp, stomp, 4), (.amqp, amqp, 0),
    ]

    @Test("commands, what answers them and what cannot be read are the same as without", arguments: talks.indices)
    func words(index: Int) {
        let (framing, talk, marks) = Self.talks[index]
        let (plain, left) = (Self.shown(framing, talk, hides: false), Self.shown(framing, talk))
        #expect(!Self.words(plain).isEmpty && Self.words(left) == Self.words(plain), "\(Self.words(plain)) \(left)")
        #expect(plain.contains("hunter2") && !left.contains("hunter2"), "\(left)")
        #expect(!left.contains("\"error\":"), "\(left)")
        #expect(left.matches(of: /◆/).count >= marks && (marks > 0 || !left.contains("◆")), "\(left)")
    }

    @Test("a number after session: is the key of a record in Redis, and anything else is a session")
    func keys() {
        func left(_ word: String) -> String {
            Self.shown(.redis, [(.client, Self.command("GET", word))])
        }
        #expect(left("session:42").contains("session:42") && left("app:session:42").contains("app:session:42"))
        for key in ["session:f00ba4", "session:12345678901", "session: 42", "otp:123456"] {
            #expect(left(key).contains("◆"), "\(left(key))")
        }
    }

    @Test("quotes that a mark has of its own stand where bytes are overwritten, and JSON stays JSON")
    func quoted() {
        let left = Self.shown(.mqtt, Self.mqtt)
        #expect(
            left.contains(#"{\"pin\":\"xxxx\",\"password\":\"xxxxxxx\"}"#) || left.contains(#"{"pin":"xxxx","password":"xxxxxxx"}"#),
            "\(left)")
    }

    @Test("frames of STOMP in a WebSocket message have the length of what is left")
    func webSocket() {
        let count = Self.json.utf8.count
        let text = "SEND\ndestination:/a\ncontent-length:\(count)\n\n\(Self.json)\0\nSEND\ndestination:/b\n\n\0"
        let layout = MessageLayout(unagreed: text.bytes)
        var run = RedactionRun()
        let left = Redacted.plain(run.take(text.bytes, as: .text, RedactionRules(Redacted.plan), isLast: true, in: layout).bytes)
        let grown = count - "hunter2".utf8.count + "⟨redacted:123456⟩".utf8.count
        #expect(left == text.replacing("hunter2", with: "◆").replacing("content-length:\(count)", with: "content-length:\(grown)"))
        #expect(
            MessageLayout(unagreed: "SEND\n\n\0".bytes) == nil && MessageLayout(unagreed: "SENDER\ncontent-length:1\n\na\0".bytes) == nil)
    }

    @Test("messages of any bytes have parts in their order and within them", arguments: ["redis", "nats", "stomp"] as [StaticString])
    func parts(name: StaticString) {
        let signs = Array("$3\r\n*2=!+-:PUB MSGcontent-length:9\n\n\0 ".utf8)
        var random = SplitMix(seed: 7)
        for _ in 0..<2_000 {
            let bytes = (0..<random.next() % 64).map { _ in signs[Int(random.next() % UInt64(signs.count))] }
            guard let layout = MessageLayout(bytes, of: name) else { continue }
            var last = 0
            for part in layout.parts {
                #expect(part.lowerBound >= last && part.upperBound <= bytes.count)
                last = part.upperBound
            }
            for length in layout.lengths {
                #expect(length.covered.upperBound <= bytes.count && !layout.parts.contains { $0.overlaps(length.digits) })
            }
        }
    }
}
