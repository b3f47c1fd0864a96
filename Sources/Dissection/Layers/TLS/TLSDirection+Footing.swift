/// Losing and finding one's footing: gaps, the search for the next record, the end.
extension TLSDirection {
    mutating func search<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at position: inout Int, arrival: Arrival, handshake: inout TLSHandshake,
        context: inout ConversationContext, sink: inout Sink
    ) {
        if searchStart == nil { searchStart = arrival.advanced(by: position) } else { searchStart?.place.extend(by: arrival.place) }
        while position < bytes.byteCount {
            push(bytes[position])
            position += 1
            guard headerCount == TLSRecordHeader.length, TLSRecordHeader(bits: header).isPlausible, let start = searchStart else {
                continue
            }
            record = Arrival(
                side: arrival.side, offset: arrival.offset &+ UInt64(position) &- UInt64(TLSRecordHeader.length), place: arrival.place)
            if position < TLSRecordHeader.length, var place = searchTail {
                place.extend(by: arrival.place)
                record.place = place
            }
            let skipped = record.offset &- start.offset
            if skipped > 0 { context.emit(.gap(Gap(length: skipped, cause: .resync)), at: start, sink: &sink) }
            searchStart = nil
            beginRecord(handshake: &handshake, context: &context, sink: &sink)
            isTentative = skipped > 0
            return
        }
        if bytes.byteCount < TLSRecordHeader.length - 1, searchTail != nil {
            searchTail?.extend(by: arrival.place)
        } else {
            searchTail = arrival.place
        }
    }

    mutating func loseFooting() {
        state = .searching
        header = 0
        headerCount = 0
        searchStart = nil
        searchTail = nil
    }

    /// Learns that a loss comes, before it is told: outside a fragment nothing that is under way will be completed.
    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        if let plain { return plain.flush(at: arrival, context: &context, sink: &sink) }
        guard state != .fragment else { return }
        record.side = arrival.side
        tellUnfinished(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        loseFooting()
    }

    /// Learns that the next bytes are not to be had.
    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        if let plain { return plain.skip(length, at: arrival, context: &context, sink: &sink) }
        if state == .fragment {
            record.place.extend(by: arrival.place)
            if reading == .hello { giveUpHello(handshake: &handshake, context: &context, sink: &sink) }
            if reading == .alert { reading = .sealed }
            if length <= UInt64(fragmentLeft) {
                fragmentLeft -= Int(length)
                if fragmentLeft == 0 { endRecord(handshake: &handshake, context: &context, sink: &sink) }
                return
            }
            // The record was sent, whatever came behind it.
            endRecord(handshake: &handshake, context: &context, sink: &sink)
        }
        record.side = arrival.side
        tellUnfinished(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        loseFooting()
    }

    /// Learns that no more will come.
    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        if let plain { return plain.finish(at: arrival, context: &context, sink: &sink) }
        if state == .fragment {
            let seen = UInt64(TLSRecordHeader.length + fragmentLength - fragmentLeft)
            giveUpHello(handshake: &handshake, context: &context, sink: &sink)
            if reading != .helloTold { tellRecord(seen, context: &context, sink: &sink) }
            context.emit(.tlsRecordCut, a: seen, b: UInt64(TLSRecordHeader.length + fragmentLength), at: record, sink: &sink)
            headerCount = 0
            state = .header
        }
        tellUnfinished(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        loseFooting()
    }

    /// Tells what was read of a hello, a header or skipped bytes that will not be completed.
    mutating func tellUnfinished<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        switch state {
        case .header?:
            giveUpHello(handshake: &handshake, context: &context, sink: &sink)
            tellPlain(partOfHeader, context: &context, sink: &sink)
        case .oldHello?:
            tellPlain(hello, context: &context, sink: &sink)
            hello = []
        case .searching?:
            guard let start = searchStart, arrival.offset > start.offset else { return }
            context.emit(.gap(Gap(length: arrival.offset - start.offset, cause: .resync)), at: start, sink: &sink)
        case .fragment?, .plain?, nil:
            return
        }
    }
}
