import Dissection
import Testing

@testable import Reports

/// Who fell silent, and whether it explains how the conversation ended: beats of protocols that send none beside other bytes, times that were
/// announced, pings without an answer.
@Suite struct HeartbeatSilenceTests {
    /// What comes, at which milliseconds.
    private enum Step {
        /// A payload of a format, with the word of `type` and numbers.
        case says(Int64, Side, StaticString, String, [(StaticString, UInt64)])
        case data(Int64, Side)
        case lost(Int64, Side)
    }

    private func says(_ at: Int64, _ from: Side, _ format: StaticString, _ type: String, _ numbers: [(StaticString, UInt64)] = []) -> Step {
        .says(at, from, format, type, numbers)
    }

    /// What is known at the end, which comes at so many milliseconds.
    private func end(_ steps: [Step], at end: Int64, by closer: Closing.Closer, how: Closing.Manner = .fin) -> HeartbeatReader.End {
        var reader = HeartbeatReader()
        func take(_ at: Int64, _ from: Side, _ decoded: DecodedPayload?, isLost: Bool = false) {
            let bytes = [UInt8](repeating: 0, count: 200)
            let message = Message(opcode: 2, length: 200, wireLength: 200, fragments: 1, compressed: false)
            let event = ConversationEvent(
                conversation: 1, from: from, place: Place(time: Timestamp(nanoseconds: at * 1_000_000)), offset: 0,
                fact: isLost ? .gap(Gap(length: 200, cause: .missing)) : .message(message), content: bytes.rawBytes)
            _ = reader.take(event, decoded)
        }
        for step in steps {
            switch step {
            case .says(let at, let from, let format, let type, let numbers):
                var decoded = DecodedPayload(of: format)
                decoded.note("type", .word(type))
                for (key, number) in numbers { decoded.note(key, .number(number)) }
                take(at, from, decoded)
            case .data(let at, let from): take(at, from, nil)
            case .lost(let at, let from): take(at, from, nil, isLost: true)
            }
        }
        return reader.end(1, Closing(by: closer, how: how), at: Timestamp(nanoseconds: end * 1_000_000))
    }

    /// A broker's client: CONNECT with a keep-alive in seconds, pings that are answered.
    private func mqtt(keepAlive: UInt64, pings: Range<Int64>, answered: Bool = true) -> [Step] {
        [says(0, .client, "mqtt", "CONNECT", [("keepAlive", keepAlive)]), says(10, .server, "mqtt", "CONNACK")]
            + pings.flatMap { number in
                [says(number * 4_000, .client, "mqtt", "PINGREQ")]
                    + (answered ? [says(number * 4_000 + 20, .server, "mqtt", "PINGRESP")] : [])
            }
    }

    @Test func `other bytes take the place of a ping of MQTT`() {
        let busy = (0..<60).map { Step.data(24_000 + $0 * 1_000, .client) }
        let end = end(mqtt(keepAlive: 4, pings: 1..<6) + busy, at: 84_000, by: .client)
        #expect(end.heartbeats.count == 1 && end.heartbeats[0].missed == 0 && !end.heartbeats[0].isOverdue, "\(end)")
        #expect(end.heartbeats.first?.answered == 5 && end.cause == nil)
    }

    @Test(arguments: ["nats", "irc"] as [String])
    func `the answer to a ping takes the place of none`(protocol name: String) {
        let format: StaticString = name == "nats" ? "nats" : "irc"
        let beats = (1..<7 as Range<Int64>).flatMap {
            [says($0 * 20_000, .server, format, "PING"), says($0 * 20_000 + 100, .client, format, "PONG")]
        }
        let end = end([.data(0, .server), .data(50, .client)] + beats, at: 125_000, by: .client)
        #expect(end.heartbeats.map(\.period) == [20_000_000_000], "\(end)")
        #expect(end.heartbeats.first?.sent == 6 && end.heartbeats.first?.answered == 6 && end.heartbeats.first?.isOverdue == false)
    }

