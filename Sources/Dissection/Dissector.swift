/// The shared dissector over packets: captured packets in, conversation events out.
///
/// ```
/// packet ─ PacketDecoder ─ segment ─ FlowTable ─ Flow ─ StreamEvent ─ Conversation ─ ConversationEvent ─▶ sink
/// ```
///
/// A pure value: it opens nothing, reads no clock, holds no global, starts no thread. Two can run side by side.
public struct Dissector: ~Copyable {
    let limits: Limits
    private let rules: [DecodeRule]
    private let layers: LayerTable
    var decoder: PacketDecoder
    var flows: FlowTable
    var twins: ScopeTwins
    /// Payload that came after its conversation had closed.
    var late = LateData()
    /// How long conversations lasted that ended sharply, and what sessions of Engine.IO have announced.
    var (lives, engineIOSessions) = (LifeSpans(), EngineIOSessions())
    /// Handshakes of closed connections that came once more.
    var repeated = RepeatedHandshakes()
    /// How long connections wait for packets that may have been captured late.
    var clock = WaitClock()
    /// Bytes that the open conversations take, with their buffers, but for their places in the table; together with those at
    /// most `Limits.totalBytes` after each packet.
    package internal(set) var heldBytes = 0
    /// Bytes that the caller keeps beside it for the same input (the window of a decompressor), which count as well.
    public var reservedBytes = 0
    /// Connections that may be open at once.
    private let mostConnections: Int
    private var unknownLinkTypes: [LinkType] = []
    /// Of `decoder.joinedFragments`, how many have been taken into account.
    private var countedJoins: UInt64 = 0
    /// What came so far; `messages` and `findings` grow as conversations close.
    public internal(set) var totals = Totals()
    /// What the next packet brings beside itself.
    var annotations: [RelayAnnotation] = []
    /// The packet that they are about.
    var annotatedPacket: UInt64 = 0
    /// What the source says of a conversation that the packet opens which is taken.
    var openingNotes: OpeningNotes?
    /// The process that a packet belongs to, and the number of the packet.
    var noted: (process: PacketProcess, packet: UInt64)?
    /// Whether the header of each segment is noted for `owner(of:)`.
    package var notesSegments = false
    /// The header of the last packet that is not of the plainest kind.
    private(set) var notedSegment: SegmentHeader?
    /// The last packet that is a fragment which waits for others.
    private(set) var notedFragment: UInt64 = 0
    /// Annotations that were more than one packet has.
    var unreadAnnotations: UInt64 = 0

    /// - Parameters:
    ///   - payloadDemand: bytes of one payload that the sinks show at most; what no sink shows is not kept, whatever the limits allow.
    ///   - layers: what may be spoken.
    ///   - decodeAs: what to take conversations for, by port, instead of recognising them.
    ///   - seed: of the flow table's hash; random for each process, so that a sender cannot steer collisions.
    public init(
        limits: Limits = Limits(), payloadDemand: Int = .max, layers: LayerTable = .standard, decodeAs rules: [DecodeRule] = [],
        seed: UInt64
    ) {
        let limits = limits.meeting(payloadDemand)
        self.limits = limits
        self.rules = rules
        self.layers = layers
        decoder = PacketDecoder(limits: limits)
        flows = FlowTable(seed: seed, limits: limits)
        twins = ScopeTwins(limits: limits)
        mostConnections = max(1, min(limits.conversations, limits.totalBytes / 4 / FlowTable.bytesPerSlot))
    }

    /// Bytes that a connection takes which carries no payload.
    package static var bytesPerConnection: Int { FlowTable.bytesPerSlot }

    /// Conversations that are open now.
    public var openConversations: Int { flows.openCount }

