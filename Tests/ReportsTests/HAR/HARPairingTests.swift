import Dissection
import Foundation
import Reports
import Testing

@Suite("which request an answer in an HTTP archive belongs to")
struct HARPairingTests {
    private struct Entry {
        let url: String
        let status: Int
        let reason: String
        let text: String
        let error: String?
        let comment: String?
        let messages: Int?
    }

    private static func archive(
        _ settings: HARSettings = HARSettings(), _ talk: (inout Dialogue<HARReport>) -> Void
    ) throws -> [String: Any] {
        var dialogue = Dialogue(HARReport(Output(), settings: settings))
        dialogue.report.begin(CaptureSource(kind: .file, name: "talk.pcapng", tool: "unmask 0.1.0"))
        dialogue.say(0, nil, .opened(RecordScript.opening))
        talk(&dialogue)
        dialogue.report.finish(TextReportTests.totals())
        #expect(dialogue.report.heldBytes < 4_096, "something is still counted")
        let object = try JSONSerialization.jsonObject(with: Data(dialogue.report.takeBytes())) as? [String: Any]
        return try #require(object?["log"] as? [String: Any])
    }

    private static func entries(_ settings: HARSettings = HARSettings(), _ talk: (inout Dialogue<HARReport>) -> Void) throws -> [Entry] {
        let entries = try #require(try archive(settings, talk)["entries"] as? [[String: Any]])
        return try entries.map { entry in
            let request = try #require(entry["request"] as? [String: Any])
            let response = try #require(entry["response"] as? [String: Any])
            let content = try #require(response["content"] as? [String: Any])
            return Entry(
                url: try #require(request["url"] as? String), status: try #require(response["status"] as? Int),
                reason: response["statusText"] as? String ?? "", text: content["text"] as? String ?? "",
                error: response["_error"] as? String, comment: entry["comment"] as? String,
                messages: (entry["_webSocketMessages"] as? [Any])?.count)
        }
    }

    @Test("after a lost response: the one that its exchange says, and none where that is not known")
    func lostResponse() throws {
        let entries = try Self.entries { talk in
            for exchange in 1...4 as ClosedRange<UInt64> {
                talk.request(0, ("GET", "/\(exchange)", "HTTP/1.1"), "Host: a\r\n", exchange: exchange)
            }
            talk.response(1, 200, "OK", "", latency: 1, asked: 1)
            talk.body(1, .server, "one")
            talk.say(2, .server, .gap(Gap(length: 60, cause: .missing)))
            talk.response(3, 200, "OK", "", latency: 1)
            talk.body(3, .server, "which")
            talk.response(4, 200, "OK", "", latency: 1, asked: 4)
            talk.body(4, .server, "four")
        }
        #expect(entries.map(\.url) == ["http://a/1", "http://10.0.0.9:8080/", "http://a/4", "http://a/2", "http://a/3"])
        #expect(entries.map(\.text) == ["one", "which", "four", "", ""])
        #expect(entries[1].comment == "the request of this response is not known")
        #expect(entries[3].comment == "60 bytes from the server are missing")
        #expect(entries[3].error == "no answer was matched" && entries[4].error == "no answer was matched")
    }

    @Test("with 1,500 requests before the first of them")
    func pipeline() throws {
        let entries = try Self.entries { talk in
            for exchange in 1...1_500 as ClosedRange<UInt64> {
                talk.request(0, ("GET", "/\(exchange)", "HTTP/1.1"), "Host: a\r\n", exchange: exchange)
            }
            for exchange in 1...1_500 as ClosedRange<UInt64> {
                talk.response(1, 200, "OK", "", latency: 1, asked: exchange)
                talk.body(1, .server, "\(exchange)")
            }
        }
        #expect(entries.count == 1_500)
        #expect(entries.allSatisfy { $0.url == "http://a/" + $0.text && $0.comment == nil })
    }

    @Test("where there was no room to wait for it: an entry of its own that says so")
    func noRoom() throws {
        var settings = HARSettings()
        settings.totalBytes = 8_192
        let entries = try Self.entries(settings) { talk in
            for exchange in 1...40 as ClosedRange<UInt64> { talk.request(0, ("GET", "/", "HTTP/1.1"), "Host: a\r\n", exchange: exchange) }
            for exchange in 1...40 as ClosedRange<UInt64> {
                talk.response(1, 200, "\(exchange)", "", latency: 1, asked: exchange)
            }
        }
        #expect(entries.filter { $0.status == 200 }.map(\.reason) == (1...40).map(String.init))
        let early = entries.filter { $0.status == 0 }
        #expect(!early.isEmpty && entries.count == 40 + early.count)
        #expect(early.allSatisfy { $0.comment == "the entry was written before its end because of the memory limit" })
        #expect(early.allSatisfy { $0.error == "no answer was waited for" })
        #expect(entries.count { $0.comment == "the headers and the body of the request are in an earlier entry" } == early.count)
    }

