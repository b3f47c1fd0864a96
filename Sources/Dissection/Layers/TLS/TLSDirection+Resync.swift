/// Losing and finding synchronisation: gaps, the search for the next record, the end.
extension TLSDirection {
    mutating func search<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at position: inout Int, arrival: Arrival, handshake: inout TLSHandshake,
        context: inout ConversationContext, sink: inout Sink
    ) {
        if searchStart == nil { searchStart = arrival.advanced(by: position) } else { searchStart?.place.extend(by: arrival.place) }
        keep(bytes.suffix(from: position), at: arrival.advanced(by: position))
        while position < bytes.byteCount {
            push(bytes[position])
            position += 1
            let header = TLSRecordHeader(bits: window)
            guard windowCount == TLSRecordHeader.length, header.isPlausible, let start = searchStart else { continue }
            record = Arrival(
                side: arrival.side, offset: arrival.offset &+ UInt64(position) &- UInt64(TLSRecordHeader.length), place: arrival.place)
            if position < TLSRecordHeader.length, var place = searchTail {
                place.extend(by: arrival.place)
                record.place = place
            }
            let skipped = record.offset &- start.offset
            // What comes before the messages of a handshake was not encrypted.
            tellSkipped(skipped, at: start, isClear: header.contentType == 22, context: &context, sink: &sink)
            searchStart = nil
            windowCount = 0
            opened?.noteGap(skipped, endingAt: record)
            cursor.begin(header)
            beginRecord(header, handshake: &handshake, context: &context, sink: &sink)
            isTentative = skipped > 0
            return
        }
        if bytes.byteCount < TLSRecordHeader.length - 1, searchTail != nil {
            searchTail?.extend(by: arrival.place)
        } else {
            searchTail = arrival.place
        }
    }

    /// More is no talk before TLS, or not worth keeping.
    private static var mostUnread: Int { 4_096 }

    /// Keeps what is searched for the first record of the side.
    private mutating func keep(_ bytes: RawSpan, at arrival: Arrival) {
        guard !hasRecord, let start = searchStart, arrival.offset &- start.offset == UInt64(unread.count) else { return }
        unread.append(copying: bytes.extracting(0..<min(bytes.byteCount, Self.mostUnread - unread.count)))
    }

    /// Tells bytes that belong to no record: as what they are where they are known to be clear, else as a gap, because nobody wants to see
    /// a piece of ciphertext.
    private mutating func tellSkipped<Sink: ConversationSink & ~Copyable>(
        _ count: UInt64, at start: Arrival, isClear: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        let bytes = unread
        unread = []
        guard count > 0 else { return }
        tellHeldAhead(context: &context, sink: &sink)
        if isClear, !hasRecord, let length = Int(exactly: count), length <= bytes.count {
            let content = bytes.rawBytes.extracting(0..<length)
            context.emit(.data(DataRun(length: count)), at: start, content: content, sink: &sink)
        } else {
            context.emit(.gap(Gap(length: count, cause: .resync)), at: start, sink: &sink)
        }
    }

    mutating func loseAlignment() {
        unread = []
        fragment = []
        hasHole = false
        state = .searching
        cursor.restart()
        window = 0
        windowCount = 0
        searchStart = nil
        searchTail = nil
    }

    /// Learns that a loss comes, before it is told: outside a fragment nothing that is under way will be completed.
    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        if let plain { return plain.flush(at: arrival, context: &context, sink: &sink) }
        tellHeldAhead(context: &context, sink: &sink)
        guard state != .fragment else { return }
        opened?.noteGap(UInt64(cursor.headerCount), endingAt: arrival)
        record.side = arrival.side
        tellUnfinished(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        loseAlignment()
    }

    /// Learns that the next bytes are not to be had.
    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        if let plain { return plain.skip(length, at: arrival, context: &context, sink: &sink) }
        if length > 0 { tellHeldAhead(context: &context, sink: &sink) }
        var beyond = length
        if state == .fragment {
            record.place.extend(by: arrival.place)
            let inRecord = UInt64(cursor.fragmentLeft)
            beyond = length > inRecord ? length &- inRecord : 0
            if opened != nil, length > 0 {
                hasHole = true
                fragment = []
            }
            if reading == .hello { giveUpHello(handshake: &handshake, context: &context, sink: &sink) }
            if reading == .alert { reading = .sealed }
            let reachesOn = cursor.skip(length)
            // The record was sent, whatever came behind it.
            if cursor.fragmentLeft == 0 { endRecord(handshake: &handshake, context: &context, sink: &sink) }
            if reachesOn { return }
        }
        record.side = arrival.side
        // What was searched lies before the loss.
        tellUnfinished(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        opened?.noteGap(
            beyond, endingAt: Arrival(side: arrival.side, offset: arrival.offset &+ length, place: arrival.place))
        loseAlignment()
    }

    /// Learns that no more will come.
    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        if let plain { return plain.finish(at: arrival, context: &context, sink: &sink) }
        tellHeldAhead(context: &context, sink: &sink)
        if state == .fragment {
            let whole = TLSRecordHeader.length + cursor.header.fragmentLength
            let seen = UInt64(whole - cursor.fragmentLeft)
            giveUpHello(handshake: &handshake, context: &context, sink: &sink)
            if reading != .helloTold { tellRecord(seen, context: &context, sink: &sink) }
            context.emit(.tlsRecordCut, a: seen, b: UInt64(whole), at: record, sink: &sink)
            cursor.restart()
            state = .header
        }
        tellUnfinished(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        loseAlignment()
    }

    /// Tells what was read of a hello, a header or skipped bytes that will not be completed.
    mutating func tellUnfinished<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        switch state {
        case .header?:
            giveUpHello(handshake: &handshake, context: &context, sink: &sink)
            tellPlain(cursor.partOfHeader, context: &context, sink: &sink)
        case .oldHello?:
            tellPlain(hello, context: &context, sink: &sink)
            hello = []
        case .searching?:
            guard let start = searchStart, arrival.offset > start.offset else { return }
            // The hello of the other side is in sight, and this side's would be behind these bytes.
            let isClear = handshake.hasHello && !context.hasGap(arrival.side)
            opened?.noteGap(arrival.offset - start.offset, endingAt: arrival)
            tellSkipped(arrival.offset - start.offset, at: start, isClear: isClear, context: &context, sink: &sink)
        case .fragment?, .awaitingKey?, .plain?, nil:
            return
        }
    }
}
