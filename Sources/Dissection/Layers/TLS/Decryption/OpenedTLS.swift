/// What is inside of a connection of TLS whose keys may be at hand: opens its records, and has their plaintext read.
///
/// ```
/// records of both sides ─ DecryptedConnection ─┬─ 23  the channel inside, whose offsets count plaintext
///                                              ├─ 21  alerts
///                                              └─ 22  messages of the handshake, of which only their records are told
/// ```
///
/// A class, because most conversations have none; both directions of the layer share it.
final class OpenedTLS<Inside: ChannelReader> {
    /// What was agreed on, until it is known whether there are keys.
    let held = HeldAgreement()
    var connection: DecryptedConnection
    let secrets: any TLSSecrets
    let ciphers: any TLSCiphers
    /// Nothing is opened: there are no keys, and none will come.
    var isDone = false
    /// No key is waited for any more.
    var hasGivenUp = false
    /// What waits for a key; nil where nothing does.
    var wait: KeyWait?
    /// Whether the secrets are those of the connection: a record was opened, or one could not be that nothing else explains.
    var fit = Fit.unknown
    /// Bytes are missing.
    private(set) var isIncomplete = false
    /// When secrets were looked for last, after they were waited for, and whether they were for the current record.
    var lookedAt: Timestamp?
    var hasLooked = true
    /// Bytes that waited for a key which did not come, until that is told.
    var waitedInVain: UInt64?
    /// Plaintext that the server may still refuse.
    var early = WaitingRuns()
    /// It was told that the server takes early data.
    var saysEarly = false
    var inside = Inside(fromStart: true)
    var beginning = ChannelBeginning()
    var client = OpenedSide()
    var server = OpenedSide()
    /// Counts the losses of both sides.
    var losses: UInt64 = 0
    /// What sinks were told that take streams.
    var stream = OpenedStream()
    private var plaintext: [UInt8] = []

    init(_ decryption: TLSDecryption) {
        connection = DecryptedConnection(decryption)
        secrets = decryption.secrets
        ciphers = decryption.ciphers
    }

    /// Bytes of it and its buffers.
    var heldBytes: Int {
        MemoryLayout<Inside>.size + 512 + inside.heldBytes + plaintext.capacity + connection.heldBytes + early.heldBytes
            + client.lost.heldBytes + server.lost.heldBytes + (wait?.runs.heldBytes ?? 0)
    }

    /// Something was read inside.
    private var hasBegun: Bool { client.offset > 0 || server.offset > 0 }

    var standing: Standing { hasBegun ? inside.standing : Standing(.sealed) }

    var searchSteps: Int { inside.searchSteps }

    func cutAssembly() -> Side? { inside.cutAssembly() }

    func dropWindows() { inside.dropWindows() }

    /// Frees the buffer of plaintext where it is large: it is made anew for the next record.
    func freePlaintext() { if plaintext.capacity > 2_048 { plaintext = [] } }

    // MARK: - Records

