/// How far both halves of a connection have come, with TLS and without it.
///
/// | ours / the peer's | open, or close_notify | FIN |
/// | --- | --- | --- |
/// | open, close_notify, FIN asked for | a socket that is gone was reset | a socket that is gone was reset |
/// | FIN has left | gone without an error: the peer's FIN, of which NIO says nothing after ours | gone without an error: both have ended |
///
/// An error of the socket is a reset in each of them. What holds everywhere: a half only goes on, never back; each ending of the peer
/// is told once; after the first of `close` and `lose` nothing more is told.
struct HalfClose {
    /// How far one half has come.
    enum Half: Comparable {
        case open
        /// TLS has said that no more will come (RFC 8446, section 6.1); TCP has not.
        case closeNotify
        /// A FIN was asked for, and waits for what was written before it.
        case closing
        /// FIN was sent, or has come.
        case finished
    }

    private enum Socket { case up, closing, gone }

    private(set) var ours = Half.open
    private(set) var peers = Half.open
    /// The peer has said close_notify, whatever came after it.
    private(set) var peerHasSentCloseNotify = false
    private var socket = Socket.up

    /// We closed the connection, or are about to.
    var isClosing: Bool { socket == .closing }
    /// The connection is gone.
    var isGone: Bool { socket == .gone }
    /// Application data may still be sent.
    var isOpenForUs: Bool { ours < .closing && socket == .up }

    // MARK: What we send

    /// We say close_notify. False where it was said already.
    mutating func sendCloseNotify() -> Bool {
        guard ours == .open else { return false }
        ours = .closeNotify
        return true
    }

    /// We want to send FIN. False where we did before.
    mutating func askForFIN() -> Bool {
        guard ours < .closing else { return false }
        ours = .closing
        return true
    }

    /// Our FIN is with the kernel.
    mutating func finHasLeft() { if ours == .closing { ours = .finished } }

    /// We close the whole connection, or reset it. False where we do so already.
    mutating func close() -> Bool {
        guard socket == .up else { return false }
        socket = .closing
        return true
    }

    // MARK: What the peer ends

    /// The peer has said close_notify; what that is to be told as.
    mutating func takeCloseNotify() -> LegEnding? {
        guard peers == .open else { return nil }
        peers = .closeNotify
        peerHasSentCloseNotify = true
        return .closeNotify
    }

    /// The peer's FIN has come.
    mutating func takeFIN() -> LegEnding? {
        guard peers != .finished else { return nil }
        peers = .finished
        return .fin
    }

    /// The socket is gone.
    ///
    /// - Parameter isBroken: it has told of an error.
    mutating func lose(isBroken: Bool) -> LegEnding? {
        guard socket == .up else { return nil }
        socket = .gone
        if isBroken || ours != .finished { return .reset }
        return takeFIN()
    }
}
