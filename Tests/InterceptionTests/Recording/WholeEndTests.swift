import CaptureFiles
import Dissection
import Foundation
import Interception
import Reports
import Testing

@Suite("What a kill leaves behind is cut back to what is whole") struct WholeEndTests {
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

    @Test("what stood there before is not ours to cut") func before() throws {
        let bytes = Array("notes{\"kind\":\"op".utf8)
        #expect(try end(of: bytes) { WholeEnd.ofLines($0, from: 5) } == 5)
        #expect(try end(of: bytes) { WholeEnd.ofRecords($0, from: 5) } == 5)
        #expect(try end(of: bytes) { WholeEnd.ofLines($0, from: Int64(bytes.count)) } == nil)
        #expect(try end(of: Array("{}\nnotes".utf8)) { WholeEnd.ofRecords($0) } == nil)
    }

    @Test("a half line longer than what is read at once") func longLine() throws {
        let bytes = Array("whole\n".utf8) + [UInt8](repeating: 0x61, count: 3 << 20)
        #expect(try end(of: bytes) { WholeEnd.ofLines($0) } == 6)
    }

    @Test("half a block goes, wherever it was cut") func blocks() throws {
        var encoder = PcapNGEncoder(application: "test")
        let interface = encoder.addInterface(linkType: .raw)
        let whole = encoder.buffer.count
        encoder.addPacket([UInt8](repeating: 7, count: 100).rawBytes, interface: interface, time: Timestamp(nanoseconds: 1))
        let all = encoder.buffer
        #expect(try end(of: all, WholeEnd.ofBlocks) == nil)
        for cut in whole + 1..<all.count {
            #expect(try end(of: Array(all[..<cut]), WholeEnd.ofBlocks) == Int64(whole), "cut at \(cut)")
        }
    }

    @Test("a section that was copied in the other byte order is whole") func swappedBlocks() throws {
        func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let section = word(0x0A0D_0D0A) + word(28) + word(0x1A2B_3C4D) + word(0x0001_0000) + word(.max) + word(.max) + word(28)
        let interface = word(1) + word(20) + word(0x0001_0000) + word(0) + word(20)
        let all = PcapNGEncoder(application: "test").buffer + section + interface
        #expect(try end(of: all, WholeEnd.ofBlocks) == nil)
        for cut in 1..<20 { #expect(try end(of: all.dropLast(cut), WholeEnd.ofBlocks) == Int64(all.count - 20), "cut \(cut)") }
    }
}
