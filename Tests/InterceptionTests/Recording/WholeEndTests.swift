import Foundation
import Reports
import Testing

@Suite("Where the last whole line of a log ends") struct WholeEndTests {
    /// Writes a file, and gives what `find` says of it.
    private func end(of bytes: [UInt8], _ find: (Int32) -> Int64?) throws -> Int64? {
        let url = FileManager.default.temporaryDirectory.appending(path: "unmask-whole-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(bytes).write(to: url)
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        return find(file.fileDescriptor)
    }

    @Test(
        "half a line goes, whole lines stay", arguments: [("{}\n{\"k", 3), ("{}\n", nil), ("", nil), ("{\"half", 0)] as [(String, Int64?)])
    func lines(text: String, expected: Int64?) throws {
        #expect(try end(of: Array(text.utf8)) { WholeEnd.ofLines($0) } == expected)
        #expect(try end(of: Array(text.utf8)) { WholeEnd.ofRecords($0) } == (text == "{\"half" ? nil : expected))
    }

    @Test("what is no beginning of a record was written by somebody else, and stays") func others() throws {
        #expect(try end(of: Array("{}\nnotes".utf8)) { WholeEnd.ofRecords($0) } == nil)
    }

    @Test("a half line longer than what is read at once") func longLine() throws {
        let bytes = Array("whole\n".utf8) + [UInt8](repeating: 0x61, count: 3 << 20)
        #expect(try end(of: bytes) { WholeEnd.ofLines($0) } == 6)
    }
}
