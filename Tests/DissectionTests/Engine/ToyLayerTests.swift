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
        #expect(table.choices.map(\.text) == ["toy", "http", "tls", "websocket", "data"])
        var talk = Talk([.server("one\n")], forced: LayerName("toy"))
        talk.layers = table
        #expect(talk.transcript()[1].hasPrefix("< @0 message"), "\(talk.transcript())")
    }
}
