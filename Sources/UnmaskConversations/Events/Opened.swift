extension ConversationEvent {
    /// A conversation begins.
    public struct Opened: Sendable, Equatable {
        /// One end of the connection.
        public struct Peer: Sendable, Equatable {
            /// The IP address as text (RFC 5952 for IPv6); empty where there is none, as for a Unix socket.
            public let address: String
            /// The TCP port; 0 where there is none.
            public let port: Int
            /// The name that the source has for it, such as the one that was resolved; nil where it has none.
            public let name: String?
        }

        /// How the beginning was captured.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Start: String, Sendable {
            /// With its TCP handshake.
            case handshake
            /// The capture began when the connection was already there.
            case midstream
            /// A live stream from its first byte.
            case accepted
        }

        /// What it was concluded from which side is the client.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Roles: String, Sendable {
            /// The TCP handshake, or the caller of `LiveConversation`.
            case handshake
            /// What the two sides sent.
            case content
            /// The port numbers.
            case ports
            /// Nothing: it may be the other way round.
            case guess
        }

        /// The side that opened the connection.
        public let client: Peer
        /// The side that accepted it.
        public let server: Peer
        /// How the beginning was captured.
        public let start: Start
        /// What it was concluded from which side is the client.
        public let roles: Roles
    }
}
