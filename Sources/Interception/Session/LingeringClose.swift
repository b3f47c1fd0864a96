import Dissection
import NIOCore
import Reports

/// Ends a connection after an answer of the proxy's own, so that the answer arrives: FIN first, then what the client still
/// sends is read and dropped until its FIN, since closing over unread bytes sends a RST that overtakes the answer.
final class LingeringClose: LegOwner, WaitingClient {
    /// A conversation that ends with the client: what the records learn then.
    struct Conversation {
        var core: ProxyCore
        var number: UInt64
        var how: Closing.Manner
        /// How the server had left.
        var serverEnd = Closing.End.open
    }

    private static let patience = TimeAmount.seconds(3)
    let loop: any EventLoop
    private let leg: Leg
    private let conversation: Conversation?
    /// Bytes of the client that nobody got.
    private var dropped: Int
    private var isOver = false

    private init(_ leg: Leg, of conversation: Conversation?, dropped: Int, on loop: any EventLoop) {
        self.leg = leg
        self.dropped = dropped
        self.conversation = conversation
        self.loop = loop
    }

    /// - Parameters:
    ///   - conversation: what ends when the client has left; none where the records have no more to learn.
    ///   - unread: bytes of the client that have come already.
    static func begin(_ leg: Leg, of conversation: Conversation? = nil, unread: Int = 0, on loop: any EventLoop) {
        let closing = LingeringClose(leg, of: conversation, dropped: unread, on: loop)
        leg.attach(to: closing)
        conversation?.core.waiting.add(closing)
        leg.send(.fin)
        guard !leg.hasPeerFinished else { return closing.end(.fin) }
        leg.read()
        loop.assumeIsolated().scheduleTask(in: patience) { closing.end(.open) }
    }

    /// The proxy is stopped.
    func stop() { end(.open) }

    private func end(_ clientEnd: Closing.End) {
        guard !isOver else { return }
        isOver = true
        if let conversation {
            let recorder = conversation.core.recorder
            conversation.core.waiting.remove(self)
            recorder.unkept(dropped, from: .client, in: conversation.number)
            recorder.close(
                conversation.how, by: .proxy, ends: Closing.Ends(client: clientEnd, server: conversation.serverEnd),
                in: conversation.number, at: .now)
        }
        leg.attach(to: nil)
        leg.close()
    }

    func leg(_ leg: Leg, received bytes: ByteBuffer, at time: Timestamp) { dropped += bytes.readableBytes }
    func legHasRead(_ leg: Leg) { leg.read() }
    func leg(_ leg: Leg, ended ending: LegEnding, at time: Timestamp) { end(ending == .reset ? .reset : .fin) }
    func legIsWritable(_ leg: Leg) {}
    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble) { end(.reset) }
}
