import Dissection
import Foundation
import Reports
import Testing

/// The sentence of a finding, with what was seen put in.
@Suite(.holdsLogSchema) struct FindingSentenceTests {
    private func detail(_ finding: Finding) -> String {
        let record = RecordScript.record(.finding(finding), [], settings: RecordSettings())
        guard let start = record.range(of: #""detail":""#) else { return record }
        return String(record[start.upperBound...].prefix { $0 != "\"" })
    }

    @Test func `what there is none of is left out`() {
        #expect(
            detail(Finding(.httpMessageIncomplete, a: 7)) == "the direction ended inside a message, 7 bytes of known length are missing")
        #expect(detail(Finding(.httpMessageIncomplete)) == "the direction ended inside a message")
        #expect(detail(Finding(.httpContentLengthDiffers)) == "two different values of Content-Length, 0 and 0")
    }
}
