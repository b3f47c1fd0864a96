/// One of the two peers of a conversation, by the role it plays.
///
/// The client is who opened the connection; the server is who accepted it. A direction of the conversation is named
/// after the side that sends in it.
public enum Side: UInt8, Sendable, CaseIterable {
    case client
    case server

    /// The other side.
    @inlinable
    public var peer: Side { self == .client ? .server : .client }
}
