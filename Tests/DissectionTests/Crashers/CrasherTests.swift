import Foundation
import Support
import Testing

/// What the fuzzers once found, replayed: nothing traps, and every promise holds.
@Suite struct CrasherTests {
    private static let folder = UnmaskProcess.project.appendingPathComponent("Tests/DissectionTests/Crashers/Inputs")

    /// A fuzzer and a file in its folder.
    struct Crasher: CustomTestStringConvertible {
        var fuzzer: Fuzzer
        var name: String
        var testDescription: String { "\(fuzzer.rawValue)/\(name)" }
    }

    static let crashers: [Crasher] = Fuzzer.allCases.flatMap { fuzzer in
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(fuzzer.rawValue).path)
        return (names ?? []).sorted().map { Crasher(fuzzer: fuzzer, name: $0) }
    }

    @Test(arguments: crashers) func isMended(crasher: Crasher) throws {
        let file = Self.folder.appendingPathComponent(crasher.fuzzer.rawValue).appendingPathComponent(crasher.name)
        let complaints = crasher.fuzzer.complaints(about: [UInt8](try Data(contentsOf: file)))
        #expect(complaints == [])
    }

    @Test(arguments: Fuzzer.allCases) func nothingIsAnInputToo(fuzzer: Fuzzer) {
        #expect(fuzzer.complaints(about: []) == [])
        #expect(fuzzer.complaints(about: [0xFF, 0xFF, 0xFF]) == [])
    }
}
