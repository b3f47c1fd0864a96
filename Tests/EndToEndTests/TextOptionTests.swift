import Foundation
import Support
import Testing

/// The options about text for people, as a user gives them.
@Suite struct TextOptionTests {
    private let capture = "fixtures/manner-socketrocket/capture.pcap"

    @Test func timesAreLocalWithTheirDistanceFromUTC() throws {
        func heading(_ zone: String, _ options: String...) throws -> String {
            let shown = try UnmaskProcess.run(["read"] + options + [capture], environment: ["TZ": zone]).text
            return String(try #require(shown.split(separator: "\n").first).suffix(30))
        }
        #expect(try heading("UTC0").hasSuffix("2026-11-20 21:48:00.123 UTC"))
        #expect(try heading("CET-1CEST,M3.5.0,M10.5.0/3").hasSuffix("2026-11-20 22:48:00.123 +01:00"))
        #expect(try heading("NST3:30NDT,M3.2.0,M11.1.0").hasSuffix("2026-11-20 18:18:00.123 -03:30"))
        // London in winter has the time of UTC, and is not it.
        #expect(try heading("GMT0BST,M3.5.0/1,M10.5.0").hasSuffix("2026-11-20 21:48:00.123 +00:00"))
        #expect(try heading("CET-1CEST,M3.5.0,M10.5.0/3", "--utc").hasSuffix("2026-11-20 21:48:00.123 UTC"))
    }

    @Test func followedLinesHaveTheTimeOfDayAndTheDayOnce() throws {
        let shown = try UnmaskProcess.run(["read", "--follow", capture], environment: ["TZ": "CET-1"]).text
        let lines = shown.split(separator: "\n").dropFirst().dropLast()
        #expect(lines.first?.hasSuffix("opened on 2026-11-20 +01:00") == true)
        #expect(lines.allSatisfy { $0.hasPrefix("  1  22:48:") || $0.hasPrefix("  1                !  ") }, "\(shown)")
        #expect(!shown.contains("21:48"))
    }

    @Test func recordsStayInUTC() throws {
        let records = try UnmaskProcess.run(["read", "--format", "ndjson", capture], environment: ["TZ": "CET-1"]).text
        #expect(records.contains("2026-11-20T21:48:00.123") && !records.contains("T22:48"))
        let refused = try UnmaskProcess.run(["read", "--format", "ndjson", "--utc", capture])
        #expect(refused.status == 2 && refused.errors.contains("times in records are always UTC"))
    }

    @Test func listsAndRangesPickConversations() throws {
        let many = "fixtures/websockets-close-codes/capture.pcapng"
        func numbers(_ options: String...) throws -> [String] {
            let lines = try UnmaskProcess.run(["read", "--follow"] + options + [many]).text.split(separator: "\n").dropFirst().dropLast()
            return Set(lines.map { $0.prefix(3).trimmingCharacters(in: .whitespaces) }).sorted()
        }
        let all = try numbers()
        try #require(all.count >= 3)
        #expect(try numbers("--conversation", "1,3") == ["1", "3"])
        #expect(try numbers("--conversation", "2-3") == ["2", "3"])
        #expect(try numbers("--conversation", "2-") == all.filter { $0 != "1" })
        #expect(try numbers("--conversation", "1", "--conversation", "3") == ["1", "3"])
    }

    @Test func aListThatIsNoneIsRefused() throws {
        for list in ["0", "3,", "5-3", "a", ""] {
            let outcome = try UnmaskProcess.run(["read", "--conversation", list, capture])
            #expect(outcome.status == 2 && outcome.errors.contains("expected numbers from 1 and ranges of them"), "\(outcome.errors)")
        }
    }

    @Test func theSizeOnTheWireComesWithFrames() throws {
        let deflated = "fixtures/websockets-deflate/capture.pcapng"
        let plain = try UnmaskProcess.run(["read", deflated]).text
        #expect(plain.contains("text      77 B deflated  {") && !plain.contains("on the wire"))
        #expect(try UnmaskProcess.run(["read", "--frames", deflated]).text.contains("77 B deflated (57 B on the wire)"))
    }

    @Test func aTerminalThatChangesIsFollowed() throws {
        let peer = try PeerProgram(
            "terminal.py", [UnmaskProcess.executable.path, "fixtures/bad-accept/capture.pcap", "120", "70"], seconds: 60, announces: false)
        #expect(peer.nextLine() == "70")
    }

    @Test func headersAreShownWhereAskedFor() throws {
        let path = "fixtures/upgrade-refused/capture.pcapng"
        #expect(try UnmaskProcess.run(["read", path]).text.contains("asked with Sec-WebSocket-Version: 13"))
        let all = try UnmaskProcess.run(["read", "--headers", path]).text
        #expect(all.contains("\n              Host: 127.0.0.1:8080\n") && !all.contains("asked with"))
        let records = try UnmaskProcess.run(["read", "--headers", "--format", "ndjson", path])
        #expect(records.status == 2 && records.errors.contains("records always have the header fields"))
    }

    @Test func fullShowsAllAndNoLineIsWiderThanTheTerminal() throws {
        let deflated = "fixtures/websockets-deflate/capture.pcapng"
        for width in [80, 120] {
            let shown = try UnmaskProcess.run(["read", "--full", deflated], environment: ["COLUMNS": "\(width)"]).text
            #expect(shown.split(separator: "\n").allSatisfy { $0.count <= width }, "\(shown)")
            #expect(!shown.contains("…"))
        }
    }
}
