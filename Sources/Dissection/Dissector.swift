/// The shared dissector over packets: captured packets in, conversation events out.
///
/// ```
/// packet ─ PacketDecoder ─ segment ─ FlowTable ─ Flow ─ StreamEvent ─ Conversation ─ ConversationEvent ─▶ sink
/// ```
///
/// A pure value: it opens nothing, reads no clock, holds no global, starts no thread. Two can run side by side.
public struct Dissector: ~Copyable {
    /// How long after a close a packet between the same ports still belongs to it: twice the maximum segment lifetime
    /// of RFC 9293, section 3.4.2.
    private static let remnantNanoseconds: Int64 = 240_000_000_000

    let limits: Limits
    private let rules: [DecodeRule]
    private var decoder: PacketDecoder
    private var flows: FlowTable
    private var twins: ScopeTwins
    private var late = LateData()
    /// Bytes of buffers over all open conversations; at most `Limits.totalBytes` after each packet.
    package private(set) var heldBytes = 0
    private var unknownLinkTypes: [LinkType] = []
    /// Of `decoder.joinedFragments`, how many have been taken into account.
    private var countedJoins: UInt64 = 0
    /// What came so far; `messages` and `findings` grow as conversations close.
    public private(set) var totals = Totals()

    /// - Parameters:
    ///   - decodeAs: what to take conversations for, by port, instead of recognising them.
    ///   - seed: of the flow table's hash; random for each process, so that nobody can steer collisions.
    public init(limits: Limits = Limits(), decodeAs rules: [DecodeRule] = [], seed: UInt64) {
        self.limits = limits
        self.rules = rules
        decoder = PacketDecoder(limits: limits)
        flows = FlowTable(seed: seed)
        twins = ScopeTwins(limits: limits)
    }

    /// Conversations that are open now.
    public var openConversations: Int { flows.openCount }

    /// Takes the next packet.
    public mutating func receive<Sink: ConversationSink & ~Copyable>(_ packet: borrowing CapturedPacket, sink: inout Sink) {
        totals.packets &+= 1
        totals.bytes &+= UInt64(packet.bytes.byteCount)
        let outcome = decoder.decode(packet)
        if let conflict = decoder.takeFragmentConflict() { tell(conflict, sink: &sink) }
        switch outcome {
        case .segment(let header):
            if header.isDefragmented {
                _ = takeJoinedFragments()
                // Moved out for the call, so that the segment can be lent while the dissector changes.
                let bytes = decoder.takeDefragmented()
                receive(header, payload: bytes.rawBytes.extracting(header.payload.start..<header.payload.end), sink: &sink)
                decoder.giveBack(bytes)
            } else {
                receive(header, payload: packet.bytes.extracting(header.payload.start..<header.payload.end), sink: &sink)
            }
        case .skipped(let reason):
            count(reason)
            if reason == .linkType, !unknownLinkTypes.contains(packet.linkType), unknownLinkTypes.count < 256 {
                unknownLinkTypes.append(packet.linkType)
                totals.findings &+= 1
                sink.receive(
                    ConversationEvent(
                        conversation: 0, from: nil, place: Place(time: packet.time, packets: PacketRange(packet.number)), offset: nil,
                        fact: .finding(Finding(.linkTypeUnknown, a: UInt64(packet.linkType.rawValue))), content: RawSpan()))
            }
        }
    }

    private mutating func tell<Sink: ConversationSink & ~Copyable>(_ conflict: FragmentTable.Conflict, sink: inout Sink) {
        totals.findings &+= 1
        sink.receive(
            ConversationEvent(
                conversation: 0, from: nil, place: conflict.place, offset: nil,
                fact: .finding(Finding(.fragmentConflict, a: UInt64(conflict.offset), b: conflict.ipVersion)), content: RawSpan()))
    }

    /// Counts a packet with nothing for TCP. Fragments that waited count as what their datagram turned out to be.
    private mutating func count(_ reason: SkipReason) {
        totals.skipped[reason.index] &+= 1 &+ takeJoinedFragments()
    }

    /// The packets whose fragments the last packet has made whole; they wait no more.
    private mutating func takeJoinedFragments() -> UInt64 {
        let joined = decoder.joinedFragments &- countedJoins
        countedJoins = decoder.joinedFragments
        totals.skipped[SkipReason.fragment.index] &-= joined
        return joined
    }

