import Foundation
import Support
import Testing

/// `unmask diff`, run as a user runs it.
@Suite struct DiffCommandTests {
    private func changed(_ body: (String) throws -> Void) throws {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).ndjson")
        defer { try? FileManager.default.removeItem(at: log) }
        let records = try UnmaskProcess.run(["read", "--format", "ndjson", GoldenTests.capture("bodies-and-messages")]).text
        #expect(records.contains(#"{\"type\":\"join\"}"#))
        try records.replacing(#"{\"type\":\"join\"}"#, with: #"{\"type\":\"quit\"}"#).write(to: log, atomically: true, encoding: .utf8)
        try body(log.path)
    }

    @Test func `a capture and its log are the same talk`() throws {
        let capture = GoldenTests.capture("bodies-and-messages")
        let same = try UnmaskProcess.run(["diff", capture, capture])
        #expect(same.status == 0 && same.text == "no differences in 1 conversation\n", "\(same.text)\(same.errors)")
        try changed { log in
            let outcome = try UnmaskProcess.run(["diff", capture, log])
            #expect(outcome.status == 1, "\(outcome.errors)")
            #expect(outcome.text.contains(#"$.type: "join" → "quit""#), "\(outcome.text)")
            #expect(try UnmaskProcess.run(["diff", "--ignore", "$.type", capture, log]).status == 0)
            let json = try UnmaskProcess.run(["diff", "--format", "json", capture, log])
            let object = try #require(JSONSerialization.jsonObject(with: json.output) as? [String: Any])
            #expect(json.status == 1 && object["differs"] as? Bool == true)
        }
    }

    @Test func `TLS that was not decrypted is counted by its content, and where all was opened there is none`() throws {
        let capture = GoldenTests.capture("tls-keys")
        let keys = UnmaskProcess.project.appendingPathComponent("fixtures/tls-keys/keys.log").path
        let opened = try UnmaskProcess.run(["diff", "--keys", keys, capture, capture])
        #expect(opened.status == 0 && !opened.text.contains("not decrypted"), "\(opened.text)\(opened.errors)")
        let sealed = try UnmaskProcess.run(["diff", capture, capture])
        #expect(sealed.text.contains("TLS records not decrypted, and not compared"), "\(sealed.text)")
    }

    @Test func `a path that no message has is said, and a header that is left out can be compared`() throws {
        let capture = GoldenTests.capture("bodies-and-messages")
        let hint = try UnmaskProcess.run(["diff", "--ignore", "$.nowhere", "--ignore", "$..type", capture, capture])
        #expect(hint.status == 0 && hint.errors.contains("--ignore $.nowhere: no message has such a path; --ignore '$..nowhere'"))
        #expect(!hint.errors.contains("$..type"), "\(hint.errors)")
        #expect(try UnmaskProcess.run(["diff", "--compare-header", "cookie", "--compare-header", "*", capture, capture]).status == 0)
        let compared = try UnmaskProcess.run(["diff", "--compare-header", "Accept", capture, capture])
        #expect(compared.status == 2 && compared.errors.contains("this header is compared anyway"))
    }

    @Test func `errors end with 2`() throws {
        let capture = GoldenTests.capture("bodies-and-messages")
        #expect(try UnmaskProcess.run(["diff", capture, "nowhere.pcap"]).status == 2)
        #expect(try UnmaskProcess.run(["diff", capture, "Package.swift"]).status == 2)
        #expect(try UnmaskProcess.run(["diff", capture]).status == 2)
        #expect(try UnmaskProcess.run(["diff", "-", "-"]).status == 2)
        let factor = try UnmaskProcess.run(["diff", "--slower", "0.5", capture, capture])
        #expect(factor.status == 2 && factor.errors.contains("--slower takes a factor"))
    }
}
