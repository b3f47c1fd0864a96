internal import Foundation

/// A script under `Tests/Peers`, run by Python: it says `listening PORT` when its server is ready, hears on its standard input how its
/// client is to get there, and prints what both saw.
package final class PeerProgram {
    package struct Failure: Error, CustomStringConvertible { package var description: String }

    /// What it said behind `listening`: the port of its server, then words of its own.
    package private(set) var announced: [String] = []
    package var port: UInt16 { announced.first.flatMap(UInt16.init) ?? 0 }

    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var rest = Data()
    private let watchdog: DispatchSourceTimer

    /// Starts it and waits until it listens.
    ///
    /// - Parameters:
    ///   - script: its name in `Tests/Peers`.
    ///   - seconds: it is killed when it takes longer.
    ///   - announces: whether it has a server that says when it listens.
    package init(_ script: String, _ arguments: [String] = [], seconds: Int = 120, announces: Bool = true) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let path = UnmaskProcess.project.appendingPathComponent("Tests/Peers/\(script)").path
        process.arguments = ["python3", "-c", PeerProgram.leadsItsGroup, path] + arguments
        process.standardInput = input
        process.standardOutput = output
        let packages = UnmaskProcess.project.appendingPathComponent(".build/peers").path
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.lowercased().hasSuffix("_proxy") }
            .merging(["PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        try process.run()
        let identifier = process.processIdentifier
        watchdog = DispatchSource.makeTimerSource()
        watchdog.schedule(deadline: .now() + .seconds(seconds))
        watchdog.setEventHandler { PeerProgram.end(identifier) }
        watchdog.resume()
        guard announces else { return }
        guard let line = nextLine(), line.hasPrefix("listening ") else { throw Failure(description: "\(script) does not listen") }
        announced = line.split(separator: " ").dropFirst().map(String.init)
    }

    deinit {
        watchdog.cancel()
        if process.isRunning {
            PeerProgram.end(process.processIdentifier)
            process.waitUntilExit()
        }
    }

    /// Makes the script the first of a group of processes, to which all belong that it starts.
    private static let leadsItsGroup = "import os, sys; os.setpgid(0, 0); os.execv(sys.executable, [sys.executable] + sys.argv[1:])"

    /// Ends it with all that it has started: a server that outlives it keeps its output open, and whoever reads that waits for ever.
    private static func end(_ identifier: Int32) {
        kill(-identifier, SIGKILL)
        kill(identifier, SIGKILL)
    }

    package func say(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// The next line that it prints; nil at its end.
    package func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                defer { rest = Data(rest[rest.index(after: end)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            rest += data
        }
    }

    /// Ends its input, and reads what it still prints.
    ///
    /// - Returns: its lines, and the status that it ended with.
    package func finish() -> (lines: [String], status: Int32) {
        try? input.fileHandleForWriting.close()
        var lines: [String] = []
        while let line = nextLine() { lines.append(line) }
        process.waitUntilExit()
        watchdog.cancel()
        return (lines, process.terminationStatus)
    }

    /// Whether a program is there to be run: on the path, or where Debian keeps what only root needs.
    package static func has(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders: [String] = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    /// Whether Python has a module.
    package static func hasPython(_ module: String) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", "import \(module)"]
        let packages = UnmaskProcess.project.appendingPathComponent(".build/peers").path
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONPATH": packages]) { $1 }
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
