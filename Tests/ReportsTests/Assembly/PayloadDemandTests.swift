import Dissection
import Reports
import Support
import Testing

/// What is kept of a payload, and what is shown of it.
@Suite struct PayloadDemandTests {
    /// Bodies as they come.
    private struct Bodies: ConversationSink, ~Copyable {
        var shown: [String] = []
        var lengths: [UInt64] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            guard case .body(let part) = event.fact else { return }
            lengths.append(part.length)
            var bytes: [UInt8] = []
            bytes.append(copying: event.bytes(part.payload))
            shown.append(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static let null = Outlet(descriptor: -1)

    private func demand(_ forms: [any OutputForm]) -> Int {
        OutputPlan(forms.map { OutputPlan.Target($0, as: .log, to: Self.null) }).payloadDemand
    }

    @Test func `the longest payload that an output shows is what the line wants`() {
        let records = RecordSettings(payload: .full(limit: 5_000))
        var plain = TextSettings(payload: .preview(limit: 256))
        // What a message says is read off more of it than is shown.
        #expect(demand([plain]) == 1_048_576 && demand([TableSettings()]) == 1_048_576)
        plain.payloads = .none
        let text = plain
        #expect(demand([text]) == 256)
        #expect(demand([text, records]) == 5_000)
        #expect(demand([records, text, CapturedPacketsForm(RecordingSettings(), isDecrypted: false)]) == 5_000)
        #expect(demand([TextSettings(payload: .none), RelayedPacketsForm(isSealed: false)]) == 0)
        // What a record says of a payload is read off all of it, whether or not it shows it.
        var saying = RecordSettings(payload: .none)
        #expect(demand([saying]) == 0)
        saying.payloads = .standard
        #expect(demand([saying]) == 1_048_576)
        #expect(demand([TotalsForm(conversations: nil), RecordSettings(totalsAlone: true)]) == 0)
        #expect(OutputPlan([OutputPlan.Target(text, as: .log, to: Self.null)]).makeLine().payloadDemand == 256)
    }

    @Test func `text reads messages that are as long as those that records read`() throws {
        let long = String(repeating: "x", count: 20_000)
        let demand = demand([TextSettings()])
        var dissector = LiveDissector(payloadDemand: demand)
        var report = TextReport(Output())
        let time = Timestamp(nanoseconds: 0)
        let place = dissector.begin(RecordScript.opening, content: RawSpan(), number: 1, at: time, sink: &report)
        for (side, text) in [
            (Side.client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"),
            (.server, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"),
        ] {
            let words = side == .client ? "\"method\":\"list\",\"params\"" : "\"result\""
            let body = "{\"jsonrpc\":\"2.0\",\"id\":1,\(words):[\"\(long)\"]}"
            let bytes = Array((text + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8)
            #expect(dissector.receive(.bytes(bytes.rawBytes), from: side, at: place, time, sink: &report))
        }
        dissector.finish(sink: &report)
        let shown = String(decoding: report.takeBytes(), as: UTF8.self)
        #expect(
            shown.contains("json-rpc call list  [") && shown.contains("json-rpc result of list after 0 µs  ["), "\(shown.prefix(2_000))")
    }

    @Test(arguments: [(limit: 100, demand: Int.max, "0123456789"), (100, 4, "0123"), (6, 8, "012345"), (100, 0, ""), (100, -1, "")])
    func `a dissector keeps what its limit allows and somebody wants`(_ limit: Int, _ demand: Int, _ kept: String) {
        var limits = Limits()
        limits.messageBytes = limit
        var dissector = LiveDissector(limits: limits, payloadDemand: demand)
        var sink = Bodies()
        let time = Timestamp(nanoseconds: 0)
        let place = dissector.begin(RecordScript.opening, content: RawSpan(), number: 1, at: time, sink: &sink)
        for (side, text) in [
            (Side.client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), (.server, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"),
            (.server, "56789"),
        ] {
            #expect(dissector.receive(.bytes(text.bytes.rawBytes), from: side, at: place, time, sink: &sink))
        }
        #expect(sink.shown == [kept] && sink.lengths == [10])
    }
}
