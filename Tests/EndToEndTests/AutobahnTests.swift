import Foundation
import Support
import Testing

/// The Autobahn test suite, a short part of it, directly and through every mode: the same verdicts. `make autobahn` runs all of it.
@Suite("Autobahn")
struct AutobahnTests {
    @Test("the verdict of each case is the same with and without a proxy")
    func quick() throws {
        guard PeerProgram.hasPython("websockets.asyncio.server") else {
            print("skipped: the Autobahn test suite (Python has no websockets of 14 or later)")
            return
        }
        let arguments = ["--quick", "--unmask", UnmaskProcess.executable.path]
        let run = try PeerProgram("../Autobahn/run.py", arguments, seconds: 400, announces: false).finish()
        for line in run.lines where line.hasPrefix("skipped: ") { print(line) }
        #expect(run.status == 0, "\(run.lines.joined(separator: "\n"))")
    }
}