    @Test func `pings between which something is sent each time are a row`() {
        let beats = (1..<8 as Range<Int64>).flatMap {
            [
                says($0 * 20_000, .client, "nats", "PING"), says($0 * 20_000 + 100, .server, "nats", "PONG"),
                .data($0 * 20_000 + 3_000 + $0 * 517, .server),
            ]
        }
        let end = end(beats, at: 145_000, by: .client)
        #expect(end.heartbeats.map(\.period) == [20_000_000_000], "\(end)")
        #expect(end.heartbeats.first?.sent == 7 && end.heartbeats.first?.answered == 7)
    }

    @Test func `the server of STOMP that hangs is overdue, not the client that sends`() {
        let beats = (0..<10 as Range<Int64>).flatMap {
            [says($0 * 1_000, .client, "stomp", "heartbeat"), says($0 * 1_000 + 300, .server, "stomp", "heartbeat")]
        }
        let end = end(beats + (0..<60).map { .data(10_000 + $0 * 500, .client) }, at: 41_000, by: .client)
        #expect(end.heartbeats.map(\.isOverdue) == [false, true], "\(end.heartbeats)")
        #expect(!end.heartbeats.contains { $0.isFirst })
        #expect(end.heartbeats.last?.silence == 31_700_000_000)
    }

    @Test func `an end of line after a frame of STOMP is no beat`() {
        let frames = (0..<8 as Range<Int64>).flatMap { [Step.data($0 * 2_000, .server), says($0 * 2_000, .server, "stomp", "heartbeat")] }
        #expect(end([says(0, .server, "stomp", "heartbeat")] + frames, at: 30_000, by: .client).heartbeats.isEmpty)
    }

    @Test func `a keep-alive that ran out explains that the server closed`() {
        let steps = mqtt(keepAlive: 4, pings: 1..<6) + [.data(25_000, .server)]
        let end = end(steps, at: 26_020, by: .server)
        #expect(end.cause?.kind == .keepAlive && end.cause?.waited == 6_020_000_000 && end.cause?.isCertain == true, "\(end)")
        #expect(end.heartbeats.map(\.explains) == [.certain])
        // The client closed itself, spoke, or said goodbye.
        #expect(self.end(steps, at: 26_020, by: .client).cause == nil)
        #expect(self.end(steps + [.data(25_100, .client)], at: 26_020, by: .server).cause == nil)
        #expect(self.end(steps + [says(20_500, .client, "mqtt", "DISCONNECT")], at: 27_000, by: .server).cause == nil)
    }

    @Test func `a client of Phoenix that sends no heartbeat is closed after 60 s`() {
        let joined = [says(0, .client, "phoenix", "phx_join"), says(10, .server, "phoenix", "phx_reply")]
        let broadcasts = (1..<6 as Range<Int64>).map { says($0 * 10_000, .server, "phoenix", "said") }
        let end = end(joined + broadcasts, at: 60_000, by: .server)
        #expect(end.cause?.kind == .usualIdle && end.cause?.waited == 60_000_000_000 && end.cause?.isCertain == true, "\(end)")
        #expect(end.cause?.silent == .client && end.heartbeats.map(\.explains) == [.certain])
        // Cowboy looks every 6 s.
        #expect(self.end(joined, at: 54_100, by: .server, how: .closeFrame).cause?.kind == .usualIdle)
        // The client closed itself, spoke since, or the time is another.
        #expect(self.end(joined, at: 60_000, by: .client).cause == nil)
        #expect(self.end(joined + [says(30_000, .client, "phoenix", "said")], at: 60_000, by: .server).cause == nil)
        #expect(self.end(joined, at: 62_000, by: .server).cause == nil)
        #expect(self.end(joined, at: 52_000, by: .server).cause == nil)
        // Nor is it another protocol's.
        #expect(self.end([.data(0, .client), .data(10, .server)], at: 60_000, by: .server).cause == nil)
    }

