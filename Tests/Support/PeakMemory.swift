package import Foundation

extension UnmaskProcess {
    /// Lets the program read a capture from its standard input as records, and looks at its memory before the input ends,
    /// while every conversation is still open.
    ///
    /// - Parameter lines: how many records have to have come before it is looked at.
    /// - Returns: the most memory that it had resident, in bytes; nil where the system does not tell (only Linux does).
    package static func peakMemory(reading capture: Data, with arguments: [String] = [], until lines: Int) throws -> Int? {
        guard FileManager.default.fileExists(atPath: "/proc/self/status") else { return nil }
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = executable
        process.arguments = ["read", "--format", "ndjson"] + arguments + ["-"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let feeding = Thread { _ = try? input.fileHandleForWriting.write(contentsOf: capture) }
        feeding.start()
        var seen = 0
        while seen < lines {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            seen += count(of: 0x0A, in: data)
        }
        let mark = try highWaterMark(of: process.processIdentifier)
        try input.fileHandleForWriting.close()
        _ = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return mark
    }

    /// Runs the program to its end, and looks at its memory all the while that it prints.
    ///
    /// - Parameter input: a file to be read: its name is put behind the arguments.
    /// - Returns: the most memory that it had resident, in bytes, and what it printed; nil where the system does not tell.
    package static func peakMemory(of arguments: [String], reading input: Data) throws -> (bytes: Int, lines: Int)? {
        guard FileManager.default.fileExists(atPath: "/proc/self/status") else { return nil }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-peak-\(UUID().uuidString)")
        try input.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = arguments + [file.path]
        process.standardOutput = output
        try process.run()
        var (peak, lines) = (0, 0)
        var readable = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while true {
            // One that prints nothing is looked at every 2 ms; one that prints much is held up by the pipe from time to time, so that its last
            // looks come shortly before its end.
            let isReadable = poll(&readable, 1, 2) != 0
            if let mark = try highWaterMark(of: process.processIdentifier) { peak = max(peak, mark) }
            guard isReadable else { continue }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            lines += count(of: 0x0A, in: data)
        }
        process.waitUntilExit()
        // A program that ended before anybody looked at it has shown nothing.
        guard peak > 0 else { throw NeverSeen() }
        return (peak, lines)
    }

    /// The program ended before its memory could be looked at.
    private struct NeverSeen: Error {}

    /// The high-water mark of resident memory, in bytes; none once the process has ended.
    private static func highWaterMark(of process: Int32) throws -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        let mark = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return mark.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1_024 }
    }

    private static func count(of byte: Int32, in data: Data) -> Int {
        data.withUnsafeBytes { bytes in
            var (count, position) = (0, 0)
            while let base = bytes.baseAddress, let found = memchr(base + position, byte, bytes.count - position) {
                count += 1
                position = UnsafeRawPointer(found) - base + 1
            }
            return count
        }
    }
}
