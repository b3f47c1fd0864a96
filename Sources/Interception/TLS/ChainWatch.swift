import NIOSSL

/// Follows the library's verification of a server's chain, certificate by certificate, for what the library does not judge (the strength of
/// keys and signatures) and does not tell (why it refused).
///
/// The library calls from the root to the server's certificate with those that it accepts, and with the one at which it stops otherwise. It
/// stays the judge: what it refuses stays refused where certificates are verified, at the next step or at the end of the handshake.
final class ChainWatch {
    private enum Event {
        /// The library refused the certificate, after it had accepted so many.
        case refused(accepted: Int, hadAcceptedIt: Bool)
        case found(CertificateProblem)
    }

    private let isVerifying: Bool
    private let roots: () -> [NIOSSLCertificate]
    /// Another root of the same name was found to have signed what the library tried with the wrong one.
    private var hasTwin = false
    private var accepted: [(certificate: NIOSSLCertificate, facts: CertificateFacts)] = []
    private var events: [(certificate: NIOSSLCertificate, facts: CertificateFacts, event: Event)] = []
    private var policies = PolicyWatch()

    /// - Parameters:
    ///   - isVerifying: whether a fault ends the handshake; otherwise all are only noted.
    ///   - roots: those that are trusted.
    init(isVerifying: Bool, roots: @escaping () -> [NIOSSLCertificate]) {
        self.isVerifying = isVerifying
        self.roots = roots
    }

    private func isTrusted(_ certificate: NIOSSLCertificate) -> Bool { roots().contains(certificate) }

    /// Whether the library stopped right below a root only because it took the wrong one of two that have one name. It tries the signature first
    /// of all that it judges there, and goes on with the rest.
    private func isTwins(_ certificate: NIOSSLCertificate) -> Bool {
        guard isVerifying, events.isEmpty, !hasTwin, accepted.count == 1, accepted[0].facts.isSelfIssued else { return false }
        hasTwin = TwinRoots.signed(certificate, insteadOf: accepted[0].certificate, among: roots(), at: ServerIdentity.now)
        return hasTwin
    }

    /// Takes one step of the library, and decides how it goes on.
    func judge(_ verdict: NIOSSLVerificationResult, _ certificate: NIOSSLCertificate) -> NIOSSLVerificationResult {
        let facts = CertificateFacts(certificate)
        if case .failed = verdict {
            if isTwins(certificate) { return .certificateVerified }
            let hadAcceptedIt = accepted.contains { $0.certificate == certificate }
            events.append((certificate, facts, .refused(accepted: accepted.count, hadAcceptedIt: hadAcceptedIt)))
            // Where the way to a root was in question, what comes next tells whether there is one.
            return !isVerifying || accepted.isEmpty && events.count == 1 ? .certificateVerified : .failed
        }
        let isAnchor = accepted.isEmpty && facts.isSelfIssued
        accepted.append((certificate, facts))
        note(facts.isReadable ? facts.weakness(isAnchor: isAnchor) : .malformed, certificate, facts)
        if isVerifying, isTooLongForAnchor { note(.pathTooLong, accepted[0].certificate, accepted[0].facts) }
        if isVerifying, !events.isEmpty { return .failed }
        guard !isAnchor, policies.isUnmet(by: facts) else { return .certificateVerified }
        note(.policy, certificate, facts)
        return .failed
    }

    /// Whether there are more CA certificates between the last one and the trust anchor than that allows. The library counts for the certificates
    /// that the server sent alone (RFC 5280 6.1 leaves it open whether an anchor's limits hold); OpenSSL does for the anchor as well.
    private var isTooLongForAnchor: Bool {
        guard !hasTwin, events.isEmpty, let most = accepted.first?.facts.pathLength else { return false }
        return accepted.dropFirst().dropLast().count { !$0.facts.isSelfIssued } > most
    }

    private func note(_ problem: CertificateProblem?, _ certificate: NIOSSLCertificate, _ facts: CertificateFacts) {
        if let problem { events.append((certificate, facts, .found(problem))) }
    }

    // MARK: What came of it

    /// Whether anything was wrong.
    var hasFault: Bool { !events.isEmpty }

    /// The first thing that was wrong; nil where nothing was, or the library told nothing.
    ///
    /// - Parameters:
    ///   - leaf: the server's own certificate.
    ///   - now: seconds since 1970.
    func problem(leaf: NIOSSLCertificate?, at now: Int) -> CertificateProblem? {
        guard let (certificate, facts, event) = events.first else { return nil }
        let isLeaf = certificate == leaf
        let problem =
            switch event {
            case .found(let problem): problem
            case .refused(let count, let hadAcceptedIt):
                reason(certificate, facts, isLeaf: isLeaf, accepted: count, hadAcceptedIt: hadAcceptedIt, at: now)
            }
        return isLeaf || problem.isOfServer ? problem : .inChain(facts.subject, problem)
    }

