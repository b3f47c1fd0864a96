import Support
import Testing

/// libunmask-keys.so, which `unmask run --watch` loads into programs: they do what they do without it, and keys are written.
@Suite struct KeyPreloadTests {
    #if os(Linux)
    @Test func `no program hangs or mixes versions of OpenSSL with the key library in it`() throws {
        let run = try PeerProgram("key_preload.py", seconds: 590, announces: false).finish()
        for line in run.lines where line.hasPrefix("skipped: ") { print(line) }
        #expect(run.status == 0 && run.lines.contains { $0.hasPrefix("same") }, "\(run.lines.joined(separator: "\n"))")
    }
    #endif
}
