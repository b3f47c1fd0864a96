import CertificateAuthority
import Dissection
import NIOCore
import Reports
import Synchronization

/// TLS on both sides of a conversation: which is opened, with whom it is spoken, and under which certificate.
final class TLSTermination: Sendable {
    private let settings: TLSSettings
    /// Where session secrets are appended to.
    let keyLog: KeyLog?
    private let upstream: UpstreamTLS
    private let downstream: DownstreamTLS
    /// Loaded, and made if there is none, when it is first needed: who relays plaintext alone needs none.
    private let loaded = Mutex<LocalAuthority?>(nil)
    /// Takes a line for the user.
    private let tell: @Sendable (String) -> Void
    /// Whether the user knows that the authority cannot be used: what fails then is said in the records of each conversation.
    private let hasTold = Atomic<Bool>(false)
    private let leaves = LeafCache<LeafRequest, ServingCertificate>()
    private let trust = Mutex(CertificateTrust())
    /// What our ClientHello could not repeat and was reported. The words are a few fixed ones.
    private let reportedCuts = Mutex<Set<String>>([])

    /// Servers that asked for a client certificate, got none and were reported: as many as `CertificateTrust` remembers hosts.
    private let reportedPlaces = Mutex<Set<String>>([])

    /// Reads the files of the settings.
    ///
    /// - Parameters:
    ///   - needsAuthority: whether TLS with clients is to be expected, so that trouble with the authority shows at once.
    ///   - secrets: takes what the key log takes.
    ///   - tell: takes a line for the user, such as that the key log cannot be written any more.
    init(
        settings: TLSSettings, needsAuthority: Bool, secrets: SecretSink? = nil, tell: @escaping @Sendable (String) -> Void
    ) throws {
        self.settings = settings
        self.tell = tell
        let keyLog = try settings.keyLog.map { try KeyLog(path: $0, tell: tell) }
        self.keyLog = keyLog
        var sinks: [SecretSink] = secrets.map { [$0] } ?? []
        if let keyLog { sinks.append { keyLog.append($0) } }
        let all = sinks
        var sink: SecretSink?
        if !all.isEmpty { sink = { line in for take in all { take(line) } } }
        var options = UpstreamTLSOptions()
        options.isVerifying = !settings.isInsecure
        options.additionalRoots = settings.upstreamAuthorities
        options.clientCertificate = settings.clientCertificate
        options.clientKey = settings.clientKey
        upstream = try UpstreamTLS(options, secrets: sink)
        downstream = DownstreamTLS(secrets: sink)
        loaded.withLock { $0 = settings.authority }
        // Without it the proxy does not begin, and whoever makes the proxy says why.
        if needsAuthority { _ = try usableAuthority() } else { lookAtAuthority() }
        if needsAuthority, options.isVerifying, options.additionalRoots.isEmpty, SystemRoots.areMissing {
            tell(
                """
                no list of CAs was found on this system, so that no server's certificate is trusted; install ca-certificates, or name a CA with \
                --upstream-ca
                """)
        }
    }

    private func authorityFolder() throws(AuthorityError) -> AuthorityFolder {
        if let path = settings.authorityFolder { return AuthorityFolder(path: path) }
        return try AuthorityFolder.standard()
    }

    private func authority() throws(AuthorityError) -> LocalAuthority {
        do throws(AuthorityError) {
            return try usableAuthority()
        } catch {
            tellTrouble(error)
            throw error
        }
    }

    private func usableAuthority() throws(AuthorityError) -> LocalAuthority {
        try loaded.withLock { loaded throws(AuthorityError) in
            if let loaded { return loaded }
            let authority = try LocalAuthority.loadOrCreate(in: try authorityFolder())
            loaded = authority
            return authority
        }
    }

    /// Has the user know at once of an authority that is there and cannot be used, where clients may yet come with TLS. None is made for that.
    private func lookAtAuthority() {
        do throws(AuthorityError) {
            try loaded.withLock { loaded throws(AuthorityError) in
                if loaded == nil { loaded = try LocalAuthority.load(from: try authorityFolder()) }
            }
        } catch {
            if error.kind != .missing, error.kind != .noFolder { tellTrouble(error) }
        }
    }

