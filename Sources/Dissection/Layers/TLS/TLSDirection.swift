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
/// A server that does not speak TLS answers a hello in plaintext; what it says is read as what it is.
///
/// Bytes that are missing inside a fragment change nothing about where the next record begins.
struct TLSDirection<Inside: ChannelReader> {
    enum State {
        case header
        case fragment
        /// A ClientHello in the form of SSL 2.0, which only the first bytes of a client can be.
        case oldHello
        case searching
        /// The record is whole, and a key for it may still come.
        case awaitingKey
        /// It is not TLS at all, see `PlainResponse`.
        case plain
    }

    /// What a record is read for.
    enum Reading {
        /// Nothing: it is told by type and length.
        case sealed
        case hello
        /// The hello was read; the rest of its record is not told.
        case helloTold
        /// The server's certificates may be in it.
        case certificates
        case alert
    }

    /// What is wrong with the hello in the current record; told behind the record.
    enum Flaw {
        case malformed
        case tooLong
    }

    var state: State?
    var cursor = TLSRecordCursor()
    /// The last five bytes of what is searched, and how many there are.
    var window: UInt64 = 0
    var windowCount = 0
    /// The current record: where it begins and when its bytes came.
    var record = Arrival(side: .client, offset: 0, place: Place())
    var reading = Reading.sealed
    var alert: UInt16 = 0
    /// The handshake message that is being joined, where it began, and the bytes of whole records that went into it.
    var hello: [UInt8] = []
    var helloArrival: Arrival?
    var helloRecordBytes: UInt64 = 0
    var flaw: (kind: Flaw, length: UInt64)?
    /// Where searching began.
    var searchStart: Arrival?
    /// Of the last bytes searched, in which a header may have begun.
    var searchTail: Place?
    /// What was searched before the first record of the side, which may be clear talk; its beginning where that is long.
    var unread: [UInt8] = []
    /// The current record was found by searching: that the next one is where it says is not certain.
    var isTentative = false
    /// TLS was found by searching: the side need not begin with a record.
    var isFound = false
    /// TLS was found by searching, or what came before it was lost: it may be the content of something else, and then what stands
    /// between its records is no fault.
    var isUnconfirmed = false
    /// A record was read, or what stood for one was refused.
    var hasRecord = false
    /// What a server says that does not speak TLS.
    var plain: PlainResponse?
    var heldBytes: Int { hello.count + unread.count + (plain?.heldBytes ?? 0) + (held?.heldBytes ?? 0) }
    /// The client said hello in the form of SSL 2.0.
    var saidOldHello = false
    /// What was agreed on, where the server's hello was read and it is not told yet.
    var held: HeldAgreement?
    /// The same for the client, whose certificates may be waited for.
    var awaiting: HeldAgreement?
    /// Opens the records; none where there are no keys.
    var opened: OpenedTLS<Inside>?
    /// The fragment of the current record so far, where it may be opened.
    var fragment: [UInt8] = []
    /// Bytes of it are missing.
    var hasHole = false

    /// Frees the hello that is being joined, and what was agreed on of the last.
    mutating func cut() {
        hello = []
        held?.forgetNames()
        plain?.cut()
    }

    // MARK: - Bytes

