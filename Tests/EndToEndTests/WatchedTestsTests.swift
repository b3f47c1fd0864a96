import Foundation
import Support
import Testing

/// A test that hangs is no wait of an hour: what `scripts/watch-tests.sh` makes of a run that prints nothing any more.
@Suite("Tests that hang") struct WatchedTestsTests {
    /// Runs the script over tests that `shell` plays, after they have printed that they begin.
    private func watch(_ shell: String, seconds: Int = 2) throws -> (said: String, printed: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-watched-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (number, output) = (folder.appendingPathComponent("number").path, folder.appendingPathComponent("output").path)
        let tests = Process()
        tests.executableURL = URL(fileURLWithPath: "/bin/bash")
        let begins = #"echo $$ >"$0"; echo '◇ Test "one" started.'; echo '◇ Test two() started.'; "#
        tests.arguments = ["-c", "exec >\"$1\"; \(begins)\(shell)", number, output]
        try tests.run()
        let said = try UnmaskProcess.run(
            [number, output, "\(seconds)"], through: UnmaskProcess.project.appendingPathComponent("scripts/watch-tests.sh").path)
        tests.waitUntilExit()
        return (said.text, try String(contentsOfFile: output, encoding: .utf8))
    }

    @Test("a program that a test waits for in vain is named and ended, and the tests go on")
    func hangingProgram() throws {
        let watched = try watch(#"sleep 1234 & wait $!; echo "✘ Test two() failed after 4.0 seconds.""#)
        #expect(watched.said.contains("These programs of theirs are ended:\n"))
        #expect(watched.said.contains(" sleep 1234\n"))
        #expect(watched.printed.hasSuffix("✘ Test two() failed after 4.0 seconds.\n"))
    }

    @Test("tests that hang by themselves are ended, and named where they did not come to their end")
    func hangingTest() throws {
        // A pipe that nobody writes to: the shell itself waits.
        let watched = try watch(#"echo '✔ Test "one" passed after 0.1 seconds.'; mkfifo "$0.pipe"; read line <"$0.pipe""#)
        #expect(watched.said.hasSuffix("These had begun, and are ended with all others:\n  two()\n"))
    }

    @Test("what prints now and then is left alone")
    func slow() throws {
        let watched = try watch(#"for n in 1 2 3 4 5 6; do read -t 1 line <>"$1.never"; echo $n; done; rm "$1.never""#, seconds: 4)
        #expect(watched.said.isEmpty && watched.printed.hasSuffix("4\n5\n6\n"))
    }
}
