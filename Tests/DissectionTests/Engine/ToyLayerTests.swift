import Dissection
import Support
import Testing

/// A layer is added by a type and a row; nothing of the dissector has to know it.
@Suite struct ToyLayerTests {
    /// Lines that begin with `toy `: each is a message. After `bye` something else is spoken.
    struct ToyLayer: RegisteredLayer {
        static var name: LayerName { LayerName("toy") }

        static func begins(client: RawSpan, server: RawSpan, searched: inout Int) -> Recognized {
            for (index, byte) in Array("toy ".utf8).enumerated() {
                guard index < client.byteCount else { return .undecided }
                if client[index] != byte { return .no }
            }
            return .yes
        }

        /// Finds a line of it in the middle of a stream.
        final class Search: MidstreamSearch {
            private var taken = 0
            private var matched = 0
            private var earlier = 0

            var steps: Int { earlier + taken }

            func advance(over bytes: RawSpan, firstRun: Int, from side: Side) -> Sighting? {
                let word = Array("\ntoy ".utf8)
                while taken < bytes.byteCount {
                    matched = bytes[taken] == word[matched] ? matched + 1 : bytes[taken] == 0x0A ? 1 : 0
                    taken += 1
                    if matched == word.count { return Sighting(end: taken, client: side) }
                }
                return nil
            }

            func mayBegin(_ bytes: RawSpan) -> Bool { matched > 0 }

            func restart() {
                earlier += taken
                taken = 0
            }

            func begins(with run: RawSpan, from side: Side) -> Recognized {
                taken = run.byteCount
                var searched = 0
                return ToyLayer.begins(client: run, server: RawSpan(), searched: &searched)
            }
        }

        static func search() -> (any MidstreamSearch)? { Search() }
        static func mayBegin(with first: UInt8, from side: Side) -> Bool { side == .client && first == 0x74 }

        private var line: [UInt8] = []

        init(_ start: LayerStart) {}

        mutating func receive<Sink: ConversationSink & ~Copyable>(
            _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
        ) -> LayerOutcome {
            for index in 0..<bytes.byteCount {
                line.append(bytes[index])
                guard bytes[index] == 0x0A else { continue }
                let start = arrival.offset + UInt64(index + 1) - UInt64(line.count)
                context.emit(
                    .message(
                        Message(
                            opcode: 1, length: UInt64(line.count), wireLength: UInt64(line.count), fragments: 1, compressed: false,
                            unfinished: 0)),
                    at: Arrival(side: arrival.side, offset: start, place: arrival.place), content: line.rawBytes, sink: &sink)
                let isBye = line.elementsEqual("bye\n".utf8)
                line = []
                if isBye { return .handOver(consumed: index + 1, to: .undecided(fromStart: true)) }
            }
            return .taken
        }

        mutating func skip<Sink: ConversationSink & ~Copyable>(
            _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
        ) -> NextLayer? { nil }

        mutating func finish<Sink: ConversationSink & ~Copyable>(
            at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
        ) {}

        func isHolding(_ side: Side) -> Bool { false }
        var heldBytes: Int { line.count }
        mutating func cutAssembly() -> Side? { nil }
    }

    private let table = LayerTable([LayerRow(ToyLayer.self)] + LayerTable.standard.rows)

    @Test func itIsRecognisedAndHandsOver() {
        var talk = Talk([.client("toy one\ntoy two\nbye\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"), .server("HTTP/1.1 204 N\r\n\r\n")])
        #expect(talk.transcript()[1].hasPrefix("> @0 data"))
        talk.layers = table
        let told = talk.transcript()
        #expect(told[1].hasPrefix("> @0 message") && told[2].hasPrefix("> @8 message") && told[3].hasPrefix("> @16 message"), "\(told)")
        #expect(told[4] == "> @20 request GET / HTTP/1.1 {Host: h}" && told[5] == "< @0 response 204 N")
        #expect(talk.difference(from: told) == nil)
    }

