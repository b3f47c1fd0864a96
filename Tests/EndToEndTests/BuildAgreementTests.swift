import Foundation
import Support
import Testing

/// The optimised program against the debug one, byte for byte. Code that reaches memory of a value that is over is right in one build and wrong
/// in the other: so it was that a plain retransmission was a violation in what was installed, and in no test.
@Suite("What is read in both builds") struct BuildAgreementTests {
    /// What a capture is read into.
    private static let forms = [["--format", "text"], ["--format", "ndjson", "--frames"], ["--format", "ndjson", "--decoded"]]

    @Test("a fixture is read with the same text and records", arguments: GoldenTests.names) func fixtures(name: String) throws {
        let keys = GoldenTests.fixtures.appendingPathComponent(name).appendingPathComponent("keys.log").path
        let opening = FileManager.default.fileExists(atPath: keys) ? ["--keys", keys] : []
        for form in Self.forms { try Self.compare(["read"] + form + opening + [GoldenTests.capture(name)]) }
    }

    /// So many captures in one run: the debug program takes longer to start than to read most of them.
    private static let batchCount = 16

    /// What UNMASK_CAPTURES names, in batches.
    private static let batches: [[String]] = {
        let files = MutatedCapture.files.filter { !$0.hasPrefix(GoldenTests.fixtures.path + "/") }
        return stride(from: 0, to: files.count, by: batchCount).map { Array(files[$0..<min(files.count, $0 + batchCount)]) }
    }()

    /// The byte accounts of the same captures are taken in debug (`ByteAccountTests`): with the same records they are those of this program too.
    @Test("the captures at hand are read with the same records", arguments: batches.isEmpty ? [[]] : batches)
    func captures(files: [String]) throws {
        if files.isEmpty { return print("skipped: UNMASK_CAPTURES is not set, so there are no captures to read in both builds") }
        try Self.compare(["read", "--format", "ndjson", "--frames", "--decoded"] + files)
    }

    private static func compare(_ arguments: [String]) throws {
        guard DrivenProgram.isAnotherBuild else {
            return print("skipped: the optimised program's reading beside the debug one's (UNMASK_PROGRAM is not set; make test sets it)")
        }
        let (driven, debug) = (
            try UnmaskProcess.run(arguments), try UnmaskProcess.run(arguments, through: DrivenProgram.besideTests.path)
        )
        #expect(driven.status == debug.status && driven.errors == debug.errors, "\(driven.errors)\n\(debug.errors)")
        if driven.output == debug.output { return }
        let different = zip(driven.lines, debug.lines).first { $0 != $1 }
        Issue.record(
            """
            \(arguments.joined(separator: " ")): \(driven.lines.count) and \(debug.lines.count) lines
            optimised: \(different?.0.prefix(600) ?? "ends")
            debug: \(different?.1.prefix(600) ?? "ends")
            """)
    }
}
