import Dissection
import Reports
import Testing

@Suite struct TextReportTests {
    typealias Script = RecordScript

    /// A talk as a developer of a chat app would meet it.
    static func talk(_ report: inout some ReportSink & ~Copyable, conversation: UInt64 = 1) {
        var packet: UInt64 = 0
        func at(_ milliseconds: Int64) -> Timestamp { Timestamp(nanoseconds: Script.time.nanoseconds + milliseconds * 1_000_000) }
        func send(_ milliseconds: Int64, _ from: Side?, _ fact: Fact, _ content: [UInt8] = [], _ report: inout some ReportSink & ~Copyable) {
            packet += 1
            Script.send(fact, content, conversation: conversation, from: from, at: at(milliseconds), packets: PacketRange(packet), to: &report)
        }
        let (request, parts) = Script.content(
            "GET".bytes, "/room/7".bytes, "HTTP/1.1".bytes,
            "Host: chat.example\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: chat.v2\r\nSec-WebSocket-Extensions: permessage-deflate\r\n".bytes)
        let (answer, pieces) = Script.content("HTTP/1.1".bytes, "Switching Protocols".bytes, "Upgrade: websocket\r\n".bytes)
        let (agreed, terms) = Script.content("websocket".bytes, "chat.v2".bytes, "permessage-deflate".bytes, "/room/7".bytes)
        send(0, nil, .opened(Script.opening), &report)
        send(0, .client, .request(RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3])), request, &report)
        send(4, .server, .response(ResponseHead(status: 101, version: pieces[0], reason: pieces[1], fields: pieces[2], latency: 4_100_000)), answer, &report)
        send(
            4, .server,
            .upgrade(Upgrade(protocolName: terms[0], accepted: true, target: terms[3], subprotocol: terms[1], extensions: terms[2], compression: .init())),
            agreed, &report)
        send(10, .client, .message(Message(opcode: 1, length: 26, wireLength: 31, fragments: 1, compressed: true)), #"{"type":"join","room":"7"}"#.bytes, &report)
        let history = #"{"type":"history","messages":[{"from":"ana","text":"shall we meet at the harbour at nine, or is that too early"}]}"#.bytes
        send(12, .server, .message(Message(opcode: 1, length: 1_240, wireLength: 700, fragments: 3, compressed: false)), history, &report)
        send(1_500, .client, .ping, "hb-1".bytes, &report)
        send(1_501, .server, .pong(Pong(roundTrip: 1_200_000, unsolicited: false)), "hb-1".bytes, &report)
        let bad: [UInt8] = [0xff, 0xfe] + " bad utf8\n".bytes
        send(3_900, .client, .message(Message(opcode: 1, length: 12, wireLength: 12, fragments: 1, compressed: false)), bad, &report)
        let row = FindingRow(
            id: "websocket.utf8-invalid", severity: .violation, reference: "RFC 6455 8.1", detail: "text that is not UTF-8, first bad byte {a}", explanation: "")
        send(3_900, .client, .finding(Finding(row)), &report)
        send(4_000, .server, .gap(Gap(length: 1_448, cause: .missing)), &report)
        send(4_200, .server, .close(CloseFrame(code: 1007)), "bad UTF-8".bytes, &report)
        var (client, server) = (SideTotals(), SideTotals())
        (client.bytes, client.messages, server.bytes, server.messages, server.missing) = (3_400, 12, 120_000, 1, 1_448)
        send(4_203, nil, .closed(
            Closing(by: .server, how: .closeFrame, code: 1007, answered: 3_000_000, duration: 4_203_000_000, client: client, server: server)), &report)
    }

    static func totals() -> Totals {
        var totals = Totals()
        (totals.packets, totals.conversations, totals.messages, totals.findings, totals.bytes) = (1_204, 1, 13, 1, 123_400)
        totals.skipped[SkipReason.allCases.firstIndex(of: .arp) ?? 0] = 2
        return totals
    }

    /// What the text of a run is.
    private func text(_ settings: TextSettings = TextSettings(), _ run: (inout TextReport) -> Void) -> String {
        var report = TextReport(Output(), settings: settings)
        run(&report)
        return String(decoding: report.takeBytes(), as: UTF8.self)
    }

    @Test func `a talk is a block`() {
        let shown = text {
            $0.begin(Script.source)
            Self.talk(&$0)
            $0.finish(Self.totals())
        }
        print(shown)
        print(text(TextSettings(usesColor: true, follows: true)) { $0.begin(Script.source); Self.talk(&$0); $0.finish(Self.totals()) })
    }
}