    @Test func `pings that were never answered are counted as such`() {
        let steps = mqtt(keepAlive: 4, pings: 1..<5, answered: false)
        let end = end(steps, at: 19_000, by: .client, how: .reset)
        #expect(end.heartbeats.first?.answered == 0)
        #expect(end.cause?.kind == .unanswered(4) && end.cause?.isCertain == false && end.cause?.silent == .server, "\(end)")
        // The answer may be in what was not captured.
        #expect(self.end(steps + [.lost(17_000, .server)], at: 19_000, by: .client, how: .reset).cause == nil)
    }

    @Test func `a client that the broker refused may be silent`() {
        func cause(_ reason: UInt64) -> HeartbeatCause? {
            let steps = [
                says(0, .client, "mqtt", "CONNECT", [("keepAlive", 4)]), says(10, .server, "mqtt", "CONNACK", [("reason", reason)]),
            ]
            return end(steps, at: 6_110, by: .server).cause
        }
        #expect(cause(0)?.kind == .keepAlive)
        #expect(cause(5) == nil)
    }

    @Test func `who says goodbye left for no ping`() {
        let steps = mqtt(keepAlive: 60, pings: 1..<5) + [says(20_000, .client, "mqtt", "PINGREQ")]
        #expect(end(steps, at: 22_000, by: .client).cause?.kind == .unanswered(1))
        #expect(end(steps + [says(21_990, .client, "mqtt", "DISCONNECT")], at: 22_000, by: .client).cause == nil)
        let leaves = open + [says(25_000, .client, "engine.io", "ping"), says(30_200, .client, "engine.io", "close")]
        #expect(end(leaves, at: 30_300, by: .client).cause == nil)
        // One that complains that the other side was silent is none.
        let complains = mqtt(keepAlive: 4, pings: 1..<6) + [says(26_000, .server, "mqtt", "DISCONNECT", [("reason", 141)])]
        #expect(end(complains, at: 26_020, by: .server).cause?.kind == .keepAlive)
    }

    /// Why the client closed 5 s after a WebSocket ping that the server did not answer, 10 ms after it said `words`, where it said something.
    private func cause(after words: [UInt8]?, by speaker: Side = .client, thenPings: Bool = false) -> HeartbeatCause? {
        var (reader, payloads) = (HeartbeatReader(), PayloadReader(.standard))
        func take(_ at: Int64, _ from: Side, _ fact: Fact, _ content: [UInt8] = []) {
            let event = ConversationEvent(
                conversation: 1, from: from, place: Place(time: Timestamp(nanoseconds: at * 1_000_000)), offset: 0, fact: fact,
                content: content.rawBytes)
            let decoded = payloads.read(event)
            _ = reader.take(event, decoded)
        }
        if words?.starts(with: Array("42".utf8)) == true {
            let target = Array("/socket.io/?EIO=4&transport=websocket".utf8)
            var upgrade = Upgrade(protocolName: ByteRange(), accepted: true)
            upgrade.target = ByteRange(0..<target.count)
            take(0, .server, .upgrade(upgrade), target)
        }
        take(0, .client, .ping)
        take(20, .server, .pong(Pong(roundTrip: nil, unsolicited: false)))
        take(20_000, .client, .ping)
        if let words {
            let length = UInt64(words.count)
            take(24_990, speaker, .message(Message(opcode: 1, length: length, wireLength: length, fragments: 1, compressed: false)), words)
        }
        if thenPings { take(24_995, .client, .ping) }
        take(25_000, .client, .close(CloseFrame(code: nil)))
        return reader.end(1, Closing(by: .client, how: .closeFrame), at: Timestamp(nanoseconds: 25_000_000_000)).cause
    }

    @Test(arguments: [
        #"{"type":"logout"}"#, #"{"user":"ana","cmd":"sign_out","at":17}"#, #"{"jsonrpc":"2.0","method":"logout"}"#, #"42["disconnect"]"#,
        "QUIT\r\n",
    ])
    func `a client that signs off by a word of the app's own left for no ping`(words: String) {
        #expect(cause(after: Array(words.utf8)) == nil)
        // Unless it goes on.
        #expect(cause(after: Array(words.utf8), thenPings: true)?.kind == .unanswered(2))
    }