    private func tellTrouble(_ error: AuthorityError) {
        if !hasTold.exchange(true, ordering: .relaxed) { tell("TLS with clients fails, because the local CA cannot be used: \(error)") }
    }

    /// What clients are told to trust; nothing where the authority cannot be had.
    var authorityCertificate: Responses.Certificate {
        guard let certificate = try? authority().certificate else { return Responses.Certificate(pem: [], der: []) }
        return Responses.Certificate(pem: Array(certificate.pem.utf8), der: certificate.der, fingerprint: certificate.fingerprint)
    }

    /// What the user has had changed about a client's offer, in words; nil where nothing is.
    func change(to offered: UpstreamOffer?) -> String? { settings.speaksHTTP1 ? offered?.changeWithoutHTTP2 : nil }

    /// What our hello cannot repeat of a client's and was not reported in this run: a browser sends the same with each of its connections, and a
    /// finding for each hides the others.
    func unreportedCuts(_ offered: UpstreamOffer) -> [String] {
        guard !offered.leftOut.isEmpty else { return [] }
        return reportedCuts.withLock { reported in offered.leftOut.filter { reported.insert($0).inserted } }
    }

    /// The place of a server that asked for a client certificate and got none; nil where it got one, or was reported in this run.
    func placeWithoutCertificate(_ offered: UpstreamOffer?, plan: Plan) -> String? {
        guard settings.clientCertificate == nil else { return nil }
        let place = Self.place(plan.destination.host ?? offered?.serverName ?? plan.destination.description, plan)
        return reportedPlaces.withLock { reported in
            guard reported.count < CertificateTrust.limit else { return nil }
            return reported.insert(place).inserted ? place : nil
        }
    }

    /// Whether a client's TLS is to be relayed unopened.
    func isSealed(_ offered: UpstreamOffer, _ plan: Plan?) -> Bool {
        let port = UInt16(clamping: plan?.destination.port ?? 443)
        let hosts = [offered.serverName, plan?.destination.host].compactMap { $0 }
        if settings.passthrough.contains(where: { glob in hosts.contains { glob.matches(HostPort(host: $0, port: port)) } }) { return true }
        guard settings.passesThroughOnFailure, let first = hosts.first else { return false }
        return trust.withLock { $0.isRefused(host: Self.place(first, plan)) }
    }

    /// A host and its port: other ports are other servers, of which other programs may be clients.
    private static func place(_ host: String, _ plan: Plan?) -> String { "\(host):\(plan?.destination.port ?? 443)" }

    /// A client took our certificate: it sent something of its own under it.
    func clientAccepted(_ offered: UpstreamOffer, plan: Plan, client: IPAddress) {
        guard let host = offered.serverName ?? plan.destination.host else { return }
        trust.withLock { $0.accepted(by: client, host: Self.place(host, plan)) }
    }

    /// A client took data of the server under our certificate, and left without having sent any.
    func clientWasServed(_ offered: UpstreamOffer, plan: Plan, client: IPAddress) {
        guard let host = offered.serverName ?? plan.destination.host else { return }
        trust.withLock { $0.served(client, host: Self.place(host, plan)) }
    }

    /// Begins TLS with the server, with what the client asked for, else with what the mode says.
    func connect(_ leg: Leg, offered: UpstreamOffer?, plan: Plan, replaying early: ByteBuffer? = nil) throws -> TLSLeg {
        guard let channel = leg.channel else { throw TLSTrouble.closed }
        // Reverse mode goes where the URL says, whatever name the client used for us.
        let name = plan.isServerTLS ? plan.tlsName : offered?.serverName ?? plan.tlsName
        let target = UpstreamTLS.Target(
            serverName: plan.isServerTLS ? name : offered?.serverName, identity: name ?? "",
            alpn: offered.map { settings.speaksHTTP1 ? $0.withoutHTTP2 : $0.alpn } ?? plan.protocols)
        StreamSocket.prepareForTLS(channel)
        let tls = try upstream.connect(channel, before: leg, target: target, replaying: early)
        leg.take(tls)
        return tls
    }

