/// The records of one direction.
///
/// ```
/// header ── 5 bytes ──> fragment ── its length ──> header …
///   │                       │
///   │ no record begins here │ more bytes missing than the fragment has left
///   └─────> searching <─────┘
///               └── a plausible header ──> fragment
/// ```
///
/// Bytes that are missing inside a fragment change nothing about where the next record begins.
struct TLSDirection: Sendable {
    private enum State {
        case header
        case fragment
        /// A ClientHello in the form of SSL 2.0, which only the first bytes of a client can be.
        case oldHello
        case searching
    }

    /// What a record is read for.
    private enum Reading {
        /// Nothing: it is told by type and length.
        case sealed
        case hello
        /// The hello was told; the rest of its record says nothing more.
        case helloTold
        case alert
    }

    /// What is wrong with the hello in the current record; told behind the record.
    private enum Flaw {
        case malformed
        case tooLong
    }

    private var state: State?
    /// The last five bytes of a header, or of what is searched.
    private var header: UInt64 = 0
    private var headerCount = 0
    /// The current record: where it begins and when its bytes came.
    private var record = Arrival(side: .client, offset: 0, place: Place())
    private var contentType: UInt8 = 0
    private var fragmentLength = 0
    private var fragmentLeft = 0
    private var reading = Reading.sealed
    private var alert: UInt16 = 0
    /// The handshake message that is being joined, where it began, and the bytes of whole records that went into it.
    private var hello: [UInt8] = []
    private var helloArrival: Arrival?
    private var helloRecordBytes: UInt64 = 0
    private var flaw: (kind: Flaw, length: UInt64)?
    /// Where searching began.
    private var searchStart: Arrival?
    /// Of the last bytes searched, in which a header may have begun.
    private var searchTail: Place?
    /// The current record was found by searching: that the next one is where it says is not certain.
    private var isTentative = false
    var heldBytes: Int { hello.count }
    /// The client said hello in the form of SSL 2.0.
    private(set) var saidOldHello = false

    /// Frees the hello that is being joined.
    mutating func cut() { hello = [] }

