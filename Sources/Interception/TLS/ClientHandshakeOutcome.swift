import NIOCore

/// What a client made of the certificate that we showed it.
package enum ClientHandshakeOutcome: Hashable, Sendable {
    case completed
    /// It said that it does not accept the certificate: it does not trust our authority, or it pins another certificate.
    case refusedCertificate(TLSAlert)
    /// It left right after it saw the certificate and said nothing, as apps do that pin a certificate or key themselves.
    case closedAfterOurCertificate
    /// Something else failed.
    case other(TLSTrouble)

    /// How long after the handshake a client that says nothing may take to leave for it to count as a refusal. Clients that connect ahead of
    /// need keep such a connection for longer.
    package static let patience = TimeAmount.seconds(2)

    /// - Parameters:
    ///   - trouble: why the handshake failed.
    ///   - hasShownCertificate: whether our first flight had left.
    package init(failure trouble: TLSTrouble, hasShownCertificate: Bool) {
        switch trouble {
        case .alert(let alert) where hasShownCertificate && alert.isAboutCertificate: self = .refusedCertificate(alert)
        case .closed, .reset: self = hasShownCertificate ? .closedAfterOurCertificate : .other(trouble)
        default: self = .other(trouble)
        }
    }

    /// - Parameters:
    ///   - ending: the first that came from the client after the handshake.
    ///   - hasReceived: whether application data came before it.
    ///   - elapsed: since the handshake.
    package init(ending: WireEnding, hasReceived: Bool, elapsed: TimeAmount) {
        switch ending {
        case .broken(.alert(let alert)) where alert.isAboutCertificate && !hasReceived: self = .refusedCertificate(alert)
        case .broken(let trouble): self = .other(trouble)
        case .closeNotify, .fin, .reset: self = hasReceived || elapsed > Self.patience ? .completed : .closedAfterOurCertificate
        }
    }
}

extension TLSLeg {
    /// What a failed handshake with a client says of our certificate.
    package func outcome(ofFailure error: any Error) -> ClientHandshakeOutcome {
        ClientHandshakeOutcome(failure: TLSTrouble(error), hasShownCertificate: hasSentFlight)
    }

    /// What the first ending after the handshake with a client says of our certificate.
    package func outcome(of ending: WireEnding, at now: NIODeadline = .now()) -> ClientHandshakeOutcome {
        ClientHandshakeOutcome(ending: ending, hasReceived: hasReceived, elapsed: now - (handshakeEnd ?? now))
    }
}
