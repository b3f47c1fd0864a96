package import Foundation

/// The built program, run as a user runs it.
package struct UnmaskProcess {
    package struct Outcome {
        package var status: Int32
        package var output: Data
        package var errors: String

        package var text: String { String(decoding: output, as: UTF8.self) }
        package var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) }
    }

    /// The program that the tests drive.
    package static var executable: URL { DrivenProgram.url }

    /// The folder of the project.
    package static let project: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Runs it to its end, with everything read that it prints.
    ///
    /// - Parameters:
    ///   - input: what stands on its standard input.
    ///   - program: another one that runs it.
    package static func run(
        _ arguments: [String], input: Data = Data(), environment: [String: String] = [:], folder: URL? = nil,
        through program: String? = nil
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = program.map { URL(fileURLWithPath: $0) } ?? executable
        process.arguments = arguments
        process.currentDirectoryURL = folder ?? project
        // Local time is UTC, wherever the tests run.
        process.environment = ProcessInfo.processInfo.environment.merging(["TZ": "UTC0"]) { $1 }.merging(environment) { $1 }
        let (inputPipe, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
        process.standardInput = inputPipe
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        try process.run()
        // Each stream by a thread of its own, so that no full pipe stops the program.
        let errors = Collected(errorPipe.fileHandleForReading)
        let feeding = Thread {
            _ = try? inputPipe.fileHandleForWriting.write(contentsOf: input)
            try? inputPipe.fileHandleForWriting.close()
        }
        feeding.start()
        let output = outputPipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Outcome(status: status, output: output, errors: String(decoding: errors.wait(), as: UTF8.self))
    }

    /// What a handle brings until its end, read beside everything else.
    private final class Collected: @unchecked Sendable {
        private var data = Data()
        private let done = DispatchSemaphore(value: 0)

        init(_ handle: FileHandle) {
            Thread {
                self.data = handle.readDataToEndOfFile()
                self.done.signal()
            }.start()
        }

        func wait() -> Data {
            done.wait()
            return data
        }
    }
}
