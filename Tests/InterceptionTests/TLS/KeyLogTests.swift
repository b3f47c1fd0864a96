import Foundation
import Interception
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// The file of `--keys`.
@Suite("Key log")
struct KeyLogTests {
    private func lines(_ path: String) throws -> [Substring] {
        try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("both sides' secrets are in it, each on a line of its own, behind what was there, for the owner alone")
    func bothSides() throws {
        let scratch = try TLSScratch()
        let path = scratch.path("keys.log")
        do {
            let log = try KeyLog(path: path) { Issue.record("\($0)") }
            log.append(ByteBuffer(string: "# first\n"))
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let log = try KeyLog(path: path) { Issue.record("\($0)") }
        let authority = try TestAuthority()
        var options = UpstreamTLSOptions()
        options.isVerifying = false
        let both = try LoopbackTLS().handshake(
            try UpstreamTLS(options, secrets: { log.append($0) }), .init(serverName: "localhost", identity: "localhost"),
            DownstreamTLS(secrets: { log.append($0) }),
            try authority.leaf())
        #expect(throws: Never.self) { try both.server.get() }
        let found = try lines(path)
        #expect(found.first == "# first")
        #expect(found.last == "")
        let labels = found.dropFirst().dropLast().map { $0.split(separator: " ") }
        for words in labels {
            #expect(words.count == 3)
            #expect(words[1].count == 64)
        }
        // The client's and the server's own: each label twice, with equal secrets.
        for label in [
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0",
        ] {
            let rows = labels.filter { $0[0] == label }
            #expect(rows.count == 2, "\(label)")
            #expect(Set(rows.map { $0[2] }).count == 1, "\(label)")
        }
    }

    @Test("lines from many threads stay whole")
    func manyThreads() async throws {
        let scratch = try TLSScratch()
        let log = try KeyLog(path: scratch.path("keys.log")) { Issue.record("\($0)") }
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    let line = ByteBuffer(string: String(repeating: "\(writer)", count: 99) + "\n")
                    for _ in 0..<200 { log.append(line) }
                }
            }
        }
        let found = try lines(log.path).dropLast()
        #expect(found.count == 1_600)
        #expect(found.allSatisfy { $0.count == 99 && Set($0).count == 1 })
    }

    @Test("a file that cannot be opened is an error that names it")
    func unopened() throws {
        let error = #expect(throws: TLSFileError.self) { _ = try KeyLog(path: "/nowhere/keys.log") { _ in } }
        #expect(error?.description == "/nowhere/keys.log: cannot be opened for writing: No such file or directory; the folder has to exist")
    }

    @Test("a full disk is told once")
    func fullDisk() throws {
        guard FileManager.default.isWritableFile(atPath: "/dev/full") else { return print("skipped: /dev/full is not here") }
        let told = Mutex<[String]>([])
        let log = try KeyLog(path: "/dev/full") { words in told.withLock { $0.append(words) } }
        for _ in 0..<3 { log.append(ByteBuffer(string: "line\n")) }
        #expect(told.withLock { $0 } == ["/dev/full: No space left on device; secrets of TLS sessions are missing from it"])
        #expect(!log.finish())
        #expect(told.withLock { $0.last } == "/dev/full: 3 secrets could not be written")
    }

    @Test("a FIFO without a reader is refused, and one whose reader takes nothing holds nobody up")
    func fifo() throws {
        let scratch = try TLSScratch()
        let path = scratch.path("keys.fifo")
        #expect(mkfifo(path, 0o600) == 0)
        let refusal = #expect(throws: TLSFileError.self) { try KeyLog(path: path) { _ in } }
        #expect(refusal?.problem == "the FIFO has no reader; start its reader first")
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let told = Mutex<[String]>([])
        let log = try KeyLog(path: path) { line in told.withLock { $0.append(line) } }
        // More than a pipe holds.
        let line = ByteBuffer(string: String(repeating: "k", count: 199) + "\n")
        for _ in 0..<2_000 { log.append(line) }
        #expect(told.withLock { $0 } == ["\(path): its reader does not take what is written; secrets of TLS sessions are missing from it"])
        // It goes on when there is room, with whole lines.
        var taken = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(reader, &taken, taken.count)
        #expect(count > 0 && count % 200 == 0 && taken[count - 1] == 0x0A)
        log.append(line)
        #expect(read(reader, &taken, taken.count) == 200)
        #expect(!log.finish())
        #expect(told.withLock { $0.last } == "\(path): \(2_000 - count / 200) secrets could not be written")
    }
}
