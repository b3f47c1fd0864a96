import Dissection
import Support
import Testing

/// What is still found where bytes are missing, in which order findings stand, and how often.
@Suite("HTTP/2, what is certain")
struct HTTP2CertaintyTests {
    private typealias Frames = HTTP2Frames

    /// What is told from the first request on, however the bytes are cut.
    private func told(_ talk: Talk, _ location: SourceLocation = #_sourceLocation) -> [String] {
        let told = talk.transcript()
        if let difference = talk.difference(from: told) { Issue.record("\(difference)", sourceLocation: location) }
        return told
    }

    private func found(_ talk: Talk, _ location: SourceLocation = #_sourceLocation) -> [String] {
        told(talk, location).filter { $0.contains("! ") }.compactMap {
            $0.split(separator: "! ").last.map { String($0.prefix { $0 != " " }) }
        }
    }

    /// A head with capitals and a field of HTTP/1.
    private let bad = Frames.get(3, "/", [("X-UPPER", "1"), ("connection", "close")])
    private let onStream = Frames.frame(6, stream: 3, [1, 2, 3, 4, 5, 6, 7, 8])

    @Test("after a loss of the server, the client is judged by what it says alone")
    func lossOfServer() {
        let talk = Frames.talk([
            .client(Frames.get(1)), .server(Frames.ok(1)), .gap(.server, 20, .missing), .client(bad + onStream),
            .server(Frames.ok(3, end: true) + Frames.window(0, 0) + Frames.ping()),
        ])
        #expect(
            found(talk) == ["http2.name-upper-case", "http2.connection-field", "http2.stream-unexpected", "http2.window-zero"],
            "\(told(talk))")
    }

    @Test("a packet of the client that waits for lost ones of the server, and was acknowledged by then, is judged")
    func waitingPacket() {
        let (asks, answer) = (Frames.client + Frames.accepted + Frames.get(1), Frames.server + Frames.accepted + Frames.ok(1))
        let lost = Frames.data(1, "lost", end: true).count
        let (second, third) = (Frames.get(3), Frames.ok(3, end: true))
        let behind = answer.count + lost
        let segments = Segments().handshake().packet(.client, asks).packet(.server, answer, ack: asks.count)
            .packet(.client, second, at: asks.count, ack: behind)
            .packet(.server, third, at: behind, ack: asks.count + second.count)
            .packet(.client, onStream, at: asks.count + second.count, ack: behind + third.count)
            .packet(.server, ack: asks.count + second.count + onStream.count)
        #expect(segments.findings().contains { $0.contains("http2.stream-unexpected") }, "\(segments.findings())")
    }

    @Test("after a loss of its own, a side is judged by what reads as nothing else")
    func lossOfClient() {
        let talk = Frames.talk([
            .client(Frames.get(1)), .server(Frames.ok(1, end: true)), .gap(.client, 20, .missing),
            .client(Frames.ping() + Frames.ping() + bad + onStream), .server(Frames.ok(3, end: true) + Frames.ok(3, end: true)),
        ])
        #expect(found(talk) == ["http2.name-upper-case", "http2.connection-field"], "\(told(talk))")
    }

    @Test("a finding stands after what it is about")
    func order() {
        func positions(_ talk: Talk, _ row: String, _ subject: String) -> (finding: Int?, subject: Int?) {
            let told = told(talk)
            return (told.firstIndex { $0.contains("! \(row) ") }, told.firstIndex { $0.contains(subject) })
        }
        let priority: [UInt8] = [0, 0, 0, 3, 15]
        let asking = Frames.frame(
            1, flags: 0x25, stream: 3,
            priority + Frames.block([(":method", "GET"), (":scheme", "http"), (":path", "/self"), (":authority", "x")]))
        for (frames, row, subject) in [
            (asking, "http2.depends-on-itself", "request GET /self"),
            (Frames.frame(2, stream: 3, priority), "http2.depends-on-itself", " priority"),
            (onStream, "http2.stream-unexpected", " ping"), (Frames.data(99, "idle"), "http2.stream-idle", "data \"idle\""),
            (Frames.get(2, "/even"), "http2.stream-parity", "request GET /even"),
        ] as [([UInt8], String, String)] {
            let found = positions(Frames.talk([.client(frames), .server(Frames.ping())]), row, subject)
            #expect(found.finding != nil && found.finding == found.subject.map { $0 + 1 }, "\(row)")
        }
    }

    @Test("what comes with every head of a capture that begins late is told a hundred times, and then counted")
    func repeatedNotes() {
        let unknown = (0..<150).flatMap { Frames.frame(1, flags: 5, stream: UInt32(2 * $0 + 11), [0x82, 0x84, 0x86, 0xBE, 0xC0]) }
        let talk = Frames.talk([.gap(.client, 20, .missing), .client(Frames.ping() + Frames.ping() + Frames.ping() + unknown)])
        let told = talk.findings()
        #expect(told.count { $0.contains("http2.fields-unknown:") } == 100)
        #expect(told.contains { $0.contains("left out: 2 (table entries 62, 64)") }, "\(told.prefix(3))")
        #expect(told.contains { $0.contains("http2.fields-unknown was found 50 more times") }, "\(told.suffix(3))")
    }

    @Test("a stream that depends on another one has a record")
    func priority() {
        let told = told(Frames.talk([.client(Frames.frame(2, stream: 5, [0x80, 0, 0, 3, 15]))]))
        #expect(told.contains { $0.hasPrefix("> #5 @33 priority") }, "\(told)")
    }

    @Test("three hundred resets within a second are a flood, whenever that second begins")
    func slidingSecond() {
        let numbers = (0..<301).map { UInt32(2 * $0 + 1) }
        let cancelled = numbers.map { Frames.get($0) + Frames.reset($0, 8) }
        let first = Frames.client + cancelled[0]
        // One by itself, and most of a second later all others: by then a second that began with the first is nearly over.
        var segments = Segments().handshake().packet(.client, first).packet(.server, Frames.server + Frames.accepted, ack: first.count)
        for _ in 0..<800 { segments = segments.packet(.server, ack: first.count) }
        var offset = first.count
        for one in cancelled.dropFirst() {
            segments = segments.packet(.client, one, at: offset, ack: 18)
            offset += one.count
        }
        #expect(segments.findings().count { $0.contains("http2.rapid-reset") } == 1)
    }
}
