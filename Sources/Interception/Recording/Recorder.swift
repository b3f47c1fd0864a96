import Dissection
import NIOCore

/// Takes what the relay saw, and makes records of it on a thread of its own.
///
/// Calls come from any event loop; those about one conversation come from one loop, in order. None of them waits. A relay
/// looks at `hasRoom` before it reads on.
package final class Recorder: Sendable {
    package init() {}

    /// A conversation begins; gives its number, from 1 in the order of these calls.
    package func begin(_ beginning: Beginning, at time: Timestamp) -> UInt64 { 0 }

    /// TLS was terminated on one or both sides; what follows is plaintext.
    package func secured(_ summary: TLSSummary, in conversation: UInt64, at time: Timestamp) {}

    /// One run of bytes, as one read of the socket brought it.
    package func received(_ bytes: ByteBuffer, from side: Side, in conversation: UInt64, at time: Timestamp) {}

    /// A side will send no more: FIN, or close_notify.
    package func finished(from side: Side, in conversation: UInt64, at time: Timestamp) {}

    /// A side reset the connection.
    package func reset(from side: Side, in conversation: UInt64, at time: Timestamp) {}

    /// Something that the proxy itself has to say about a conversation: a finding.
    package func find(_ row: FindingRow, detail: String, in conversation: UInt64, at time: Timestamp) {}

    /// The conversation is over.
    ///
    /// - Parameters:
    ///   - how: what ended it, where nothing that the peers sent did.
    ///   - reason: in words, for a person, why the proxy ended it.
    package func close(_ how: Closing.Manner, by closer: Closing.Closer, reason: String? = nil, in conversation: UInt64, at time: Timestamp)
    {}

    /// Whether the queue can take more; when it cannot, the relay stops reading.
    package var hasRoom: Bool { true }

    /// Calls back on `loop`, once, as soon as there is room.
    package func whenRoom(on loop: any EventLoop, _ proceed: @escaping @Sendable () -> Void) { loop.execute(proceed) }
}
