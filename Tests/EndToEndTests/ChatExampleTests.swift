import Foundation
import Support
import Testing

/// The example of docs/chat-on-tcp.md: what its page shows is what its profile makes of its recording.
@Suite struct ChatExampleTests {
    private static let folder = UnmaskProcess.project.appendingPathComponent("docs/examples/chat")

    @Test func `the sample on the page is what the profile gives`() throws {
        let outcome = try UnmaskProcess.run(["read", "../../../fixtures/messaging-chat/capture.pcapng"], folder: Self.folder)
        #expect(outcome.status == 0 && outcome.errors.contains("unmask.yml"), "\(outcome.errors)")
        let block = try #require(outcome.text.components(separatedBy: "\n\n").first)
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/chat-on-tcp.md"), encoding: .utf8)
        #expect(page.contains(block), "\(block)")
    }

    @Test func `the profile on the page is the one in the folder`() throws {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/chat-on-tcp.md"), encoding: .utf8)
        let profile = try String(contentsOf: Self.folder.appendingPathComponent("unmask.yml"), encoding: .utf8)
        let options = profile.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(options.count == 4 && options.allSatisfy { page.contains($0) })
    }

    @Test func `without it the length is guessed`() throws {
        let outcome = try UnmaskProcess.run(["read", "--profile", "none", "fixtures/messaging-chat/capture.pcapng"])
        #expect(outcome.text.contains("framing.guessed   note: looks like a 4-byte big-endian length: 14 of 14 fit"), "\(outcome.text)")
        #expect(outcome.text.contains("protobuf {1: 2, 2: 1, 3: \"ada\""))
    }
}
