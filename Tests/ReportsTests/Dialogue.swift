import Dissection
import Reports

/// What two peers say to each other in a test, told event by event to a report.
struct Dialogue<Report: ReportSink & ~Copyable>: ~Copyable {
    var report: Report
    private var packet: UInt64 = 0
    var conversation: UInt64 = 1
    /// The stream of HTTP/2 that is spoken in; 0 for none.
    var stream: UInt32 = 0

    init(_ report: consuming Report) { self.report = report }

    /// Tells one event; each comes in a packet of its own.
    ///
    /// - Parameter milliseconds: Since `RecordScript.time`.
    mutating func say(_ milliseconds: Int64, _ from: Side? = nil, _ fact: Fact, _ content: [UInt8] = [], asked: [UInt8] = []) {
        packet += 1
        RecordScript.send(
            fact, content, conversation: conversation, from: from,
            at: Timestamp(nanoseconds: RecordScript.time.nanoseconds + milliseconds * 1_000_000), packets: PacketRange(packet),
            channel: ByteChannel(stream: stream), asked: asked, to: &report)
    }

    mutating func message(_ milliseconds: Int64, _ from: Side, _ content: [UInt8], opcode: UInt8 = 1) {
        let length = UInt64(content.count)
        say(
            milliseconds, from, .message(Message(opcode: opcode, length: length, wireLength: length, fragments: 1, compressed: false)),
            content)
    }

    mutating func request(_ milliseconds: Int64, _ line: (String, String, String), _ fields: String, exchange: UInt64 = 1) {
        let (bytes, parts) = RecordScript.content(line.0.bytes, line.1.bytes, line.2.bytes, fields.bytes)
        say(
            milliseconds, .client,
            .request(RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: exchange)), bytes)
    }

    /// - Parameter asked: the number of the request that it surely belongs to, `GET /`.
    mutating func response(
        _ milliseconds: Int64, _ status: UInt16, _ reason: String, _ fields: String, latency: Int64, asked: UInt64? = nil
    ) {
        let (bytes, parts) = RecordScript.content("HTTP/1.1".bytes, reason.bytes, fields.bytes)
        let request = asked.map { AskedRequest(exchange: $0, method: ByteRange(0..<3), target: ByteRange(3..<4)) }
        say(
            milliseconds, .server,
            .response(
                ResponseHead(status: status, version: parts[0], reason: parts[1], fields: parts[2], latency: latency, asked: request)),
            bytes, asked: asked == nil ? [] : "GET/".bytes)
    }

    /// A body of one part.
    mutating func body(_ milliseconds: Int64, _ from: Side, _ content: String) {
        let length = UInt64(content.utf8.count)
        say(
            milliseconds, from,
            .body(BodyPart(length: length, wireLength: length, part: 1, final: true, payload: ByteRange(0..<content.utf8.count))),
            content.bytes)
    }

    mutating func finding(_ milliseconds: Int64, _ from: Side?, _ row: FindingRow, a: UInt64 = 0, _ content: [UInt8] = []) {
        say(milliseconds, from, .finding(Finding(row, a: a)), content)
    }

    /// A talk of a chat app with most of what there is to see.
    ///
    /// - Parameter asked: the number of the request that its response says it belongs to.
    mutating func chat(asked: UInt64? = nil) {
        say(0, nil, .opened(RecordScript.opening))
        request(
            0, ("GET", "/room/7", "HTTP/1.1"),
            "Host: chat.example\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: chat.v2\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
        )
        response(4, 101, "Switching Protocols", "Upgrade: websocket\r\n", latency: 4_100_000, asked: asked)
        let (terms, parts) = RecordScript.content("websocket".bytes, "chat.v2".bytes, "permessage-deflate".bytes, "/room/7".bytes)
        say(
            4, .server,
            .upgrade(
                Upgrade(
                    protocolName: parts[0], accepted: true, target: parts[3], subprotocol: parts[1], extensions: parts[2],
                    compression: .init())),
            terms)
        say(
            10, .client, .message(Message(opcode: 1, length: 26, wireLength: 21, fragments: 1, compressed: true)),
            #"{"type":"join","room":"7"}"#.bytes)
        let history = #"{"type":"history","messages":[{"from":"ana","text":"shall we meet at the harbour at nine, or is that too early"}]}"#
        say(12, .server, .message(Message(opcode: 1, length: 1_240, wireLength: 1_240, fragments: 3, compressed: false)), history.bytes)
        say(1_500, .client, .ping, "hb-1".bytes)
        say(1_501, .server, .pong(Pong(roundTrip: 1_200_000, unsolicited: false)), "hb-1".bytes)
        message(3_900, .client, [0xff, 0xfe] + " bad utf8\n".bytes)
        finding(3_900, .client, RecordScript.badText)
        say(4_000, .server, .gap(Gap(length: 1_448, cause: .missing)))
        say(4_200, .server, .close(CloseFrame(code: 1007)), "bad UTF-8".bytes)
        var (client, server) = (SideTotals(), SideTotals())
        (client.bytes, client.messages, server.bytes, server.messages, server.missing) = (3_400, 12, 120_000, 1, 1_448)
        say(
            4_203, nil,
            .closed(
                Closing(
                    by: .server, how: .closeFrame, code: 1007, answered: 3_000_000, duration: 4_203_000_000, client: client, server: server)
            ))
    }
}

extension RecordScript {
    static let badText = FindingRow(
        id: "websocket.utf8-invalid", severity: .violation, reference: "RFC 6455 8.1", detail: "text that is not UTF-8, first bad byte {a}",
        explanation: "")
}

extension Dialogue where Report == TextReport {
    /// The text of a dialogue.
    static func text(_ settings: TextSettings = TextSettings(), _ talk: (inout Dialogue<TextReport>) -> Void) -> String {
        var dialogue = Dialogue(TextReport(Output(), settings: settings))
        talk(&dialogue)
        return String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
    }
}
