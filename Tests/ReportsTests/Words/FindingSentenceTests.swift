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

    @Test func `words go with their number`() {
        #expect(detail(Finding(.httpMessageIncomplete, a: 1)) == "the direction ended inside a message, 1 byte of known length is missing")
        let late: [UInt64: String] = [1: "1 byte in 2 packets came after it had", 2: "2 bytes in 1 packet came after they had"]
        for (count, words) in late {
            let told = detail(Finding(.tcpDataAfterGap, a: count, b: 3 - count))
            #expect(told.hasPrefix(words), "\(told)")
        }
        // What is not finished stays as it is written.
        for written: StaticString in ["{a|byte", "{a|byte}", "{c|byte|bytes}"] {
            let row = FindingRow(id: "x.y", severity: .note, reference: "", detail: written, explanation: "")
            #expect(detail(Finding(row, a: 1)) == written.description && row.pattern == written.description)
        }
        #expect(FindingRow.httpMessageIncomplete.pattern.hasSuffix("[, {a} bytes of known length are missing]"))
    }

    /// Limits, windows and what takes two of something to be found: they count no single thing.
    private static let neverOne: Set<String> = [
        "capture.comment-cut", "capture.comments-unread", "tls.record-too-long", "tls.hello-too-long", "websocket.deflate-window-exceeded",
        "websocket.control-too-long", "websocket.protocol-several", "http.chunk-extension-long", "http.codings-too-many",
        "http.content-limit",
        "http.pending-limit", "http.fields-many", "http.head-limit",
    ]

    @Test func `one of anything is singular`() {
        for row in FindingCatalogue.rows where !Self.neverOne.contains(row.id) {
            let sentence = detail(Finding(row, a: 1, b: 1))
            #expect(
                !sentence.contains(/\b1 (bytes|packets|records|requests|zeros|comments|codings|header lines|subprotocols)\b/),
                "\(row.id): \(sentence)")
        }
    }
}
