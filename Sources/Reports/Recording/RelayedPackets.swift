import CaptureFiles
import Dissection

/// The recording of a proxy (`-w`): each conversation as the TCP packets that would have carried it, in a pcapng file.
///
/// ```
/// SYN, SYN+ACK, ACK      at the time at which it began      names, via, TLS as comments
/// PSH+ACK                one for each run of bytes          65,495 bytes at most; the pieces of a run share its time
/// FIN+ACK, RST           as each side ended
/// RST                    where the proxy ended it           how and why as a comment
/// ```
///
/// A sealed recording (`--sealed`) has the two connections of each conversation instead, client to proxy and proxy to server, each through an interface
/// of its own, with what went over the wire, and the secrets of TLS sessions before the packets that need them.
///
/// Acknowledgements stand in the packets that there are anyway, and in one for each comment in between. Numbers, lengths and
/// checksums are right. Two connections
/// between the same ends at the same time are told apart by a VLAN tag on the second.
struct RelayedPackets: LineSink, ~Copyable {
    private var encoder = PcapNGEncoder(application: "")
    private var output: BlockOutput
    private var flows: [RecordedFlow] = []
    private var openEnds = OpenEnds()
    /// Names that were told lately.
    private var toldNames: Set<String> = []
    private var header: [UInt8] = []
    private let isSealed: Bool
    /// What was counted of each interface but the tagged one, whose packets are counted where they would stand without a tag.
    private var counts: [(recorded: UInt64, lost: UInt64)]
    private var taggedInterface: Int?
    private var lastTime = Timestamp(nanoseconds: 0)
    /// Lines of a key log that wait for the next packet.
    private var secrets: [UInt8] = []
    /// Packets left out since writing failed.
    private var lostPackets: UInt64 = 0
    /// Runs of secrets left out since then.
    private var lostSecrets: UInt64 = 0

    /// Bytes that are collected before they are written within a batch.
    private static let drainSize = 64 << 10
    private static let mostToldNames = 4_096
    /// Bytes of secrets that wait while nothing can be written; more are lost.
    private static let mostSecrets = 1 << 20

    /// - Parameter isSealed: what goes over the wire is recorded, rather than what the conversations carry.
    init(_ output: consuming BlockOutput, isSealed: Bool) {
        self.output = output
        self.isSealed = isSealed
        counts = Array(repeating: (0, 0), count: isSealed ? 2 : 1)
    }

    var takesFrames: Bool { false }
    var takesWire: Bool { true }

    /// Begins the recording; whoever looks at it from now on finds one, be it without packets.
    mutating func begin(_ source: CaptureSource) {
        encoder = PcapNGEncoder(
            application: source.tool, comments: [RelayComment.section(source.name, isSealed: isSealed)])
        for name in isSealed ? ["client to proxy", "proxy to server"] : ["unmask proxy"] {
            _ = encoder.addInterface(linkType: .raw, name: name)
        }
        // A reader knows by it that more follow.
        if isSealed { secrets += "# secrets of TLS sessions\n".utf8 }
        addSecrets()
        flush()
    }

    /// What is made of the bytes is for other outputs.
    mutating func receive(_ event: borrowing ConversationEvent) {}

    var outputError: OutputError? { output.error }

    /// Packets that were not written so far: those left out, and those that wait.
    var unwrittenRecords: UInt64 { counts.reduce(0) { $0 &+ $1.lost } &+ BlockOutput.packets(in: encoder.buffer) }

    var isHeldUp: Bool { !encoder.buffer.isEmpty }

    // MARK: - Conversations

    mutating func witness(_ relayed: borrowing RelayedEvent) {
        guard relayed.isOfConnection == isSealed else { return }
        lastTime = relayed.time
        let (side, place) = (relayed.side, relayed.place)
        switch relayed.fact {
        case .bytes: add(relayed.bytes, from: side, at: place, relayed.time)
        case .began(let opening): begin(opening, at: place, relayed.time)
        case .finished: finish(side, at: place, relayed.time)
        case .reset: reset(side, at: place, relayed.time)
        case .comment(let text):
            // On an acknowledgement of its own, so that it has its time, which the next packet may be far from.
            comment(text, at: place)
            // It acknowledges the FIN before it, which a reader waits for.
            add(.ack, from: flows[Int(place)].clientHasEnded ? .server : .client, at: place, relayed.time)
        case .closed(let how, let closer, let ends, let reason):
            comment(RelayComment.closing(how, by: closer, ends: ends, reason: reason), at: place)
            close(by: closer, at: place, relayed.time)
        case .secrets:
            if secrets.count + relayed.bytes.byteCount <= Self.mostSecrets {
                secrets.append(copying: relayed.bytes)
            } else {
                lostSecrets &+= 1
            }
        case .left: release(place)
        }
    }

    private mutating func begin(_ opening: RelayedOpening, at place: Int32, _ time: Timestamp) {
        var flow = RecordedFlow(client: opening.client, server: opening.server, number: opening.number)
        flow.peer = opening.peer
        openEnds.take(&flow, number: opening.number)
        if Int(place) < flows.count { flows[Int(place)] = flow } else { flows.append(flow) }
        if output.error == nil, let name = opening.serverHostName, toldNames.insert("\(opening.server.address) \(name)").inserted {
            if toldNames.count > RelayedPackets.mostToldNames { toldNames = [] }
            encoder.addName(name, of: opening.server.address)
        }
        flows[Int(place)].comments = [opening.comment]
        add(.syn, from: .client, at: place, time)
        add([.syn, .ack], from: .server, at: place, time)
        add(.ack, from: .client, at: place, time)
    }

