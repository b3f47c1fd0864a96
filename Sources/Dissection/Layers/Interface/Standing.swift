/// What is under way in a conversation, as far as its layer knows: what stays open where the connection ends now.
package struct Standing: Sendable, Hashable {
    package enum Work: UInt8, Sendable {
        /// Nothing is known of it.
        case unknown
        /// TLS that is not decrypted.
        case sealed
        /// A request has no response yet, or is not whole.
        case request
        /// A response is under way, or both sides may send at any time, as in a WebSocket.
        case stream
        /// A connection of HTTP that is kept for the next request: every one has its response.
        case idle
    }

    package var work: Work
    /// The client sent a ping after which no pong came.
    package var clientAsks: Bool
    package var serverAsks: Bool

    /// Both sides may go on for ever, as in a WebSocket.
    var isEndless = false

    /// They are the channels of Phoenix, whose server closes where the client sends nothing for long.
    var isPhoenix = false

    package init(_ work: Work = .unknown, clientAsks: Bool = false, serverAsks: Bool = false) {
        self.work = work
        self.clientAsks = clientAsks
        self.serverAsks = serverAsks
    }

    /// Whether a side waits for something that the other one owes it.
    var isAwaited: Bool { work == .request || clientAsks || serverAsks }

    /// Whether a side sent a ping after which no pong came.
    func asks(_ side: Side) -> Bool { side == .client ? clientAsks : serverAsks }
}
