import Foundation
import Support
import Testing

/// A test that did not run has shown nothing: what `scripts/check-skips.sh` makes of the lines that tests print when they skip.
@Suite("Skipped tests") struct SkipCheckTests {
    private func check(_ output: String, isCI: Bool) throws -> (status: Int32, said: String) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("skips-\(UUID().uuidString)")
        try Data(output.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = UnmaskProcess.project.appendingPathComponent("scripts/check-skips.sh")
        process.arguments = [file.path]
        process.environment = ProcessInfo.processInfo.environment.merging(["CI": isCI ? "true" : ""]) { $1 }
        let said = Pipe()
        process.standardOutput = said
        try process.run()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test("where CI is set, a skip for want of a program fails the run; elsewhere it is listed")
    func missingProgram() throws {
        let output = "Test a() started.\nskipped: nginx and the proxy (there is no nginx)\nTest a() passed.\n"
        let there = try check(output, isCI: true)
        #expect(there.status == 1)
        #expect(there.said.contains("Not allowed where CI is set: nginx and the proxy (there is no nginx)"))
        let here = try check(output, isCI: false)
        #expect(here.status == 0)
        #expect(here.said == "Skipped:\n  nginx and the proxy (there is no nginx)\n")
    }

    @Test("what the list allows does not fail the run, also where it does not begin its line")
    func allowed() throws {
        let allowed = try check("◇ Test a() started.skipped: UNMASK_CAPTURES is not set, so there is no x.pcap\n", isCI: true)
        #expect(allowed.status == 0)
        #expect(allowed.said.hasPrefix("Skipped:\n  UNMASK_CAPTURES is not set"))
        #expect(try check("skipped: it seems UNMASK_CAPTURES is not set\n", isCI: true).status == 1)
    }

    @Test("nothing skipped is said to be nothing")
    func nothing() throws {
        let nothing = try check("Test a() passed.\n", isCI: true)
        #expect(nothing.status == 0 && nothing.said == "Nothing was skipped.\n")
    }

    @Test("a program that is there is found, one that is not is not")
    func programs() {
        #expect(PeerProgram.has("sh"))
        #expect(PeerProgram.has("python3"))
        #expect(!PeerProgram.has("no-such-program-anywhere"))
    }
}
