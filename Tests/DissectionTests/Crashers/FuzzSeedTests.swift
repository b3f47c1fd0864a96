import Foundation
import Support
import Testing

/// The seeds of fuzzers, as they are and with a few bytes changed: a short run of what `make fuzz` does for longer.
@Suite struct FuzzSeedTests {
    /// Inputs that are made of each seed.
    private static let rounds = ProcessInfo.processInfo.environment["UNMASK_FUZZ_ROUNDS"].flatMap { UInt64($0) } ?? 1
    private static let mostSeeds = 48

    @Test(arguments: [Fuzzer.http2, .hpack, .tls]) func seedsHoldAndWhatIsMadeOfThem(fuzzer: Fuzzer) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-seeds-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = Process()
        script.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        script.arguments = [
            "python3", UnmaskProcess.project.appendingPathComponent("scripts/fuzz_seeds.py").path, fuzzer.rawValue, folder.path,
        ]
        try script.run()
        script.waitUntilExit()
        guard script.terminationStatus != 127 else { return print("skipped: seeds of fuzzers (no python3)") }
        try #require(script.terminationStatus == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(!names.isEmpty)
        let step = max(1, names.count / Self.mostSeeds)
        for index in stride(from: 0, to: names.count, by: step) {
            let seed = [UInt8](try Data(contentsOf: folder.appendingPathComponent(names[index])))
            try #require(fuzzer.complaints(about: seed) == [], "\(names[index])")
            for round in 0..<Self.rounds {
                var random = SplitMix(seed: round &* 1_000 &+ UInt64(index))
                let input = changed(seed, &random)
                let complaints = fuzzer.complaints(about: input)
                if !complaints.isEmpty {
                    Issue.record("\(names[index]), round \(round): \(complaints[0]); the input: \(Data(input).base64EncodedString())")
                }
            }
        }
    }

    /// A few bytes changed, left out, put in or said twice.
    private func changed(_ seed: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = seed
        for _ in 0..<1 + random.next() % 6 where bytes.count > 8 {
            let place = Int(random.next() % UInt64(bytes.count - 4))
            let length = 1 + Int(random.next() % 4)
            switch random.next() % 6 {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes[place] ^= 1 << UInt8(random.next() % 8)
            case 2: bytes.removeSubrange(place..<place + length)
            case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
            case 4: bytes[place] = [0, 0x7F, 0x80, 0xFF][Int(random.next() % 4)]
            default: bytes[0] = UInt8(truncatingIfNeeded: random.next())
            }
        }
        return bytes
    }
}
