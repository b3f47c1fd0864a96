import Dissection
import Support
import Testing

/// Many compressed conversations at once: over the memory limit the windows of the quiet ones go, not the conversations.
@Suite struct WindowLimitTests {
    private struct Count: ConversationSink {
        var texts: [UInt64: [String]] = [:]
        var undecodable: [UInt64: Int] = [:]
        var contextLost: [UInt64: Int] = [:]
        var others: Set<String> = []
        var evicted = 0

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .message: texts[event.conversation, default: []].append(String(decoding: Transcript.copy(event.content), as: UTF8.self))
            case .gap(let gap): if gap.cause == .undecodable { undecodable[event.conversation, default: 0] += 1 }
            case .finding(let finding):
                if finding.row.id == "websocket.deflate-context-lost" {
                    contextLost[event.conversation, default: 0] += 1
                } else {
                    others.insert(finding.row.id)
                }
            case .closed(let closing): if closing.how == .evicted { evicted += 1 }
            default: return
            }
        }
    }

    /// One server that answers many clients; what it has sent to each so far.
    private struct Talks: ~Copyable {
        var dissector: Dissector
        var sink = Count()
        private var sent: [Int: Int] = [:]

        init(totalBytes: Int) {
            var limits = Limits()
            limits.totalBytes = totalBytes
            dissector = Dissector(limits: limits, decodeAs: [DecodeRule(port: 80, layer: .webSocket)], seed: 5)
        }

        mutating func send(_ client: Int, _ payload: [UInt8]) {
            let position = sent[client, default: 0]
            sent[client] = position + payload.count
            let bytes = PacketBuilder.ethernet(
                PacketBuilder.ipv4(
                    from: 0x0B00_0001, to: 0x0A00_0000 + UInt32(client),
                    PacketBuilder.tcp(from: 80, to: 40_000, sequence: UInt32(1 + position), flags: 0x18, payload)))
            dissector.receive(
                CapturedPacket(number: 1, time: nil, linkType: .ethernet, originalLength: UInt32(bytes.count), bytes: bytes.rawBytes),
                sink: &sink)
        }

        /// The server's SYN and ACK: the conversation begins here, and its roles are known.
        mutating func open(_ client: Int) {
            let bytes = PacketBuilder.ethernet(
                PacketBuilder.ipv4(
                    from: 0x0B00_0001, to: 0x0A00_0000 + UInt32(client),
                    PacketBuilder.tcp(from: 80, to: 40_000, sequence: 0, flags: 0x12)))
            dissector.receive(
                CapturedPacket(number: 1, time: nil, linkType: .ethernet, originalLength: UInt32(bytes.count), bytes: bytes.rawBytes),
                sink: &sink)
        }
    }

    /// A first message that fills most of a window and compresses little, and a second that repeats the end of it.
    private let texts: [String] = {
        var random = SplitMix(seed: 11)
        let long = (0..<1_500).map { _ in String(random.next(), radix: 36) }.joined(separator: " ")
        return [long, String(long.suffix(200))]
    }()

    @Test func aWindowGrowsWithWhatCame() {
        let small = InflaterTests.deflate([Array("{\"type\":\"hello\"}".utf8)])[0]
        var talks = Talks(totalBytes: 32 << 20)
        for client in 0..<100 {
            talks.open(client)
            talks.send(client, frame(1, small, rsv: 4))
        }
        #expect(talks.dissector.heldBytes <= 100 * 6_144)
        let long = InflaterTests.deflate([Array(texts[0].utf8)])[0]
        talks.open(100)
        let before = talks.dissector.heldBytes
        talks.send(100, frame(1, long, rsv: 4))
        #expect((16_384...49_152 + 4_096).contains(talks.dissector.heldBytes - before), "the window, and what the layer takes by itself")
    }

    @Test func windowsOfTheLeastRecentlyUsedAreDroppedBeforeAnyConversation() {
        let bytes = InflaterTests.deflate(texts.map { Array($0.utf8) })
        let fresh = InflaterTests.deflate([Array("something new".utf8)])[0]
        let clients = 200
        var talks = Talks(totalBytes: 2 << 20)
        for client in 0..<clients {
            talks.open(client)
            talks.send(client, frame(1, bytes[0], rsv: 4))
            #expect(talks.dissector.heldBytes <= 2 << 20)
        }
        #expect(talks.sink.evicted == 0)
        #expect(talks.dissector.openConversations == clients)
        // The last conversations still have their windows, the first do not, and their next message says so, once.
        for client in [clients - 1, 0] {
            talks.send(client, frame(1, bytes[1], rsv: 4))
            talks.send(client, frame(1, bytes[1], rsv: 4))
            talks.send(client, frame(1, fresh, rsv: 4))
        }
        let (first, last) = (UInt64(1), UInt64(clients))
        #expect(talks.sink.texts[last]?[1] == texts[1])
        #expect(talks.sink.undecodable[last] == nil)
        #expect(talks.sink.undecodable[first] == 2)
        #expect(talks.sink.contextLost == [first: 1])
        #expect(talks.sink.texts[first] == [texts[0], "something new"])
        talks.dissector.finish(sink: &talks.sink)
        #expect(talks.sink.evicted == 0)
        #expect(talks.sink.others == [])
        #expect(talks.dissector.heldBytes == 0)
    }

    @Test func aMessageThatIsBeingInflatedKeepsItsWindow() {
        let bytes = InflaterTests.deflate(texts.map { Array($0.utf8) })
        let half = bytes[0].count / 2
        var talks = Talks(totalBytes: 2 << 20)
        talks.open(0)
        talks.send(0, frame(1, Array(bytes[0][0..<half]), fin: false, rsv: 4))
        for client in 1..<100 {
            talks.open(client)
            talks.send(client, frame(1, bytes[0], rsv: 4))
        }
        talks.send(0, frame(0, Array(bytes[0][half...])))
        #expect(talks.sink.texts[1] == [texts[0]])
        #expect(talks.sink.evicted == 0)
    }
}
