import Dissection
import Foundation
import Libc
import Reports
import Testing

/// Writing whole lines, and what stays of them where a file can grow no more.
@Suite("Whole writes") struct WholeWriteTests {
    private func write(_ text: String, to descriptor: Int32) -> (kept: Int, error: OutputError?) {
        writeWhole(Array(text.utf8).rawBytes, to: Outlet(descriptor: descriptor)) { written in
            var end = written.byteCount
            while end > 0, written[end - 1] != 0x0A { end -= 1 }
            return end
        }
    }

    @Test func `all is written where there is room`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "unmask-write-\(UUID().uuidString)").path
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        defer {
            close(file)
            unlink(path)
        }
        let outcome = write("one\ntwo\n", to: file)
        #expect(outcome.kept == 8 && outcome.error == nil)
        #expect(FileManager.default.contents(atPath: path) == Data("one\ntwo\n".utf8))
    }

    #if os(Linux)
    /// A file in memory that is two pages long and refuses to grow (memfd_create(2), F_SEAL_GROW).
    @Test func `a file that is full ends with a whole line`() throws {
        // The library has it, and its header keeps it from Swift.
        typealias MemoryFile = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        let function = dlsym(nil, "memfd_create").map { unsafeBitCast($0, to: MemoryFile.self) }
        let file = function?("unmask", 2) ?? -1
        guard file >= 0, ftruncate(file, 8_192) == 0, fcntl(file, 1_033, 0x4) == 0 else {
            print("skipped: a file that is full (no sealed files in memory)")
            return
        }
        defer { close(file) }
        let line = String(repeating: "x", count: 299) + "\n"
        let outcome = write(String(repeating: line, count: 40), to: file)
        #expect(outcome.error == OutputError.failed(errno: EPERM))
        #expect(outcome.kept == 8_192 / 300 * 300)
        var status = stat()
        #expect(fstat(file, &status) == 0 && status.st_size == off_t(outcome.kept))
        #expect(lseek(file, 0, SEEK_CUR) == off_t(outcome.kept))
    }
    #endif

    @Test func `what a pipe took cannot be taken back`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        signal(SIGPIPE, SIG_IGN)
        let outcome = write("one\n", to: ends[1])
        #expect(outcome.kept == 0 && outcome.error == .readerGone)
    }
}
