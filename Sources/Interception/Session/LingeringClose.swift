import Dissection
import NIOCore

/// Ends a connection after an answer of the proxy's own, so that the answer arrives: FIN first, then what the client still
/// sends is read and dropped until its FIN, since closing over unread bytes sends a RST that overtakes the answer.
final class LingeringClose: LegOwner {
    private static let patience = TimeAmount.seconds(3)
    private let leg: Leg
    private var isOver = false

    private init(_ leg: Leg) { self.leg = leg }

    static func begin(_ leg: Leg, on loop: any EventLoop) {
        let closing = LingeringClose(leg)
        leg.attach(to: closing)
        leg.send(.fin)
        leg.read()
        loop.assumeIsolated().scheduleTask(in: patience) { closing.end() }
    }

    private func end() {
        guard !isOver else { return }
        isOver = true
        leg.attach(to: nil)
        leg.close()
    }

    func leg(_ leg: Leg, received bytes: ByteBuffer, at time: Timestamp) {}
    func legHasRead(_ leg: Leg) { leg.read() }
    func leg(_ leg: Leg, ended ending: LegEnding, at time: Timestamp) { end() }
    func legIsWritable(_ leg: Leg) {}
    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble) { end() }
}