    /// Begins TLS with the client, under a leaf for the names of the server's certificate, the client's and the dialled one, with
    /// the protocol that the server chose.
    func accept(
        _ leg: Leg, offered: UpstreamOffer, server: TLSAgreement?, plan: Plan, replaying early: ByteBuffer
    ) throws -> TLSLeg {
        guard let channel = leg.channel else { throw TLSTrouble.closed }
        let request = LeafRequest(certificate: server?.peerCertificate, serverName: offered.serverName, dialled: plan.destination.host)
        let certificate = try leaves.value(for: request) {
            let leaf = try authority().issue(request)
            return (ServingCertificate(chain: leaf.chain, key: leaf.key.der), leaf.renewAfter)
        }
        // A server that is spoken to in plaintext chooses nothing. HTTP/1 is what it will understand, unless the client speaks HTTP/2 alone, as gRPC
        // does: such a server is one of HTTP/2 by prior knowledge.
        let chosen = server == nil ? ["http/1.1", "h2"].first(where: offered.alpn.contains) : server?.alpn
        StreamSocket.prepareForTLS(channel)
        let tls = try downstream.accept(channel, before: leg, certificate: certificate, alpn: chosen, replaying: early)
        leg.take(tls)
        return tls
    }

    /// Says what became of a client that did not finish its handshake with us, or complained after it, and remembers a refusal.
    ///
    /// What a client says in an alert is a fact. That one pins which left without a word is a guess, and is not made of a client to whom
    /// our certificate for the host was good before: browsers open connections ahead of need, and end some of them.
    func clientRefused(
        _ outcome: ClientHandshakeOutcome, _ offered: UpstreamOffer?, plan: Plan, client: IPAddress, conversation: UInt64,
        _ recorder: Recorder
    ) {
        let host = offered?.serverName ?? plan.destination.host ?? plan.destination.description
        let place = Self.place(host, plan)
        let words: String
        var weight = CertificateTrust.enoughRefusals
        switch outcome {
        case .completed: return
        case .refusedCertificate(let alert):
            words = "the client refused the proxy's certificate for \(host) with the TLS alert “\(alert)”."
        case .closedAfterOurCertificate:
            guard !trust.withLock({ $0.hasWorked(for: client, host: place) }) else {
                // What it said nothing of may still be so: many programs, and on this machine all of them, come from one address.
                let reason = """
                    with the client: it closed the connection right after the proxy's certificate for \(host). It may not trust the local CA, \
                    although another connection from its address did. \(settings.trustAdvice)
                    """
                return recorder.find(.proxyTLSFailed, detail: reason, in: conversation, at: .now)
            }
            words = """
                the client closed the connection right after the proxy's certificate for \(host). It may not trust the local CA, or it may \
                pin the server's certificate.
                """
            weight = 1
        case .closedUnused:
            guard trust.withLock({ $0.leftUnused(by: client, host: place) }) else { return }
            words = """
                the client closed the connection right after the TLS handshake for \(host) without sending anything, for the third time in a row. \
                It may not trust the local CA, or it may pin the server's certificate.
                """
        case .other(let trouble):
            return recorder.find(.proxyTLSFailed, detail: "with the client: \(trouble.words(about: "it"))", in: conversation, at: .now)
        }
        let remedy: String
        if settings.passesThroughOnFailure {
            let isNext = trust.withLock { $0.refused(host: place, weight: weight) }
            remedy =
                isNext ? "TLS to \(host) is passed through from now on" : "After one more such failure TLS to \(host) is passed through"
        } else {
            remedy = "\(settings.trustAdvice), or, if it pins, pass the host through with --passthrough \(host)"
        }
        recorder.find(.proxyClientRefusedCertificate, detail: "\(words) \(remedy)", in: conversation, at: .now)
    }
}
