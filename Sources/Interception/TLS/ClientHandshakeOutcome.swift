/// What a client made of the certificate that we showed it.
package enum ClientHandshakeOutcome: Hashable, Sendable {
    case completed
    /// It said that it does not accept the certificate: it does not trust our authority, or it pins another certificate.
    case refusedCertificate(TLSAlert)
    /// It ended the connection in the midst of the handshake, after it saw the certificate, and said nothing: a guess, no more.
    case closedAfterOurCertificate
    /// It finished the handshake and closed the connection without having sent anything.
    case closedUnused
    /// Something else failed.
    case other(TLSTrouble)

    /// - Parameters:
    ///   - trouble: why the handshake failed.
    ///   - hasShownCertificate: whether our first flight had left, and, of a client that says nothing, whether that had arrived.
    package init(failure trouble: TLSTrouble, hasShownCertificate: Bool) {
        switch trouble {
        case .alert(let alert) where hasShownCertificate && alert.isAboutCertificate: self = .refusedCertificate(alert)
        case .closed, .reset: self = hasShownCertificate ? .closedAfterOurCertificate : .other(trouble)
        default: self = .other(trouble)
        }
    }

    /// Only an alert tells of a refusal here. A client that finishes the handshake and closes without a byte may pin a certificate, as OkHttp does, or
    /// may not trust our authority, as programs do that have GnuTLS verify certificates after it; but browsers do the same with connections that they opened ahead of need: `CertificateTrust` counts how often it happens.
    ///
    /// - Parameters:
    ///   - ending: the first that came from the client after the handshake.
    ///   - hasReceived: whether application data came before it.
    package init(ending: WireEnding, hasReceived: Bool) {
        switch ending {
        case .broken(.alert(let alert)) where alert.isAboutCertificate && !hasReceived: self = .refusedCertificate(alert)
        case .broken(let trouble): self = .other(trouble)
        case .closeNotify, .fin, .reset: self = hasReceived ? .completed : .closedUnused
        }
    }
}

extension TLSLeg {
    /// What a failed handshake with a client says of our certificate.
    package func outcome(ofFailure error: any Error) -> ClientHandshakeOutcome {
        let trouble = TLSTrouble(error)
        // Who left before our flight came has not judged it. An alert about a certificate tells by itself that there was one.
        let isSilent = trouble == .closed || trouble == .reset
        return ClientHandshakeOutcome(failure: trouble, hasShownCertificate: isSilent ? hasFlightArrived : hasSentFlight)
    }

    /// What the first ending after the handshake with a client says of our certificate.
    package func outcome(of ending: WireEnding) -> ClientHandshakeOutcome {
        ClientHandshakeOutcome(ending: ending, hasReceived: hasReceived)
    }
}
