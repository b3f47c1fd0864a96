extension ConversationEvent {
    /// A whole message, unmasked, put together from its fragments, and decompressed.
    public struct Message: Sendable, Equatable {
        /// What kind of message it is.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Kind: Sendable, Equatable {
            /// A WebSocket text message.
            case text
            /// A WebSocket binary message.
            case binary
            /// A WebSocket message with a reserved opcode.
            case reserved(opcode: UInt8)
            /// A message on plain TCP; the name is that of the protocol (`mqtt`, `redis`) or of the way it was found (`lines`, `length`, `json`).
            case framed(String)
        }

        /// What kind of message it is.
        public let kind: Kind
        /// The payload, at most `ReadingLimits.payloadBytes` of it.
        public let payload: [UInt8]
        /// Bytes of the payload after decompression; more than `payload` has where that was cut.
        public let length: Int
        /// Bytes of the payload on the wire.
        public let wireLength: Int
        /// WebSocket frames that it came in; 0 for a message on plain TCP.
        public let fragments: Int
        /// It was compressed.
        public let isCompressed: Bool
        /// The sender did not finish it: the conversation ended before.
        public let isUnfinished: Bool
        /// What the payload says; nil where no format recognises it, or where `ReadingOptions.decodesPayloads` is off.
        public let decoded: DecodedPayload?

        /// The payload as text; nil where it is not UTF-8.
        public var text: String? { String(validating: payload, as: UTF8.self) }
    }

    /// A WebSocket pong.
    public struct Pong: Sendable, Equatable {
        /// The payload, which is that of the ping (RFC 6455, section 5.5.3).
        public let payload: [UInt8]
        /// Time since the ping that it replies to; nil where that ping is not known.
        public let roundTrip: Duration?
        /// No ping is known that it could reply to.
        public let isUnsolicited: Bool
    }

    /// A WebSocket Close frame.
    public struct CloseFrame: Sendable, Equatable {
        /// The close code (RFC 6455, section 7.4); nil where the frame has none.
        public let code: Int?
        /// The reason; empty where there is none.
        public let reason: String
    }

    /// What a side of an HTTP/2 connection says beside messages.
    public struct Control: Sendable, Equatable {
        /// What kind of frame it is.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Kind: String, Sendable {
            /// Settings of the sender (RFC 9113, section 6.5).
            case settings
            /// The settings of the other side apply from here on.
            case settingsAccepted
            /// The sender ends a stream at once (RFC 9113, section 6.4).
            case reset
            /// The sender takes no more streams (RFC 9113, section 6.8).
            case goAway
            /// The sender asks whether the other side is there (RFC 9113, section 6.7).
            case ping
            /// The reply to a ping.
            case pong
            /// The client says how urgent a stream is (RFC 9218, section 7.1).
            case priorityUpdate
            /// On which stream another one depends (RFC 7540, section 6.3).
            case priority
        }

        /// What kind of frame it is.
        public let kind: Kind
        /// The error code of a reset or a GOAWAY (RFC 9113, section 7).
        public let errorCode: Int?
        /// Of a GOAWAY: the last stream that the sender may have acted on.
        public let lastStream: Int?
        /// Of a pong: time since the ping.
        public let roundTrip: Duration?
        /// Of settings: their names and values.
        public let settings: [Header]
        /// Debug data of a GOAWAY, or the priority of a priority update; empty for others.
        public let text: String
    }

    /// Bytes of a protocol that is not known, or a TLS record that is not decrypted.
    public struct DataRun: Sendable, Equatable {
        /// The bytes, at most `ReadingLimits.payloadBytes` of them; empty for a TLS record.
        public let bytes: [UInt8]
        /// How many bytes came.
        public let length: Int
        /// It is one record of TLS or SSL that is not decrypted.
        public let isEncrypted: Bool
        /// What the bytes say; nil where no format recognises them, or where `ReadingOptions.decodesPayloads` is off.
        public let decoded: DecodedPayload?

        /// The bytes as text; nil where they are not UTF-8.
        public var text: String? { String(validating: bytes, as: UTF8.self) }
    }

    /// Bytes that are missing, or could not be read.
    public struct Gap: Sendable, Equatable {
        /// Why bytes are missing.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Cause: String, Sendable {
            /// The capture does not have them.
            case missing
            /// The capture cut the packet (snapshot length).
            case truncated
            /// They were given up to stay within `ReadingLimits`.
            case limit
            /// They were skipped to find the next boundary after damage.
            case resynchronised
            /// They could not be decoded.
            case undecodable
        }

        /// Number of bytes.
        public let length: Int
        /// Why they are missing.
        public let cause: Cause
    }
}
