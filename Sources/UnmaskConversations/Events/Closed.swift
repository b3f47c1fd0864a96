extension ConversationEvent {
    /// How a conversation ended, and what it amounted to.
    public struct Closed: Sendable, Equatable {
        /// Who ended it.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Closer: String, Sendable {
            /// The client.
            case client
            /// The server.
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
            /// A FIN.
            case fin
            /// A RST.
            case reset
            /// Nothing came for so long that the connection is taken for dead.
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
            /// Its end was not captured.
            case open
            /// With a FIN.
            case fin
            /// With a RST.
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

        /// Who ended it.
        public let by: Closer
        /// What ended it first.
        public let how: Manner
        /// The code of the Close frame that ended it; nil where there was none.
        public let code: Int?
        /// From the Close frame or FIN to the reply of the other side; nil where it did not reply.
        public let answered: Duration?
        /// How long neither side had sent a byte when the end came; nil where there is no clock.
        public let silence: Duration?
        /// From the beginning to the last packet; nil where there is no clock.
        public let duration: Duration?
        /// What the client sent.
        public let client: Sent
        /// What the server sent.
        public let server: Sent
    }

    /// What a whole reading amounted to.
    public struct Totals: Sendable, Equatable {
        /// Packets of the capture.
        public let packets: Int
        /// Conversations that began.
        public let conversations: Int
        /// Messages of WebSocket and gRPC, and those on plain TCP.
        public let messages: Int
        /// Findings of every severity.
        public let findings: Int
        /// Captured bytes of packets.
        public let bytes: Int
        /// Packets that carried nothing for TCP, by reason: `udp`, `quic`, `arp`, `linkType`, …
        public let skippedPackets: [String: Int]
    }
}
