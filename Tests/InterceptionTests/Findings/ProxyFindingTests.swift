import Dissection
import Foundation
import Reports
import Support
import Testing

/// A row of the proxy's catalogue with a run of a proxy in which it is found, and one in which it nearly is.
struct ProxyFindingCase: Sendable, CustomStringConvertible {
    /// All that is found in a run; nil where it cannot be had on this system, which is said.
    typealias Run = @Sendable () throws -> [String]?

    /// The row's id.
    var row: String
    /// What `fires` finds: the row, and what cannot be had without; numbers of ports and counts as `PORT` and `N`.
    var found: [String]
    var fires: Run
    var nearly: Run

    init(_ row: String, _ found: [String], fires: @escaping Run, nearly: @escaping Run) {
        (self.row, self.found, self.fires, self.nearly) = ("proxy." + row, found, fires, nearly)
    }

    var description: String { row }

    /// The findings of a log, without what is another in each run.
    static func lines(of log: LogRecords) -> [String] {
        FindingLines.of(log).map {
            $0.replacing(/(127\.0\.0\.1|localhost):\d+/) { "\($0.1):PORT" }.replacing(/\d+ (records|packets) are/) { "N \($0.1) are" }
        }
    }
}

/// Each row that the proxy can find: what fires it, all that is found then, and what nearly fires it.
@Suite(.serialized) struct ProxyFindingTests {
    static let cases: [ProxyFindingCase] = [
        ProxyFindingCase.serverCases, ProxyFindingCase.clientCases, ProxyFindingCase.endingCases, ProxyFindingCase.lossCases,
        ProxyFindingCase.oneSidedCases, ProxyFindingCase.hostCases,
        ProxyFindingCase.ownListenerCases,
    ].flatMap(\.self)

    @Test(arguments: cases) func firesAndNearlyDoes(_ one: ProxyFindingCase) throws {
        #expect(one.found.contains { $0.contains("\(one.row): ") })
        if let found = try one.fires() { #expect(found == one.found) }
        if let near = try one.nearly() { #expect(!near.contains { $0.contains("\(one.row): ") }, "\(near)") }
    }

    @Test func everyRowHasACase() {
        let tested = Set(Self.cases.map(\.row))
        let rows = FindingRow.proxyRows.map(\.id)
        #expect(rows.filter { !tested.contains($0) } == [])
        #expect(tested.subtracting(rows) == [], "no row of the catalogue")
    }
}
