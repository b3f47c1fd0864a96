import Foundation
import Support
import Testing

/// What passes alone and fails beside others is a race that some user meets: what `scripts/rerun-failed.sh` makes of it.
@Suite("Tests that failed, run once more") struct RerunTests {
    private static let test = "EndToEndTests.CutFilesTests/goneOn()"

    private static func day(_ daysAgo: Int) -> String {
        Date(timeIntervalSinceNow: -86_400 * Double(daysAgo)).formatted(.iso8601.year().month().day())
    }

    private struct Rerun {
        var status: Int32
        var said: String
        /// The lines of the file of what was seen that are no comments.
        var seen: [String]
        /// What `swift` was asked for.
        var asked: String
    }

    /// Runs the script on a report in which these tests of `CutFilesTests` failed.
    ///
    /// - Parameters:
    ///   - seen: lines of the file of what was seen before.
    ///   - alone: how many tests `swift` finds when it is asked once more, and what it ends with.
    private static func rerun(_ failed: [String] = ["goneOn()"], seen: [String] = [], alone: (tests: Int, status: Int) = (1, 0))
        throws
        -> Rerun
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-rerun-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ name: String, _ text: String) throws -> String {
            let file = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
        let cases = failed.map { name in
            """
            <testcase classname="EndToEndTests.CutFilesTests" name="\(name)" time="0.5">
            <failure message="Expectation failed: &quot;a&quot; &lt; b" />
            </testcase>

            """
        }
        let report = try write(
            "tests.xml",
            "<testsuite>\n<testcase classname=\"EndToEndTests.Others\" name=\"fine()\" time=\"1\" />\n\(cases.joined())</testsuite>\n")
        let output = try write("output.txt", "✘ Test goneOn() recorded an issue at CutFilesTests.swift:60:9: Expectation failed\n")
        let file = try write("seen.txt", "# a comment stays\n" + seen.map { $0 + "\n" }.joined())
        let swift = try write(
            "swift",
            "#!/bin/sh\necho \"$@\" >'\(folder.path)/asked'\necho 'Test run with \(alone.tests) tests passed'\nexit \(alone.status)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift)
        let outcome = try UnmaskProcess.run(
            [report, output, file], environment: ["SWIFT": swift],
            through: UnmaskProcess.project.appendingPathComponent("scripts/rerun-failed.sh").path)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.first == "# a comment stays")
        let asked = try? String(contentsOf: folder.appendingPathComponent("asked"), encoding: .utf8)
        return Rerun(status: outcome.status, said: outcome.text, seen: Array(lines.dropFirst()), asked: asked ?? "")
    }

    @Test("a test that passes alone passes the first time, is reported, and is written down to be committed") func first() throws {
        let first = try Self.rerun()
        #expect(first.status == 0)
        #expect(first.said.contains("Failed beside the others and passed alone: \(Self.test)."))
        #expect(first.said.contains("please commit Tests/seen-flaky.txt"))
        #expect(first.seen == ["\(Self.day(0))\t\(Self.test)\tExpectation failed: \"a\" < b"])
        #expect(first.asked.contains("--skip-build --no-parallel --filter ^EndToEndTests[./]CutFilesTests[./]goneOn[(][)]\n"))
    }

    @Test("the second time within a week it fails the run, also where it passes alone again", arguments: [0, 1, 7])
    func second(daysAgo: Int) throws {
        let before = "\(Self.day(daysAgo))\t\(Self.test)\tsome words"
        let second = try Self.rerun(seen: [before])
        #expect(second.status == 1)
        #expect(second.said.contains("passed alone, as on \(Self.day(daysAgo)): \(Self.test). It is a race"))
        #expect(second.seen.count == 2 && second.seen.first == before)
    }

    @Test("what was seen more than a week before does not count and is dropped, and another test is another test") func longAgo() throws {
        let other = "\(Self.day(2))\t\(Self.test.replacing("CutFiles", with: "Closed"))\tsome words"
        let later = try Self.rerun(seen: ["\(Self.day(8))\t\(Self.test)\tsome words", other])
        #expect(later.status == 0)
        #expect(later.seen.count == 2 && later.seen.first == other && later.seen.last?.hasPrefix(Self.day(0)) == true)
    }

    @Test("of two that pass alone, the one that was seen before fails the run") func oneOfTwo() throws {
        let two = try Self.rerun(
            ["goneOn()", "cutFiles(name:left:said:)"], seen: ["\(Self.day(3))\t\(Self.test)\tsome words"], alone: (2, 0))
        #expect(two.status == 1 && two.seen.count == 3)
        #expect(two.said.contains("passed alone: EndToEndTests.CutFilesTests/cutFiles(name:left:said:)."))
    }

    @Test("what fails again has failed, and is no race to be written down", arguments: [(tests: 1, status: 1), (tests: 0, status: 0)])
    func failsAgain(alone: (tests: Int, status: Int)) throws {
        let again = try Self.rerun(alone: alone)
        #expect(again.status == 1 && again.seen.isEmpty)
    }

    @Test("more than three are not run once more") func many() throws {
        let many = try Self.rerun(["a()", "b()", "c()", "d()"])
        #expect(many.status == 1 && many.asked.isEmpty && many.seen.isEmpty)
    }

    @Test("a name that has signs of patterns in it is looked for as it is") func signs() throws {
        let signs = try Self.rerun(["`what is 3.5? (yes)`(name:)"])
        #expect(signs.asked.hasSuffix("[./]`what is 3[./]5[?] [(]yes[)]`[(]name:[)]\n"))
        #expect(signs.seen.first?.contains("CutFilesTests/`what is 3.5? (yes)`(name:)\t") == true)
    }
}
