import Dissection
import Support
import Testing

/// Live conversations: places, ends, and what is given up when they hold too much together.
@Suite("Live dissector") struct LiveDissectorTests {
    private static func opening(_ port: UInt16) -> Opening {
        Opening(
            client: Endpoint(address: IPAddress(ipv4: 0x0A00_0001), port: port),
            server: Endpoint(address: IPAddress(ipv4: 0x0A00_0002), port: 80), start: .accepted, roles: .handshake)
    }

    private static let upgrade = Array(
        """
        GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """.utf8)
    private static let accept = Array(
        """
        HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n
        """.utf8)

    /// Begins a conversation that has become a WebSocket.
    private func webSocket(_ number: UInt64, in dissector: inout LiveDissector, _ sink: inout Transcript) -> Int32 {
        let time = Timestamp(nanoseconds: Int64(number))
        let place = dissector.begin(Self.opening(UInt16(1_000 + number)), content: RawSpan(), number: number, at: time, sink: &sink)
        _ = dissector.receive(.bytes(Self.upgrade.rawBytes), from: .client, at: place, time, sink: &sink)
        _ = dissector.receive(.bytes(Self.accept.rawBytes), from: .server, at: place, time, sink: &sink)
        return place
    }

    /// The beginning of a message that never ends: a frame of 1 MiB of which so many bytes come.
    private func unfinished(_ count: Int) -> [UInt8] {
        [0x82, 0x7F, 0, 0, 0, 0, 0, 0x10, 0, 0] + [UInt8](repeating: 0xAB, count: count)
    }

