import Dissection
import Support
import Testing

/// Line ends of STOMP and Redis between messages: those that follow a frame, and those that keep a connection alive.
@Suite struct LineEndTests {
    private static let connect: [Talk.Step] = [
        .client("CONNECT\naccept-version:1.2\n\n\0"), .server("CONNECTED\nversion:1.2\n\n\0\n"),
    ]

    /// The head of a frame without headers.
    private static let message = "4d 45 53 53 41 47 45 0a 0a"

    /// What the lines say of messages and data, without offsets.
    private func told(_ lines: [String]) -> [String] {
        lines.filter { $0.contains(" message ") || $0.contains(" data ") }.map {
            $0.split(separator: " ").dropFirst(2).joined(separator: " ")
        }
    }

    @Test func aLineEndThatComesWithAFrameFollowsIt() {
        let talk = Talk(Self.connect + [.server("MESSAGE\n\na\0\n\r\n"), .client("SEND\n\nb\0\n"), .server("MESSAGE\n\nc\0")])
        let told = FramedMessages.told(talk)
        #expect(
            self.told(told).dropFirst(2) == [
                // Line ends are of no message; the one before the next counts as a header does.
                "message 11/12 B \(Self.message) 61 00", "message 8 B 53 45 4e 44 0a 0a 62 00", "message 11/14 B \(Self.message) 63 00",
                // After the last one they are a heartbeat.
                #"message 1 B "\n""#,
            ], "\(told)")
        // However many there are, only so many follow a frame.
        let many = FramedMessages.told(Talk(Self.connect + [.server("MESSAGE\n\na\0" + String(repeating: "\n", count: 70))]))
        let beats = self.told(many).filter { $0.hasSuffix(#""\n""#) }
        #expect(beats == [#"message 1/65 B "\n""#] + Array(repeating: #"message 1 B "\n""#, count: 5), "\(many)")
    }

    /// Plays steps at times, in milliseconds.
    private func told(_ steps: [(Int64, Talk.Step)]) -> [String] {
        let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
        var conversation = Conversation(
            number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake, forced: nil, limits: Limits(),
            place: Place())
        var sink = Transcript()
        conversation.open(sink: &sink)
        for (millisecond, step) in steps {
            guard case .bytes(let side, let bytes) = step else { continue }
            let place = Place(time: Timestamp(nanoseconds: millisecond * 1_000_000))
            conversation.receive(.bytes(bytes.rawBytes), direction: side == .client ? .first : .second, place: place, sink: &sink)
        }
        return told(sink.finished())
    }

    @Test func aLineEndThatComesLaterIsAHeartbeat() {
        let start = Self.connect.map { (Int64(0), $0) }
        let beats = told(
            start + [(10_000, .server("\n")), (10_500, .server("MESSAGE\n\na\0\n")), (20_000, .server("\n")), (30_000, .server("\n"))])
        #expect(
            beats.dropFirst(2) == [
                #"message 1/2 B "\n""#, "message 11 B \(Self.message) 61 00", #"message 1/2 B "\n""#, #"message 1 B "\n""#,
            ], "\(beats)")
        // A segment may end behind NUL.
        let cut = told(start + [(1_000, .server("MESSAGE\n\na\0")), (1_001, .server("\n")), (2_000, .server("MESSAGE\n\nb\0"))])
        #expect(cut.dropFirst(2) == ["message 11/12 B \(Self.message) 61 00", "message 11/12 B \(Self.message) 62 00"], "\(cut)")
    }

    private static let resync = "+FULLRESYNC 40737c180c79d7f86ad1bc901b0140f37252640e 0\r\n"

    @Test func aSnapshotOfRedisHasNoLineEnd() {
        let start: [Talk.Step] = [.client("*3\r\n$5\r\nPSYNC\r\n$1\r\n?\r\n$2\r\n-1\r\n"), .server("\n\n" + Self.resync)]
        let commands = "*1\r\n$4\r\nping\r\n*2\r\n$4\r\nincr\r\n$1\r\nn\r\n"
        let known = FramedMessages.told(Talk(start + [.server("\n$9\r\nREDIS0010" + commands)]))
        #expect(
            told(known).dropFirst() == [
                #"message 1 B "\n""#, #"message 1 B "\n""#,
                #"message 56 B "+FULLRESYNC 40737c180c79d7f86ad1bc901b0140f37252640e 0\r\n""#, #"message 1 B "\n""#,
                #"message 13 B "$9\r\nREDIS0010""#, #"message 14 B "*1\r\n$4\r\nping\r\n""#,
                #"message 21 B "*2\r\n$4\r\nincr\r\n$1\r\nn\r\n""#,
            ], "\(known)")
        // Its end may be a mark, whose beginning stands in it as well.
        let mark = "aab" + String(repeating: "0", count: 37)
        let unknown = FramedMessages.told(Talk(start + [.server("$EOF:\(mark)\r\nREDIS\r\naaab00a\(mark)" + commands)]))
        #expect(told(unknown).count { $0.contains("message") } == 7 && !unknown.contains { $0.contains("!") }, "\(unknown)")
        // SYNC is answered with it, without a line before it.
        let sync = FramedMessages.told(
            Talk([
                .client("*1\r\n$4\r\nPING\r\n"), .server("+PONG\r\n"), .client("SYNC\r\n"),
                .server("$EOF:\(mark)\r\nREDIS\r\naaab00a\(mark)" + commands),
            ]))
        #expect(told(sync).count { $0.contains("message") } == 6 && !sync.contains { $0.contains("!") }, "\(sync)")
        let nested = FramedMessages.told(Talk([.client("*1\r\n$4\r\nPING\r\n"), .server("*1\r\n$EOF:\(mark)\r\n")]))
        #expect(nested.contains { $0.contains("framing.not-of-protocol") }, "\(nested)")
        // Nothing else is a snapshot.
        let text = FramedMessages.told(Talk([.client("*1\r\n$4\r\nPING\r\n"), .server("+FULLRESYN \r\n$4\r\nPONG\r\n+OK\r\n")]))
        #expect(told(text).count == 4 && !text.contains { $0.contains("!") }, "\(text)")
        let short = FramedMessages.told(Talk(start + [.server("$EOF:12345\r\n")]))
        #expect(short.contains { $0.contains("framing.not-of-protocol") }, "\(short)")
    }
}
