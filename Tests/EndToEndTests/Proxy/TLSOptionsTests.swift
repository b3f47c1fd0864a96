import Foundation
import Support
import Testing

/// STARTTLS and its kin, the options about TLS, places and rewriting, with Python's ssl and sockets at both ends.
@Suite("Options of the proxy, with real peers") struct TLSOptionsTests {
    @Test("plaintext is followed into TLS, and each option does what it says") func everyOption() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", UnmaskProcess.project.appendingPathComponent("Tests/Peers/tls_options.py").path, UnmaskProcess.executable.path,
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.split(separator: "\n").count == 11, "\(text)")
    }
}
