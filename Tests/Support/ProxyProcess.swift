package import Foundation
internal import Libc

/// `unmask proxy`, run as a user runs it: it listens on a free port of 127.0.0.1, its records are read as they come, and it ends with
/// the test that started it.
///
/// `@unchecked Sendable`: two threads of its own read what it prints; all that they share stands under `condition`.
package final class ProxyProcess: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible { package var description: String }

    package struct Outcome {
        package var status: Int32
        package var records: LogRecords
        package var errors: String
    }

    /// Seconds until something that does not come is given up.
    package static let patience: TimeInterval = 30

    /// The ports that it listens on, one for each listener, in order.
    package var ports: [UInt16] { locked { listening } }
    package var port: UInt16 { ports.first ?? 0 }

    /// A folder of its own, for its authority and whatever a test wants to put there; removed with it.
    package let folder: URL

    private let process = Process()
    private let condition = NSCondition()
    private var lines: [Data] = []
    private var said = ""
    private var listening: [UInt16] = []
    private var openStreams = 2

    /// Starts it and waits until it listens.
    ///
    /// - Parameters:
    ///   - arguments: what stands after `unmask proxy`, without `--listen`, `--format` and `--ca-folder`.
    ///   - listen: its first address.
    ///   - listeners: how many addresses it is to listen on.
    ///   - files: how many files it may have open, if not as many as this process.
    package init(_ arguments: [String], listen: String = "127.0.0.1:0", listeners: Int = 1, files: Int? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-proxy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.executableURL = UnmaskProcess.executable
        process.arguments =
            ["proxy", "--listen", listen, "--format", "ndjson", "--ca-folder", folder.appendingPathComponent("ca").path] + arguments
        if let files {
            // It raises what it may, so that it is the hard limit that counts.
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "ulimit -n \(files); exec \"$0\" \"$@\"", UnmaskProcess.executable.path] + (process.arguments ?? [])
        }
        process.currentDirectoryURL = UnmaskProcess.project
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        readLines(of: output.fileHandleForReading) { $0.lines.append($1) }
        readLines(of: errors.fileHandleForReading) { proxy, line in
            let text = String(decoding: line, as: UTF8.self)
            proxy.said += text + "\n"
            proxy.listening += Self.ports(announcedBy: text)
        }
        guard waits(for: { $0.listening.count >= listeners || $0.openStreams == 0 }), ports.count >= listeners else {
            let failure = Failure(description: "the proxy does not listen: \(said)")
            kill()
            throw failure
        }
    }

    deinit {
        if process.isRunning { Self.send(SIGKILL, to: process) }
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: What it printed

    /// What it printed so far on standard error.
    package var errors: String { locked { said } }

    /// What it printed so far on standard output.
    package var printed: String { locked { lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined() } }

    /// The records so far.
    package var records: LogRecords { LogRecords(lines: locked { lines }) }

    /// Waits until so many records of a kind have come; the records so far, whether they have or not.
    package func records(until kind: String, count: Int = 1) -> LogRecords {
        let mark = Data("\"kind\":\"\(kind)\"".utf8)
        var (seen, looked) = (0, 0)
        _ = waits { proxy in
            while looked < proxy.lines.count {
                if proxy.lines[looked].range(of: mark) != nil { seen += 1 }
                looked += 1
            }
            return seen >= count
        }
        return records
    }

    /// Waits until something stands in what it printed on standard output; what it printed so far, whether it does or not.
    package func printed(until text: String) -> String {
        let mark = Data(text.utf8)
        _ = waits { $0.lines.contains { $0.range(of: mark) != nil } }
        return printed
    }

    /// The certificate of its authority, for a client to trust.
    package var authority: URL { folder.appendingPathComponent("ca/authority/unmask-authority.pem") }

    /// The memory that it has resident now, in bytes; nil where the system does not tell (only Linux does).
    package var residentBytes: Int? {
        let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let mark = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return mark.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1_024 }
    }

    // MARK: Its end

    /// Interrupts it as Ctrl-C does, and waits for its end; killed where it does not end.
    package func stop() -> Outcome { end(with: SIGINT) }

    /// Kills it: it has no chance to write anything more.
    @discardableResult package func kill() -> Outcome { end(with: SIGKILL) }

    private func end(with signal: Int32) -> Outcome {
        Self.send(signal, to: process)
        if !waits(for: { $0.openStreams == 0 }) { Self.send(SIGKILL, to: process) }
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Outcome(status: status, records: records, errors: errors)
    }

    private static func send(_ signal: Int32, to process: Process) {
        guard process.isRunning else { return }
        _ = Libc.kill(process.processIdentifier, signal)
    }

    // MARK: Reading

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    private func waits(for isSo: (ProxyProcess) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: Self.patience)
        condition.lock()
        defer { condition.unlock() }
        while !isSo(self) {
            if openStreams == 0 || !condition.wait(until: deadline) { return isSo(self) }
        }
        return true
    }

    private func readLines(of handle: FileHandle, _ take: @escaping @Sendable (ProxyProcess, Data) -> Void) {
        Thread { [weak self] in
            var rest = Data()
            while true {
                let data = handle.availableData
                guard let proxy = self else { return }
                proxy.condition.lock()
                rest += data
                while let end = rest.firstIndex(of: 0x0A) {
                    take(proxy, Data(rest[..<end]))
                    rest = Data(rest[rest.index(after: end)...])
                }
                if data.isEmpty {
                    if !rest.isEmpty { take(proxy, rest) }
                    proxy.openStreams -= 1
                }
                proxy.condition.broadcast()
                proxy.condition.unlock()
                if data.isEmpty { return }
            }
        }.start()
    }

    /// The ports in `unmask: listening on 127.0.0.1:4711 (reverse ws://…), 127.0.0.1:4712 (http)`; none in other lines.
    private static func ports(announcedBy line: String) -> [UInt16] {
        guard let list = line.wholeMatch(of: /unmask: listening on (.*)/)?.1 else { return [] }
        return list.matches(of: /(?:^|, )\S*:(\d+) \(/).compactMap { UInt16($0.1) }
    }
}
