import Dissection
import Testing

@testable import Reports

/// Signs of life: found by what they are, or by their times; told at the end of their conversation; left out where nobody wants them.
@Suite struct HeartbeatTests {
    /// What a report prints of a conversation on raw messages that opens at 0 and ends at `end`, in milliseconds.
    private func text(
        hides: Bool = false, end: Int64, by closer: Closing.Closer = .server, how: Closing.Manner = .fin,
        _ talk: (inout Dialogue<TextReport>) -> Void
    ) -> [String] {
        var settings = TextSettings(width: 150)
        settings.hidesHeartbeats = hides
        var dialogue = Dialogue(TextReport(Output(), settings: settings))
        dialogue.say(0, nil, .opened(RecordScript.opening))
        talk(&dialogue)
        dialogue.say(end, nil, .closed(Closing(by: closer, how: how, client: SideTotals(), server: SideTotals())))
        return String(decoding: dialogue.report.takeBytes(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func ping(_ dialogue: inout Dialogue<TextReport>, _ at: Int64, answered: Bool = true) {
        dialogue.say(at, .client, .ping)
        if answered { dialogue.say(at + 12, .server, .pong(Pong(roundTrip: 12_000_000, unsolicited: false))) }
    }

    @Test func `pings at regular times are a line before the end`() {
        let lines = text(end: 130_000) { dialogue in
            for number in 0..<5 as Range<Int64> { ping(&dialogue, number * 30_000 + number % 2 * 40) }
        }
        #expect(lines.contains("    heartbeat of the client: WebSocket pings every 30 s (± 80 ms), 5 sent, 5 answered"), "\(lines)")
    }

    @Test func `three intervals are needed, and regular ones`() {
        let three = text(end: 130_000) { dialogue in for number in 0..<3 as Range<Int64> { ping(&dialogue, number * 30_000) } }
        #expect(!three.contains { $0.contains("heartbeat") }, "\(three)")
        let odd = text(end: 130_000) { dialogue in for at in [0, 7_000, 31_000, 33_000, 80_000, 83_000] as [Int64] { ping(&dialogue, at) } }
        #expect(!odd.contains { $0.contains("heartbeat") }, "\(odd)")
    }

    @Test func `those that are missing are counted, and silence at the end is told`() {
        let lines = text(end: 190_000) { dialogue in
            for number in [0, 1, 2, 3, 6] as [Int64] { ping(&dialogue, number * 20_000, answered: number < 6) }
        }
        let expected = "    heartbeat of the client: WebSocket pings every 20 s, 5 sent, 4 answered, 2 missing, none in the last 1 min 10 s"
        #expect(lines.contains(expected), "\(lines)")
    }

    /// Pings every 20 s, of which the capture has some, and in the place of others of one side a gap.
    private func lossy(_ numbers: [Int64], gap: Side, after last: Int64, end: Int64) -> String? {
        let lines = text(end: end) { dialogue in
            for number in numbers {
                ping(&dialogue, number * 20_000)
                if number == last { dialogue.say(number * 20_000 + 30_000, gap, .gap(Gap(length: 16, cause: .missing))) }
            }
        }
        return lines.first { $0.contains("heartbeat") }
    }

    @Test func `beats that the capture may have lost are missed by nobody`() {
        let seen = "    heartbeat of the client: WebSocket pings every 20 s, 6 seen; the gaps may hide others"
        #expect(lossy([0, 1, 2, 3, 6, 7], gap: .client, after: 3, end: 150_000) == seen)
        // The other side's gap may hide answers; those that are missing are missing.
        #expect(lossy([0, 1, 2, 3, 6, 7], gap: .server, after: 3, end: 150_000)?.hasSuffix(" 6 sent, 2 missing") == true)
        // Those after the gap that are missing were not sent.
        #expect(lossy([0, 1, 2, 4, 5, 6, 8], gap: .client, after: 2, end: 170_000)?.hasSuffix(", 1 missing") == true)
        // After a gap nobody is silent who may have spoken in it.
        #expect(lossy([0, 1, 2, 3, 4, 5], gap: .client, after: 5, end: 190_000) == seen)
    }

    @Test func `the same message at regular times is a heartbeat, and what answers it`() {
        let lines = text(end: 60_500) { dialogue in
            for number in 0..<7 as Range<Int64> {
                dialogue.message(number * 10_000, .client, "{\"type\":\"ping\",\"seq\":\(number)}".bytes)
                dialogue.message(number * 10_000 + 30, .server, "{\"type\":\"pong\",\"seq\":\(number)}".bytes)
                dialogue.message(number * 10_000 + 3_000 + number * number * 100, .client, "{\"text\":\"line \(number)\"}".bytes)
            }
        }
        #expect(
            lines.filter { $0.contains("heartbeat") } == ["    heartbeat of the client: a message every 10 s, 7 sent, 7 answered"],
            "\(lines)")
    }

    @Test(arguments: [
        #"{"cmd":"transfer","amount":N,"memo":"heartbeat"}"#, "transfer N to shipping", "move N in pingpong",
        #"{"type":"ping","text":"N"}"#,
    ])
    func `a word for it somewhere in a message makes no heartbeat`(message: String) {
        let lines = text(hides: true, end: 20_000) { dialogue in
            for number in 0..<8 as Range<Int64> {
                dialogue.message(number * 2_000, .client, message.replacing("N", with: "\(number)").bytes)
            }
        }
        #expect(!lines.contains { $0.contains("heartbeat of") || $0.contains("left out") }, "\(lines)")
    }

    @Test func `prices that come every second are no heartbeat`() {
        let lines = text(end: 20_000) { dialogue in
            for number in 0..<20 as Range<Int64> { dialogue.message(number * 1_000, .server, "{\"price\":\(100 + number % 7)}".bytes) }
        }
        #expect(!lines.contains { $0.contains("heartbeat") }, "\(lines)")
    }

    @Test func `a feed of few values has no heartbeat`() {
        let values = [1, 2, 1, 1, 2, 2, 1, 2, 1, 1, 1, 2, 2, 1, 1, 2, 1, 1, 1, 1, 1]
        let lines = text(hides: true, end: 25_000) { dialogue in
            for (second, value) in values.enumerated() {
                dialogue.message(Int64(second) * 1_000, .server, "{\"price\":\"\(value)\"}".bytes)
            }
        }
        #expect(!lines.contains { $0.contains("heartbeat") }, "\(lines)")
    }

    @Test func `what a client asks for again and again is no heartbeat of the server`() {
        let lines = text(end: 160_000) { dialogue in
            dialogue.message(0, .client, "{\"op\":\"poll\"}".bytes)
            for number in 1..<9 as Range<Int64> {
                dialogue.message(number * 10_000, .server, "{\"events\":[]}".bytes)
                if number < 8 { dialogue.message(number * 10_000 + 1, .client, "{\"op\":\"poll\"}".bytes) }
            }
        }
        #expect(!lines.contains { $0.contains("heartbeat") }, "\(lines)")
    }

    @Test func `the side that stopped first is named`() {
        let lines = text(end: 100_000, by: .unknown) { dialogue in
            for number in 0..<5 as Range<Int64> { dialogue.message(number * 5_000, .client, "alive".bytes) }
            for number in 0..<9 as Range<Int64> { dialogue.message(number * 5_000 + 700, .server, "hello".bytes) }
        }
        #expect(
            lines.contains { $0.hasPrefix("    heartbeat of the client") && $0.hasSuffix("none in the last 1 min 20 s: it stopped first") },
            "\(lines)")
        #expect(lines.contains { $0.hasPrefix("    heartbeat of the server") && $0.hasSuffix("none in the last 59 s") }, "\(lines)")
    }

    @Test func `messages that differ in a counter and a time are a heartbeat, and so is what answers them`() {
        let lines = text(end: 80_000, by: .client) { dialogue in
            for number in 0..<8 as Range<Int64> {
                let beat: [UInt8] = [0x08, 5, 0x10, UInt8(number + 3), 0x30, UInt8(0x80 | number * 8), 0x64]
                dialogue.message(number * 10_000, .client, beat, opcode: 2)
                if number < 5 { dialogue.message(number * 10_000 + 50, .server, [0x08, 5, 0x10, UInt8(number + 3)], opcode: 2) }
            }
        }
        let told = lines.filter { $0.contains("heartbeat") }
        #expect(told.first == "    heartbeat of the client: a message every 10 s, 8 sent, 5 answered", "\(lines)")
        let end = "    closed by the client (FIN), 30 s after the first of 3 heartbeats that the server did not answer, which may be why"
        #expect(told.last?.hasPrefix(end) == true && told.count == 2, "\(lines)")
    }

    @Test func `numbers that go up and down, and text that counts, are no heartbeat`() {
        for bytes in [
            { (number: Int64) in [0x08, 5, 0x10, UInt8(100 + number * 7 % 5)] },
            { (number: Int64) in [0x08, 5, 0x12, 20] + Array("line of the chat \(100 + number)".utf8) },
        ] {
            let lines = text(hides: true, end: 80_000) { dialogue in
                for number in 0..<8 as Range<Int64> { dialogue.message(number * 10_000, .client, bytes(number), opcode: 2) }
            }
            #expect(!lines.contains { $0.contains("heartbeat") }, "\(lines)")
        }
    }

    @Test func `a number that only grows is enough where the same answer comes`() {
        func told(answers: Bool) -> [String] {
            text(end: 260_000) { dialogue in
                for (number, seen) in [1, 4, 7, 50, 51, 120].enumerated() {
                    dialogue.message(Int64(number) * 40_000, .client, "{\"op\":1,\"d\":\(seen)}".bytes)
                    if answers { dialogue.message(Int64(number) * 40_000 + 50, .server, "{\"op\":11}".bytes) }
                }
            }.filter { $0.contains("heartbeat of") }
        }
        #expect(told(answers: true) == ["    heartbeat of the client: a message every 40 s, 6 sent, 6 answered"])
        #expect(told(answers: false) == [])
    }

    @Test func `a side that speaks at regular times because it is asked has no heartbeat`() {
        let lines = text(hides: true, end: 10_000) { dialogue in
            for number in 0..<8 as Range<Int64> {
                dialogue.message(number * 1_000, .client, "say \(number * number) words to the channel".bytes)
                dialogue.message(number * 1_000 + 30, .server, "404 cannot send to channel".bytes)
            }
        }
        #expect(!lines.contains { $0.contains("heartbeat") }, "\(lines)")
    }

    @Test func `a talk that is lively does not hide one`() {
        let lines = text(end: 301_000) { dialogue in
            for number in 0..<15 as Range<Int64> {
                dialogue.message(number * 20_000, .client, #"{"type":"ping"}"#.bytes)
                dialogue.message(number * 20_000 + 30, .server, #"{"type":"pong"}"#.bytes)
                for line in 1...12 as ClosedRange<Int64> {
                    dialogue.message(number * 20_000 + line * 1_100, line % 2 == 0 ? .client : .server, "line \(number * 12 + line)".bytes)
                }
            }
        }
        #expect(lines.contains("    heartbeat of the client: a message every 20 s, 15 sent, 15 answered"), "\(lines)")
    }

    @Test func `the side whose answers stopped is not said to be there, and the other one did not stop first`() {
        let lines = text(end: 60_000, by: .client, how: .reset) { dialogue in
            for number in 0..<10 as Range<Int64> {
                dialogue.message(number * 5_000, .client, "{\"type\":\"ping\",\"seq\":\(number)}".bytes)
                if number < 7 { dialogue.message(number * 5_000 + 100, .server, "{\"type\":\"pong\",\"seq\":\(number)}".bytes) }
            }
        }
        #expect(
            lines.contains {
                $0.hasPrefix(
                    "    cut off by the client (RST), 25 s after the first of 3 heartbeats that the server did not answer, which may")
            }, "\(lines)")
        // After it spoke again, nothing is said.
        let alive = text(end: 60_000, by: .client, how: .reset) { dialogue in
            for number in 0..<10 as Range<Int64> {
                dialogue.message(number * 5_000, .client, "{\"type\":\"ping\",\"seq\":\(number)}".bytes)
                if number < 7 { dialogue.message(number * 5_000 + 100, .server, "{\"type\":\"pong\",\"seq\":\(number)}".bytes) }
            }
            dialogue.message(59_000, .server, "a message that says more than that the server is there".bytes)
        }
        #expect(!alive.contains { $0.contains("may be why") }, "\(alive)")
    }

    @Test func `where the other side fell silent with it, no side stopped first`() {
        let lines = text(end: 100_000, by: .unknown) { dialogue in
            for number in 0..<9 as Range<Int64> {
                dialogue.message(number * 5_000, .client, "alive".bytes)
                dialogue.message(number * 5_000 + 1_700, .server, "hello".bytes)
            }
        }
        #expect(lines.contains { $0.contains("none in the last") } && !lines.contains { $0.contains("stopped first") }, "\(lines)")
    }

    @Test func `a message type that is called heartbeat is one, whatever else it says`() {
        func part(_ fields: [DecodedPayload.Value.Member]) -> HeartbeatPart? {
            var decoded = DecodedPayload(of: "protobuf")
            decoded.note("type", .text("chat.Envelope".bytes))
            decoded.note("fields", .object(fields))
            return decoded.heartbeat
        }
        #expect(part([.init(noted: "type".bytes, .text("HEARTBEAT".bytes)), .init(noted: "sequence".bytes, .number(7))]) == .beat)
        #expect(part([.init(noted: "kind".bytes, .text("PONG".bytes))]) == .answer)
        // What somebody says is none, and what says more only where it comes at regular times.
        #expect(part([.init(noted: "kind".bytes, .number(1)), .init(noted: "text".bytes, .text("ping".bytes))]) == nil)
        #expect(part([.init(noted: "type".bytes, .text("PING".bytes)), .init(noted: "text".bytes, .text("wake up".bytes))]) == .claim)
        #expect(part([.init(noted: "type".bytes, .text("TEXT".bytes)), .init(noted: "sequence".bytes, .number(7))]) == nil)
    }

    /// Heartbeats of a message type every 5 s, after each of which the server sends a message of another type; what is known at the end.
    private func typed(
        _ answer: String, format: StaticString = "protobuf", chatter: String? = nil, sender: String? = nil
    ) -> HeartbeatReader.End {
        var reader = HeartbeatReader()
        func say(_ at: Int64, _ from: Side, _ kind: String, _ number: UInt64) -> Bool {
            var decoded = DecodedPayload(of: format)
            decoded.note("type", .text("chat.Envelope".bytes))
            var fields: [DecodedPayload.Value.Member] = [
                .init(noted: "type".bytes, .text(kind.bytes)), .init(noted: "sequence".bytes, .number(number)),
            ]
            if let sender, from == .client { fields.append(.init(noted: "sender".bytes, .text(sender.bytes))) }
            decoded.note("fields", .object(fields))
            let message = Message(opcode: 2, length: 200, wireLength: 200, fragments: 1, compressed: false)
            let content = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 200)
            return reader.take(
                ConversationEvent(
                    conversation: 1, from: from, place: Place(time: Timestamp(nanoseconds: at * 1_000_000)), offset: 0,
                    fact: .message(message), content: content.rawBytes), decoded)
        }
        for number in 0..<8 as Range<Int64> {
            _ = say(number * 5_000, .client, "HEARTBEAT", UInt64(number))
            if let chatter { _ = say(number * 5_000 + 10, .server, chatter, UInt64(number)) }
            let isTaken = say(number * 5_000 + 30, .server, answer, UInt64(number))
            if number > 2, answer == "HEARTBEAT_ACK" { #expect(isTaken) }
        }
        return reader.end(1, Closing(by: .client, how: .fin), at: Timestamp(nanoseconds: 40_000_000_000))
    }

    @Test func `a message type that is called the answer to a heartbeat answers it`() {
        for answer in ["HEARTBEAT_ACK", "HeartbeatResponse", "PONG_REPLY", "keep_alive_ack"] {
            let end = typed(answer)
            #expect(end.heartbeats.map(\.from) == [.client] && end.heartbeats.first?.answered == 8, "\(answer): \(end.heartbeats)")
        }
        // One of the same name is an answer too, and no heartbeat of the server's own.
        let same = typed("HEARTBEAT")
        #expect(same.heartbeats.map(\.from) == [.client] && same.heartbeats.first?.answered == 8, "\(same.heartbeats)")
        // Also where the client says more with it.
        let named = typed("HEARTBEAT", sender: "ada")
        #expect(named.heartbeats.map(\.from) == [.client] && named.heartbeats.first?.answered == 8, "\(named.heartbeats)")
        // Other talk between does not take its place, and what only comes at these times is no answer.
        #expect(typed("HEARTBEAT_ACK", chatter: "PRICE").heartbeats.first?.answered == 8)
        #expect(typed("PRICE").heartbeats.first?.answered == nil)
        #expect(typed("SHIPPING_RESULT").heartbeats.first?.answered == nil)
    }

    @Test func `text knows what a session announced while it was polled`() {
        let polling = "/socket.io/?EIO=4&transport=polling"
        let upgraded = "/socket.io/?EIO=4&transport=websocket&sid=abc"
        let lines = text(end: 30_310, by: .client) { dialogue in
            let asked = AskedRequest(exchange: 1, method: ByteRange(), target: ByteRange(0..<polling.utf8.count))
            let head = ResponseHead(status: 200, version: ByteRange(), reason: ByteRange(), fields: ByteRange(), latency: nil, asked: asked)
            dialogue.say(1, .server, .response(head), [], asked: polling.bytes)
            dialogue.body(2, .server, #"0{"sid":"abc","pingInterval":25000,"pingTimeout":5000}"#)
            dialogue.response(3, 101, "Switching Protocols", "Upgrade: websocket\r\n", latency: 1)
            var upgrade = Upgrade(protocolName: ByteRange(), accepted: true)
            upgrade.target = ByteRange(0..<upgraded.utf8.count)
            dialogue.say(3, .server, .upgrade(upgrade), upgraded.bytes)
            dialogue.message(10, .server, "6".bytes)
            dialogue.message(25_000, .client, "2".bytes)
        }
        #expect(lines.contains { $0.contains("a ping that the server did not answer (ping timeout 5.0 s)") }, "\(lines)")
    }

    @Test func `heartbeats that are left out are counted`() {
        let lines = text(hides: true, end: 60_000) { dialogue in
            for number in 0..<5 as Range<Int64> { ping(&dialogue, number * 10_000) }
            dialogue.message(41_000, .client, "hi".bytes)
        }
        #expect(!lines.contains { $0.contains("ping ") || $0.contains("pong ") }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("hi") })
        #expect(lines.contains("    10 lines of heartbeats left out"), "\(lines)")
    }

    @Test func `a record of the end has them`() {
        func records(decodes: Bool, hides: Bool) -> String {
            var settings = RecordSettings()
            if decodes { settings.payloads = .standard }
            settings.hidesHeartbeats = hides
            var dialogue = Dialogue(RecordReport(Output(), settings: settings))
            dialogue.say(0, nil, .opened(RecordScript.opening))
            for number in 0..<5 as Range<Int64> {
                dialogue.message(number * 25_000, .server, "2".bytes)
                dialogue.message(number * 25_000 + 10, .client, "3".bytes)
            }
            dialogue.say(120_000, nil, .closed(Closing(by: .client, how: .fin, client: SideTotals(), server: SideTotals())))
            let log = String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
            for line in log.split(separator: "\n") { LogSchema.collect(String(line)) }
            return log
        }
        let heartbeats =
            #","heartbeats":[{"from":"server","by":"message","period":25,"jitter":0,"sent":5,"answered":5,"silence":20}]"#
        #expect(records(decodes: true, hides: false).contains(heartbeats), "\(records(decodes: true, hides: false))")
        #expect(!records(decodes: false, hides: false).contains("heartbeats"))
        // What is a row shows only after its fourth beat; what came before stays.
        let hidden = records(decodes: false, hides: true)
        #expect(hidden.contains("\"hidden\":4}"), "\(hidden)")
        #expect(!hidden.contains("heartbeats"))
    }

    @Test func `sixteen kinds a conversation are kept, the quietest give way`() {
        var reader = HeartbeatReader()
        for number in 0..<1_000 as Range<Int64> {
            let bytes = "message \(number)".bytes
            let event = ConversationEvent(
                conversation: 1, from: .client, place: Place(time: Timestamp(nanoseconds: number * 1_000_000_000)), offset: 0,
                fact: .message(Message(opcode: 1, length: 9, wireLength: 9, fragments: 1, compressed: false)), content: bytes.rawBytes)
            _ = reader.take(event, nil)
        }
        #expect(reader.heldBytes < 8_192)
        let end = reader.end(1, Closing(by: .client, how: .fin), at: Timestamp(nanoseconds: 1_000_000_000_000))
        #expect(end.heartbeats.isEmpty)
        #expect(reader.heldBytes == 0)
    }
}
