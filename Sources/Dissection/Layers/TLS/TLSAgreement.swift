/// What two hellos agreed on, until it is told.
struct TLSAgreement {
    private var facts: TLSFacts
    /// Of the ClientHello: server name, protocols, suites; and the protocol chosen, one behind the other.
    private var names: [UInt8]
    private let offeredSuites: ByteRange
    private var hasOffer: Bool
    /// The client may have asked for another server under encryption.
    private let mayHideName: Bool
    private let arrival: Arrival

    /// - Parameters:
    ///   - facts: of the ClientHello, with ranges of `names`.
    ///   - hasOffer: a ClientHello was read.
    ///   - mayHideName: it has an encrypted ClientHello, or bytes that look like one (RFC 9849).
    ///   - message: what `hello` was read from.
    init(
        _ hello: ServerHello, in message: RawSpan, offer facts: TLSFacts, names: [UInt8], suites: ByteRange, hasOffer: Bool,
        mayHideName: Bool, at arrival: Arrival
    ) {
        self.facts = facts
        self.names = names
        offeredSuites = suites
        self.hasOffer = hasOffer
        self.mayHideName = mayHideName
        self.arrival = arrival
        self.facts.version = hello.version
        self.facts.cipher = hello.cipherSuite
        choose(message.extracting(hello.alpn.start..<hello.alpn.end))
    }

    var isTLS13: Bool { facts.version == 0x0304 }

    /// Whether the server shows its certificates in the clear: up to TLS 1.2. Drafts of TLS 1.3 have higher versions.
    var showsCertificates: Bool { facts.version.map { $0 < 0x0304 } ?? false }

    var heldBytes: Int { names.capacity }

    /// Frees the names that the client asked for and offered.
    mutating func forgetNames() {
        facts.serverName = ByteRange()
        facts.offeredALPN = ByteRange()
        facts.alpn = ByteRange()
        hasOffer = false
        names = []
    }

    /// The server has chosen a protocol.
    mutating func choose(_ alpn: RawSpan) {
        guard alpn.byteCount > 0 else { return }
        facts.alpn = ByteRange(start: names.count, count: alpn.byteCount)
        names.append(copying: alpn)
    }

    /// Tells it, and what is wrong with it.
    ///
    /// - Parameters:
    ///   - chain: the server's certificates; nil where they were not seen.
    ///   - clientChain: the client's; nil where it was not asked, or they were not seen.
    func tell<Sink: ConversationSink & ~Copyable>(
        _ secrets: TLSFacts.Secrets, _ chain: CertificateChain?, _ clientChain: CertificateChain?, context: inout ConversationContext,
        sink: inout Sink
    ) {
        var facts = facts
        facts.secrets = secrets
        var content = names
        if let chain {
            facts.certificates = ByteRange(start: content.count, count: chain.list.count)
            content += chain.list
        }
        if let clientChain {
            facts.clientCertificates = ByteRange(start: content.count, count: clientChain.list.count)
            content += clientChain.list
        }
        context.emit(.tls(facts), at: arrival, content: content.rawBytes, sink: &sink)
        tellFlaws(context: &context, sink: &sink)
        let name = mayHideName ? ByteRange() : facts.serverName
        chain?.judge(
            version: facts.version, serverName: content.rawBytes.extracting(name.start..<name.end), at: arrival, context: &context,
            sink: &sink)
    }

    /// Tells that the server's certificates are compressed in a way that is not undone here.
    func tellCompressed<Sink: ConversationSink & ~Copyable>(_ name: String, context: inout ConversationContext, sink: inout Sink) {
        context.emit(.tlsCertificateCompressed, at: arrival, content: Array(name.utf8).rawBytes, sink: &sink)
    }

    private func tellFlaws<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let version = facts.version, let cipher = facts.cipher else { return }
        if version < 0x0303 {
            let text = Array((TLSNames.version(version) ?? "unknown").utf8)
            context.emit(.tlsVersionObsolete, a: UInt64(version), at: arrival, content: text.rawBytes, sink: &sink)
        }
        guard hasOffer else { return }
        if !offers(cipher) { context.emit(.tlsSuiteNotOffered, a: UInt64(cipher), at: arrival, sink: &sink) }
        if !facts.alpn.isEmpty, !offersChosen {
            let chosen = names.rawBytes.extracting(facts.alpn.start..<facts.alpn.end)
            context.emit(.tlsALPNNotOffered, at: arrival, content: chosen, sink: &sink)
        }
    }

    private func offers(_ suite: UInt16) -> Bool {
        let bytes = names.rawBytes
        var fields = HandshakeFields(offeredSuites)
        while let offered = fields.uint16(bytes) {
            if offered == suite { return true }
        }
        return false
    }

    private var offersChosen: Bool {
        let bytes = names.rawBytes
        let chosen = bytes.extracting(facts.alpn.start..<facts.alpn.end)
        var fields = HandshakeFields(facts.offeredALPN)
        while let offered = fields.vector8(bytes) {
            if bytes.extracting(offered.start..<offered.end).isEqual(to: chosen) { return true }
        }
        return false
    }
}

extension RawSpan {
    /// Whether the other has the same bytes.
    func isEqual(to other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        for index in 0..<byteCount where self[index] != other[index] { return false }
        return true
    }
}
