import Dissection
import Support
import Testing

/// Talks that went wrong in every way: nothing traps, and how the bytes are cut changes nothing.
@Suite struct WebSocketNoiseTests {
    private static func step(_ random: inout SplitMix) -> [UInt8] {
        let side = random.next() % 2 == 0
        var payload = InflaterTests.sample(Int(random.next() % 60), &random)
        switch random.next() % 8 {
        case 0: payload = Array("text \(random.next())".utf8)
        case 1: payload = InflaterTests.deflate([payload])[0]
        case 2: payload = bigEndian(random.next() % 5_000, 2) + Array("bye".utf8)
        default: break
        }
        let opcodes: [UInt8] = [0, 0, 1, 1, 1, 2, 2, 8, 9, 10, 3, 12]
        var bytes = frame(
            opcodes[Int(random.next() % 12)], payload, fin: random.next() % 3 > 0, rsv: random.next() % 3 == 0 ? 4 : 0,
            key: side ? Talk.Step.key : nil, form: payload.count < 126 && random.next() % 16 > 0 ? 7 : 16)
        if random.next() % 6 == 0 {
            bytes[Int(random.next() % UInt64(min(bytes.count, 16)))] ^= 1 << UInt8(random.next() % 8)
        }
        return bytes
    }

    @Test func cutsChangeNothing() {
        let negotiations = [
            WebSocketNegotiation(), FrameTalk.deflate, WebSocketNegotiation(isKnown: false),
            WebSocketNegotiation(hasUnknownExtension: true),
            WebSocketNegotiation(compression: Upgrade.Compression(clientTakeover: false, serverTakeover: false, clientWindowBits: 9)),
        ]
        for seed: UInt64 in 0..<600 {
            var random = SplitMix(seed: seed)
            var steps: [Talk.Step] = []
            for _ in 0..<3 + random.next() % 12 {
                let side: Side = random.next() % 2 == 0 ? .client : .server
                if random.next() % 7 == 0 {
                    steps.append(.gap(side, 1 + Int(random.next() % 40), .missing))
                } else {
                    var bytes = Self.step(&random)
                    if random.next() % 9 == 0 { bytes.removeFirst(min(bytes.count, Int(random.next() % 9))) }
                    steps.append(.bytes(side, bytes))
                }
            }
            steps += [.finish(.client), .finish(.server)]
            var limits = Limits()
            if seed % 3 == 0 {
                limits.messageBytes = 10
                limits.inflatedBytes = 40
            }
            let talk = FrameTalk(
                steps, negotiations[Int(seed % 5)], limits: limits, showsFrames: true, startsMidstream: seed % 4 == 0)
            let whole = talk.transcript(.whole)
            for cutting in [Talk.Cutting.bytewise, .random(seed: seed + 1), .random(seed: seed + 2)] {
                let other = talk.transcript(cutting)
                #expect(other == whole, "seed \(seed) \(cutting)")
                if other != whole { return }
            }
        }
    }

    @Test func everyByteIsInAnElementOrAGap() {
        // With frames told, their headers and payloads, the gaps and the data together are what came.
        struct Count: ConversationSink {
            var bytes: UInt64 = 0
            mutating func receive(_ event: borrowing ConversationEvent) {
                switch event.fact {
                case .frame(let frame): bytes += UInt64(frame.headerLength) + frame.length
                case .gap(let gap): bytes += gap.length
                case .data(let run): bytes += run.length
                case _: break
                }
            }
        }
        for seed: UInt64 in 0..<300 {
            var random = SplitMix(seed: seed)
            var sink = Count()
            var layer = WebSocketLayer(negotiation: WebSocketNegotiation())
            var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
            let good = (0..<20).flatMap { frame(1, Array("message number \($0)".utf8), key: Talk.Step.key) }
            let bytes = (0..<Int(random.next() % 30)).map { _ in UInt8(truncatingIfNeeded: random.next()) } + good
            _ = layer.skip(5, at: Arrival(side: .client, offset: 0, place: Place()), context: &context, sink: &sink)
            _ = layer.receive(bytes.rawBytes, at: Arrival(side: .client, offset: 5, place: Place()), context: &context, sink: &sink)
            layer.finish(at: Arrival(side: .client, offset: 5 + UInt64(bytes.count), place: Place()), context: &context, sink: &sink)
            #expect(sink.bytes == UInt64(bytes.count), "seed \(seed)")
        }
    }

    @Test func aCutAssemblyIsToldAsCut() {
        var sink = Transcript()
        var layer = WebSocketLayer(negotiation: WebSocketNegotiation())
        var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
        let bytes = frame(2, [UInt8](repeating: 1, count: 100_000))
        func send(_ range: Range<Int>) {
            _ = layer.receive(
                bytes.rawBytes.extracting(range), at: Arrival(side: .server, offset: UInt64(range.lowerBound), place: Place()),
                context: &context, sink: &sink)
        }
        #expect(layer.cutAssembly() == nil)
        send(0..<90_000)
        #expect(layer.heldBytes >= 89_000)
        #expect(layer.cutAssembly() == .server)
        #expect(layer.heldBytes < 1_000)
        send(90_000..<bytes.count)
        #expect(sink.finished() == ["< @0 message binary 100000 B cut \"\""])
        #expect(layer.cutAssembly() == nil)
    }

    @Test func everyRowHasItsOwnName() {
        let rows = FindingRow.webSocketRows
        #expect(Set(rows.map(\.id)).count == rows.count)
        #expect(rows.allSatisfy { $0.id.hasPrefix("websocket.") && !$0.detail.isEmpty && !$0.explanation.isEmpty })
    }
}