    /// Opens a record of which nothing is missing, and tells what was agreed on where that is known by now.
    func open<Sink: ConversationSink & ~Copyable>(
        _ header: TLSRecordHeader, _ fragment: RawSpan, at record: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> TLSOpening {
        hasLooked = !(header.contentType == 23 && isLookingLater(at: record.place.time))
        guard hasLooked else {
            connection.passRecord(from: record.side)
            lose(header, .undecodable, at: record)
            return .sealed(.secretMissing)
        }
        let opening = connection.open(header, fragment, from: record.side, into: &plaintext)
        note(opening)
        if case .plaintext(let opened) = opening, opened.contentType == 22, record.side == .server {
            held.read(plaintext.rawBytes.extracting(0..<opened.length))
        } else if case .plaintext(let opened) = opening, opened.contentType == 22, held.awaitsClientCertificates {
            held.readClient(plaintext.rawBytes.extracting(0..<opened.length))
        }
        tellAgreement(after: opening, context: &context, sink: &sink)
        switch opening {
        case .clear:
            // Without a hello no key is found.
            if header.contentType == 23, connection.session == nil { isDone = true }
        case .sealed:
            if header.contentType == 23 { lose(header, .undecodable, at: record) }
        case .plaintext: settleEarly(context: &context, sink: &sink)
        }
        return opening
    }

    enum Fit { case unknown, yes, no, noAndTold }

    /// Learns from a record whether the secrets are the connection's.
    private func note(_ opening: TLSOpening) {
        switch opening {
        case .clear: return
        case .plaintext: fit = .yes
        case .sealed(.notAuthentic), .sealed(.secretUnfit), .sealed(.contentTypeMissing):
            if fit == .unknown, !isIncomplete, connection.session != nil { fit = .no }
        case .sealed: return
        }
    }

    /// A part of a record is missing.
    func pass(_ header: TLSRecordHeader, at record: Arrival) {
        if record.side == .server { held.giveUpCertificates() }
        isIncomplete = true
        connection.passRecord(from: record.side)
        if header.contentType == 23 { lose(header, .missing, at: record) }
    }

    private func lose(_ header: TLSRecordHeader, _ cause: Gap.Cause, at record: Arrival) {
        let length = TLSRecordHeader.length + header.fragmentLength
        lose(UInt64(length), cause, isRecord: true, endingAt: record.advanced(by: length))
    }

    /// Bytes are missing, or belong to no record that was found.
    ///
    /// - Parameter end: where they end.
    func noteGap(_ length: UInt64, endingAt end: Arrival) {
        guard length > 0 else { return }
        if end.side == .server { held.giveUpCertificates() }
        isIncomplete = true
        connection.noteGap(length, from: end.side)
        lose(length, .missing, isRecord: false, endingAt: end)
    }

    /// Whether it was not told before that records of a side stay sealed.
    func isFirstSealed(of side: Side) -> Bool {
        defer { if side == .client { client.saysSealed = true } else { server.saysSealed = true } }
        return side == .client ? !client.saysSealed : !server.saysSealed
    }

    /// Level and description of the alert that was opened last.
    func alert(of length: Int) -> (level: UInt8, description: UInt8)? { length == 2 ? (plaintext[0], plaintext[1]) : nil }

    /// The message that a record that was opened begins with, where it comes after the handshake of TLS 1.3 and is whole.
    func messageAfterHandshake(in opened: TLSPlaintext) -> UInt8? {
        guard opened.contentType == 22, opened.keys.kind == .traffic, opened.length >= 4,
            TLSNames.messageAfterHandshake(plaintext[0]) != nil
        else { return nil }
        return Int(plaintext.rawBytes.bigEndianUInt24(at: 1)) + 4 <= opened.length ? plaintext[0] : nil
    }

    /// A record was opened: what is missing before it is known.
    func note(_ opened: TLSPlaintext, from side: Side) {
        if side == .client { client.lost.note(opened) } else { server.lost.note(opened) }
    }

    // MARK: - What was agreed on

    private func tellAgreement<Sink: ConversationSink & ~Copyable>(
        after opening: TLSOpening, context: inout ConversationContext, sink: inout Sink
    ) {
        // Certificates in the clear come whether there are keys or not.
        guard let agreement = held.agreement, !held.awaitsClearCertificates else { return }
        let isClear = opening == .clear
        if agreement.showsCertificates, isClear, held.awaitsClientCertificates { return }
        guard connection.knowsSecrets else {
            // A record that needs one waits for it.
            if isClear, secrets.grows, !hasGivenUp, connection.session != nil { return }
            tellAgreement(.missing, context: &context, sink: &sink)
            // They may come all the same, and open what follows.
            guard secrets.grows, connection.session != nil else { return isDone = true }
            return tellSealed(context: context, sink: &sink)
        }
        // The first record under encryption says whether the secrets fit.
        if !agreement.isTLS13, isClear { return }
        if agreement.isTLS13, connection.extensions == nil || !held.knowsCertificates || held.awaitsClientCertificates {
            // The protocol that the server has chosen, and its certificates, come under encryption.
            if isClear { return }
            if case .plaintext(let plaintext) = opening, plaintext.contentType == 22 || plaintext.isEarly { return }
        }
        tellAgreement(fit == .no ? .missing : .keylog, context: &context, sink: &sink)
    }

    /// Tells what was agreed on, if it was not told, and the records that were kept back for it.
    func tellAgreement<Sink: ConversationSink & ~Copyable>(
        _ secrets: TLSFacts.Secrets, context: inout ConversationContext, sink: inout Sink
    ) {
        if let extensions = connection.extensions { held.choose(extensions.alpn.rawBytes) }
        held.tell(secrets, context: &context, sink: &sink)
    }

    // MARK: - The channel inside

    /// Hands the content of the record that was opened last to the reader inside.
    func deliver<Sink: ConversationSink & ~Copyable>(
        _ opened: TLSPlaintext, _ header: TLSRecordHeader, at record: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = record.side
        note(opened, from: side)
        if let session = connection.likelySession, header.fragmentLength - opened.length > ciphers.overhead(of: session) {
            if side == .client { client.isPadded = true } else { server.isPadded = true }
        }
        if opened.isEarly, let extensions = connection.extensions {
            guard extensions.acceptsEarlyData else {
                // What the client had under way when it was refused.
                let run = DataRun(length: UInt64(TLSRecordHeader.length + header.fragmentLength), framing: .tlsRecord(contentType: 23))
                return context.emit(.data(run), at: record, sink: &sink)
            }
            tellEarly(at: record, context: &context, sink: &sink)
        }
        let content = plaintext
        plaintext = []
        let bytes = content.rawBytes.extracting(0..<opened.length)
        if opened.isEarly, connection.extensions == nil, early.heldBytes + opened.length <= context.limits.sealedBytes {
            while let (gap, end) = nextLoss(of: .client, isLast: false) { early.append(gap, at: end) }
            early.append(bytes, at: record)
        } else {
            if side == .client { passEarly(context: &context, sink: &sink) }
            passLosses(before: side, context: &context, sink: &sink)
            let end = record.offset &+ UInt64(TLSRecordHeader.length + header.fragmentLength)
            pass(bytes, from: side, outside: end, place: record.place, context: &context, sink: &sink)
        }
        plaintext = content
    }

    /// No more will come of a side, whose bytes end at `arrival`.
    func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if arrival.side == .client { passEarly(context: &context, sink: &sink) }
        tellAgreement(connection.knowsSecrets ? .keylog : .missing, context: &context, sink: &sink)
        guard hasBegun else { return }
        passLosses(before: nil, context: &context, sink: &sink)
        passEnd(at: arrival, context: &context, sink: &sink)
    }

    /// Nothing more will come that could decide.
    func settle<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        passEarly(context: &context, sink: &sink)
        let entered = beginning
        let outer = context.enterPlaintext(entered)
        inside.settle(context: &context, sink: &sink)
        context.leavePlaintext(entered, to: outer)
    }
}
