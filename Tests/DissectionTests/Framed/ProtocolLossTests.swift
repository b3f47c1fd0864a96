import Dissection
import Support
import Testing

/// Protocols that frame themselves, of which bytes are lost or wrong: their messages are found again.
@Suite struct ProtocolLossTests {
    /// How many bytes were told as data after the loss, how far messages were found again, and how many there were after that.
    private func outcome(_ talk: Talk) -> (data: Int, found: Bool, messages: Int) {
        let told = FramedMessages.told(talk)
        guard let loss = told.firstIndex(where: { $0.contains(" gap ") || $0.contains("! framing.not-of-protocol") }) else {
            Issue.record("nothing is lost: \(told)")
            return (0, false, 0)
        }
        let after = told[loss...]
        let found = after.firstIndex { $0.contains("! framing.resynchronised") }
        return (after.count { $0.contains(" data ") }, found != nil, found.map { told[$0...].count { $0.contains(" message ") } } ?? 0)
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    // MARK: - MQTT and AMQP

    private func publish(_ topic: String, _ payload: String) -> [UInt8] {
        [0x30, UInt8(2 + topic.utf8.count + payload.utf8.count), 0, UInt8(topic.utf8.count)] + topic.utf8 + payload.utf8
    }

    @Test func packetsOfMQTTAreFoundAgain() {
        let rest = bytes("0of a payload\u{0}\u{2}") + [0x30, 5]
        let packets = publish("a/b", "{\"n\":1}") + publish("a/b", "{\"n\":2}") + [0xC0, 0]
        let start: [Talk.Step] = [.client(FramedProtocolTests.connect), .server([0x20, 2, 0, 0]), .client([0x30, 100, 0])]
        #expect(outcome(Talk(start + [.gap(.client, 700, .missing), .client(rest + packets)])) == (1, true, 3))
        // Two are not enough, and neither are packets that the other side sends.
        #expect(outcome(Talk(start + [.gap(.client, 700, .missing), .client(rest + publish("a", "x") + [0xC0, 0])])).found == false)
        let answers: [UInt8] = [0x20, 2, 0, 0, 0xD0, 0, 0x90, 3, 0, 1, 0, 0xD0, 0]
        #expect(outcome(Talk(start + [.gap(.client, 700, .missing), .client(rest + answers)])).found == false)
        #expect(
            // The last is the one of the client that is open.
            outcome(Talk(start + [.server([0x30, 9, 0, 1]), .gap(.server, 50, .missing), .server([1, 2] + answers)])) == (1, true, 5))
    }

    @Test func packetsOfMQTTAreFoundBehindOneThatIsNone() {
        let packets = publish("a/b", "x") + publish("a/b", "y") + publish("a/b", "z")
        let talk = Talk([.client(FramedProtocolTests.connect), .server([0x20, 2, 0, 0]), .client([0, 1, 2] + packets)])
        #expect(outcome(talk) == (1, true, 3))
    }

    @Test func whatIsNoMQTTIsNotTakenForIt() {
        var random = SplitMix(seed: 11)
        for length in [4_000, 60_000] {
            let noise = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let zeros = [UInt8](repeating: 0, count: length)
            let text = bytes(String(repeating: "{\"id\":\"0123456789\",\"name\":\"@@@@ 0000\"}\n", count: length / 40))
            for content in [noise, zeros, text] {
                let lines = Talk([.client(FramedProtocolTests.connect), .gap(.client, 9, .missing), .client(content)]).transcript()
                #expect(!lines.contains { $0.contains("framing.resynchronised") })
            }
        }
    }

