import Foundation
import Testing
import UnmaskConversations
import UnmaskDecryption

/// What a client of the library sees is what the program logs: event for event, over every fixture.
@Suite struct LogAgreementTests {
    /// The log of a fixture, without the records that have no event.
    private func records(_ name: String) throws -> [[String: Any]] {
        let text = try String(contentsOf: Fixture.folder.appendingPathComponent("\(name)/expected.ndjson"), encoding: .utf8)
        let records = try text.split(separator: "\n").map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
        return records.filter { !["capture", "frame"].contains($0["kind"] as? String) }
    }

    @Test(arguments: Fixture.names) func `events agree with the log of the program`(name: String) async throws {
        var options = ReadingOptions()
        // Secrets that the capture brings are used, as the program does.
        options.keyLog = try TLSKeyLog()
        let events = try await Fixture.events(name, options)
        let records = try records(name)
        #expect(events.map(\.kind) == records.map { $0["kind"] as? String })
        for (event, record) in zip(events, records) where event.kind == record["kind"] as? String {
            #expect(event.conversation == record["conversation"] as? Int ?? 0)
            #expect(event.sender?.rawValue == record["from"] as? String)
            #expect(event.offset == record["offset"] as? Int)
            #expect(event.time?.description == record["time"] as? String)
            #expect(event.packets.map { [$0.lowerBound, $0.upperBound] } == record["packets"] as? [Int] || event.kind == "end")
            compare(event, record)
        }
    }

    /// Compares what is particular to a kind.
    private func compare(_ event: ConversationEvent, _ record: [String: Any]) {
        switch event.content {
        case .request(let request):
            #expect(request.method == record["method"] as? String && request.target == record["target"] as? String)
            #expect(request.headers.map { [$0.name, $0.value] } == record["headers"] as? [[String]])
        case .response(let response):
            #expect(response.status == record["status"] as? Int)
            #expect((response.latency == nil) == (record["latency"] == nil))
        case .message(let message):
            #expect(message.length == record["length"] as? Int && message.isCompressed == record["compressed"] as? Bool ?? false)
            if let text = record["text"] as? String { #expect(message.text == text) }
        case .body(let body):
            #expect(body.length == record["length"] as? Int && body.isLast == record["final"] as? Bool)
        case .finding(let finding):
            #expect(finding.id == record["id"] as? String && "\(finding.severity)" == record["severity"] as? String)
            #expect(finding.sentence == record["detail"] as? String && finding.reference == record["reference"] as? String)
        case .closed(let closed):
            #expect(closed.by.rawValue == record["by"] as? String && closed.code == record["code"] as? Int)
            #expect(closed.client.messages == (record["client"] as? [String: Any])?["messages"] as? Int)
        case .ended(let totals):
            #expect(totals.packets == record["packets"] as? Int && totals.skippedPackets == record["skipped"] as? [String: Int])
        default: return
        }
    }

    @Test func `there are fixtures`() { #expect(Fixture.names.count > 60) }
}
