import Dissection
import Reports
import Support
import Testing

/// Each row that the dissector can find: what fires it, all that is found then, and what nearly fires it.
@Suite struct FindingCaseTests {
    static let cases: [FindingCase] = [
        FindingCase.input, FindingCase.limits, FindingCase.idleConnections, FindingCase.idleHTTP, FindingCase.idleWebSockets,
        FindingCase.doubtful, FindingCase.pings, FindingCase.repeated, FindingCase.tcp,
        FindingCase.tls,
        FindingCase.http1, FindingCase.http2, FindingCase.framing,
        FindingCase.webSocketFrames,
        FindingCase.webSocketClosing, FindingCase.webSocketDeflate, FindingCase.webSocketHandshake, FindingCase.causes,
        FindingCase.sizeLimits, FindingCase.callSizes, FindingCase.streamTimeouts, FindingCase.segmentClues,
        FindingCase.lifeLimits, FindingCase.mqtt, FindingCase.amqp, FindingCase.lengthsInCharacters,
    ].flatMap(\.self)

    @Test(arguments: cases) func firesAndNearlyDoes(_ one: FindingCase) {
        #expect(one.complaints() == [])
    }

    /// The proxy's rows have theirs where a proxy runs.
    @Test func everyRowHasACase() {
        let proxyRows = Set((FindingRow.proxyRows + FindingRow.logRows).map(\.id))
        let rows = FindingCatalogue.rows.map(\.id).filter { !proxyRows.contains($0) }
        let tested = Set(Self.cases.map(\.row))
        #expect(rows.filter { !tested.contains($0) } == [])
        #expect(tested.subtracting(rows) == [], "no row of the catalogue")
    }
}
