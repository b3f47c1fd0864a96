import Foundation
import Support
import Testing

@testable import CaptureFiles

/// snoop and Network Monitor files against tshark: packet by packet the same time and lengths.
struct OtherFormatTests {
    /// What one reader says of one packet: nanoseconds, length, captured length.
    private typealias Packet = [Int64]

    @Test("Fixtures that editcap wrote in these formats", arguments: ["snoop", "netmon1", "netmon2"])
    func converted(format: String) throws {
        guard PeerProgram.has("tshark"), PeerProgram.has("editcap") else {
            print("skipped: tshark and editcap are not here, so nothing writes \(format) files")
            return
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("capture").path
        for fixture in ["curl-nginx-http/capture.pcapng", "abrupt-ends/capture.pcap"] {
            _ = try output("editcap", "-F", format, UnmaskProcess.project.path + "/fixtures/" + fixture, path)
            try compare(path, fixture)
        }
    }

    @Test("The captures at hand")
    func atHand() throws {
        guard PeerProgram.has("tshark") else {
            print("skipped: tshark is not here to compare snoop and Network Monitor files with")
            return
        }
        guard let folder = ProcessInfo.processInfo.environment["UNMASK_CAPTURES"] else {
            print("skipped: UNMASK_CAPTURES is not set, so there are no snoop and Network Monitor files to compare")
            return
        }
        for name in ["20102008184715.pcap", "ICA.snoop", "cmp-trace.pcap.gz", "Mixed1.cap", "Manolito2.cap"] {
            try compare(folder + "/wireshark/" + name, name)
        }
    }

    private func compare(_ path: String, _ name: String) throws {
        let text = try output(
            "tshark", "-n", "-r", path, "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.cap_len")
        let theirs: [Packet] = text.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t")
            let time = fields[0].split(separator: ".")
            return [(Int64(time[0]) ?? 0) * 1_000_000_000 + (Int64(time[1]) ?? 0)] + fields.dropFirst().map { Int64($0) ?? -1 }
        }
        let reading = FileReading.byOurs(path)
        let ours: [Packet] = reading.packets.map { [$0.nanoseconds ?? -1, Int64($0.original), Int64($0.captured)] }
        #expect(reading.errors == [], "\(name)")
        #expect(!ours.isEmpty, "\(name)")
        #expect(ours == theirs, "\(name)")
    }

    /// What a program prints. Network Monitor's times are by the clock of the reader's place, so that is UTC.
    private func output(_ program: String, _ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["TZ": "UTC"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
