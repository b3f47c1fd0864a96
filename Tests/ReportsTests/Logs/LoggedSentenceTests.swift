import Dissection
import Support
import Testing

@testable import Reports

/// The sentence that a log has of a finding, read back as the numbers and the text that were put into it.
@Suite("Sentences of findings in logs") struct LoggedSentenceTests {
    private static let numbers: [(a: UInt64, b: UInt64)] = [(0, 0), (1, 1), (2, 1), (7, 300), (65_535, 2), (.max, .max)]
    private static let texts = ["", "word", "ends: with 5 (3)", "{text} [x] {a|one|two}", "grüß \"dich\"", "0x1f, 12", " "]

    private static func read(_ row: FindingRow, _ sentence: [UInt8]) -> (finding: Finding, text: [UInt8])? {
        LoggedSentence.finding(row, sentence) { $0 }
    }

    @Test("the sentence of every row gives a finding with the same sentence and the same text")
    func rows() {
        for row in FindingCatalogue.rows {
            for (a, b) in Self.numbers {
                // Some of the three reserved bits are set where they are named.
                let a = row.detail.contains("{a:rsv}") ? a % 7 + 1 : a
                for text in Self.texts.map({ Array($0.utf8) }) {
                    let sentence = Finding(row, a: a, b: b).sentence(about: text.rawBytes)
                    let words = "\(row.id): \(String(decoding: sentence, as: UTF8.self))"
                    guard let read = Self.read(row, sentence) else {
                        Issue.record("\(words)")
                        continue
                    }
                    #expect(!read.finding.isWorded && read.finding.sentence(about: read.text.rawBytes) == sentence, "\(words)")
                    // Beside brackets the number may be a part of the text as well.
                    if row.detail.contains("{text}"), !row.detail.contains("[") { #expect(read.text == text, "\(words)") }
                    if row.detail.contains("{a}"), !row.detail.contains("[") { #expect(read.finding.a == a, "\(words)") }
                    if row.detail.contains("{b}") { #expect(read.finding.b == b, "\(words)") }
                }
            }
        }
    }

    @Test("the sentence of another version is not read")
    func foreign() {
        let row = FindingRow(
            id: "test.row", severity: .note, reference: "", detail: "{a} {a|byte is|bytes are} missing[, after {a:hex}]: {text}.",
            explanation: "")
        for sentence in [
            "", "1 byte", "1 bytes are missing, after 0x01: x.", "2 bytes are missing, after 0x01: x.",
            "2 bytes are missing, after 0x02: x", "2 bytes are missing, after 0x2: x.", "02 bytes are missing, after 0x02: x.",
            "99999999999999999999 bytes are missing: x.", "2 bytes are missing: x.",
        ] {
            #expect(Self.read(row, Array(sentence.utf8)) == nil, "\(sentence)")
        }
        for (sentence, a, text) in [
            ("1 byte is missing, after 0x01: x.", 1, "x"), ("0 bytes are missing: x..", 0, "x."),
            ("10 bytes are missing, after 0x0a: .", 10, ""),
        ] as [(String, UInt64, String)] {
            let read = Self.read(row, Array(sentence.utf8))
            #expect(read?.finding.a == a && read?.text == Array(text.utf8), "\(sentence)")
        }
    }

    @Test("a text that was not UTF-8 is what it was on the wire, and a long sentence is left as it is")
    func texts() {
        let row = FindingRow(id: "test.row", severity: .note, reference: "", detail: "found {text}", explanation: "")
        let bytes: [UInt8] = [0x61, 0xff, 0xe9]
        let sentence = Finding(row).sentence(about: bytes.rawBytes)
        let read = LoggedSentence.finding(row, sentence) { String(decoding: $0, as: UTF8.self).unicodeScalars.map { UInt8($0.value) } }
        #expect(read?.text == bytes)
        #expect(Self.read(row, Array("found ".utf8) + [UInt8](repeating: 0x78, count: 70_000)) == nil)
    }
}