    /// Returns how many bytes were taken: those behind a record that waits for a key are not.
    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) -> Int {
        var position = 0
        if state == nil, bytes.byteCount > 0 {
            begin(with: bytes[0], side: arrival.side, isMidstream: isFound || !context.hasBeginning(arrival.side))
        }
        while position < bytes.byteCount {
            switch state ?? .header {
            case .header:
                if cursor.headerCount == 0 { record = arrival.advanced(by: position) } else { record.place.extend(by: arrival.place) }
                guard case .header(let header) = cursor.next(in: bytes, at: &position) else { return bytes.byteCount }
                if isPlain(header, handshake, context) {
                    beginPlain(header, handshake: &handshake, context: &context, sink: &sink)
                } else {
                    beginRecord(header, handshake: &handshake, context: &context, sink: &sink)
                }
            case .fragment:
                guard case .fragment(let part) = cursor.next(in: bytes, at: &position) else { return bytes.byteCount }
                record.place.extend(by: arrival.place)
                let piece = bytes.extracting(part)
                take(piece, handshake: &handshake, context: &context, sink: &sink)
                if cursor.fragmentLeft == 0 {
                    endRecord(piece, handshake: &handshake, context: &context, sink: &sink)
                } else if opened != nil {
                    keep(fragment: piece)
                }
            case .oldHello:
                takeOldHello(bytes, at: &position, arrival: arrival, handshake: &handshake, context: &context, sink: &sink)
            case .searching:
                search(bytes, at: &position, arrival: arrival, handshake: &handshake, context: &context, sink: &sink)
            case .plain:
                plain?.receive(bytes.suffix(from: position), at: arrival.advanced(by: position), context: &context, sink: &sink)
                return bytes.byteCount
            case .awaitingKey: return position
            }
        }
        return position
    }

    mutating func begin(with first: UInt8, side: Side, isMidstream: Bool) {
        if isMidstream {
            state = .searching
        } else {
            state = side == .client && first & 0x80 != 0 ? .oldHello : .header
        }
    }

    /// Takes a byte into what is searched.
    mutating func push(_ byte: UInt8) {
        window = (window << 8 | UInt64(byte)) & 0xFF_FFFF_FFFF
        windowCount = min(windowCount + 1, TLSRecordHeader.length)
    }

    // MARK: - Records

    mutating func beginRecord<Sink: ConversationSink & ~Copyable>(
        _ header: TLSRecordHeader, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        let isOld = handshake.version.map { $0 < 0x0304 } ?? !context.isWhole(.server)
        let longest = isOld ? TLSRecordHeader.longestOldFragment : TLSRecordHeader.longestFragment
        guard header.isKnown, header.fragmentLength <= longest else {
            giveUpHello(handshake: &handshake, context: &context, sink: &sink)
            hasRecord = true
            if isTentative || isUnconfirmed {
                // The record before was none, or this is not what the records are part of; nobody broke a rule.
            } else if header.isKnown {
                context.emit(.tlsRecordTooLong, a: UInt64(header.fragmentLength), at: record, sink: &sink)
            } else {
                context.emit(.tlsRecordUnknown, a: UInt64(header.contentType), b: UInt64(header.version), at: record, sink: &sink)
            }
            cursor.restart()
            for byte in header.bytes { push(byte) }
            searchStart = record
            searchTail = record.place
            state = .searching
            return
        }
        let mayJudge = !isTentative && !isUnconfirmed
        isTentative = false
        hasRecord = true
        let contentType = header.contentType
        if contentType != 22 { giveUpCertificates(context: &context, sink: &sink) }
        switch contentType {
        case 22 where header.fragmentLength > 0 && handshake.awaitsHello(of: record.side): reading = .hello
        case 22 where held?.awaitsClearCertificates == true: reading = .certificates
        case 22 where awaitsClientCertificates && header.fragmentLength > 0: reading = .certificates
        // Under encryption an alert is longer, or has another type.
        case 21 where header.fragmentLength == 2: reading = .alert
        default:
            reading = .sealed
            // Nothing may come between the parts of a message (RFC 8446, section 5.1).
            if contentType != 21, helloArrival != nil { giveUpHello(handshake: &handshake, context: &context, sink: &sink) }
        }
        alert = 0
        state = .fragment
        if cursor.fragmentLeft == 0 {
            endRecord(handshake: &handshake, context: &context, sink: &sink)
            guard contentType != 23, mayJudge else { return }
            tellHeldAhead(context: &context, sink: &sink)
            context.emit(.tlsRecordEmpty, a: UInt64(contentType), at: record, sink: &sink)
        }
    }

    mutating func take<Sink: ConversationSink & ~Copyable>(
        _ part: RawSpan, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        switch reading {
        case .sealed: return
        case .certificates where record.side == .client: holding?.readClient(part)
        case .helloTold, .certificates: if held?.awaitsClearCertificates == true { held?.read(part) }
        case .alert: for index in 0..<part.byteCount { alert = alert << 8 | UInt16(part[index]) }
        case .hello: takeHello(part, handshake: &handshake, context: &context, sink: &sink)
        }
    }

    /// The fragment of the current record is at its end.
    ///
    /// - Parameter last: the part of it that came last.
    mutating func endRecord<Sink: ConversationSink & ~Copyable>(
        _ last: RawSpan = RawSpan(), handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        state = .header
        guard let opened, !opened.isDone else { return tellEnded(handshake: &handshake, context: &context, sink: &sink) }
        switch open(last, with: opened, context: &context, sink: &sink) {
        case nil: state = .awaitingKey
        case .clear?: tellEnded(handshake: &handshake, context: &context, sink: &sink)
        case .plaintext(let plaintext)?: tell(plaintext, of: opened, handshake: &handshake, context: &context, sink: &sink)
        case .sealed(let reason)?:
            let isCertain = !isTentative && !isUnconfirmed
            tellEnded(handshake: &handshake, context: &context, sink: &sink)
            opened.tellSealed(reason, cursor.header, isCertain: isCertain, at: record, context: &context, sink: &sink)
        }
    }

    /// Tells the current record as one sees it without keys.
    mutating func tellEnded<Sink: ConversationSink & ~Copyable>(
        handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        let length = UInt64(TLSRecordHeader.length + cursor.header.fragmentLength)
        defer { tellHeldIfWhole(context: &context, sink: &sink) }
        switch reading {
        case .helloTold: return
        case .hello:
            helloRecordBytes += length
            return
        case .sealed, .certificates: tellRecord(length, context: &context, sink: &sink)
        case .alert:
            let level = UInt8(alert >> 8)
            if level == 2 { handshake.tellWithoutServer(context: &context, sink: &sink) }
            tellHeldAhead(context: &context, sink: &sink)
            tellRecord(length, context: &context, sink: &sink)
            TLSAlert(level: level, description: UInt8(alert & 0xFF))
                .report(at: record, isSure: !isUnconfirmed, after: handshake, context: &context, sink: &sink)
        }
    }

    /// Tells the current record by type and length, and what was wrong with the hello in it.
    ///
    /// - Parameters:
    ///   - contentType: that under the encryption, where it was opened.
    ///   - message: what it has, where it was opened and comes after the handshake.
    mutating func tellRecord<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, contentType: UInt8? = nil, message: UInt8? = nil, context: inout ConversationContext, sink: inout Sink
    ) {
        let framing = DataRun.Framing.tlsRecord(contentType: contentType ?? cursor.header.contentType)
        let run = DataRun(length: length, framing: framing, handshakeMessage: message)
        if holding?.hold(run, at: record) != true {
            // So many that no certificates are among them.
            tellHeldAhead(context: &context, sink: &sink)
            context.emit(.data(run), at: record, sink: &sink)
        }
        guard let found = flaw else { return }
        flaw = nil
        context.emit(found.kind == .malformed ? .tlsHelloMalformed : .tlsHelloTooLong, a: found.length, at: record, sink: &sink)
    }
}
