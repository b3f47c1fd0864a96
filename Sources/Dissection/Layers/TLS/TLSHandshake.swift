/// How far a hello could be read.
enum HelloReading {
    case whole
    /// Up to an extension that contradicts its length.
    case broken
    case unreadable
}

/// What the two hellos of a connection said, until it is told.
struct TLSHandshake: Sendable {
    /// The next handshake record of the side has to begin with, or go on in, its hello.
    private var awaitsClient = true
    private var awaitsServer = true
    /// The agreed version, once it is known.
    private(set) var version: UInt16?
    private(set) var isTold = false
    /// The server has responded with something that is no TLS.
    var serverIsPlain = false
    /// Bytes of a client came.
    var clientHasBegun = false
    /// A side sends nothing more.
    private var clientHasEnded = false
    private var serverHasEnded = false
    /// Where the ClientHello came.
    private var clientHello: Arrival?
    /// Of the ClientHello: server name, protocols, suites, one behind the other.
    private var names: [UInt8] = []
    private var serverName = ByteRange()
    private var offeredALPN = ByteRange()
    private var offeredSuites = ByteRange()
    private var mayHideName = false

    var heldBytes: Int { names.count }

    mutating func noteEnd(of side: Side) { if side == .client { clientHasEnded = true } else { serverHasEnded = true } }

    func hasEnded(_ side: Side) -> Bool { side == .client ? clientHasEnded : serverHasEnded }

    /// A hello was read: the beginning of the connection is in sight.
    var hasHello: Bool { clientHello != nil || isTold }

    func awaitsHello(of side: Side) -> Bool { side == .client ? awaitsClient : awaitsServer }

    mutating func stopAwaiting(_ side: Side) {
        if side == .client { awaitsClient = false } else { awaitsServer = false }
    }

    /// Takes a whole ClientHello.
    mutating func takeClientHello(_ message: RawSpan, at arrival: Arrival) -> HelloReading {
        guard let hello = ClientHello.parse(message) else { return .unreadable }
        let reading: HelloReading = hello.isBroken ? .broken : .whole
        awaitsClient = false
        guard !isTold else { return reading }
        clientHello = arrival
        names = []
        serverName = keep(hello.serverName, of: message)
        offeredALPN = keep(hello.alpn, of: message)
        offeredSuites = keep(hello.cipherSuites, of: message)
        mayHideName = hello.mayHaveEncryptedHello
        return reading
    }

    private mutating func keep(_ range: ByteRange, of message: RawSpan) -> ByteRange {
        let start = names.count
        names.append(copying: message.extracting(range.start..<range.end))
        return ByteRange(start: start, count: range.count)
    }

    /// Takes a whole ServerHello and tells what was agreed, or has it held.
    ///
    /// - Parameter held: takes what was agreed, where that is told later; made where only the server's certificates are waited for.
    mutating func takeServerHello<Sink: ConversationSink & ~Copyable>(
        _ message: RawSpan, at arrival: Arrival, held: inout HeldAgreement?, context: inout ConversationContext, sink: inout Sink
    ) -> HelloReading {
        guard let hello = ServerHello.parse(message) else { return .unreadable }
        let reading: HelloReading = hello.isBroken ? .broken : .whole
        guard !hello.isRetryRequest else {
            // Both say hello once more (RFC 8446, section 4.1.4).
            awaitsClient = true
            awaitsServer = true
            return reading
        }
        awaitsServer = false
        version = hello.version
        guard !isTold else { return reading }
        isTold = true
        let offer = TLSFacts(serverName: serverName, offeredALPN: offeredALPN, secrets: .missing)
        let agreement = TLSAgreement(
            hello, in: message, offer: offer, names: names, suites: offeredSuites, hasOffer: clientHello != nil,
            mayHideName: mayHideName, at: arrival)
        names = []
        if held == nil, agreement.showsCertificates { held = HeldAgreement() }
        if let held { held.hold(agreement) } else { agreement.tell(.missing, nil, nil, context: &context, sink: &sink) }
        return reading
    }

    /// Takes a HelloRetryRequest as drafts of TLS 1.3 up to the 21st had it, a message of its own: both say hello once more.
    mutating func takeDraftRetry() {
        awaitsClient = true
        awaitsServer = true
    }

    /// Tells that a client's hello was answered in SSL 2.0, which agrees on no more than a version in the clear.
    mutating func tellSSL2<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        stopAwaiting(.client)
        stopAwaiting(.server)
        guard !isTold else { return }
        isTold = true
        version = 0x0002
        context.emit(.tls(TLSFacts(version: 0x0002, secrets: .missing)), at: arrival, sink: &sink)
        let text = Array((TLSNames.version(0x0002) ?? "SSL 2.0").utf8)
        context.emit(.tlsVersionObsolete, a: 0x0002, at: arrival, content: text.rawBytes, sink: &sink)
    }

    /// Tells what the client asked for, when no ServerHello will come.
    mutating func tellWithoutServer<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard !isTold, let arrival = clientHello else { return }
        isTold = true
        let facts = TLSFacts(serverName: serverName, offeredALPN: offeredALPN, secrets: .missing)
        context.emit(.tls(facts), at: arrival, content: names.rawBytes, sink: &sink)
        names = []
    }

    /// Frees what is kept of the ClientHello; what was agreed is then told without its names.
    mutating func forget() {
        names = []
        serverName = ByteRange()
        offeredALPN = ByteRange()
        offeredSuites = ByteRange()
        clientHello = nil
    }
}