    @Test(arguments: [
        nil, #"{"type":"text","text":"bye"}"#, #"{"msg":"bye"}"#, "bye everybody", #"{"type":"logout"}{"#, "disconnected", "{}", "\n",
    ])
    func `what is no word for it explains nothing`(words: String?) {
        #expect(cause(after: words.map { Array($0.utf8) })?.kind == .unanswered(1), "\(words ?? "nothing")")
    }

    @Test(arguments: [
        (1000 as UInt16?, "user left", true), (1001, "", true), (1000, "Ping timeout", false), (1011, "keepalive", false), (nil, "", false),
    ])
    func `a Close frame that says that all went well is a goodbye`(code: UInt16?, reason: String, isGoodbye: Bool) {
        let bytes = Array(reason.utf8)
        let found = HeartbeatGoodbye.isIn(CloseFrame(code: code), reason: bytes.rawBytes)
        #expect(found == isGoodbye)
    }

    @Test func `a side that has always answered late is not blamed before twice that time`() {
        let steps = (1..<6 as Range<Int64>).flatMap {
            [says($0 * 20_000, .client, "mqtt", "PINGREQ"), says($0 * 20_000 + 2_000, .server, "mqtt", "PINGRESP")]
        }
        let last = [says(120_000, .client, "mqtt", "PINGREQ")]
        #expect(end(steps + last, at: 121_500, by: .client).cause == nil)
        #expect(end(steps + last, at: 124_100, by: .client).cause?.kind == .unanswered(1))
    }

    /// Pings every 5 s, of which the first are data with their line end; the client ends it at 60.5 s.
    ///
    /// - Parameter clocks: nanoseconds that the clock is off while there is data, and from then on.
    private func lines(data: Int64, messages: Int64, clocks: (Int64, Int64) = (0, 0)) -> [HeartbeatSummary] {
        var reader = HeartbeatReader()
        func take(_ at: Int64, _ from: Side, _ word: String, isData: Bool) {
            let message = Message(opcode: 1, length: 4, wireLength: 5, fragments: 1, compressed: false)
            let bytes = Array((isData ? word + "\n" : word).utf8)
            let time = Timestamp(nanoseconds: at * 1_000_000 + (isData ? clocks.0 : clocks.1))
            let event = ConversationEvent(
                conversation: 1, from: from, place: Place(time: time), offset: 0,
                fact: isData ? .data(DataRun(length: 5)) : .message(message), content: bytes.rawBytes)
            _ = reader.take(event, nil)
        }
        for number in 0..<data + messages {
            take(5_000 + number * 5_000, .client, "PING", isData: number < data)
            take(5_020 + number * 5_000, .server, "PONG", isData: number < data)
        }
        return reader.end(1, Closing(by: .client, how: .fin), at: Timestamp(nanoseconds: 60_500_000_000)).heartbeats
    }

    @Test func `a row goes on where its side begins to be framed`() {
        let joined = lines(data: 4, messages: 7)
        #expect(joined.count == 1 && joined.first?.sent == 11 && joined.first?.answered == 11, "\(joined)")
        #expect(joined.first?.isOverdue == false)
        // Two messages are no row of their own, and go on with the one before.
        let few = lines(data: 9, messages: 2)
        #expect(few.count == 1 && few.first?.sent == 11 && few.first?.isOverdue == false, "\(few)")
        // Without framing, silence is silence.
        #expect(lines(data: 5, messages: 0).map(\.isOverdue) == [true])
        // Nor does a row go on across centuries.
        #expect(lines(data: 4, messages: 7, clocks: (9_200_000_000_000_000_000, -9_200_000_000_000_000_000)).count <= 2)
    }

    @Test func `a side of which nothing was captured is not blamed`() {
        let pings = (1..<6 as Range<Int64>).map { says($0 * 4_000, .client, "mqtt", "PINGREQ") }
        #expect(end(pings, at: 24_000, by: .client).cause == nil)
    }

    private let open: [Step] = [
        .says(0, .server, "engine.io", "open", [("pingInterval", 25_000), ("pingTimeout", 5_000)]), .data(5, .client),
    ]

