/// Holds what was agreed on back, until the server's certificates were seen or will not be, and until it is known whether there are keys.
///
/// ```
/// ServerHello ──> held ── Certificate, or what comes in its place ──> told, and the records after it
/// ```
final class HeldAgreement {
    /// Nil where none waits.
    private(set) var agreement: TLSAgreement?
    // Certificate and CompressedCertificate.
    private var messages = HandshakeMessages(reading: [11, 25])
    private var chain: CertificateChain?
    // The same of the client, where the server has asked for them.
    private var clientMessages = HandshakeMessages(reading: [11, 25])
    private var clientChain: CertificateChain?
    private var asksClient = false
    private var isClientOver = false
    /// How they are compressed, where that is not undone here.
    private var unreadCompression: String?
    /// No certificates will come any more.
    private var isOver = false
    /// The length of its hello where that is malformed, and where it came.
    private var malformed: (length: UInt64, arrival: Arrival)?
    /// Records that are told behind what was agreed on: those of the server, and where there are keys those of both.
    private var records: [(run: DataRun, arrival: Arrival)] = []

    /// No flight of a server that shows its certificates has so many records before its end.
    private static var mostRecords: Int { 32 }

    /// The certificates were seen, or will not be.
    var knowsCertificates: Bool { isOver }

    /// Certificates may come in the clear.
    var awaitsClearCertificates: Bool { !isOver && agreement?.showsCertificates == true }

    /// The server has asked for the client's certificates, and they may still come.
    var awaitsClientCertificates: Bool { agreement != nil && asksClient && !isClientOver }

    var heldBytes: Int {
        messages.kept.capacity + clientMessages.kept.capacity + (clientChain?.heldBytes ?? 0) + (chain?.heldBytes ?? 0)
            + (agreement?.heldBytes ?? 0)
    }

    /// The same of the records, which are kept whatever is given up.
    var recordBytes: Int { records.capacity * MemoryLayout<(DataRun, Arrival)>.stride }

    func hold(_ new: TLSAgreement) {
        agreement = new
        isOver = !new.showsCertificates && !new.isTLS13
    }

    /// Takes the content of a handshake record of the server, behind its hello.
    func read(_ content: RawSpan) {
        guard let agreement else { return }
        var position = 0
        while !isOver, let type = messages.next(in: content, at: &position) {
            switch type {
            case 11:
                if !messages.kept.isEmpty { chain = CertificateChain(messages.kept.rawBytes, isTLS13: agreement.isTLS13) }
                // Up to TLS 1.2 a request for the client's may follow.
                if agreement.isTLS13 { giveUpCertificates() }
            case 13: asksClient = true
            case 25:
                if agreement.isTLS13, !messages.kept.isEmpty {
                    let compressed = CompressedCertificate(messages.kept.rawBytes)
                    unreadCompression = compressed.unread
                    if !compressed.message.isEmpty { chain = CertificateChain(compressed.message.rawBytes, isTLS13: true) }
                }
                giveUpCertificates()
            // NewSessionTicket, ServerHelloDone, CertificateVerify and Finished come behind certificates and the request for those of the
            // client, or in place of them.
            case 4, 14, 15, 20: giveUpCertificates()
            default: continue
            }
        }
    }

    /// Takes the content of a handshake record of the client, behind the server's flight.
    func readClient(_ content: RawSpan) {
        guard let agreement else { return }
        var position = 0
        while !isClientOver, let type = clientMessages.next(in: content, at: &position) {
            switch type {
            case 11 where !clientMessages.kept.isEmpty:
                clientChain = CertificateChain(clientMessages.kept.rawBytes, isTLS13: agreement.isTLS13)
            case 25 where agreement.isTLS13 && !clientMessages.kept.isEmpty:
                let message = CompressedCertificate(clientMessages.kept.rawBytes).message
                if !message.isEmpty { clientChain = CertificateChain(message.rawBytes, isTLS13: true) }
            // It comes before the certificates.
            case 5: continue
            default: break  // Any other message says that none come.
            }
            giveUpClientCertificates()
        }
    }

    /// No certificates of the client come any more.
    func giveUpClientCertificates() {
        isClientOver = true
        clientMessages.restart()
    }

    /// No certificates come, or no more of them.
    func giveUpCertificates() {
        isOver = true
        messages.restart()
    }

    /// Keeps a record back that is told behind what was agreed on. False where nothing is held, or too much already.
    func hold(_ run: DataRun, at record: Arrival) -> Bool {
        guard agreement != nil, records.count < Self.mostRecords else { return false }
        records.append((run, record))
        return true
    }

    /// Keeps back that the hello is malformed. False where nothing is held.
    func holdMalformed(_ length: UInt64, at arrival: Arrival) -> Bool {
        guard agreement != nil else { return false }
        malformed = (length, arrival)
        return true
    }

    /// The server has chosen a protocol under encryption.
    func choose(_ alpn: RawSpan) { agreement?.choose(alpn) }

    /// Tells what was agreed on, if it was not told, and the records that were kept back for it.
    func tell<Sink: ConversationSink & ~Copyable>(
        _ secrets: TLSFacts.Secrets, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let told = agreement else { return }
        agreement = nil
        told.tell(secrets, chain, clientChain, context: &context, sink: &sink)
        (chain, clientChain) = (nil, nil)
        giveUpCertificates()
        giveUpClientCertificates()
        if let name = unreadCompression { told.tellCompressed(name, context: &context, sink: &sink) }
        unreadCompression = nil
        if let (length, arrival) = malformed { context.emit(.tlsHelloMalformed, a: length, at: arrival, sink: &sink) }
        malformed = nil
        for record in records { context.emit(.data(record.run), at: record.arrival, sink: &sink) }
        records = []
    }

    /// Frees what is kept for the names in it; what was agreed is then told without them.
    func forgetNames() {
        giveUpCertificates()
        giveUpClientCertificates()
        (chain, clientChain) = (nil, nil)
        agreement?.forgetNames()
    }
}
