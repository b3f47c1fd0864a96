import CaptureFiles
import Dissection

/// What the directions of captured conversations brought, as the TCP packets that would have carried it, in a pcapng file (`-w FILE --decrypted`).
///
/// As in a proxy's recording, numbers, lengths and checksums are right, retransmissions and what came out of order are put right, and what is missing
/// is missing: numbers go on after it. A conversation whose beginning was not captured begins without a handshake. Findings stand on acknowledgements of
/// their own. TLS that keys open stands as what was inside (`ReadableStream`).
struct StreamPackets: LineSink, ~Copyable {
    private let settings: RecordingSettings
    private var encoder = PcapNGEncoder()
    private var output: BlockOutput
    private var picks: ConversationPicks
    private let found: PickedPackets.Contents?
    private var kept: KeptOutput
    private var flows: [UInt64: RecordedFlow] = [:]
    /// What of them comes next; a conversation has one as long as it has a flow.
    private var streams: [UInt64: ReadableStream] = [:]
    /// Bytes that these keep.
    private var streamBytes = 0
    private var openEnds = OpenEnds()
    private var header: [UInt8] = []
    private var rawInterface = 0
    private var taggedInterface = 0
    private var hasBegun = false
    private var packets: UInt64 = 0
    private var lostPackets: UInt64 = 0
    private(set) var keptLoss: UInt64 = 0

    private static let drainSize = 64 << 10

    init(_ output: consuming BlockOutput, _ settings: RecordingSettings, decoding: DecodingStage? = nil) {
        self.output = output
        self.settings = settings
        picks = ConversationPicks(settings, decoding: decoding)
        found = settings.found?.contents
        kept = KeptOutput(messages: .max, conversationBytes: settings.keptBytes.ofConversation, totalBytes: settings.keptBytes.total)
    }

    var takesFrames: Bool { false }
    var takesStreams: Bool { true }
    var outputError: OutputError? { output.error }
    var heldBytes: Int {
        picks.heldBytes + kept.heldBytes + streamBytes
            + flows.capacity * (MemoryLayout<RecordedFlow>.stride + MemoryLayout<ReadableStream>.stride + 96)
    }
    var searchesGivenUp: UInt64 { picks.searchesGivenUp }
    var unwrittenRecords: UInt64 { lostPackets &+ BlockOutput.packets(in: encoder.buffer) }

    mutating func begin(_ source: CaptureSource) {
        guard !hasBegun else { return }
        hasBegun = true
        let comment = "made of what the conversations in \(source.name) carried; packets are not those captured"
        encoder.beginSection(application: source.tool, comments: [comment])
        rawInterface = encoder.addInterface(linkType: .raw, name: "unmask")
        taggedInterface = encoder.addInterface(linkType: .ethernet, name: "unmask, tagged")
        flush()
    }

    // MARK: - What comes

    mutating func receive(stream run: borrowing StreamRun) {
        let number = run.conversation
        guard found.map({ picks.picksAll || $0.conversations.contains(number) }) ?? true else { return }
        if flows[number] == nil {
            let (client, server) = run.from == .client ? (run.source, run.destination) : (run.destination, run.source)
            begin(number, client: client, server: server, run.start, run.time)
        }
        guard let flow = flows[number], var stream = streams.removeValue(forKey: number) else { return }
        streamBytes -= stream.heldBytes
        let wasTooLate = stream.openedTooLate
        stream.take(run, from: run.source == flow.client ? .client : .server)
        // A reader of the recording may otherwise wonder where the plaintext is.
        if stream.openedTooLate, !wasTooLate { stream.take(comment: Self.tooLate, at: run.time) }
        if stream.heldBytes > settings.keptBytes.ofConversation || streamBytes + stream.heldBytes > settings.keptBytes.total {
            stream.giveUp()
        }
        write(&stream, of: number)
    }

    private static let tooLate =
        "unmask: the TLS keys came after more data than --memory allows to keep; this TLS is not decrypted here"

    /// Writes what is known of a conversation, and keeps the rest.
    private mutating func write(_ stream: inout ReadableStream, of number: UInt64) {
        while let part = stream.next() { add(part, of: number) }
        streamBytes += stream.heldBytes
        streams[number] = stream
    }

