import Dissection
import Foundation
import Support
import Testing

/// Every byte of every direction stands in a record or in a gap, and in one only.
@Suite struct ByteAccountTests {
    private static let captures: [String] = {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        var folders = [repository.appendingPathComponent("fixtures").path]
        if let more = ProcessInfo.processInfo.environment["UNMASK_CAPTURES"] { folders.append(more) }
        return folders.flatMap { folder -> [String] in
            let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
            return files.sorted().map { folder + "/" + $0 }.filter { path in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
                    && ![".md", ".tsv", ".py", ".txt", ".ndjson", ".json"].contains { path.hasSuffix($0) }
            }
        }
    }()

    @Test(arguments: captures) func everyByteIsAccountedFor(path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let complaints = MutatedCaptureTests.complaints(about: bytes, limits: Limits())
        #expect(complaints.isEmpty, "\(path): \(complaints.joined(separator: "\n"))")
    }

    @Test func aHoleAnOverlapAndTooMuchAreNoticed() {
        func data(_ length: UInt64) -> Fact { .data(DataRun(length: length)) }
        func frame(_ opcode: UInt8, _ length: UInt64) -> Fact {
            .frame(FrameHeader(opcode: opcode, fin: true, rsv: 0, masked: false, maskingKey: 0, length: length, headerLength: 2))
        }
        var account = ByteAccount()
        let first = account.take(data(5), at: 0, contentBytes: 5)
        #expect(first == nil && account.fault(length: 5) == nil)
        #expect(account.fault(length: 6) != nil && account.fault(length: 4) != nil)
        let overlap = account.take(.gap(Gap(length: 2, cause: .resync)), at: 4, contentBytes: 0)
        #expect(overlap != nil)
        let later = account.take(frame(1, 3), at: 6, contentBytes: 0)
        #expect(later == nil && account.fault(length: 11)?.contains("5..<6") == true)
        let between = account.take(frame(9, 0), at: 8, contentBytes: 0)
        #expect(between != nil)
        // What is lost inside a frame has a gap beside it; an unfinished frame is what its message says.
        let lost = account.take(.gap(Gap(length: 2, cause: .missing)), at: 9, contentBytes: 0)
        #expect(lost == nil)
        let message = Message(opcode: 2, length: 9, wireLength: 9, fragments: 2, compressed: false, unfinished: 4)
        let unfinished = account.take(.message(message), at: 6, contentBytes: 0)
        #expect(unfinished == nil && account.fault(length: 15)?.contains("5..<6") == true)
        let body = account.take(
            .body(BodyPart(length: 1, wireLength: 1, part: 1, final: true, payload: ByteRange())), at: 5, contentBytes: 0)
        #expect(body == nil && account.fault(length: 15) == nil)
    }

    @Test func theCapturesAreThere() { #expect(Self.captures.count > 20) }
}