    @Test("says what is missing of a body, of the talk, and after it")
    func missing() throws {
        let log = try Self.archive { talk in
            talk.request(0, ("GET", "/a", "HTTP/1.1"), "Host: a\r\n", exchange: 1)
            talk.response(1, 200, "OK", "", latency: 1, asked: 1)
            talk.say(2, .server, .body(BodyPart(length: 4, wireLength: 4, part: 1, final: false, payload: ByteRange(0..<4))), "abcd".bytes)
            talk.say(3, .server, .gap(Gap(length: 100, cause: .missing)))
            talk.say(4, .server, .body(BodyPart(length: 2, wireLength: 2, part: 2, final: true, payload: ByteRange(0..<2))), "yz".bytes)
            talk.say(5, .client, .gap(Gap(length: 7, cause: .missing)))
            talk.request(6, ("GET", "/b", "HTTP/1.1"), "Host: a\r\n", exchange: 2)
            talk.response(6, 200, "OK", "", latency: 1, asked: 2)
            talk.say(7, .server, .body(BodyPart(length: 3, wireLength: 3, part: 1, final: false, payload: ByteRange(0..<3))), "abc".bytes)
            talk.say(8, nil, .closed(Closing(by: .unknown, how: .evicted)))
            talk.conversation = 2
            talk.say(9, nil, .opened(RecordScript.opening))
            talk.request(9, ("GET", "/c", "HTTP/1.1"), "Host: a\r\n", exchange: 1)
            talk.response(9, 200, "OK", "", latency: 1, asked: 1)
            talk.body(9, .server, "c")
            talk.say(9, .server, .gap(Gap(length: 1, cause: .missing)))
        }
        let comments = try #require(log["entries"] as? [[String: Any]]).map { $0["comment"] as? String }
        #expect(
            comments == [
                "100 bytes from the server are missing after 4 bytes of the body",
                "the conversation was given up because of the memory limit; the end of the body is missing; 7 bytes from the client are missing",
                nil,
            ])
        #expect(log["comment"] as? String == "1 byte after the last entry of its conversation is missing")
    }

    @Test("says that the end of a body did not come before the next answer")
    func openBody() throws {
        let entries = try Self.entries { talk in
            for exchange in 1...2 as ClosedRange<UInt64> { talk.request(0, ("GET", "/", "HTTP/1.1"), "Host: a\r\n", exchange: exchange) }
            talk.response(1, 200, "OK", "", latency: 1, asked: 1)
            talk.say(2, .server, .body(BodyPart(length: 4, wireLength: 4, part: 1, final: false, payload: ByteRange(0..<4))), "abcd".bytes)
            talk.response(3, 200, "OK", "", latency: 1, asked: 2)
            talk.body(3, .server, "two")
        }
        #expect(entries.map(\.text) == ["abcd", "two"])
        #expect(entries.map(\.comment) == ["the end of the body is missing", nil])
    }

    @Test("of a WebSocket that began before the capture: an entry of its own")
    func midstream() throws {
        let entries = try Self.entries { talk in
            talk.message(1, .client, "hi".bytes)
            talk.message(2, .server, "you".bytes)
        }
        #expect(entries.map(\.messages) == [2])
        #expect(entries.first?.comment == "the handshake of this WebSocket is not known, or is in an earlier entry")
    }

    @Test("messages without a byte take their room, and half a conversation takes next to none")
    func bounded() throws {
        var settings = HARSettings()
        settings.totalBytes = 64 << 10
        var dialogue = Dialogue(HARReport(Output(), settings: settings))
        dialogue.report.begin(CaptureSource(kind: .file, name: "talk.pcapng", tool: "unmask 0.1.0"))
        dialogue.chat(asked: 1)
        dialogue.conversation = 2
        dialogue.say(0, nil, .opened(RecordScript.opening))
        dialogue.request(0, ("GET", "/", "HTTP/1.1"), "Host: a\r\n")
        dialogue.response(0, 101, "", "", latency: 1, asked: 1)
        dialogue.say(
            0, .server, .upgrade(Upgrade(protocolName: ByteRange(0..<9), accepted: true)), "websocket".bytes)
        var most = 0
        for _ in 0..<5_000 {
            dialogue.message(1, .client, [])
            most = max(most, dialogue.report.heldBytes)
        }
        #expect(most < 64 << 10)
        dialogue.say(2, nil, .closed(Closing(by: .client, how: .fin)))
        let text = String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
        #expect(text.contains(" messages are left out\"}"))

        for number in 3..<20_003 as Range<UInt64> {
            dialogue.conversation = number
            dialogue.say(0, nil, .opened(RecordScript.opening))
        }
        #expect(dialogue.report.heldBytes < 20_000 * 64)
        for number in 3..<20_003 as Range<UInt64> {
            dialogue.conversation = number
            dialogue.say(0, nil, .closed(Closing(by: .client, how: .fin)))
        }
        dialogue.report.finish(TextReportTests.totals())
        #expect(!String(decoding: dialogue.report.takeBytes(), as: UTF8.self).contains("startedDateTime"))
    }

    @Test("nothing was read: the archive is whole all the same")
    func nothing() throws {
        var report = HARReport(Output())
        report.finish(TextReportTests.totals())
        let object = try JSONSerialization.jsonObject(with: Data(report.takeBytes())) as? [String: Any]
        #expect((object?["log"] as? [String: Any])?["entries"] as? [Int] == [])
    }
}
