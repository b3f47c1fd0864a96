import Dissection
import NIOCore

/// How one mode learns where a client wants to go, and how it answers.
protocol Front: AnyObject {
    /// The log's `opened.via.mode`.
    var mode: String { get }
    /// The client is there; calls `ClientSession.dial` at once where the destination needs no preamble.
    func start(_ session: ClientSession)
    /// Bytes of the preamble, until the front dials or refuses.
    func receive(_ bytes: ByteBuffer, at time: Timestamp, session: ClientSession)
    /// The server is connected: what the client waits for is written here.
    func reached(_ session: ClientSession)
    /// Memory that the unfinished preamble takes, in bytes.
    var heldBytes: Int { get }
    /// There will be no conversation: what is held of the preamble is not needed any more.
    func forget()
    /// What a client gets whose unfinished preamble is given up, since others need its place; a RST where this is nil.
    var answerToOverflow: ByteBuffer? { get }
    /// The client was told that it has a tunnel, and hears nothing of the proxy's outside of it any more.
    var isTunnel: Bool { get }
    /// What a client was refused that may still try again on the same connection; none once it was served.
    var refusal: String? { get }
    /// What a client had begun and not finished, in words.
    var unfinished: String? { get }
    /// Puts what the client sent, and nobody will get, into the records; `inbox` has what came since the destination was known.
    func recordUnsent(_ inbox: Inbox, of session: ClientSession, in conversation: UInt64)
    /// What a client gets whose server cannot be had; a RST where this is nil.
    func answer(to failure: DialFailure, _ how: Closing.Manner) -> ByteBuffer?
    /// Fits the relay with what this mode does to the client's bytes, if anything.
    func prepare(_ relay: Relay, session: ClientSession)
}

extension Front {
    var heldBytes: Int { 0 }
    func forget() {}
    var answerToOverflow: ByteBuffer? { nil }
    var isTunnel: Bool { false }
    var refusal: String? { nil }
    var unfinished: String? { nil }
    func receive(_ bytes: ByteBuffer, at time: Timestamp, session: ClientSession) {}
    func reached(_ session: ClientSession) {}
    func recordUnsent(_ inbox: Inbox, of session: ClientSession, in conversation: UInt64) {
        inbox.record(from: .client, in: conversation, session.core.recorder)
    }
    func answer(to failure: DialFailure, _ how: Closing.Manner) -> ByteBuffer? { nil }
    func prepare(_ relay: Relay, session: ClientSession) {}
}
