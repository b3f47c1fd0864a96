import Dissection
import Foundation
import Interception
import Libc
import Reports

/// A descriptor on a file that can be made to take nothing, as if its disk were full, and to take everything again.
final class FullDisk {
    let file: OutputFile
    var descriptor: Int32 { file.descriptor }
    private let path = FileManager.default.temporaryDirectory.appending(path: "unmask-disk-\(UUID().uuidString)").path

    init?() throws {
        guard access("/dev/full", W_OK) == 0 else {
            print("skipped: a disk that is full (no /dev/full)")
            return nil
        }
        file = try OutputFile(path: path, from: .end)
    }

    deinit { unlink(path) }

    func fill() { replace(by: "/dev/full") }

    func makeRoom() { replace(by: path) }

    private func replace(by path: String) {
        let file = open(path, O_WRONLY | O_APPEND)
        dup2(file, descriptor)
        close(file)
    }

    var content: Data { FileManager.default.contents(atPath: path) ?? Data() }
}

/// Tells runs of bytes, one after the other.
final class StepTalk {
    private let run: RecorderRun
    let number: UInt64
    private(set) var steps: Int64 = 0

    init(_ run: RecorderRun) {
        self.run = run
        number = run.begin()
    }

    /// Goes on until the user was told something, or for ten seconds.
    func goOn(until line: String) -> Bool { goOn { [run] in run.saidLines.contains { $0.contains(line) } } }

    func goOn(until isDone: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            if isDone() { return true }
            steps += 1
            run.say("step \(steps)", .client, in: number, steps)
            // Gives the recording thread its turn.
            poll(nil, 0, 1)
        }
        return false
    }
}
