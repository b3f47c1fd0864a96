import Foundation

/// Another program, run to its end or for a minute at most.
struct Program {
    struct Outcome {
        var status: Int32
        /// Both streams.
        var text: String
    }

    let path: String

    /// nil where the machine has no program of the name.
    init?(_ name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/sbin"]
        let candidates: [String] = folders.map { "\($0)/\(name)" }
        guard let path = candidates.first(where: { access($0, X_OK) == 0 }) else { return nil }
        self.path = path
    }

    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        // By force: a process that a thread of a pool started was born with signals blocked, SIGTERM among them.
        let deadline = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: deadline)
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        deadline.cancel()
        return Outcome(status: process.terminationReason == .exit ? process.terminationStatus : 128, text: text)
    }
}