    /// What was wrong beyond that nobody vouches for the chain: that is what skipping verification is for, and without verification the
    /// library knows no roots. So it is looked for in the certificates themselves.
    func problemBeyondTrust(leaf: NIOSSLCertificate?, at now: Int) -> CertificateProblem? {
        for (certificate, facts) in chain {
            let isLeaf = certificate == leaf
            guard isLeaf || !facts.isSelfIssued else { continue }
            let problem =
                facts.untimeliness(at: now) ?? facts.unfitness(isLeaf: isLeaf) ?? facts.weakness(isAnchor: facts.isSelfIssued)
            if let problem { return isLeaf ? problem : .inChain(facts.subject, problem) }
        }
        return chainProblem(leaf: leaf)
    }

    /// The certificates that the library went through, from the highest.
    private var chain: [(certificate: NIOSSLCertificate, facts: CertificateFacts)] {
        var chain = accepted
        // The highest stands alone where it is no root.
        for event in events where !chain.contains(where: { $0.certificate == event.certificate }) {
            chain.insert((event.certificate, event.facts), at: 0)
        }
        return chain
    }

    /// What is wrong with the chain as a whole, where the library went through all of it.
    private func chainProblem(leaf: NIOSSLCertificate?) -> CertificateProblem? {
        let chain = chain
        func tell(_ problem: CertificateProblem, _ certificate: NIOSSLCertificate, _ facts: CertificateFacts) -> CertificateProblem {
            certificate == leaf ? problem : .inChain(facts.subject, problem)
        }
        // Those between a certificate and the server's count, but for those that an authority issued to itself (RFC 5280 4.2.1.9).
        for (index, (certificate, facts)) in chain.enumerated() {
            let below = chain.dropFirst(index + 1).dropLast().count { !$0.facts.isSelfIssued }
            if let most = facts.pathLength, below > most { return tell(.pathTooLong, certificate, facts) }
        }
        // The first that it finds fault with is the highest, whose issuer it has not.
        for (certificate, facts, event) in events.dropFirst() {
            guard case .refused(_, let hadAcceptedIt) = event else { continue }
            if hadAcceptedIt, chain.contains(where: { $0.facts.has(CertificateFacts.nameConstraints) }) {
                return tell(.nameConstraints, certificate, facts)
            }
            if !hadAcceptedIt, certificate != chain.first?.certificate { return tell(signatureProblem(facts), certificate, facts) }
        }
        return nil
    }

    private func signatureProblem(_ facts: CertificateFacts) -> CertificateProblem {
        facts.weakness(isAnchor: false) ?? facts.unknownSignature.map(CertificateProblem.unknownSignature) ?? .badSignature
    }

    /// The handshake is over: what was taken down is not needed any more.
    func forget() {
        accepted = []
        events = []
    }

    /// Why the library stopped at a certificate. It looks for the way to a root first, then at what each may be used for, then from the
    /// root downwards at signatures and times, at last at limits to names and policies.
    private func reason(
        _ certificate: NIOSSLCertificate, _ facts: CertificateFacts, isLeaf: Bool, accepted count: Int, hadAcceptedIt: Bool, at now: Int
    ) -> CertificateProblem {
        if hadAcceptedIt {
            return accepted.contains { $0.facts.has(CertificateFacts.nameConstraints) } ? .nameConstraints : .policy
        }
        if count > 0 { return facts.untimeliness(at: now) ?? signatureProblem(facts) }
        if facts.isSelfIssued {
            guard isTrusted(certificate) else {
                return isLeaf ? .selfSigned(subject: facts.subject) : .unknownRoot(facts.subject)
            }
            return facts.untimeliness(at: now) ?? facts.unfitness(isLeaf: isLeaf) ?? .notAccepted(issuer: facts.issuer)
        }
        let unfitness = facts.unfitness(isLeaf: isLeaf)
        // The library begins anew at the root where it found one, and below the certificate without an issuer where it did not.
        guard let first = accepted.first else { return unfitness ?? withoutIssuer(facts, isLeaf: isLeaf) }
        guard first.facts.isSelfIssued else { return withoutIssuer(facts, isLeaf: isLeaf) }
        return unfitness ?? (isLeaf ? .notAccepted(issuer: facts.issuer) : .pathTooLong)
    }

    /// No certificate was there that could have issued this one.
    private func withoutIssuer(_ facts: CertificateFacts, isLeaf: Bool) -> CertificateProblem {
        guard isLeaf else { return .unknownChainEnd(issuer: facts.issuer) }
        return facts.saysWhereIssuerIs ? .missingIntermediate(issuer: facts.issuer) : .unknownIssuer(issuer: facts.issuer)
    }
}