    @Test func framesOfAMQPAreFoundAgain() {
        let greeting = bytes("AMQP") + [0, 0, 9, 1]
        let start: [UInt8] = [1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 10, 0xCE]
        let header: [UInt8] = [2, 0, 1, 0, 0, 0, 14, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0xCE]
        let body: [UInt8] = [3, 0, 1, 0, 0, 0, 2, 0x68, 0x69, 0xCE]
        let heartbeat: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0xCE]
        let talk: [Talk.Step] = [.client(greeting), .server(start + [3, 0, 1, 0]), .gap(.server, 20, .missing)]
        #expect(outcome(Talk(talk + [.server([1, 2, 3, 0xCE] + header + body + heartbeat)])) == (1, true, 3))
        #expect(outcome(Talk(talk + [.server([1, 2, 3] + heartbeat + header)])) == (1, true, 2))
        // Frames that do not end as they should are none.
        #expect(outcome(Talk(talk + [.server([1, 2, 3, 0xCE] + header.dropLast() + [0] + body.dropLast() + [0])])).found == false)
    }

    // MARK: - NATS, Redis and STOMP

    @Test func messagesOfNATSAreFoundAtALine() {
        let start: [Talk.Step] = [.server("INFO {\"server_id\":\"a\"}\r\n"), .client("CONNECT {}\r\nPUB a 50\r\nhal")]
        let lost = start + [.gap(.client, 20, .missing)]
        #expect(outcome(Talk(lost + [.client("f a payload\r\nPUB b 2\r\nhi\r\nPING\r\n")])) == (1, true, 2))
        // The first byte behind a loss may be the first of a message.
        #expect(outcome(Talk(lost + [.client("PUB b 2\r\nhi\r\n")])) == (0, true, 1))
        for line in ["PUB b\r\n", "PUB b two\r\n", "MSG b 1 2\r\n", "PUBLISH b 2\r\n", "PING me\r\n", "CONNECT me\r\n"] {
            #expect(outcome(Talk(lost + [.client("x\r\n" + line)])).found == false, "\(line)")
        }
        // And so may the first of a turn.
        #expect(outcome(Talk(lost + [.client("x"), .server("PING\r\n"), .client("PONG\r\n")])) == (1, true, 1))
        let wrong = Talk(start.dropLast() + [.client("CONNECT {}\r\nHELLO\r\nPUB b 2\r\nhi\r\n")])
        #expect(outcome(wrong) == (1, true, 1))
    }

    @Test func valuesOfRedisAreFoundAgain() {
        let get = "*2\r\n$3\r\nGET\r\n$1\r\na\r\n"
        let start: [Talk.Step] = [.client(bytes(get)), .server("$3\r\nabc\r\n"), .client("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$90\r\nxy")]
        let lost = start + [.gap(.client, 60, .missing)]
        #expect(outcome(Talk(lost + [.client(bytes("z\r\n" + get)), .server("+OK\r\n")])) == (1, true, 2))
        #expect(outcome(Talk(lost + [.client("z\r\n*2\r\n*1\r\n$1\r\na\r\n")])) == (1, true, 1))
        #expect(outcome(Talk(lost + [.client("z\r\n* 2\r\n$1\r\na\r\n*0\r\n")])).found == false)
        // A reply begins with a turn: in the middle of one, the same bytes may be part of a larger one.
        let reply: [Talk.Step] = [.client(bytes(get)), .server("*2\r\n$90\r\nxy"), .gap(.server, 60, .missing)]
        #expect(outcome(Talk(reply + [.server("z\r\n$1\r\na\r\n"), .client(bytes(get)), .server("$1\r\nb\r\n")])) == (1, true, 1))
        #expect(outcome(Talk(reply + [.server("z\r\n*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n")])) == (1, true, 1))
        #expect(outcome(Talk(reply + [.server("z\r\n>2\r\n+a\r\n+b\r\n")])) == (1, true, 1))
    }

    @Test func framesOfSTOMPAreFoundAgain() {
        let start: [Talk.Step] = [
            .client("CONNECT\naccept-version:1.2\n\n\0"), .server("CONNECTED\nversion:1.2\n\n\0MESSAGE\nid:1\ncontent-le"),
        ]
        let lost = start + [.gap(.server, 40, .missing)]
        #expect(outcome(Talk(lost + [.server("ody\nMESSAGE\n\0\n\nMESSAGE\nid:2\n\nx\0\nRECEIPT\n\n\0")])) == (1, true, 2))
        #expect(outcome(Talk(lost + [.server("ody\0SEND\n\n\0HELLO\n\n\0")])).found == false)
        #expect(outcome(Talk(lost + [.server("MESSAGE\r\nid:2\r\n\r\nx\0")])) == (0, true, 1))
        let wrong = Talk(start.dropLast() + [.server("CONNECTED\n\n\0MESSAGE\ncontent-length:1\n\nab\0MESSAGE\n\nc\0")])
        #expect(outcome(wrong) == (1, true, 1))
    }

    @Test func messagesOfXMPPAreNot() {
        let opening = "<stream:stream to='a' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
        let talk = Talk([
            .client(opening), .server(opening), .client("<message><bo"), .gap(.client, 9, .missing), .client("dy/></message><presence/>"),
        ])
        #expect(outcome(talk) == (1, false, 0))
    }

    // MARK: - Cost

    /// Bytes that nearly are messages, over and over: each is looked at so many times, however many there are.
    @Test(
        arguments: [
            ([Talk.Step.client(FramedProtocolTests.connect)], [0x30, 5, 0, 1, 0x61, 0, 0, 0x30, 4, 0, 1, 0x61]),
            ([.client(Array("AMQP".utf8) + [0, 0, 9, 1])], [8, 0, 0, 0, 0, 0, 0, 0xCE, 3, 0, 0, 0, 0, 1]),
            ([.server("INFO {\"server_id\":\"a\"}\r\n")], Array("PUB a 90\r\nHELLO\r\nPUB a 90 \r\nUNSUB\r\n".utf8)),
            ([.client("*1\r\n$4\r\nPING\r\n")], Array("*2\r\n*2\r\n$1 \r\n*1\r\n$x".utf8)),
            (
                [.client("CONNECT\n\n\0"), .server("CONNECTED\n\n\0")],
                Array("SEND\ncontent-length:3000\n\n\0SEND\n\0SEN\n".utf8)
            ),
        ] as [([Talk.Step], [UInt8])]) func whatNearlyFitsCostsNoMoreThanItsBytes(_ start: [Talk.Step], _ unit: [UInt8])
    {
        func steps(_ count: Int, isWhole: Bool) -> Int {
            let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
            var conversation = Conversation(
                number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake, forced: nil, limits: Limits(),
                place: Place())
            var sink = Transcript()
            conversation.open(sink: &sink)
            for case .bytes(let side, let bytes) in start {
                conversation.receive(.bytes(bytes.rawBytes), direction: side == .client ? .first : .second, place: Place(), sink: &sink)
            }
            conversation.receive(.gap(length: 9, cause: .missing), direction: .first, place: Place(), sink: &sink)
            let bytes = (0..<count).map { unit[$0 % unit.count] }
            if isWhole {
                conversation.receive(.bytes(bytes.rawBytes), direction: .first, place: Place(), sink: &sink)
            } else {
                for byte in bytes { conversation.receive(.bytes([byte].rawBytes), direction: .first, place: Place(), sink: &sink) }
            }
            #expect(conversation.heldBytes < 4 << 20)
            return conversation.searchSteps
        }
        for isWhole in [true, false] {
            let (once, fourfold) = (steps(10_000, isWhole: isWhole), steps(40_000, isWhole: isWhole))
            #expect(once > 0 && fourfold <= once * 9 / 2 + 256 && once < 60_000, "\(once) \(fourfold)")
        }
    }
}
