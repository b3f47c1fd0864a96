import Dissection
import NIOCore
import Reports

/// What a session holds of the bytes of both sides until its conversation runs.
extension ClientSession {
    /// Says what is held of the client's bytes, of those of a server that spoke first, and by TLS with both, until the conversation runs.
    func account() {
        let bytes: Int
        switch phase {
        case .front: bytes = front.heldBytes
        case .dialling, .deciding, .securingServer, .securingClient:
            bytes =
                clientInbox.cost + serverInbox.cost + reader.heldBytes + (hello?.readableBytes ?? 0) + (client.tls?.cost ?? 0)
                + (server?.tls?.cost ?? 0)
        case .relaying, .over: bytes = 0
        }
        if bytes == 0 {
            releaseTicket()
        } else if let ticket {
            core.preambles.update(ticket, holding: bytes)
        } else {
            let bound = NIOLoopBound(self, eventLoop: loop)
            ticket = core.preambles.enter(holding: bytes) { bound.eventLoop.execute { bound.value.giveUp() } }
        }
    }

    func releaseTicket() {
        if let ticket, core.preambles.leave(ticket) { Heap.giveBackSoon(on: loop) }
        ticket = nil
    }

    /// Others need the place: this is the client that has waited longest.
    private func giveUp() {
        ticket = nil
        guard phase != .over, phase != .relaying else { return }
        guard phase == .front else { return fail(.limit, DialFailure(kind: .other, reason: core.preambles.refusal)) }
        refuse(with: front.answerToOverflow, as: .proxyLimitReached, core.preambles.refusal)
    }

    /// Lets go of what is held: the session lives on for as long as the client takes to leave.
    func forget() {
        releaseTicket()
        (clientInbox, serverInbox) = (Inbox(), Inbox())
        hello = nil
        reader = ClientNatureReader()
        front.forget()
    }
}