    /// Says something on the next packet of a conversation.
    private mutating func comment(_ text: String, at place: Int32) {
        // A conversation that has nothing but findings to show gets no more of them onto one packet than fit well.
        guard flows[Int(place)].comments.count < 16 else { return }
        flows[Int(place)].comments.append(text)
    }

    private mutating func add(_ run: RawSpan, from side: Side, at place: Int32, _ time: Timestamp) {
        var start = 0
        while start < run.byteCount {
            let end = min(run.byteCount, start + RecordedFlow.mostPayload)
            add([.psh, .ack], from: side, payload: run.extracting(start..<end), at: place, time)
            start = end
        }
    }

    private mutating func finish(_ side: Side, at place: Int32, _ time: Timestamp) {
        guard side == .client ? !flows[Int(place)].clientHasEnded : !flows[Int(place)].serverHasEnded else { return }
        if side == .client { flows[Int(place)].clientHasEnded = true } else { flows[Int(place)].serverHasEnded = true }
        add([.fin, .ack], from: side, at: place, time)
        if flows[Int(place)].isOver { release(place) }
    }

    private mutating func reset(_ side: Side, at place: Int32, _ time: Timestamp) {
        add([.rst, .ack], from: side, at: place, time)
        release(place)
    }

    /// Ends a connection whose conversation ended otherwise: with a RST of the side that is said to have ended it, or of
    /// the server, in whose place the proxy acts.
    private mutating func close(by closer: Closing.Closer, at place: Int32, _ time: Timestamp) {
        reset(closer == .client ? .client : .server, at: place, time)
    }

    private mutating func release(_ place: Int32) {
        flows[Int(place)].comments = []
        guard !flows[Int(place)].isReleased else { return }
        flows[Int(place)].isReleased = true
        openEnds.release(flows[Int(place)])
    }

    // MARK: - Packets

    private mutating func add(
        _ flags: TCPFlags, from side: Side, payload: RawSpan = RawSpan(), at place: Int32, _ time: Timestamp
    ) {
        // Moved out for the call, so that it can be lent while the encoder changes.
        var header: [UInt8] = []
        swap(&header, &self.header)
        defer { swap(&header, &self.header) }
        flows[Int(place)].compose(flags, from: side, payload: payload, into: &header)
        if output.isFull(waiting: encoder.buffer.count) { output.error = .blocked }
        let plain = isSealed && flows[Int(place)].peer == .server ? 1 : 0
        guard output.error == nil else {
            lostPackets &+= 1
            counts[plain].lost &+= 1
            return
        }
        addSecrets()
        let interface = flows[Int(place)].vlan == 0 ? plain : tagged()
        let comments = flows[Int(place)].comments
        encoder.addPacket(header.rawBytes, payload: payload, interface: interface, time: time, comments: comments)
        if !comments.isEmpty { flows[Int(place)].comments = [] }
        counts[plain].recorded &+= 1
        if encoder.buffer.count >= RelayedPackets.drainSize { output.write(&encoder.buffer) }
    }

    /// Adds the secrets that have come, for the packets that follow.
    private mutating func addSecrets() {
        guard !secrets.isEmpty else { return }
        var lines: [UInt8] = []
        swap(&lines, &secrets)
        encoder.addSecrets(.tlsKeyLog, lines.rawBytes)
    }

    /// The interface of connections that need a VLAN tag, described when the first one does.
    private mutating func tagged() -> Int {
        if let taggedInterface { return taggedInterface }
        let index = encoder.addInterface(linkType: .ethernet, name: "unmask proxy, tagged")
        taggedInterface = index
        return index
    }

    // MARK: - Writing

    /// Adds what the interfaces have counted.
    private mutating func addStatistics(comments: [String] = []) {
        for (interface, count) in counts.enumerated() {
            let counted = InterfaceStatistics(interface: interface, received: count.recorded &+ count.lost, droppedBySystem: count.lost)
            encoder.addStatistics(counted, time: lastTime, comments: comments)
        }
    }

    /// Writes the whole blocks that have come together.
    mutating func flush() {
        if output.error == nil { output.write(&encoder.buffer) }
    }

    /// Tries once more to write, after an error.
    ///
    /// - Returns: What was wrong, and the packets that were left out because of it; nil where all was well, or still is not.
    mutating func retry() -> (error: OutputError, lostRecords: UInt64)? {
        guard let before = output.error else { return nil }
        output.error = nil
        output.write(&encoder.buffer)
        guard output.error == nil else { return nil }
        guard output.hasRoom(waiting: encoder.buffer.count) else {
            output.error = before
            return nil
        }
        let lost = lostPackets
        lostPackets = 0
        var comments = ["\(lost) \(lost == 1 ? "packet" : "packets") could not be written: \(before.message)"]
        if lostSecrets > 0 { comments.append("secrets of TLS could not be written either; the sessions that have them stay sealed") }
        lostSecrets = 0
        addStatistics(comments: comments)
        return (before, lost)
    }

    /// Ends the recording with what it amounted to.
    mutating func finish(_ totals: Totals) {
        guard output.error == nil else { return }
        addSecrets()
        addStatistics()
        output.write(&encoder.buffer)
    }
}
