import Dissection
import Support
import Testing

/// Many connections at once: each packet finds its own, and what has closed gives its place back.
@Suite struct FlowTableTests {
    /// Counts what was opened and closed, and how.
    private struct Count: ConversationSink {
        var opened = 0
        var closed = 0
        var evicted = 0
        var data: [UInt64: [UInt8]] = [:]

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .opened: opened += 1
            case .closed(let closing):
                closed += 1
                if closing.how == .evicted { evicted += 1 }
            case .data: data[event.conversation, default: []] += Transcript.copy(event.content)
            default: return
            }
        }
    }

    private func packet(_ client: Int, _ payload: [UInt8] = [], sequence: UInt32, flags: TCPFlags) -> [UInt8] {
        PacketBuilder.ethernet(
            PacketBuilder.ipv4(
                from: 0x0A00_0000 + UInt32(client / 50_000), to: 0x0B00_0001,
                PacketBuilder.tcp(from: UInt16(10_000 + client % 50_000), to: 80, sequence: sequence, flags: flags.rawValue, payload)))
    }

    private func send<Sink: ConversationSink & ~Copyable>(
        _ bytes: [UInt8], _ dissector: inout Dissector, _ sink: inout Sink
    ) {
        dissector.receive(
            CapturedPacket(number: 1, time: nil, linkType: .ethernet, originalLength: UInt32(bytes.count), bytes: bytes.rawBytes),
            sink: &sink)
    }

    /// One packet between two ends, with a VLAN tag or without.
    private func tagged(_ vlan: UInt16?, isAnswer: Bool, sequence: UInt32, ack: UInt32 = 0, flags: TCPFlags, _ text: String = "") -> [UInt8]
    {
        let packet = PacketBuilder.ipv4(
            from: isAnswer ? 0x0A00_0002 : 0x0A00_0001, to: isAnswer ? 0x0A00_0001 : 0x0A00_0002,
            PacketBuilder.tcp(
                from: isAnswer ? 80 : 40_000, to: isAnswer ? 40_000 : 80, sequence: sequence, acknowledgement: ack, flags: flags.rawValue,
                Array(text.utf8)))
        return vlan.map { PacketBuilder.ethernet(PacketBuilder.vlan($0, packet), type: 0x8100) } ?? PacketBuilder.ethernet(packet)
    }

    private func talk(client: UInt16?, server: UInt16?) -> [[UInt8]] {
        [
            tagged(client, isAnswer: false, sequence: 100, flags: .syn),
            tagged(server, isAnswer: true, sequence: 900, ack: 101, flags: [.syn, .ack]),
            tagged(client, isAnswer: false, sequence: 101, ack: 901, flags: .ack, "ask"),
            tagged(server, isAnswer: true, sequence: 901, ack: 104, flags: .ack, "answer"),
            tagged(server, isAnswer: true, sequence: 907, ack: 104, flags: [.fin, .ack]),
            tagged(client, isAnswer: false, sequence: 104, ack: 908, flags: [.fin, .ack]),
            tagged(server, isAnswer: true, sequence: 908, ack: 105, flags: .ack),
        ]
    }

    @Test(arguments: [(300, 50), (300, nil), (nil, 50), (7, 7), (nil, nil)] as [(UInt16?, UInt16?)])
    func eachDirectionMayHaveItsVLAN(client: UInt16?, server: UInt16?) {
        var dissector = Dissector(seed: 99)
        var sink = Count()
        for packet in talk(client: client, server: server).dropLast() { send(packet, &dissector, &sink) }
        #expect(dissector.openConversations == 0)
        dissector.finish(sink: &sink)
        #expect(sink.opened == 1)
        #expect(sink.data[1] == Array("askanswer".utf8))
    }

    @Test func whatIsSeenInTwoVLANsStaysTwo() {
        var dissector = Dissector(seed: 99)
        var sink = Count()
        for (one, other) in zip(talk(client: 7, server: 7), talk(client: nil, server: nil)) {
            send(one, &dissector, &sink)
            send(other, &dissector, &sink)
        }
        dissector.finish(sink: &sink)
        #expect(sink.opened == 2)
        #expect(sink.data[1] == Array("askanswer".utf8))
        #expect(sink.data[2] == Array("askanswer".utf8))
    }

    @Test func anAnswerToSomethingElseIsNotJoined() {
        var dissector = Dissector(seed: 99)
        var sink = Count()
        send(tagged(300, isAnswer: false, sequence: 100, flags: .syn), &dissector, &sink)
        send(tagged(50, isAnswer: true, sequence: 900, ack: 1 << 30, flags: .ack, "other"), &dissector, &sink)
        dissector.finish(sink: &sink)
        #expect(sink.opened == 2)
    }

    @Test func everyPacketFindsItsConnection() {
        var dissector = Dissector(seed: 99)
        var sink = Count()
        let clients = 3_000
        for client in 0..<clients { send(packet(client, sequence: 1, flags: .syn), &dissector, &sink) }
        for round in 0..<3 {
            for client in 0..<clients {
                let value = UInt8(truncatingIfNeeded: client ^ round)
                send(packet(client, [value], sequence: UInt32(2 + round), flags: .ack), &dissector, &sink)
            }
        }
        #expect(dissector.openConversations == clients)
        dissector.finish(sink: &sink)
        #expect(sink.opened == clients)
        #expect(sink.closed == clients)
        for client in 0..<clients {
            #expect(sink.data[UInt64(client + 1)] == (0..<3).map { UInt8(truncatingIfNeeded: client ^ $0) })
        }
    }

    @Test func whatHasClosedGivesItsPlaceBack() {
        var dissector = Dissector(seed: 99)
        var sink = Count()
        // Far more connections than remnants, in both kinds of order: each is found until it is closed.
        for client in 0..<20_000 {
            send(packet(client, sequence: 1, flags: .syn), &dissector, &sink)
            if client >= 100 { send(packet(client - 100, [1], sequence: 2, flags: .ack), &dissector, &sink) }
            if client >= 200 { send(packet(client - 200, sequence: 3, flags: [.rst]), &dissector, &sink) }
        }
        #expect(dissector.openConversations == 200)
        #expect(sink.closed == 19_800)
        dissector.finish(sink: &sink)
        #expect(sink.opened == 20_000)
        #expect(sink.closed == 20_000)
        #expect(sink.data.count == 19_900)
    }

    @Test func overTheLimitTheLeastRecentlyUsedIsGivenUp() {
        var limits = Limits()
        limits.conversations = 100
        var dissector = Dissector(limits: limits, seed: 99)
        var sink = Count()
        for client in 0..<150 {
            send(packet(client, sequence: 1, flags: .syn), &dissector, &sink)
            // The first stays in use.
            send(packet(0, [7], sequence: UInt32(2 + client), flags: .ack), &dissector, &sink)
        }
        #expect(dissector.openConversations == 100)
        #expect(sink.evicted == 50)
        // What may be a length waits for more.
        dissector.finish(sink: &sink)
        #expect(sink.data[1]?.count == 150)
    }

    @Test func buffersOfAllConversationsStayWithinTheLimit() {
        var limits = Limits()
        limits.totalBytes = 1 << 20
        var dissector = Dissector(limits: limits, seed: 99)
        var sink = Count()
        // Each connection keeps 1,000 bytes behind a hole.
        for client in 0..<4_000 {
            send(packet(client, sequence: 1, flags: .syn), &dissector, &sink)
            send(packet(client, Array(repeating: 1, count: 1_000), sequence: 10, flags: .ack), &dissector, &sink)
            #expect(dissector.heldBytes <= limits.totalBytes + 2_000)
        }
        #expect(sink.evicted > 2_900)
        dissector.finish(sink: &sink)
        #expect(sink.data.values.reduce(0) { $0 + $1.count } == 4_000_000)
        #expect(dissector.heldBytes == 0)
    }
}
