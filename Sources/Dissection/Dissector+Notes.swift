// What a capture says beside its packets.

extension Dissector {
    /// More of a comment than is told of it.
    private static var longestComment: Int { 4_096 }
    /// Annotations of one packet at most; the recorder writes fewer.
    private static var mostAnnotations: Int { 64 }

    /// Takes a comment that somebody wrote into the capture; told as a finding.
    ///
    /// - Parameter packet: the packet that it is about, if it is about one.
    public mutating func receive<Sink: ConversationSink & ~Copyable>(comment text: RawSpan, packet: UInt64?, sink: inout Sink) {
        var count = min(text.byteCount, Self.longestComment)
        // Not in the middle of a character.
        while count < text.byteCount, count > 0, text[count] & 0xC0 == 0x80 { count -= 1 }
        tell(
            Finding(.captureComment), place: Place(time: nil, packets: packet.map { PacketRange($0) }), text.extracting(0..<count),
            sink: &sink)
        guard count < text.byteCount else { return }
        tell(
            Finding(.captureCommentCut, a: UInt64(count), b: UInt64(text.byteCount)),
            place: Place(time: nil, packets: packet.map { PacketRange($0) }), RawSpan(), sink: &sink)
    }

    /// Takes what the capture says was dropped while it was made; told as a finding where something was.
    ///
    /// - Parameters:
    ///   - bySystem: packets for which the system had no room.
    ///   - byInterface: packets that the interface dropped.
    public mutating func receive<Sink: ConversationSink & ~Copyable>(
        droppedBySystem bySystem: UInt64, byInterface: UInt64, sink: inout Sink
    ) {
        guard bySystem > 0 || byInterface > 0 else { return }
        tell(Finding(.capturePacketsDropped, a: bySystem, b: byInterface), place: Place(time: nil), RawSpan(), sink: &sink)
    }

    /// Takes how many packets have a time that cannot be told; told as a finding where there are some.
    public mutating func receive<Sink: ConversationSink & ~Copyable>(packetsBeyondTime count: UInt64, sink: inout Sink) {
        guard count > 0 else { return }
        tell(Finding(.captureTimesOmitted, a: count), place: Place(time: nil), RawSpan(), sink: &sink)
    }

    /// Takes what the recording of a proxy says about the conversation of a packet that comes next; where another one comes next, it is
    /// about none.
    public mutating func annotate(_ annotation: RelayAnnotation, packet: UInt64) {
        if packet != annotatedPacket { annotations = [] }
        annotatedPacket = packet
        if annotations.count < Self.mostAnnotations { annotations.append(annotation) } else { unreadAnnotations &+= 1 }
    }

    /// Tells how many annotations of the last annotated packet were more than are read.
    @inline(never)
    mutating func tellUnreadAnnotations<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        let count = unreadAnnotations
        unreadAnnotations = 0
        tell(
            Finding(.captureCommentsUnread, a: count, b: UInt64(Self.mostAnnotations)),
            place: Place(time: nil, packets: PacketRange(annotatedPacket)), RawSpan(), sink: &sink)
    }

    /// Takes a packet that something is said about: before what it carries, but after a SYN and after a bare ACK, for which a FIN may wait.
    ///
    /// - Returns: Whether the packet itself was taken.
    mutating func receiveAnnotated<Sink: ConversationSink & ~Copyable>(
        _ header: borrowing SegmentHeader, payload: RawSpan, sink: inout Sink
    ) -> Bool {
        let told = annotations
        annotations = []
        let (flags, length) = (header.flags, header.payloadLength)
        let comesFirst = flags.contains(.syn) || length == 0 && !flags.contains(.fin) && !flags.contains(.rst)
        openingNotes = OpeningNotes(told)
        if comesFirst { receive(header, payload: payload, sink: &sink) }
        openingNotes = nil
        let (key, sourceIsLower) = FlowKey.make(header)
        var index = flows.find(key, hash: flows.hash(of: key))
        if index == FlowTable.none { index = twins.slot(for: key, header, sourceIsLower: sourceIsLower, in: flows) }
        guard index != FlowTable.none else { return comesFirst }
        if flows.slots[Int(index)].isQuiet { wake(index, sink: &sink) }
        guard let entry = flows.entries[Int(index)] else { return comesFirst }
        for annotation in told {
            if case .closed = annotation { entry.flow.flush(at: header.place.time, sink: &sink) }
            entry.flow.conversation.tell(annotation, at: header.place, sink: &sink)
        }
        heldBytes += entry.flow.countHeld()
        if entry.flow.conversation.isClosed { close(index, .fin, sink: &sink) }
        return comesFirst
    }

    mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ finding: Finding, place: Place, _ content: RawSpan, sink: inout Sink
    ) {
        totals.findings &+= 1
        sink.receive(
            ConversationEvent(conversation: 0, from: nil, place: place, offset: nil, fact: .finding(finding), content: content))
    }
}

extension Conversation {
    /// Tells what the recording of a proxy says.
    mutating func tell<Sink: ConversationSink & ~Copyable>(_ annotation: RelayAnnotation, at place: Place, sink: inout Sink) {
        guard isOpened, !isClosed else { return }
        switch annotation {
        // That was told when it opened.
        case .opened: break
        case .secured(let facts, let content):
            receive(.secured(facts, names: content.rawBytes), direction: .first, place: place, sink: &sink)
        case .found(let row, let detail):
            receive(.found(Finding(row), offset: nil, detail: detail.rawBytes), direction: .first, place: place, sink: &sink)
        case .closed(let how, let closer, let row, let reason, let ends):
            if let reason, let row {
                receive(.found(Finding(row), offset: nil, detail: reason.rawBytes), direction: .first, place: place, sink: &sink)
            }
            context.lastPlace.extend(by: place)
            close(how, by: closer, ends: ends, sink: &sink)
        case .aside(let side):
            receive(.aside, direction: context.parties.sideOfFirst == side ? .first : .second, place: place, sink: &sink)
        case .unkept(let side, let count):
            receive(
                .gap(length: count, cause: .limit), direction: context.parties.sideOfFirst == side ? .first : .second, place: place,
                sink: &sink)
        }
    }
}
