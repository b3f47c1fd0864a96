import ConsoleFuzzing
import Foundation
import Support
import Testing

/// What `make fuzz` does with the console's server for longer: seeds as they are and with a few bytes changed, and what was once found.
///
/// One after another: all of them read one session, as a fuzzer does, on one thread.
@Suite(.serialized) struct ConsoleFuzzTests {
    private static let crashers = UnmaskProcess.project.appendingPathComponent("Tests/WebConsoleTests/Crashers")
    /// Inputs that are made of each seed.
    private static let rounds = ProcessInfo.processInfo.environment["UNMASK_FUZZ_ROUNDS"].flatMap { UInt64($0) } ?? 1

    /// Files of a folder, by name; none where there is no folder.
    private static func inputs(_ folder: URL) throws -> [(name: String, bytes: [UInt8])] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return [] }
        return try names.sorted().map { ($0, [UInt8](try Data(contentsOf: folder.appendingPathComponent($0)))) }
    }

    @Test(arguments: ConsoleFuzzing.allCases)
    func `what was once found holds, and nothing is an input too`(fuzzer: ConsoleFuzzing) throws {
        for (name, bytes) in try Self.inputs(Self.crashers.appendingPathComponent(fuzzer.rawValue)) {
            #expect(fuzzer.complaints(about: bytes) == [], "\(name)")
        }
        #expect(fuzzer.complaints(about: []) == [])
        #expect(fuzzer.complaints(about: [0xFF, 0xFF, 0xFF]) == [])
    }

    @Test(arguments: ConsoleFuzzing.allCases)
    func `seeds hold, and what is made of them`(fuzzer: ConsoleFuzzing) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-seeds-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = Process()
        script.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let seeds = UnmaskProcess.project.appendingPathComponent("scripts/fuzz_seeds.py").path
        script.arguments = ["python3", seeds, fuzzer.rawValue, folder.path]
        try script.run()
        script.waitUntilExit()
        guard script.terminationStatus != 127 else { return print("skipped: seeds of fuzzers (no python3)") }
        let inputs = try Self.inputs(folder)
        #expect(script.terminationStatus == 0 && inputs.count > 5)
        for (index, (name, seed)) in inputs.enumerated() {
            #expect(fuzzer.complaints(about: seed) == [], "\(name)")
            for round in 0..<Self.rounds {
                var random = SplitMix(seed: round &* 1_000 &+ UInt64(index))
                var input = seed
                for _ in 0..<1 + random.next() % 4 where !input.isEmpty {
                    let place = Int(random.next() % UInt64(input.count))
                    switch random.next() % 3 {
                    case 0: input[place] = UInt8(truncatingIfNeeded: random.next())
                    case 1: input.remove(at: place)
                    case _: input.insert(input[Int(random.next() % UInt64(input.count))], at: place)
                    }
                }
                let complaints = fuzzer.complaints(about: input)
                #expect(complaints == [], "\(name), round \(round): \(Data(input).base64EncodedString())")
            }
        }
    }

    @Test func `a seed that has the token gets something of the session, so that the promises are about something`() throws {
        for requests in ["Gconversations", "Gconversations/1", "Grecords/6", "Gpayloads/6", "Gstate", "Pviews\n{}\0Gviews/v1/rows"] {
            #expect(try ConsoleFuzzing.getsSession(requests), "\(requests)")
        }
        #expect(try !ConsoleFuzzing.getsSession("Gnothing"))
    }
}