    /// Takes the next packet.
    public mutating func receive<Sink: ConversationSink & ~Copyable>(_ packet: borrowing CapturedPacket, sink: inout Sink) {
        totals.packets &+= 1
        totals.bytes &+= UInt64(packet.bytes.byteCount)
        if unreadAnnotations > 0 { tellUnreadAnnotations(sink: &sink) }
        if annotations.isEmpty, let plain = PlainSegment(packet) {
            if !clock.isEmpty, let now = packet.time { endWaits(at: now, sink: &sink) }
            return receive(plain.header(of: packet), payload: plain.payload(of: packet), sink: &sink)
        }
        let outcome = decoder.decode(packet)
        if let conflict = decoder.takeFragmentConflict() { tell(conflict, sink: &sink) }
        if !clock.isEmpty, let now = packet.time { endWaits(at: now, sink: &sink) }
        switch outcome {
        case .segment(let header):
            if notesSegments { notedSegment = header }
            if packet.linkType == .pktap { note(PacketProcess(pktap: packet.bytes), ofPacket: packet.number) }
            if header.isDefragmented {
                _ = takeJoinedFragments()
                // Moved out for the call, so that the segment can be lent while the dissector changes.
                let bytes = decoder.takeDefragmented()
                receive(header, payload: bytes.rawBytes.extracting(header.payload.start..<header.payload.end), sink: &sink)
                decoder.giveBack(bytes)
            } else {
                let payload = packet.bytes.extracting(header.payload.start..<header.payload.end)
                if !annotations.isEmpty, annotatedPacket == packet.number, receiveAnnotated(header, payload: payload, sink: &sink) {
                    return
                }
                receive(header, payload: payload, sink: &sink)
            }
        case .skipped(let reason):
            if notesSegments, reason == .fragment { notedFragment = packet.number }
            annotations = []
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

    /// Counts what another source of the same run amounted to: the next conversation is numbered on after its.
    public mutating func count(_ other: Totals) { totals.add(other) }

    /// Closes what is open, in order of first sight: the input has ended, or was interrupted.
    public mutating func finish<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        var open: [(number: UInt64, index: Int32)] = []
        open.reserveCapacity(flows.openCount)
        var index = flows.oldest
        while index != FlowTable.none {
            open.append((number(at: index), index))
            index = flows.newer(index)
        }
        open.sort { $0.number < $1.number }
        for (_, index) in open { close(index, .endOfCapture, sink: &sink) }
        for account in late.takeAll() { tell(account, sink: &sink) }
        if unreadAnnotations > 0 { tellUnreadAnnotations(sink: &sink) }
        let fragments = totals.skipped[SkipReason.fragment.index]
        if fragments > 0 { tell(Finding(.fragmentsMissing, a: fragments), place: Place(time: nil), RawSpan(), sink: &sink) }
    }

    /// The number of an open conversation.
    private func number(at index: Int32) -> UInt64 {
        if case .quiet(let connection) = flows.slots[Int(index)].state { return connection.number }
        return flows.entries[Int(index)]?.flow.conversation.context.number ?? 0
    }

    // MARK: - Segments

    @inline(__always)
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, sink: inout Sink
    ) {
        let (key, sourceIsLower) = FlowKey.make(header)
        let before = heldBytes
        let hash = flows.hash(of: key)
        var index = flows.find(key, hash: hash)
        if index != FlowTable.none {
            flows.prefetch(index)
        } else {
            index = twins.slot(for: key, header, sourceIsLower: sourceIsLower, in: flows)
            if index != FlowTable.none {
                wake(index, sink: &sink)
                flows.entries[Int(index)]?.answerScope = header.scope
            }
        }
        if index != FlowTable.none, flows.entries[Int(index)] == nil, flows.slots[Int(index)].isQuiet {
            if flows.takeQuietly(header, at: index, sourceIsLower: sourceIsLower) {
                flows.touch(index)
                return
            }
            wake(index, sink: &sink)
        }
        if header.flags.contains(.syn) {
            if index != FlowTable.none { endBeforeSyn(header, at: index, sink: &sink) }
        } else if index != FlowTable.none, let entry = flows.entries[Int(index)] {
            // Nearly every segment: of a connection that is known, about which nothing is in doubt.
            entry.flow.conversation.prefetchLayer()
            flows.touch(index)
            if let after = entry.receiveInOrder(header, payload: payload, sourceIsLower: sourceIsLower, sink: &sink) {
                return settle(after, entry, at: index, heldBefore: before, time: header.place.time, sink: &sink)
            }
        }
        if index != FlowTable.none, let entry = flows.entries[Int(index)] {
            let direction: Direction = sourceIsLower == entry.firstIsLower ? .first : .second
            let flags = header.flags
            flows.touch(index)
            var begins = false
            if !entry.flow.doubts.isEmpty {
                if entry.flow.isAfterReset {
                    if entry.flow.receiveAfterReset(header, payload: payload, direction: direction, sink: &sink) {
                        return watch(entry, at: index, since: header.place.time)
                    }
                    close(index, .fin, sink: &sink)
                    return receiveAgain(header, payload: payload, sink: &sink)
                }
                if endBeforeAnother(header, at: index, direction: direction, sink: &sink) {
                    return receiveAgain(header, payload: payload, sink: &sink)
                }
                begins = entry.flow.bearsOutSyn(header, direction: direction)
                if begins, entry.flow.hold(handshake: header) { return }
            }
            if flags.contains(.syn), !begins, entry.flow.isAnother(syn: header, direction: direction) {
                // Held until something bears it out; where one was held that now counts, after that has its connection.
                var holder = entry
                if holder.flow.hold(syn: header, payload: payload, direction: direction, sink: &sink) {
                    index = openHeld(at: index, sink: &sink)
                    wake(index, sink: &sink)
                    guard let next = flows.entries[Int(index)] else { return }
                    holder = next
                    _ = holder.flow.hold(
                        syn: header, payload: payload, direction: sourceIsLower == holder.firstIsLower ? .first : .second, sink: &sink)
                }
                heldBytes += holder.flow.countHeld()
                if isOverLimit(sink) { giveUp(sink: &sink) }
                return
            }
            if begins {
                index = openHeld(at: index, sink: &sink)
                if flows.slots[Int(index)].isQuiet {
                    if flows.takeQuietly(header, at: index, sourceIsLower: sourceIsLower) { return }
                    wake(index, sink: &sink)
                }
            }
        } else {
            if index != FlowTable.none {
                if belongsToRemnant(header, payload: payload, index, sourceIsLower: sourceIsLower, sink: &sink) { return }
                if reopen(index, before: header, sink: &sink) { return receiveAgain(header, payload: payload, sink: &sink) }
            }
            index = open(header, key: key, hash: hash, sourceIsLower: sourceIsLower, at: index, sink: &sink)
        }
        guard let entry = flows.entries[Int(index)] else {
            // A quiet one has made the table grow.
            if isOverLimit(sink) { giveUp(sink: &sink) }
            return
        }
        let direction: Direction = sourceIsLower == entry.firstIsLower ? .first : .second
        let after = entry.flow.receive(header, payload: payload, direction: direction, sink: &sink)
        settle(after, entry, at: index, heldBefore: before, time: header.place.time, sink: &sink)
    }