    @Test func `a ping timeout that was announced and is over explains the end, surely`() {
        let end = end(open + [says(25_000, .client, "engine.io", "ping")], at: 30_300, by: .client)
        #expect(end.cause?.kind == .unanswered(1) && end.cause?.timeout == 5_000_000_000 && end.cause?.isCertain == true, "\(end)")
        // One ping is no row, and is told because it explains the end.
        #expect(end.heartbeats.map(\.isRow) == [false] && end.heartbeats.map(\.explains) == [.certain])
        // Before it is over, another reason ended it.
        #expect(self.end(open + [says(25_000, .client, "engine.io", "ping")], at: 28_000, by: .client).cause == nil)
    }

    /// Polls with `target`, whose response is `body`, then opens a WebSocket with `sid`; the client ends it at 30.3 s after a ping at 25 s.
    private func afterPolling(_ body: String, sid: String) -> HeartbeatReader.End {
        var payloads = PayloadReader(.standard)
        var reader = HeartbeatReader()
        func take(_ at: Int64, _ from: Side, _ fact: Fact, _ content: [UInt8], asked: [UInt8] = [], in conversation: UInt64) {
            let event = ConversationEvent(
                conversation: conversation, from: from, place: Place(time: Timestamp(nanoseconds: at * 1_000_000)), offset: 0, fact: fact,
                content: content.rawBytes, asked: asked.rawBytes)
            let decoded = payloads.read(event)
            _ = reader.take(event, decoded)
        }
        let polling = Array("/socket.io/?EIO=4&transport=polling".utf8)
        let asked = AskedRequest(exchange: 1, method: ByteRange(), target: ByteRange(0..<polling.count))
        let head = ResponseHead(status: 200, version: ByteRange(), reason: ByteRange(), fields: ByteRange(), latency: nil, asked: asked)
        take(0, .server, .response(head), [], asked: polling, in: 1)
        let length = UInt64(body.utf8.count)
        let part = BodyPart(length: length, wireLength: length, part: 1, final: true, payload: ByteRange(0..<body.utf8.count))
        take(1, .server, .body(part), Array(body.utf8), in: 1)
        let target = Array("/socket.io/?EIO=4&transport=websocket&sid=\(sid)".utf8)
        var upgrade = Upgrade(protocolName: ByteRange(), accepted: true)
        upgrade.target = ByteRange(0..<target.count)
        take(10, .server, .upgrade(upgrade), target, in: 2)
        let message = Message(opcode: 1, length: 1, wireLength: 1, fragments: 1, compressed: false)
        take(20, .server, .message(message), Array("6".utf8), in: 2)
        take(25_000, .client, .message(message), Array("2".utf8), in: 2)
        return reader.end(2, Closing(by: .client, how: .fin), at: Timestamp(nanoseconds: 30_300_000_000))
    }

    @Test(arguments: [
        #"0{"sid":"abc","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":5000}"#,
        #"0{"sid":"abc","pingInterval":25000,"pingTimeout":5000}"# + "\u{1e}40",
    ])
    func `what a session announced while it was polled holds for its WebSocket`(body: String) {
        let end = afterPolling(body, sid: "abc")
        #expect(end.cause?.kind == .unanswered(1) && end.cause?.timeout == 5_000_000_000 && end.cause?.isCertain == true, "\(end)")
        // Another session announced nothing.
        #expect(afterPolling(body, sid: "abcd").cause?.timeout == nil)
    }

    @Test func `a ping that was announced and did not come explains the end`() {
        let steps =
            open + [says(25_000, .server, "engine.io", "ping"), says(25_001, .client, "engine.io", "pong"), .data(40_000, .client)]
        let end = end(steps, at: 55_010, by: .client)
        #expect(end.cause?.kind == .noPing && end.cause?.silent == .server && end.cause?.timeout == 30_000_000_000, "\(end)")
        #expect(self.end(steps, at: 50_000, by: .client).cause == nil)
    }

