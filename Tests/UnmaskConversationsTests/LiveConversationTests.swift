import Testing
import UnmaskConversations

/// Bytes that the caller has itself.
@Suite struct LiveConversationTests {
    private func time(_ milliseconds: Int64) -> CaptureTime { CaptureTime(nanosecondsSince1970: milliseconds * 1_000_000) }

    @Test func `the first call gives the beginning with the addresses and the names`() throws {
        let live = LiveConversation(client: "[2001:db8::7]:50312", server: "chat.example:80", number: 9, openedAt: time(0))
        let events = live.receive("GET / HTTP/1.1\r\nHost: chat.example\r\n\r\n".utf8, from: .client, at: time(1))
        #expect(events.map(\.kind) == ["opened", "request"] && events.allSatisfy { $0.conversation == 9 })
        guard case .opened(let opened)? = events.first?.content else { return }
        #expect(opened.client.address == "2001:db8::7" && opened.client.port == 50_312 && opened.client.name == nil)
        #expect(opened.server.address == "" && opened.server.port == 80 && opened.server.name == "chat.example")
    }

    @Test func `bytes come in any cut`() {
        let request = Array("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8)
        func events(_ size: Int) -> [ConversationEvent] {
            let live = LiveConversation(client: "10.0.0.1:1", server: "10.0.0.2:80", openedAt: time(0))
            var events: [ConversationEvent] = []
            for start in stride(from: 0, to: request.count, by: size) {
                events += live.receive(request[start..<min(start + size, request.count)], from: .client, at: time(1))
            }
            return events + live.close(at: time(2))
        }
        #expect(events(1) == events(request.count))
        #expect(events(7).map(\.kind) == ["opened", "request", "body", "finding", "closed"])
    }

    @Test func `a gap is reported, and reading goes on after it`() {
        let live = LiveConversation(client: "10.0.0.1:1", server: "10.0.0.2:7000", openedAt: time(0))
        var events = live.receive("hello".utf8, from: .client, at: time(1))
        events += live.miss(100, from: .client, at: time(2))
        events += live.receive("there".utf8, from: .client, at: time(3))
        events += live.close(at: time(4))
        #expect(events.compactMap(\.gap).map { "\($0.length) \($0.cause)" } == ["100 missing"])
        #expect(events.compactMap(\.closed).map(\.client.missing) == [100])
    }

    @Test func `the end comes once, and nothing after it`() {
        let live = LiveConversation(client: "10.0.0.1:1", server: "10.0.0.2:80", openedAt: time(0))
        var events = live.finish(.client, at: time(1))
        #expect(!events.contains { $0.closed != nil })
        events = live.finish(.server, at: time(2))
        #expect(events.compactMap(\.closed).map(\.how) == [.fin] && events.compactMap(\.closed).map(\.by) == [.client])
        #expect(live.receive([1], from: .client, at: time(3)).isEmpty && live.close(at: time(4)).isEmpty)
        let other = LiveConversation(client: "10.0.0.1:1", server: "10.0.0.2:80", openedAt: time(0))
        #expect(other.reset(by: .server, at: time(1)).compactMap(\.closed).map(\.how) == [.reset])
    }
}