    @Test func `places are used again, and ends end`() {
        var sink = Transcript()
        var dissector = LiveDissector()
        let time = Timestamp(nanoseconds: 1)
        let first = dissector.begin(Self.opening(1), content: RawSpan(), number: 1, at: time, sink: &sink)
        let second = dissector.begin(Self.opening(2), content: RawSpan(), number: 2, at: time, sink: &sink)
        #expect(first != second && dissector.openCount == 2)
        #expect(dissector.receive(.finished, from: .client, at: first, time, sink: &sink))
        #expect(!dissector.receive(.finished, from: .server, at: first, time, sink: &sink))
        #expect(dissector.begin(Self.opening(3), content: RawSpan(), number: 3, at: time, sink: &sink) == first)
        #expect(!dissector.receive(.reset, from: .server, at: second, time, sink: &sink))
        dissector.finish(sink: &sink)
        #expect(dissector.openCount == 0 && dissector.totals.conversations == 3)
        #expect(
            sink.finished() == [
                "opened accepted by handshake", "opened accepted by handshake",
                "closed client fin  client fin 0 B  server fin 0 B", "opened accepted by handshake",
                "closed server reset  client open 0 B  server reset 0 B",
                "closed proxy shutdown  client open 0 B  server open 0 B",
            ])
    }

    @Test("a session of Engine.IO that one connection opened has its announced maxPayload on another")
    func announcedPayload() {
        let opening = #"0{"sid":"abc","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000,"maxPayload":5000}"#
        #expect(closedAfterLongMessage(opening, sid: "abc").contains("it is beyond the announced maxPayload of 5,000 bytes"))
        // Another session, and one whose server announces nothing.
        #expect(!closedAfterLongMessage(opening, sid: "abd").contains("announced"))
        let silent = #"0{"sid":"abc","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000}"#
        #expect(!closedAfterLongMessage(silent, sid: "abc").contains("announced"))
    }

    /// What is found where a session that is opened over HTTP goes on in a WebSocket that is closed with 1009 after 6,000 bytes.
    private func closedAfterLongMessage(_ opening: String, sid: String) -> String {
        var sink = FindingRecords()
        var dissector = LiveDissector()
        let time = Timestamp(nanoseconds: 1)
        let polling = dissector.begin(Self.opening(1), content: RawSpan(), number: 1, at: time, sink: &sink)
        Self.send(
            .client, Array("GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: a\r\n\r\n".utf8), to: &dissector, at: polling, &sink)
        Self.send(
            .server, Array("HTTP/1.1 200 OK\r\nContent-Length: \(opening.utf8.count)\r\n\r\n\(opening)".utf8), to: &dissector, at: polling,
            &sink)
        let place = dissector.begin(Self.opening(2), content: RawSpan(), number: 2, at: time, sink: &sink)
        let target = "GET /socket.io/?EIO=4&transport=websocket&sid=\(sid) "
        Self.send(.client, Array(target.utf8) + Self.upgrade.dropFirst(6), to: &dissector, at: place, &sink)
        Self.send(.server, Self.accept, to: &dissector, at: place, &sink)
        Self.send(.client, [0x82, 0xFE, 0x17, 0x70, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 6_000), to: &dissector, at: place, &sink)
        Self.send(.server, [0x88, 2, 0x03, 0xF1], to: &dissector, at: place, &sink)
        dissector.finish(sink: &sink)
        return sink.lines().joined(separator: "\n")
    }

    @Test("a request of Engine.IO that is refused for its length has the maxPayload that another connection announced")
    func announcedPayloadOfRequest() {
        let refused = "< @0 http.engineio-too-large: the request with messages of Engine.IO was refused with "
        let over = refused + "413; the body has 6,000 bytes; it is beyond the announced maxPayload of 5,000 bytes"
        #expect(found(afterPostOf: 6_000, sid: "abc", status: 413) == [over])
        #expect(found(afterPostOf: 6_000, sid: "abc", status: 400) == [over.replacing("413", with: "400")])
        #expect(
            found(afterPostOf: 5_000, sid: "abc", status: 413) == [
                refused
                    + "413; the body has 5,000 bytes, no more than the announced maxPayload of 5,000: the limit is that of a proxy, "
                    + "or of the app around the Engine.IO server"
            ])
        // What is not beyond the limit was refused for another reason, and what was taken not at all.
        #expect(found(afterPostOf: 5_000, sid: "abc", status: 400) == [])
        #expect(found(afterPostOf: 6_000, sid: "abc", status: 200) == [])
        // Of another session nothing was announced.
        #expect(found(afterPostOf: 6_000, sid: "abd", status: 413) == [refused + "413; the body has 6,000 bytes"])
    }

    /// What is found where a session is opened with a maxPayload of 5,000, and another connection has a request of that session.
    private func found(afterPostOf length: Int, sid: String, status: Int) -> [String] {
        var sink = FindingRecords()
        var dissector = LiveDissector()
        let time = Timestamp(nanoseconds: 1)
        let first = dissector.begin(Self.opening(1), content: RawSpan(), number: 1, at: time, sink: &sink)
        let second = dissector.begin(Self.opening(2), content: RawSpan(), number: 2, at: time, sink: &sink)
        let opening = #"0{"sid":"abc","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":5000}"#
        let target = "/socket.io/?EIO=4&transport=polling"
        Self.send(.client, Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8), to: &dissector, at: first, &sink)
        Self.send(
            .server, Array("HTTP/1.1 200 OK\r\nContent-Length: \(opening.utf8.count)\r\n\r\n\(opening)".utf8), to: &dissector, at: first,
            &sink)
        let head = "POST \(target)&sid=\(sid) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
        Self.send(.client, Array(head.utf8), to: &dissector, at: second, &sink)
        Self.send(.client, [UInt8](repeating: 0x61, count: length), to: &dissector, at: second, &sink)
        Self.send(.server, Array("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n".utf8), to: &dissector, at: second, &sink)
        dissector.finish(sink: &sink)
        return sink.lines()
    }

    private static func send(
        _ side: Side, _ bytes: [UInt8], to dissector: inout LiveDissector, at place: Int32, _ sink: inout FindingRecords
    ) {
        _ = dissector.receive(.bytes(bytes.rawBytes), from: side, at: place, Timestamp(nanoseconds: 2), sink: &sink)
    }

    @Test func `what all hold together stays within the limit, and the conversations go on`() {
        var limits = Limits()
        limits.totalBytes = 1 << 20
        var sink = Transcript()
        var dissector = LiveDissector(limits: limits)
        let places = (1...64).map { webSocket($0, in: &dissector, &sink) }
        let piece = unfinished(40_000)
        var worst = 0
        for place in places {
            #expect(dissector.receive(.bytes(piece.rawBytes), from: .server, at: place, Timestamp(nanoseconds: 100), sink: &sink))
            worst = max(worst, dissector.heldBytes)
        }
        #expect(worst <= limits.totalBytes)
        // Given up was the dissection alone: each place still takes what comes, to its end.
        for place in places {
            #expect(dissector.receive(.bytes(piece.rawBytes), from: .server, at: place, Timestamp(nanoseconds: 200), sink: &sink))
            #expect(!dissector.receive(.reset, from: .client, at: place, Timestamp(nanoseconds: 300), sink: &sink))
        }
        #expect(dissector.openCount == 0 && dissector.heldBytes == 0)
        let lines = sink.finished()
        #expect(lines.count { $0.hasPrefix("closed") } == 64)
        #expect(lines.contains { $0.contains("! limits.assembly-cut") })
    }

    @Test func `more conversations than may be open: the one that was quiet longest is given up`() {
        var limits = Limits()
        limits.conversations = 2
        var sink = Transcript()
        var dissector = LiveDissector(limits: limits)
        let time = Timestamp(nanoseconds: 1)
        let first = dissector.begin(Self.opening(1), content: RawSpan(), number: 1, at: time, sink: &sink)
        let second = dissector.begin(Self.opening(2), content: RawSpan(), number: 2, at: time, sink: &sink)
        _ = dissector.receive(.bytes(Array("hello\n".utf8).rawBytes), from: .client, at: first, time, sink: &sink)
        _ = dissector.begin(Self.opening(3), content: RawSpan(), number: 3, at: time, sink: &sink)
        #expect(dissector.openCount == 2)
        #expect(sink.finished().contains("closed unknown evicted  client open 0 B  server open 0 B"))
        #expect(dissector.receive(.finished, from: .client, at: second, time, sink: &sink))
        #expect(!dissector.receive(.finished, from: .server, at: second, time, sink: &sink))
    }
}
