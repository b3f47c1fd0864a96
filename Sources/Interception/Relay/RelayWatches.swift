import Dissection
import NIOCore

/// Looks for a change to TLS in the middle of a relay.
protocol MidstreamWatch: AnyObject {
    /// Whether it looks at the client's bytes before they go on.
    var isHolding: Bool { get }
    /// Shows it what one side sent. True when it keeps the bytes: they are no plaintext of the conversation, or not yet.
    func takes(_ bytes: ByteBuffer, from side: Side, at time: Timestamp, relay: Relay) -> Bool
    /// The client ended while its bytes were looked at: they are what they are.
    func clientFinished(_ relay: Relay)
}

/// Waits for what a client makes of the certificate that it was shown.
protocol ReceptionWatch: AnyObject {
    /// The client said something under it.
    func accepted()
    /// Application data of the server has gone to the client.
    func served()
    /// The client ended without having said anything.
    func ended(_ ending: WireEnding, of leg: Leg, conversation: UInt64)
}
