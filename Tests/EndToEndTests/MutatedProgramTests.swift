import Foundation
import Support
import Testing

/// Damaged captures through the program as it is installed: it ends in time, its exit code and its message agree, its
/// records are JSON, and its memory stays within what docs promise.
@Suite struct MutatedProgramTests {
    /// A few of those that `MutatedCaptureTests` reads.
    static let count = max(24, MutatedCaptureTests.count / 50)
    /// The program itself, and what `Limits` allows it to keep.
    static let mostBytes = 96 << 20

    @Test func itEndsInOrderWithLittleMemory() async throws {
        let program = UnmaskProcess.executable.path
        let diary = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: diary) }
        await #expect(processExitsWith: .success) { [program = program as String, diary = diary as String] in
            var largest = 0
            for number in 0..<Self.count {
                guard let (file, bytes) = MutatedCapture.make(number * 7) else { continue }
                guard let fault = try Self.fault(program, bytes, asRecords: number % 3 != 0, &largest) else { continue }
                try Data("mutation \(number * 7) of \(file): \(fault)".utf8).write(to: URL(fileURLWithPath: diary))
                exit(1)
            }
            try Data("largest \(largest >> 20) MiB".utf8).write(to: URL(fileURLWithPath: diary))
        }
        let told = (try? String(contentsOfFile: diary, encoding: .utf8)) ?? "it said nothing"
        if told.hasPrefix("largest") {
            print("mutated captures through the program: \(Self.count), \(told)")
        } else {
            Issue.record("\(told)")
        }
    }

    /// Runs the program on a capture; what was wrong, if anything.
    private static func fault(_ program: String, _ capture: [UInt8], asRecords: Bool, _ largest: inout Int) throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ content: Data = Data()) throws -> FileHandle {
            try content.write(to: folder.appendingPathComponent(name))
            return try FileHandle(forUpdating: folder.appendingPathComponent(name))
        }
        let (input, output, errors) = (try file("capture", Data(capture)), try file("output"), try file("errors"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["read"] + (asRecords ? ["--format", "ndjson", "--frames"] : []) + ["-"]
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        guard ended.wait(timeout: .now() + 30) == .success else {
            process.terminate()
            return "it hangs"
        }
        try output.seek(toOffset: 0)
        try errors.seek(toOffset: 0)
        let (told, message) = (output.readDataToEndOfFile(), errors.readDataToEndOfFile())
        guard process.terminationReason == .exit, process.terminationStatus == 0 || process.terminationStatus == 1 else {
            return "it ended with \(process.terminationStatus): \(String(decoding: message, as: UTF8.self))"
        }
        if (process.terminationStatus == 1) == message.isEmpty {
            return "it ended with \(process.terminationStatus) and said \"\(String(decoding: message, as: UTF8.self))\""
        }
        if asRecords {
            for line in told.split(separator: 0x0A) where (try? JSONSerialization.jsonObject(with: line)) == nil {
                return "no JSON: \(String(decoding: line.prefix(400), as: UTF8.self))"
            }
        }
        largest = max(largest, residentBytes(ofChildren: true))
        // A child counts as large as this process until it is the program.
        if largest > max(mostBytes, residentBytes(ofChildren: false)) { return "it grew to \(largest >> 20) MiB" }
        return nil
    }

    /// The largest that this process, or any that it waited for, ever was.
    private static func residentBytes(ofChildren: Bool) -> Int {
        var usage = rusage()
        #if os(Linux)
        getrusage((ofChildren ? RUSAGE_CHILDREN : RUSAGE_SELF).rawValue, &usage)
        return usage.ru_maxrss << 10
        #else
        getrusage(ofChildren ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage)
        return usage.ru_maxrss
        #endif
    }
}
