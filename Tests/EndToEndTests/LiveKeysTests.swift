import Foundation
import Support
import Testing

/// `unmask capture --keys`: TLS on an interface, with a key log that is written while the packets come.
@Suite struct LiveKeysTests {
    @Test func `what two peers say in TLS is shown with the key log that they write meanwhile`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let keys = folder + "/keys.log"
        let peers = Process()
        peers.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        peers.arguments = ["python3", UnmaskProcess.project.appendingPathComponent("Tests/Peers/key_logging.py").path, folder, keys]
        let (asking, saying) = (Pipe(), Pipe())
        peers.standardInput = asking
        peers.standardOutput = saying
        try peers.run()
        defer { if peers.isRunning { peers.terminate() } }
        var line = Data()
        while line.last != 0x0A {
            let data = saying.fileHandleForReading.availableData
            if data.isEmpty { break }
            line += data
        }
        let first = String(decoding: line, as: UTF8.self)
        let port = try #require(first.split(separator: " ").last.flatMap { Int($0.dropLast()) }, "\(first)")

        let capture = Process()
        capture.executableURL = UnmaskProcess.executable
        capture.arguments = [
            "capture", "-i", "lo", "-f", "tcp port \(port)", "--keys", keys, "--format", "ndjson", "--duration", "20",
        ]
        let (output, errors) = (Pipe(), Pipe())
        capture.standardOutput = output
        capture.standardError = errors
        try capture.run()
        defer { if capture.isRunning { capture.terminate() } }
        let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        guard said.contains("listening on lo") else { return print("skipped: watching an interface (\(said))") }
        // No secret is there yet.
        #expect(!((try? String(contentsOfFile: keys, encoding: .utf8)) ?? "").contains("SECRET"))
        try asking.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        var printed = Data()
        while !printed.contains(Data("\"kind\":\"closed\"".utf8)) {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            printed += data
        }
        capture.interrupt()
        printed += output.fileHandleForReading.readDataToEndOfFile()
        capture.waitUntilExit()
        peers.waitUntilExit()
        let records = LogRecords(lines: printed.split(separator: 0x0A).map { Data($0) })
        #expect(records.all("tls").first?["secrets"] as? String == "keylog")
        #expect(records.all("request").first?["target"] as? String == "/sealed")
        #expect(records.all("body").last?["text"] as? String == "quiet")
    }
}

extension Data {
    fileprivate func contains(_ part: Data) -> Bool { range(of: part) != nil }
}