    @Test func `a client id that connects again ends the conversation before`() {
        func cause(_ second: String, closedAfter: Int64) -> HeartbeatCause.Kind? {
            var reader = HeartbeatReader()
            func connect(_ number: UInt64, _ at: Int64, _ id: String) {
                var decoded = DecodedPayload(of: "mqtt")
                decoded.note("type", .word("CONNECT"))
                decoded.note("clientId", .text(id.bytes))
                let message = Message(opcode: 2, length: 20, wireLength: 20, fragments: 1, compressed: false)
                let event = ConversationEvent(
                    conversation: number, from: .client, place: Place(time: Timestamp(nanoseconds: at * 1_000_000)), offset: 0,
                    fact: .message(message), content: [UInt8](repeating: 0, count: 20).rawBytes)
                _ = reader.take(event, decoded)
            }
            connect(1, 0, "me")
            connect(2, 1_000, second)
            return reader.end(1, Closing(by: .server, how: .fin), at: Timestamp(nanoseconds: (1_000 + closedAfter) * 1_000_000)).cause?.kind
        }
        #expect(cause("me", closedAfter: 5) == .takenOver(by: 2))
        #expect(cause("you", closedAfter: 5) == nil)
        #expect(cause("me", closedAfter: 5_000) == nil)
    }

    @Test func `pings that were announced and that neither side sends explain the end`() {
        let steps = open + [.data(40_000, .client)]
        let end = end(steps, at: 61_000, by: .server)
        #expect(end.cause?.kind == .neverPinged && end.cause?.timeout == 25_000_000_000, "\(end)")
        // One may still be on its way; and who gets pings knows who sends them.
        #expect(self.end(steps, at: 55_000, by: .server).cause == nil)
        let pinged = open + [says(25_000, .server, "engine.io", "ping"), says(25_010, .client, "engine.io", "pong")]
        #expect(self.end(pinged + [.data(40_000, .client)], at: 61_000, by: .server).cause?.kind != .neverPinged)
    }

    @Test func `what both sides of STOMP promise holds at the longer of the two times`() {
        func frame(_ command: String, _ beats: String) -> DecodedPayload {
            var decoded = DecodedPayload(of: "stomp")
            decoded.note("command", .word(command))
            decoded.note("headers", .fields([.init("heart-beat".bytes, beats.bytes, at: 0..<0)]))
            return decoded
        }
        var timeouts = HeartbeatTimeouts()
        STOMP.note(frame("CONNECT", "2000,10000"), in: &timeouts)
        STOMP.note(frame("CONNECTED", "5000,3000"), in: &timeouts)
        #expect(timeouts.keepAlive == 3_000_000_000 && timeouts.serverKeepAlive == 10_000_000_000)
        STOMP.note(frame("CONNECTED", "0,0"), in: &timeouts)
        #expect(timeouts.keepAlive == 0 && timeouts.serverKeepAlive == 0)
    }

    @Test func `the words for it`() {
        func words(_ cause: HeartbeatCause) -> String {
            var line = TextLine(width: 200, usesColor: false)
            line.append(cause)
            return String(decoding: line.buffer.bytes.copy, as: UTF8.self)
        }
        func cause(_ kind: HeartbeatCause.Kind, _ waited: Int64, _ timeout: Int64?, _ isCertain: Bool) -> HeartbeatCause {
            HeartbeatCause(
                kind: kind, from: .client, beats: .ping, silent: .server, waited: waited * 1_000_000,
                timeout: timeout.map { $0 * 1_000_000 },
                isCertain: isCertain)
        }
        #expect(
            words(cause(.unanswered(1), 5_300, 5_000, true)) == ", 5.3 s after a ping that the server did not answer (ping timeout 5.0 s)")
        #expect(
            words(cause(.unanswered(4), 18_000, nil, false))
                == ", 18 s after the first of 4 pings that the server did not answer, which may be why")
        #expect(words(cause(.keepAlive, 6_020, 4_000, true)) == ": the server sent nothing for 6.0 s, 1.5 times its keep-alive of 4.0 s")
        #expect(
            words(cause(.noPing, 8_010, 8_000, true))
                == ": the server sent nothing for 8.0 s; ping interval and timeout together are 8.0 s")
    }
}