    private mutating func add(_ part: ReadableStream.Part, of number: UInt64) {
        guard let flow = flows[number] else { return }
        let side = part.side
        switch part.fact {
        case .bytes:
            var start = 0
            while start < part.bytes.count {
                let end = min(part.bytes.count, start + RecordedFlow.mostPayload)
                add([.psh, .ack], from: side, payload: part.bytes.rawBytes.extracting(start..<end), of: number, part.time)
                start = end
            }
        case .gap(let length): flows[number]?.skip(length, of: side)
        case .finished:
            guard side == .client ? !flow.clientHasEnded : !flow.serverHasEnded else { return }
            if side == .client { flows[number]?.clientHasEnded = true } else { flows[number]?.serverHasEnded = true }
            add([.fin, .ack], from: side, of: number, part.time)
        case .reset: add([.rst, .ack], from: side, of: number, part.time)
        case .comment(let text):
            flows[number]?.comments = [text]
            add(.ack, from: flow.clientHasEnded ? .server : .client, of: number, part.time)
        }
    }

    mutating func receive(_ event: borrowing ConversationEvent) {
        let number = event.conversation
        if let found {
            guard picks.picksAll || found.conversations.contains(number) else { return }
        } else if picks.take(event) {
            let (units, lost) = kept.take(number)
            keptLoss &+= lost
            for unit in units where output.error == nil { encoder.buffer += unit.bytes }
        }
        switch event.fact {
        case .opened(let opening):
            guard flows[number] == nil, number != 0 else { return }
            begin(number, client: opening.client, server: opening.server, opening.start, event.place.time)
        case .finding(let finding):
            guard var stream = streams.removeValue(forKey: number) else { return }
            streamBytes -= stream.heldBytes
            stream.take(comment: FindingComment.text(finding, event.content), at: event.place.time)
            write(&stream, of: number)
        case .closed(let closing): end(number, closing, event.place.time)
        default: return
        }
    }

    private mutating func begin(_ number: UInt64, client: Endpoint, server: Endpoint, _ start: Opening.Start, _ time: Timestamp?) {
        var flow = RecordedFlow(client: client, server: server, number: number)
        openEnds.take(&flow, number: number)
        flows[number] = flow
        streams[number] = ReadableStream()
        guard start == .handshake else { return }
        add(.syn, from: .client, of: number, time)
        add([.syn, .ack], from: .server, of: number, time)
        add(.ack, from: .client, of: number, time)
    }

    private mutating func end(_ number: UInt64, _ closing: Closing, _ time: Timestamp?) {
        if var stream = streams.removeValue(forKey: number) {
            streamBytes -= stream.heldBytes
            stream.giveUp()
            while let part = stream.next() { add(part, of: number) }
            // The ends of the connection, where what was inside of it has none.
            if stream.isOpened {
                for side in [Side.client, .server] where (side == .client ? closing.clientEnd : closing.serverEnd) == .fin {
                    add(ReadableStream.Part(.finished, from: side, at: time), of: number)
                }
            }
        }
        if found == nil, !picks.has(number) { kept.drop(number) }
        if let flow = flows.removeValue(forKey: number) { openEnds.release(flow) }
    }

    // MARK: - What is written

    private mutating func add(
        _ flags: TCPFlags, from side: Side, payload: RawSpan = RawSpan(), of number: UInt64, _ time: Timestamp?
    ) {
        guard var flow = flows.removeValue(forKey: number) else { return }
        var header: [UInt8] = []
        swap(&header, &self.header)
        flow.compose(flags, from: side, payload: payload, into: &header)
        let comments = flow.comments
        flow.comments = []
        flows[number] = flow
        defer { swap(&header, &self.header) }
        guard output.error == nil else {
            lostPackets &+= 1
            return
        }
        let mark = encoder.buffer.count
        encoder.addPacket(
            header.rawBytes, payload: payload, interface: flow.vlan == 0 ? rawInterface : taggedInterface, time: time, comments: comments)
        if found == nil, !picks.has(number) {
            packets &+= 1
            let bytes = Array(encoder.buffer[mark...])
            encoder.buffer.removeLast(bytes.count)
            _ = kept.keep(KeptOutput.Unit(bytes, lines: 1, of: packets, messages: 0, counts: false), of: number)
        }
        if encoder.buffer.count > Self.drainSize { flush() }
    }

    mutating func finish(_ totals: Totals) { flush() }

    mutating func flush() {
        if output.error == nil { output.write(&encoder.buffer) }
    }
}