    /// Takes a segment whose connection has been made another one.
    @inline(never)
    mutating func receiveAgain<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, sink: inout Sink
    ) {
        receive(header, payload: payload, sink: &sink)
    }

    /// Does what a segment has changed that concerns all connections.
    @inline(__always)
    private mutating func settle<Sink: ConversationSink & ~Copyable>(
        _ after: Flow.Aftermath, _ entry: FlowTable.Entry, at index: Int32, heldBefore: Int, time: Timestamp?, sink: inout Sink
    ) {
        // Also of a conversation that is over: what it counted is what closing takes off again.
        heldBytes += after.heldChange
        if let shown = entry.flow.conversation.context.engineIOSession { engineIOSessions.take(shown, &entry.flow.conversation.context) }
        if after.isOver {
            if time != nil, entry.flow.stayAfterReset(sink: &sink) { return watch(entry, at: index, since: time) }
            return close(index, .fin, sink: &sink)
        }
        if after.isPatient { watch(entry, at: index, since: time) }
        if after.hasHypotheses { entry.flow.dropRefutedSyn(sink: &sink) }
        if heldBytes > heldBefore, isOverLimit(sink) { giveUp(sink: &sink) }
    }

    /// Makes a quiet connection one that speaks.
    @inline(never)
    mutating func wake<Sink: ConversationSink & ~Copyable>(_ index: Int32, sink: inout Sink) {
        guard let quiet = flows.slots[Int(index)].quiet else { return }
        let flow = quiet.wake(flows.slots[Int(index)].key, limits: limits, rules: rules, layers: layers, sink: &sink)
        heldBytes += Flow.ownBytes + flow.countedBytes
        flows.wake(index, entry: FlowTable.Entry(flow: consume flow, firstIsLower: quiet.firstIsLower))
    }

    /// Ends the connection at `index`, and begins the one of the SYN that it holds. Returns its place.
    private mutating func openHeld<Sink: ConversationSink & ~Copyable>(at index: Int32, sink: inout Sink) -> Int32 {
        guard let entry = flows.entries[Int(index)], let syn = entry.flow.takeSyn() else { return index }
        entry.flow.replace(direction: syn.direction, place: syn.header.place, sink: &sink)
        count(&entry.flow)
        return open(syn, at: index, sink: &sink)
    }

    /// Begins the connection of a SYN that was held, at a place that has none any more.
    private mutating func open<Sink: ConversationSink & ~Copyable>(
        _ syn: FlowHypotheses.Synchronisation, at slot: Int32, sink: inout Sink
    ) -> Int32 {
        let key = flows.slots[Int(slot)].key
        let index = open(
            syn.header, key: key, hash: flows.hash(of: key), sourceIsLower: FlowKey.make(syn.header).sourceIsLower, at: slot, sink: &sink)
        if let entry = flows.entries[Int(index)] {
            heldBytes += entry.flow.receive(syn.header, payload: syn.payload.rawBytes, direction: .first, sink: &sink).heldChange
        }
        if let partner = syn.partner { receiveAgain(partner, payload: RawSpan(), sink: &sink) }
        if let third = syn.third { receiveAgain(third, payload: RawSpan(), sink: &sink) }
        return index
    }

    mutating func open<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, key: FlowKey, hash: UInt64, sourceIsLower: Bool, at slot: Int32, sink: inout Sink
    ) -> Int32 {
        totals.conversations &+= 1
        if slot != FlowTable.none { tellLate(at: slot, sink: &sink) }
        let process = process(of: header)
        // A quiet connection remembers no process: one that is not reported at once needs it later.
        let isSYN = header.flags.contains(.syn)
        let isQuiet = process == nil || isSYN
        let quiet = isQuiet ? QuietConnection(number: totals.conversations, first: header, sourceIsLower: sourceIsLower) : nil
        var entry: FlowTable.Entry?
        if let quiet {
            if quiet.isTold { tellOpened(header, process, sink: &sink) }
        } else {
            var conversation = Conversation(
                number: totals.conversations, first: header.source, second: header.destination, startingWith: header.flags, rules: rules,
                layers: layers, limits: limits, place: header.place)
            conversation.context.parties.process = process
            conversation.open(sink: &sink)
            entry = FlowTable.Entry(flow: Flow(conversation: conversation, limits: limits), firstIsLower: sourceIsLower)
            heldBytes += Flow.ownBytes
        }
        if slot != FlowTable.none {
            flows.replace(slot, quiet: quiet, entry: entry)
            // One more where the place was that of a closed connection, which does not count.
            if flows.openCount > mostConnections { close(flows.oldest, .evicted, sink: &sink) }
            return slot
        }
        if flows.openCount >= mostConnections { close(flows.oldest, .evicted, sink: &sink) }
        let index = flows.insert(key, hash: hash, quiet: quiet, entry: entry)
        tellLate(at: index, sink: &sink)
        twins.note(key, at: index, in: flows)
        return index
    }

    mutating func close<Sink: ConversationSink & ~Copyable>(
        _ index: Int32, _ how: Closing.Manner, sink: inout Sink
    ) {
        if let quiet = flows.slots[Int(index)].quiet {
            // It never had an entry, and needs none to be closed as one that had.
            var flow = quiet.wake(flows.slots[Int(index)].key, limits: limits, rules: rules, layers: layers, sink: &sink)
            heldBytes += Flow.ownBytes + flow.countedBytes
            close(&flow, at: index, firstIsLower: quiet.firstIsLower, how, sink: &sink)
        } else if let entry = flows.entries[Int(index)] {
            close(&entry.flow, at: index, firstIsLower: entry.firstIsLower, how, sink: &sink)
        }
    }

    private mutating func close<Sink: ConversationSink & ~Copyable>(
        _ flow: inout Flow, at index: Int32, firstIsLower: Bool, _ how: Closing.Manner, sink: inout Sink
    ) {
        // A connection that was reset or that nobody answered makes room for the one of a client's SYN that it holds.
        let isOver = flow.conversation.isOver
        if isOver ? flow.isHeldSynAnswer : how == .evicted || !flow.isHeldSynEnough { flow.findIgnoredSyn(sink: &sink) }
        let held = flow.takeSyn()
        let time = flow.conversation.lastTime
        flow.flush(at: time, sink: &sink)
        if let held, !isOver { flow.findReplaced(by: held, sink: &sink) }
        flow.conversation.close(isOver ? .fin : held == nil ? how : .timeout, among: &lives, sink: &sink)
        count(&flow)
        let (first, second) = flow.remnants
        flows.close(
            index,
            leaving: FlowTable.Remnant(
                closedAt: time, lower: firstIsLower ? first : second, higher: firstIsLower ? second : first,
                conversation: flow.conversation.context.number))
        guard let held else { return }
        let next = open(held, at: index, sink: &sink)
        if how == .endOfCapture { close(next, how, sink: &sink) }
    }

    /// Adds a closed conversation to the totals.
    private mutating func count(_ flow: inout Flow) {
        let context = flow.conversation.context
        totals.messages &+= context.client.messages &+ context.server.messages
        totals.findings &+= context.findings
        heldBytes += flow.discount() - Flow.ownBytes
    }
}
