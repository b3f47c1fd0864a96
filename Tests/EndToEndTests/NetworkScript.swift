import Foundation
import Support
import Testing

/// A script of `Tests/Peers` that runs the program in a network of the script's own, so that the network of this machine does not change.
enum NetworkScript {
    /// Runs it; what it compares has to be equal.
    ///
    /// - Parameter namespaces: what the script has of its own, as options of `unshare`. Without root it says that it was skipped.
    static func run(_ name: String, namespaces: [String]) throws {
        let script = UnmaskProcess.project.appendingPathComponent("Tests/Peers/\(name)").path
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = (geteuid() == 0 ? ["unshare"] + namespaces : []) + ["python3", script, UnmaskProcess.executable.path]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PYTHONPATH": UnmaskProcess.project.appendingPathComponent(".build/peers").path]) { $1 }
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        for line in said.split(separator: "\n") where line.hasPrefix("skipped: ") { print(line) }
        #expect(process.terminationStatus == 0, "\(said)")
        #expect(said.contains("same: ") || said.contains("skipped: "))
    }
}