    /// Closes what is open, in order of first sight: the input has ended, or was interrupted.
    public mutating func finish<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        var open: [(number: UInt64, index: Int32)] = []
        var index = flows.oldest
        while index != FlowTable.none {
            if let entry = flows.entries[Int(index)] { open.append((entry.flow.conversation.context.number, index)) }
            index = flows.newer(index)
        }
        open.sort { $0.number < $1.number }
        for (_, index) in open { close(index, .endOfCapture, sink: &sink) }
        for account in late.takeAll() { tell(account, sink: &sink) }
    }

    // MARK: - Segments

    @inline(__always)
    private mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, sink: inout Sink
    ) {
        let (key, sourceIsLower) = FlowKey.make(header)
        let hash = flows.hash(of: key)
        var index = flows.find(key, hash: hash)
        if index == FlowTable.none {
            index = twins.slot(for: key, header, sourceIsLower: sourceIsLower, in: flows)
            if index != FlowTable.none { flows.entries[Int(index)]?.answerScope = header.scope }
        }
        if index != FlowTable.none, let entry = flows.entries[Int(index)] {
            let direction: Direction = sourceIsLower == entry.firstIsLower ? .first : .second
            let flags = header.flags
            flows.touch(index)
            if flags.contains(.syn), !flags.contains(.ack), entry.flow.isAnother(syn: SequenceNumber(header.sequence), direction: direction)
            {
                // Held until something bears it out; where one was held that now counts, after that has its connection.
                var holder = entry
                if holder.flow.hold(syn: header, payload: payload, direction: direction, sink: &sink) {
                    index = openHeld(at: index, sink: &sink)
                    guard let next = flows.entries[Int(index)] else { return }
                    holder = next
                    _ = holder.flow.hold(
                        syn: header, payload: payload, direction: sourceIsLower == holder.firstIsLower ? .first : .second, sink: &sink)
                }
                heldBytes += holder.flow.countHeld()
                if heldBytes > limits.totalBytes { giveUp(sink: &sink) }
                return
            }
            if !entry.flow.doubts.isEmpty, entry.flow.bearsOutSyn(header, direction: direction) {
                index = openHeld(at: index, sink: &sink)
            }
        } else {
            if index != FlowTable.none, belongsToRemnant(header, payload: payload, index, sourceIsLower: sourceIsLower, sink: &sink) {
                return
            }
            index = open(header, key: key, hash: hash, sourceIsLower: sourceIsLower, at: index, sink: &sink)
        }
        guard let entry = flows.entries[Int(index)] else { return }
        let direction: Direction = sourceIsLower == entry.firstIsLower ? .first : .second
        let after = entry.flow.receive(header, payload: payload, direction: direction, sink: &sink)
        // Also of a conversation that is over: what it counted is what closing takes off again.
        heldBytes += after.heldChange
        if after.isOver {
            close(index, .fin, sink: &sink)
            return
        }
        if !entry.flow.doubts.isEmpty { entry.flow.dropRefutedSyn(sink: &sink) }
        if after.heldChange > 0, heldBytes > limits.totalBytes { giveUp(sink: &sink) }
    }

    /// Whether a segment belongs to the connection that has closed, and so says nothing new. A segment whose numbers lie
    /// far from where that one ended is of another, whose SYN was not captured.
    private mutating func belongsToRemnant<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, _ index: Int32, sourceIsLower: Bool, sink: inout Sink
    ) -> Bool {
        if header.flags.contains(.syn), !header.flags.contains(.ack) { return false }
        let slot = flows.slots[Int(index)]
        if let end = sourceIsLower ? slot.lowerEnd : slot.higherEnd, header.payloadLength > 0,
            !(-(1 << 26)...1 << 20).contains(SequenceNumber(header.sequence).distance(from: end))
        {
            return false
        }
        if let closed = slot.closedAt, let now = header.place.time,
            now.nanoseconds(since: closed) > Self.remnantNanoseconds
        {
            return false
        }
        guard header.payloadLength > 0 else { return true }
        totals.skipped[SkipReason.afterClose.index] &+= 1
        guard !header.isLikePadding(payload) else { return true }
        if late.isFull { for account in late.takeAll() { tell(account, sink: &sink) } }
        late.note(header, at: index, of: slot, sourceIsLower: sourceIsLower)
        return true
    }

    /// Tells what came for a conversation after it had closed.
    private mutating func tell<Sink: ConversationSink & ~Copyable>(_ account: LateData.Account, sink: inout Sink) {
        totals.findings &+= 1
        sink.receive(
            ConversationEvent(
                conversation: account.conversation, from: nil, place: account.place, offset: nil,
                fact: .finding(Finding(.tcpDataAfterClose, a: account.bytes, b: account.packets)), content: RawSpan()))
    }

    /// Tells what came late for the conversation whose place is taken by another.
    private mutating func tellLate<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) {
        if !late.isEmpty, let account = late.take(at: index) { tell(account, sink: &sink) }
    }

    /// Ends the connection at `index`, and begins the one of the SYN that it holds. Returns its place.
    private mutating func openHeld<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) -> Int32 {
        guard let entry = flows.entries[Int(index)], let syn = entry.flow.takeSyn() else { return index }
        entry.flow.replace(direction: syn.direction, place: syn.header.place, sink: &sink)
        count(entry)
        return open(syn, at: index, sink: &sink)
    }

    /// Begins the connection of a SYN that was held, at a place that has none any more.
    private mutating func open<Sink: ConversationSink & ~Copyable>(
        _ syn: FlowDoubts.Synchronisation, at slot: Int32, sink: inout Sink
    ) -> Int32 {
        let (key, hash) = (flows.slots[Int(slot)].key, flows.slots[Int(slot)].hash)
        let index = open(
            syn.header, key: key, hash: hash, sourceIsLower: FlowKey.make(syn.header).sourceIsLower, at: slot, sink: &sink)
        guard let entry = flows.entries[Int(index)] else { return index }
        heldBytes += entry.flow.receive(syn.header, payload: syn.payload.rawBytes, direction: .first, sink: &sink).heldChange
        return index
    }

    private mutating func open<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, key: FlowKey, hash: UInt64, sourceIsLower: Bool, at slot: Int32, sink: inout Sink
    ) -> Int32 {
        totals.conversations &+= 1
        if slot != FlowTable.none { tellLate(at: slot, sink: &sink) }
        let isSYN = header.flags.contains(.syn)
        // SYN comes from the client, SYN and ACK from the server.
        let side: Side? = isSYN ? (header.flags.contains(.ack) ? .server : .client) : nil
        let ports = (header.source.port, header.destination.port)
        var conversation = Conversation(
            number: totals.conversations, first: header.source, second: header.destination, sideOfFirst: side,
            start: isSYN ? .handshake : .midstream,
            forced: rules.first { $0.port == ports.0 || $0.port == ports.1 }?.layer, limits: limits, place: header.place)
        conversation.open(sink: &sink)
        let entry = FlowTable.Entry(flow: Flow(conversation: conversation, limits: limits), firstIsLower: sourceIsLower)
        if slot != FlowTable.none {
            flows.replace(slot, entry: entry)
            // One more where the place was that of a closed connection, which does not count.
            if flows.openCount > limits.conversations { close(flows.oldest, .evicted, sink: &sink) }
            return slot
        }
        if flows.openCount >= limits.conversations { close(flows.oldest, .evicted, sink: &sink) }
        let index = flows.insert(key, hash: hash, entry: entry)
        tellLate(at: index, sink: &sink)
        twins.note(key, at: index)
        return index
    }

    private mutating func close<Sink: ConversationSink & ~Copyable>(
        _ index: Int32, _ how: Closing.Manner, sink: inout Sink
    ) {
        guard let entry = flows.entries[Int(index)] else { return }
        // A connection that was reset or that nobody answered makes room for the one of a SYN that it holds.
        let isOver = entry.flow.conversation.isOver
        if !isOver, how == .evicted || entry.flow.isAnsweredAtAll { entry.flow.findIgnoredSyn(sink: &sink) }
        let held = entry.flow.takeSyn()
        let time = entry.flow.conversation.lastTime
        entry.flow.flush(at: time, sink: &sink)
        if let held, !isOver { entry.flow.findReplaced(by: held, sink: &sink) }
        entry.flow.conversation.close(held == nil || isOver ? how : .timeout, sink: &sink)
        count(entry)
        let (first, second) = entry.flow.ends
        flows.close(
            index, conversation: entry.flow.conversation.context.number, at: time, lowerEnd: entry.firstIsLower ? first : second,
            higherEnd: entry.firstIsLower ? second : first)
        guard let held else { return }
        let next = open(held, at: index, sink: &sink)
        if how == .endOfCapture { close(next, how, sink: &sink) }
    }

    /// Adds a closed conversation to the totals.
    private mutating func count(_ entry: FlowTable.Entry) {
        let context = entry.flow.conversation.context
        totals.messages &+= context.client.messages &+ context.server.messages
        totals.findings &+= context.findings
        heldBytes += entry.flow.discount()
    }
}

extension Dissector: SharedMemory {
    var openCount: Int { flows.openCount }

    var leastRecentlyUsed: Int32 { flows.oldest }

    func usedAfter(_ index: Int32) -> Int32 { flows.newer(index) }

    func countedBytes(at index: Int32) -> Int { flows.entries[Int(index)]?.flow.countedBytes ?? 0 }

    mutating func cutAssembly<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) -> Bool {
        guard let entry = flows.entries[Int(index)], entry.flow.conversation.cutAssembly(sink: &sink) else { return false }
        heldBytes += entry.flow.countHeld()
        return true
    }

    mutating func dropWindows(at index: Int32) {
        guard let entry = flows.entries[Int(index)] else { return }
        entry.flow.conversation.dropWindows()
        heldBytes += entry.flow.countHeld()
    }

    mutating func dropHistory(at index: Int32) {
        guard let entry = flows.entries[Int(index)] else { return }
        entry.flow.dropHistory()
        heldBytes += entry.flow.countHeld()
    }

    mutating func evict<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) {
        close(index, .evicted, sink: &sink)
    }
}