    // MARK: - Bytes

    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        var position = 0
        if state == nil, bytes.byteCount > 0 { begin(with: bytes[0], side: arrival.side, isMidstream: !context.hasBeginning(arrival.side)) }
        while position < bytes.byteCount {
            switch state ?? .header {
            case .header:
                if headerCount == 0 { record = arrival.advanced(by: position) } else { record.place.extend(by: arrival.place) }
                push(bytes[position])
                position += 1
                if headerCount == TLSRecordHeader.length { beginRecord(handshake: &handshake, context: &context, sink: &sink) }
            case .fragment:
                let count = min(fragmentLeft, bytes.byteCount - position)
                record.place.extend(by: arrival.place)
                take(bytes.extracting(position..<position + count), handshake: &handshake, context: &context, sink: &sink)
                position += count
                fragmentLeft -= count
                if fragmentLeft == 0 { endRecord(handshake: &handshake, context: &context, sink: &sink) }
            case .oldHello:
                takeOldHello(bytes, at: &position, arrival: arrival, handshake: &handshake, context: &context, sink: &sink)
            case .searching:
                search(bytes, at: &position, arrival: arrival, handshake: &handshake, context: &context, sink: &sink)
            }
        }
    }

    private mutating func begin(with first: UInt8, side: Side, isMidstream: Bool) {
        if isMidstream {
            state = .searching
        } else {
            state = side == .client && first & 0x80 != 0 ? .oldHello : .header
        }
    }

    private mutating func push(_ byte: UInt8) {
        header = (header << 8 | UInt64(byte)) & 0xFF_FFFF_FFFF
        headerCount = min(headerCount + 1, TLSRecordHeader.length)
    }

    // MARK: - Records

    private mutating func beginRecord<Sink: ConversationSink & ~Copyable>(
        handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        let header = TLSRecordHeader(bits: header)
        let isOld = handshake.version.map { $0 < 0x0304 } ?? !context.isWhole(.server)
        let longest = isOld ? TLSRecordHeader.longestOldFragment : TLSRecordHeader.longestFragment
        guard header.isKnown, header.fragmentLength <= longest else {
            giveUpHello(handshake: &handshake, context: &context, sink: &sink)
            if isTentative {
                // The record before was none; nobody broke a rule.
            } else if header.isKnown {
                context.emit(.tlsRecordTooLong, a: UInt64(header.fragmentLength), at: record, sink: &sink)
            } else {
                context.emit(.tlsRecordUnknown, a: UInt64(header.contentType), b: UInt64(header.version), at: record, sink: &sink)
            }
            searchStart = record
            searchTail = record.place
            state = .searching
            return
        }
        isTentative = false
        headerCount = 0
        contentType = header.contentType
        fragmentLength = header.fragmentLength
        fragmentLeft = header.fragmentLength
        switch contentType {
        case 22 where fragmentLength > 0 && handshake.awaitsHello(of: record.side): reading = .hello
        // Under encryption an alert is longer, or has another type.
        case 21 where fragmentLength == 2: reading = .alert
        default:
            reading = .sealed
            // Nothing may come between the parts of a message (RFC 8446, section 5.1).
            if contentType != 21, helloArrival != nil { giveUpHello(handshake: &handshake, context: &context, sink: &sink) }
        }
        alert = 0
        state = .fragment
        if fragmentLeft == 0 {
            endRecord(handshake: &handshake, context: &context, sink: &sink)
            if contentType != 23 { context.emit(.tlsRecordEmpty, a: UInt64(contentType), at: record, sink: &sink) }
        }
    }

    private mutating func take<Sink: ConversationSink & ~Copyable>(
        _ part: RawSpan, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        switch reading {
        case .sealed, .helloTold: return
        case .alert: for index in 0..<part.byteCount { alert = alert << 8 | UInt16(part[index]) }
        case .hello: takeHello(part, handshake: &handshake, context: &context, sink: &sink)
        }
    }

    private mutating func endRecord<Sink: ConversationSink & ~Copyable>(
        handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        state = .header
        headerCount = 0
        let length = UInt64(TLSRecordHeader.length + fragmentLength)
        switch reading {
        case .helloTold: return
        case .hello:
            helloRecordBytes += length
            return
        case .sealed: tellRecord(length, context: &context, sink: &sink)
        case .alert:
            let level = UInt8(alert >> 8)
            let description = UInt8(alert & 0xFF)
            if level == 2 { handshake.tellWithoutServer(context: &context, sink: &sink) }
            tellRecord(length, context: &context, sink: &sink)
            let text = Array((TLSNames.alert(description) ?? "unknown").utf8)
            context.emit(
                level == 1 ? .tlsWarningAlert : .tlsFatalAlert, a: UInt64(description), at: record, content: text.rawBytes, sink: &sink)
        }
    }

    /// Tells the current record by type and length, and what was wrong with the hello in it.
    private mutating func tellRecord<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(.data(DataRun(length: length, framing: .tlsRecord(contentType: contentType))), at: record, sink: &sink)
        guard let found = flaw else { return }
        flaw = nil
        context.emit(found.kind == .malformed ? .tlsHelloMalformed : .tlsHelloTooLong, a: found.length, at: record, sink: &sink)
    }

    // MARK: - Hellos

    private mutating func takeHello<Sink: ConversationSink & ~Copyable>(
        _ part: RawSpan, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        let wasCut = helloArrival != nil && hello.isEmpty
        if helloArrival == nil { helloArrival = record } else { helloArrival?.place.extend(by: record.place) }
        guard !wasCut, let arrival = helloArrival else { return giveUpHello(handshake: &handshake, context: &context, sink: &sink) }
        hello.append(copying: part)
        let type: UInt8 = record.side == .client ? 1 : 2
        // A HelloRetryRequest in drafts of TLS 1.3.
        if hello.first == 6, record.side == .server, fragmentLength < 512 {
            giveUpHello(handshake: &handshake, context: &context, sink: &sink)
            handshake.takeDraftRetry()
            return
        }
        guard hello.first == type else { return giveUpHello(handshake: &handshake, context: &context, sink: &sink) }
        guard hello.count >= 4 else { return }
        let length = 4 + Int(hello.rawBytes.bigEndianUInt24(at: 1))
        guard length <= context.limits.helloBytes else {
            // Behind a loss, ciphertext may look like the beginning of a hello.
            if !isTentative, !context.startsMidstream { flaw = (.tooLong, UInt64(length)) }
            return giveUpHello(handshake: &handshake, context: &context, sink: &sink)
        }
        guard hello.count >= length else { return }
        let message = hello
        let outcome =
            record.side == .client
            ? handshake.takeClientHello(message.rawBytes, at: arrival)
            : handshake.takeServerHello(message.rawBytes, at: arrival, context: &context, sink: &sink)
        if outcome == .unreadable {
            if !isTentative, !context.startsMidstream { flaw = (.malformed, UInt64(length)) }
            return giveUpHello(handshake: &handshake, context: &context, sink: &sink)
        }
        if outcome == .broken { context.emit(.tlsHelloMalformed, a: UInt64(length), at: arrival, sink: &sink) }
        dropHello()
        reading = .helloTold
    }

    /// Expects no hello of this side any more. Whole records that went into it are told as not understood; the current
    /// one is told like any other.
    private mutating func giveUpHello<Sink: ConversationSink & ~Copyable>(
        handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        guard reading == .hello || helloArrival != nil else { return }
        handshake.stopAwaiting(record.side)
        if let arrival = helloArrival, helloRecordBytes > 0 {
            context.emit(.gap(Gap(length: helloRecordBytes, cause: .undecodable)), at: arrival, sink: &sink)
        }
        dropHello()
        if reading == .hello { reading = .sealed }
    }

    private mutating func dropHello() {
        hello = []
        helloArrival = nil
        helloRecordBytes = 0
    }

    private mutating func takeOldHello<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at position: inout Int, arrival: Arrival, handshake: inout TLSHandshake,
        context: inout ConversationContext, sink: inout Sink
    ) {
        if hello.isEmpty { record = arrival.advanced(by: position) } else { record.place.extend(by: arrival.place) }
        hello.append(bytes[position])
        position += 1
        guard hello.count >= 11 else { return }
        if hello.count == 11, case .no = OldHello.isBeginning(hello.rawBytes) {
            context.emit(
                .tlsRecordUnknown, a: UInt64(hello[0]), b: UInt64(hello.rawBytes.bigEndianUInt16(at: 1)), at: record, sink: &sink)
            for byte in hello { push(byte) }
            hello = []
            searchStart = record
            searchTail = record.place
            state = .searching
            return
        }
        guard hello.count >= 2 + Int(hello.rawBytes.bigEndianUInt16(at: 0) & 0x7FFF) else { return }
        let version = hello.rawBytes.bigEndianUInt16(at: 3)
        tellPlain(hello, context: &context, sink: &sink)
        context.emit(.tlsOldHello, a: UInt64(version), at: record, sink: &sink)
        handshake.stopAwaiting(.client)
        saidOldHello = true
        hello = []
        state = .header
    }

    /// Tells bytes that are no whole record as they are.
    private func tellPlain<Sink: ConversationSink & ~Copyable>(
        _ bytes: [UInt8], context: inout ConversationContext, sink: inout Sink
    ) {
        guard !bytes.isEmpty else { return }
        context.emit(.data(DataRun(length: UInt64(bytes.count))), at: record, content: bytes.rawBytes, sink: &sink)
    }

    /// The bytes of a header that is not whole.
    private var partOfHeader: [UInt8] { (0..<headerCount).reversed().map { UInt8(truncatingIfNeeded: header >> (8 * UInt64($0))) } }

    // MARK: - Losing and finding one's footing

    private mutating func search<Sink: ConversationSink & ~Copyable>(
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

    private mutating func loseFooting() {
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
        guard state != .fragment else { return }
        record.side = arrival.side
        tellUnfinished(at: arrival, handshake: &handshake, context: &context, sink: &sink)
        loseFooting()
    }

    /// Learns that the next bytes are not to be had.
    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
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
    private mutating func tellUnfinished<Sink: ConversationSink & ~Copyable>(
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
        case .fragment?, nil:
            return
        }
    }
}