    @Test func itIsReadInsideATunnelToo() {
        var talk = Talk([.client("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n"), .server("HTTP/1.1 200 OK\r\n\r\n"), .client("toy one\n")])
        talk.layers = table
        #expect(talk.transcript()[3].hasPrefix("> | @0 message"), "\(talk.transcript())")
    }

    @Test func aUserCanNameIt() {
        #expect(table.choices.map(\.text) == ["toy", "http2", "http", "tls", "websocket", "data"])
        var talk = Talk([.server("one\n")], forced: LayerName("toy"))
        talk.layers = table
        #expect(talk.transcript()[1].hasPrefix("< @0 message"), "\(talk.transcript())")
    }

    // MARK: - Through a whole dissector

    private func segments(_ rules: [DecodeRule] = []) -> Segments {
        var segments = Segments()
        segments.layers = table
        segments.rules = rules
        return segments
    }

    @Test func itIsRecognisedInPackets() {
        let told = segments().handshake().client("to", at: 0).client("y one\n", at: 2).server("x\n", at: 0, ack: 8).transcript()
        #expect(told.contains { $0.hasPrefix("> @0 message") } && told.contains { $0.hasPrefix("< @0 message") }, "\(told)")
        var without = segments()
        without.layers = .standard
        let data = without.handshake().client("toy one\n", at: 0).transcript()
        #expect(data.contains("> @0 data \"toy one\\n\""), "\(data)")
    }

    @Test func itIsRecognisedByARuleInPackets() {
        let told = segments([DecodeRule(port: 8_080, layer: LayerName("toy"))]).handshake().server("one\n", at: 0).transcript()
        #expect(told.contains { $0.hasPrefix("< @0 message") }, "\(told)")
    }

    @Test func itIsFoundInTheMiddleOfAStream() {
        // Nothing of the beginning was captured, and it is the lower port that shows itself as the client.
        var late = segments()
        (late.clientPort, late.serverPort) = (80, 50_000)
        let found = late.server("ne\n", at: 0).client("of before\nto", at: 0).client("y one\n", at: 12).transcript()
        #expect(
            found[0] == "opened midstream by content" && found.contains { $0.hasPrefix("> @10 message") || $0.hasPrefix("> @0 message") },
            "\(found)")
        // Behind a gap, and behind talk that was nothing known and has been shown.
        let gap = segments().handshake().client("?\ntoy one\n", at: 90).fin(.client, at: 100).fin(.server, at: 0, ack: 101).transcript()
        #expect(gap.contains("> @0 gap 90 missing") && gap.contains { $0.contains("message") }, "\(gap)")
        var talk: [Talk.Step] = []
        for turn in 0..<4 { talk += [.client("hello number \(turn)"), .server("answer \(turn)")] }
        var watched = Talk(talk + [.client("t"), .client("oy one\n"), .server("GET\n")], knowsRoles: false, start: .midstream)
        watched.layers = table
        let told = watched.transcript()
        #expect(told.contains { $0.hasPrefix("> @56 message") } && told.contains { $0.hasPrefix("< @32 message") }, "\(told)")
        #expect(watched.difference(from: told) == nil, "\(watched.difference(from: told) ?? "")")
        watched.layers = .standard
        #expect(!watched.transcript().contains { $0.contains("message") })
    }

    @Test(arguments: ["\n", "t", "\nto", "\ntoy", "toy!"])
    func itsSearchLooksAtEachByteOnce(_ unit: String) {
        func steps(_ size: Int) -> Int {
            let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
            var conversation = Conversation(
                number: 1, first: endpoint, second: endpoint, sideOfFirst: nil, start: .midstream, forced: nil, layers: table,
                limits: Limits(), place: Place())
            var sink = Transcript()
            let bytes = Array(unit.utf8)
            for index in 0..<size {
                conversation.receive(.bytes([bytes[index % bytes.count]].rawBytes), direction: .first, place: Place(), sink: &sink)
            }
            return conversation.searchSteps
        }
        let (once, twice) = (steps(8_000), steps(16_000))
        #expect(twice <= once * 22 / 10 + 12_288 && once < 80_000, "\(once) \(twice)")
    }
}
