import Foundation
import Support
import Testing

/// What reading costs has a bound in a file: what `scripts/check-costs.sh` makes of numbers that were measured.
@Suite("What reading costs") struct CostCheckTests {
    private static func check(measured: [String], allowed: [String]) throws -> (status: Int32, said: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-costs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ name: String, _ lines: [String]) throws -> String {
            let file = folder.appendingPathComponent(name)
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
            return file.path
        }
        let outcome = try UnmaskProcess.run(
            [try write("measured", measured), try write("allowed", ["# what it is allowed", ""] + allowed)],
            through: UnmaskProcess.project.appendingPathComponent("scripts/check-costs.sh").path)
        return (outcome.status, outcome.text)
    }

    private static let measured = ["instructions tls 1000000", "memory open 100000"]

    @Test("a capture that takes 3 % more instructions than its number fails, and 1 % more passes") func instructions() throws {
        let more = try Self.check(measured: Self.measured, allowed: ["instructions tls 970000", "memory open 100000"])
        #expect(more.status == 1)
        #expect(more.said.contains("+3.09%  TOO MUCH") && more.said.contains("A commit that needs it changes the number"))
        let little = try Self.check(measured: Self.measured, allowed: ["instructions tls 990000", "memory open 100000"])
        #expect(little.status == 0 && !little.said.contains("TOO MUCH"))
    }

    @Test("a capture that takes 6 % more memory than its number fails, and 4 % more passes") func memory() throws {
        let more = try Self.check(measured: Self.measured, allowed: ["instructions tls 1000000", "memory open 94000"])
        #expect(more.status == 1 && more.said.contains("+6.38%  TOO MUCH"))
        #expect(try Self.check(measured: Self.measured, allowed: ["instructions tls 1000000", "memory open 96200"]).status == 0)
    }

    @Test("a cost that fell passes, and its number is to be lowered") func fallen() throws {
        let less = try Self.check(measured: Self.measured, allowed: ["instructions tls 1030000", "memory open 104000"])
        #expect(less.status == 0)
        #expect(less.said.contains("-2.91%  lower the number") && less.said.contains("please lower the number"))
        #expect(less.said.contains("-3.85%\n"))
    }

    @Test("a capture without a number fails, and so do a number without a capture and a count that was not made") func incomplete() throws {
        let unknown = try Self.check(measured: Self.measured, allowed: ["instructions tls 1000000"])
        #expect(unknown.status == 1 && unknown.said.contains("memory open is in no line of the file"))
        let missing = try Self.check(measured: Self.measured, allowed: Self.measured + ["instructions http2 5"])
        #expect(missing.status == 1 && missing.said.contains("instructions http2 was not measured"))
        let empty = try Self.check(measured: ["instructions tls", "memory open 100000"], allowed: Self.measured)
        #expect(empty.status == 1 && empty.said.contains("not a cost: instructions tls"))
        #expect(try Self.check(measured: [], allowed: []).status == 1)
    }

    @Test("the file of the repository has a number for each capture that is measured") func file() throws {
        let file = UnmaskProcess.project.appendingPathComponent("scripts/costs.txt")
        let costs = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(costs.count { $0.hasPrefix("instructions ") } == 4 && costs.count { $0.hasPrefix("memory ") } == 3)
    }
}
