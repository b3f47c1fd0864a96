import Dissection
import NIOCore

/// Tells a client of the HTTP mode, inside TLS, why TLS with its server came to nothing.
///
/// Its CONNECT was answered with 200 before anybody knew, so the 502 can only be the answer to the first request in the tunnel. That
/// needs a client that speaks HTTP/1.1 and trusts the authority; any other gets a RST.
final class TLSApology: LegOwner {
    private static let patience = TimeAmount.seconds(10)
    private let client: Leg
    private let loop: any EventLoop
    private let answer: ByteBuffer
    private var deadline: Scheduled<Void>?
    private var isOver = false

    private init(_ client: Leg, loop: any EventLoop, answer: ByteBuffer) {
        self.client = client
        self.loop = loop
        self.answer = answer
    }

    /// - Parameter early: what the client sent so far, its ClientHello.
    static func begin(
        _ answer: ByteBuffer, to client: Leg, offered: UpstreamOffer, early: ByteBuffer, plan: Plan, core: ProxyCore, on loop: any EventLoop
    ) {
        let apology = TLSApology(client, loop: loop, answer: answer)
        guard offered.alpn.isEmpty || offered.alpn.contains("http/1.1") else { return client.send(.reset) }
        client.attach(to: apology)
        // For the handshake, and for the request after it.
        apology.deadline = loop.assumeIsolated().scheduleTask(in: patience) { apology.giveUp() }
        let handshakes = TLSHandshakes(core.tls, core.recorder, patience: patience, on: loop)
        handshakes.secureClient(client, offered: offered, plan: plan, replaying: early) { result in
            if case .success = result { client.read() } else { apology.giveUp() }
        }
    }

    private func giveUp() {
        guard !isOver else { return }
        isOver = true
        deadline?.cancel()
        client.attach(to: nil)
        client.send(.reset)
    }

    func leg(_ leg: Leg, received bytes: ByteBuffer, at time: Timestamp) {
        guard !isOver else { return }
        isOver = true
        deadline?.cancel()
        client.write(answer)
        LingeringClose.begin(client, on: loop)
    }

    func legHasRead(_ leg: Leg) { leg.read() }
    func leg(_ leg: Leg, ended ending: LegEnding, at time: Timestamp) { giveUp() }
    func legIsWritable(_ leg: Leg) {}
    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble) { giveUp() }
}
