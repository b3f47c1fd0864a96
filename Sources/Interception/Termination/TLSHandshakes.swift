import Dissection
import NIOCore
import Reports

/// The handshakes of one conversation: with the server first, then with the client, under a leaf for what the server has shown.
///
/// It knows how long each may take, tells the records what they show, and tells nothing any more once it was stopped. Everything here is called
/// on the event loop of both legs.
final class TLSHandshakes {
    /// Why a handshake came to nothing.
    enum Failure: Error {
        case timedOut
        case failed(any Error)

        var trouble: TLSTrouble {
            switch self {
            case .timedOut: .cancelled
            case .failed(let error): TLSTrouble(error)
            }
        }
    }

    private enum Stage { case idle, server, client }

    private let tls: TLSTermination
    private let recorder: Recorder
    private let patience: TimeAmount
    private let loop: any EventLoop
    private var stage = Stage.idle
    private var deadline: Scheduled<Void>?
    /// What was agreed on with the server; none where it is spoken to in plaintext.
    private(set) var server: TLSAgreement?
    /// What was agreed on with the client; none where it speaks plaintext.
    private(set) var client: TLSAgreement?

    init(_ tls: TLSTermination, _ recorder: Recorder, patience: TimeAmount, on loop: any EventLoop) {
        self.tls = tls
        self.recorder = recorder
        self.patience = patience
        self.loop = loop
    }

    /// Begins TLS with the server. What is wrong with its certificate, and was accepted all the same, is told.
    ///
    /// - Parameter early: what came from it so far. It was not under TLS, so that the handshake has to judge it: nothing that anybody on the
    ///   way may have sent is passed on as what the server said under its certificate.
    func secureServer(
        _ leg: Leg, offered: UpstreamOffer?, plan: Plan, replaying early: ByteBuffer? = nil, in conversation: UInt64?,
        then: @escaping (Failure?) -> Void
    ) {
        tellChange(to: offered, in: conversation)
        run(.server, { try tls.connect(leg, offered: offered, plan: plan, replaying: early) }) { result in
            switch result {
            case .failure(let failure): then(failure)
            case .success(let agreement):
                self.server = agreement
                if let problem = agreement.unverifiedProblem, let conversation {
                    self.recorder.find(.proxyCertificateUnverified, detail: problem.description, in: conversation, at: .now)
                }
                if agreement.hasAskedForCertificate, let conversation, let place = self.tls.placeWithoutCertificate(offered, plan: plan) {
                    self.recorder.find(.proxyClientCertificateMissing, detail: place, in: conversation, at: .now)
                }
                then(nil)
            }
        }
    }

    /// Begins TLS with the client.
    ///
    /// - Parameter early: what it has sent so far, its ClientHello.
    func secureClient(
        _ leg: Leg, offered: UpstreamOffer, plan: Plan, replaying early: ByteBuffer,
        then: @escaping (Result<TLSAgreement, Failure>) -> Void
    ) {
        run(.client, { try tls.accept(leg, offered: offered, server: server, plan: plan, replaying: early) }) { result in
            self.client = try? result.get()
            then(result)
        }
    }

    private func run(_ stage: Stage, _ begin: () throws -> TLSLeg, then: @escaping (Result<TLSAgreement, Failure>) -> Void) {
        self.stage = stage
        let finish: (Result<TLSAgreement, Failure>) -> Void = { result in
            guard self.stage == stage else { return }
            self.stop()
            then(result)
        }
        deadline = loop.assumeIsolated().scheduleTask(in: patience) { finish(.failure(.timedOut)) }
        do {
            let leg = try begin()
            leg.handshake.assumeIsolated().whenComplete { finish($0.mapError(Failure.failed)) }
        } catch {
            finish(.failure(.failed(error)))
        }
    }

    /// Nobody waits for a handshake any more.
    func stop() {
        stage = .idle
        deadline?.cancel()
        deadline = nil
    }

    // MARK: - What the records learn

    /// What the user has had changed about the client's offer is told, before anything comes of it.
    private func tellChange(to offered: UpstreamOffer?, in conversation: UInt64?) {
        guard let conversation, let change = tls.change(to: offered) else { return }
        recorder.find(.proxyHTTP2Withheld, detail: change, in: conversation, at: .now)
    }

    /// TLS was terminated. What the client's hello said to the server and ours could not is reported as well, once a run.
    ///
    /// - Parameter client: what was agreed on with the client, where TLS is spoken with it.
    func tellSecured(client: TLSAgreement?, offered: UpstreamOffer?, plan: Plan?, in conversation: UInt64) {
        guard let agreed = server ?? client else { return }
        let name = offered.map(\.serverName) ?? plan?.tlsName
        // What the client offered is news where no protocol was chosen, and where the server was offered something else.
        let isOfferShown = agreed.alpn == nil || server != nil && tls.change(to: offered) != nil
        recorder.secured(
            TLSSummary(
                serverName: name, alpn: agreed.alpn, offered: isOfferShown ? offered?.alpn ?? [] : [],
                version: agreed.version, cipher: agreed.cipherSuite, certificate: server?.peerCertificate),
            in: conversation, at: .now)
        guard server != nil, let offered else { return }
        let cuts = tls.unreportedCuts(offered)
        if !cuts.isEmpty { recorder.find(.proxyHelloCut, detail: cuts.joined(separator: "; "), in: conversation, at: .now) }
    }

    /// The handshake with the client failed: says what that tells of our certificate.
    func tellRefusal(
        _ failure: Failure, of leg: Leg, offered: UpstreamOffer?, plan: Plan, client: IPAddress, in conversation: UInt64
    ) {
        let outcome = leg.tls?.outcome(ofFailure: failure.trouble) ?? .other(failure.trouble)
        tls.clientRefused(outcome, offered, plan: plan, client: client, conversation: conversation, recorder)
    }
}
