import Foundation
import Support
import Testing

/// Captures that were made to bring the program down, read by the program (Forged/README.md).
@Suite("Forged captures") struct ForgedCaptureTests {
    private static let folder = UnmaskProcess.project.appendingPathComponent("Tests/EndToEndTests/Forged")

    static let names: [String] = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".pcap") }.sorted()

    @Test("there are some") func thereAreSome() { #expect(Self.names.count > 1) }

    @Test("they are read to their end, and each record is whole", arguments: names)
    func isRead(name: String) throws {
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", Self.folder.appendingPathComponent(name).path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let log = String(decoding: outcome.output, as: UTF8.self)
        #expect(log.contains("\"kind\":\"end\""))
        #expect(try LogValidation.verdict(on: log) == nil)
    }
}
