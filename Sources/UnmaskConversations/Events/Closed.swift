extension ConversationEvent {
    /// How a conversation ended, and what it amounted to.
    public struct Closed: Sendable, Equatable {
        /// Who ended it.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Closer: String, Sendable {
            case client
            case server
            /// A proxy between them, in a recording that one made.
            case proxy
            /// Nothing on the wire says so.
            case unknown
        }

        /// What ended it first.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Manner: String, Sendable {
            /// A WebSocket Close frame.
            case closeFrame
            case fin
            case reset
            case timeout
            /// The capture ended before the conversation did.
            case endOfCapture
            /// It was given up to stay within `ReadingLimits`.
            case evicted
            /// A proxy could not reach the server.
            case connectFailed
            /// The TLS handshake failed.
            case tlsFailed
            /// The live stream was finished by its source.
            case shutdown
            /// A limit of the source.
            case limit
            /// A proxy refused the client.
            case refused
        }

        /// How one direction was left.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum End: String, Sendable {
            case open
            case fin
            case reset
        }

        /// What one side sent.
        public struct Sent: Sendable, Equatable {
            /// Bytes of TCP payload, each position counted once.
            public let bytes: Int
            /// Messages of WebSocket and gRPC, and those on plain TCP.
            public let messages: Int
            /// WebSocket frames.
            public let frames: Int
            /// Bytes that are known to have been sent and are not in the capture.
            public let missing: Int
            /// How its direction was left.
            public let end: End
        }

        public let by: Closer
        public let how: Manner
        /// The code of the Close frame that ended it; nil where there was none.
        public let code: Int?
        /// From the Close frame or FIN to the reply of the other side; nil where it did not reply.
        public let answered: Duration?
        /// How long neither side had sent a byte when the end came; nil where there is no clock.
        public let silence: Duration?
        /// From the beginning to the last packet; nil where there is no clock.
        public let duration: Duration?
        public let client: Sent
        public let server: Sent
    }

    /// What a whole reading amounted to.
    public struct Totals: Sendable, Equatable {
        public let packets: Int
        public let conversations: Int
        public let messages: Int
        public let findings: Int
        /// Captured bytes of packets.
        public let bytes: Int
        /// Packets that carried nothing for TCP, by reason: `udp`, `quic`, `arp`, `linkType`, …
        public let skippedPackets: [String: Int]
    }
}
