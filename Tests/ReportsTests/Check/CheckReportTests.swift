import Dissection
import Reports
import Testing

/// What a check makes of the findings of a run.
@Suite struct CheckReportTests {
    /// A conversation with a WebSocket whose server sends bad text, told to a check.
    private func check(_ settings: CheckSettings, firstPacket: UInt64 = 1, host: String = "chat.example:39221") -> CheckResult {
        var report = CheckReport(settings)
        report.begin(CaptureSource(kind: .file, name: "a.pcap", firstPacket: 1, tool: "test"))
        report.begin(CaptureSource(kind: .file, name: "b.pcap", firstPacket: firstPacket, tool: "test"))
        var packet = firstPacket
        func say(_ fact: Fact, _ content: [UInt8] = [], to report: inout CheckReport) {
            RecordScript.send(fact, content, from: .client, packets: PacketRange(packet), to: &report)
            packet += 1
        }
        say(.opened(RecordScript.opening), to: &report)
        // It comes before the conversation has a name.
        say(.finding(Finding(Self.late, a: 7)), to: &report)
        let (bytes, parts) = RecordScript.content("GET".bytes, "/room?token=1".bytes, "HTTP/1.1".bytes, "Host: \(host)\r\n".bytes)
        say(.request(RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: 1)), bytes, to: &report)
        say(.finding(Finding(RecordScript.badText, a: 3)), to: &report)
        say(.closed(Closing(by: .client, how: .fin)), to: &report)
        return report.finish()
    }

    private static let late = FindingRow(
        id: "tcp.late", severity: .warning, reference: "", detail: "{a} bytes came late from {text}", explanation: "")

    @Test func `a line a finding, with the packet in its own file, and the totals`() {
        let result = check(CheckSettings(), firstPacket: 100)
        #expect(
            String(decoding: result.text, as: UTF8.self) == """
                b.pcap:2: warning tcp.late: 7 bytes came late from\u{20}
                b.pcap:4: violation websocket.utf8-invalid: text that is not UTF-8, first bad byte 3
                2 findings at or above warning, in 1 conversation of 2 inputs

                """)
        #expect(result.hasFailed)
        // The one that came before the request has its names as well, the path without the query.
        #expect(
            result.findings.map(\.path) == ["/room", "/room"]
                && result.findings.map(\.host) == ["chat.example:39221", "chat.example:39221"])
    }

    @Test func `what is below the severity is counted, what is allowed does not count`() {
        let violations = check(CheckSettings(severity: .violation))
        #expect(violations.count(.new) == 1 && violations.bySeverity == [0, 1, 1] && violations.hasFailed)
        let allowed = check(CheckSettings(allowed: [WildcardPattern("tcp.*"), WildcardPattern("websocket.utf8-invalid")]))
        #expect(allowed.count(.allowed) == 2 && !allowed.hasFailed)
        #expect(
            String(decoding: allowed.text, as: UTF8.self) == "0 findings at or above warning, 2 allowed, in 1 conversation of 2 inputs\n")
    }

    @Test func `a baseline knows findings again whatever their packets and ports, and says which did not come`() throws {
        let text = check(CheckSettings()).baseline.text
        #expect(
            String(decoding: text, as: UTF8.self) == """
                [
                {"id": "tcp.late", "host": "chat.example", "path": "/room", "about": "# bytes came late from "},
                {"id": "websocket.utf8-invalid", "host": "chat.example", "path": "/room", "about": "text that is not UTF-8, first bad byte #"}
                ]

                """)
        let baseline = try FindingBaseline(text.rawBytes)
        let again = check(CheckSettings(baseline: baseline), firstPacket: 40, host: "chat.example:51111")
        #expect(again.count(.known) == 2 && again.count(.new) == 0 && again.absent.isEmpty && !again.hasFailed)
        let elsewhere = check(CheckSettings(baseline: baseline), host: "other.example")
        #expect(elsewhere.count(.new) == 2 && elsewhere.absent.count == 2 && elsewhere.hasFailed)
        #expect(
            String(decoding: elsewhere.text, as: UTF8.self).contains("2 findings of the baseline did not come again:\n  tcp.late: # bytes"))
    }

    @Test(arguments: [
        ("close code 999, codes are 1000 to 4999", "close code 999, codes are 1000 to 4999"),
        ("12 bytes, then 1 packet after 3.5 s", "# bytes, then # packet after # s"),
        ("connection to 127.0.0.1:39221 refused", "connection to 127.0.0.1:# refused"),
        ("first difference at offset 9; the first are shown", "first difference at offset #; the first are shown"),
    ])
    func `a sentence is known by what does not differ from run to run`(sentence: String, about: String) {
        #expect(FindingKey.about(sentence) == about)
    }

    @Test(arguments: ["", "{}", "[1]", "[{\"id\":\"a\"}]", "[", "[{\"id\":1,\"host\":\"\",\"path\":\"\",\"about\":\"\"}]"])
    func `a file that is not a baseline is refused in words`(text: String) {
        #expect(throws: FindingBaseline.Problem.self) { try FindingBaseline(text.bytes.rawBytes) }
    }

    @Test func `what has no room in the memory counts, and is not listed`() {
        let result = check(CheckSettings(mostBytes: 0))
        #expect(result.findings.isEmpty && result.unlisted == 2 && result.hasFailed)
        #expect(String(decoding: result.text, as: UTF8.self).hasPrefix("2 more findings not listed; raise --memory"))
    }

    @Test func `names from the wire cannot break out of XML, JSON or a line`() {
        let result = check(CheckSettings(keepsConversations: true), host: "a<b>&\"c\u{7}\u{202e}")
        let xml = String(decoding: result.junit, as: UTF8.self)
        #expect(xml.contains("a&lt;b&gt;&amp;&quot;c") && !xml.contains("a<b>") && !xml.contains("\u{7}") && !xml.contains("\u{202e}"))
        let json = String(decoding: result.sarif(name: "unmask", version: "1"), as: UTF8.self)
        #expect(json.contains("a<b>&\\\"c") && !json.contains("\u{7}"))
    }
}
