import Dissection
import Support
import Testing

@testable import Reports

/// Cells of CSV, most of which are quoted sixteen bytes a step.
@Suite("Cells of CSV") struct CommaSeparatedTests {
    private static func cell(_ text: [UInt8], guards: Bool) -> String {
        var buffer = OutputBuffer()
        buffer.append(cell: text.rawBytes, guardsFormulas: guards)
        return String(decoding: buffer.bytes.copy, as: UTF8.self)
    }

    /// RFC 4180, section 2, and an apostrophe before a formula.
    private static func expected(_ text: String, guards: Bool) -> String {
        let isFormula = guards && (text.unicodeScalars.first.map { "=+-@\t\n\r".unicodeScalars.contains($0) } ?? false)
        let needsQuotes = text.unicodeScalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
        guard isFormula || needsQuotes || text.unicodeScalars.first == " " || text.unicodeScalars.last == " " else { return text }
        let doubled = text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
        return "\"\(isFormula ? "'" : "")\(doubled)\""
    }

    @Test("text is quoted where it has to be, and each quote in it is doubled")
    func quotes() {
        var random = SplitMix(seed: 8)
        for round in 0..<4_000 {
            var text = ""
            let letters: [Unicode.Scalar] = round % 3 == 0 ? ["a", "\"", ",", " ", "=", "\\", "é", "\n"] : ["a", "\"", "b", "{", ":"]
            for _ in 0..<round % 70 { text.unicodeScalars.append(letters[Int.random(in: 0..<letters.count, using: &random)]) }
            for guards in [true, false] {
                #expect(Self.cell(Array(text.utf8), guards: guards) == Self.expected(text, guards: guards))
            }
        }
    }
}
