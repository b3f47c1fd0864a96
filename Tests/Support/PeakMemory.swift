package import Foundation

extension UnmaskProcess {
    /// Lets the program read a capture from its standard input as records, and looks at its memory before the input ends,
    /// while every conversation is still open.
    ///
    /// - Parameter lines: how many records have to have come before it is looked at.
    /// - Returns: the most memory that it had resident, in bytes; nil where the system does not tell (only Linux does).
    package static func peakMemory(reading capture: Data, until lines: Int) throws -> Int? {
        guard FileManager.default.fileExists(atPath: "/proc/self/status") else { return nil }
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = executable
        process.arguments = ["read", "--format", "ndjson", "-"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let feeding = Thread { _ = try? input.fileHandleForWriting.write(contentsOf: capture) }
        feeding.start()
        var seen = 0
        while seen < lines {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            seen += data.withUnsafeBytes { bytes in
                var (count, position) = (0, 0)
                while let base = bytes.baseAddress, let found = memchr(base + position, 0x0A, bytes.count - position) {
                    count += 1
                    position = UnsafeRawPointer(found) - base + 1
                }
                return count
            }
        }
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        try input.fileHandleForWriting.close()
        _ = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // The high-water mark of resident memory, in KiB.
        let mark = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return mark.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1_024 }
    }
}
