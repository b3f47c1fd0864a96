import Dissection
import Reports
import Testing

@Suite struct StatsReportTests {
    @Test func `the totals alone, the gravest findings first`() {
        var dialogue = Dialogue(StatsReport(Output()))
        dialogue.chat()
        let note = FindingRow(id: "tcp.keep-alive", severity: .note, reference: "", detail: "", explanation: "")
        for _ in 0..<1_200 { dialogue.finding(1, .client, note) }
        dialogue.report.finish(TextReportTests.totals())
        #expect(
            String(decoding: dialogue.report.takeBytes(), as: UTF8.self) == """
                           1,204  packets
                         123,400  bytes captured
                               1  conversation
                               1  HTTP request
                               1  HTTP response
                               1  upgrade
                               3  messages
                               1  ping
                               1  pong
                               1  Close frame
                               1  gap
                               2  packets of ARP
                               1  finding
                               1    websocket.utf8-invalid, violation
                           1,200    tcp.keep-alive, note

                """)
    }
}
