extension ConversationEvent {
    /// What a TLS handshake says.
    public struct TLS: Sendable, Equatable {
        /// Whether what is inside can be read.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Secrets: String, Sendable {
            /// There are keys for it: the events after this one are about the content.
            case keyLog
            /// The source terminated TLS itself.
            case terminated
            /// There are no keys: its records come as `data` without bytes.
            case missing
        }

        /// A certificate (RFC 5280), as far as it could be read.
        public struct Certificate: Sendable, Equatable {
            /// SHA-256 of its DER form, in hexadecimal.
            public let sha256: String
            /// The subject as RFC 4514 writes it; empty where it has none.
            public let subject: String
            /// The issuer as RFC 4514 writes it; empty where it has none.
            public let issuer: String
            /// Alternative names: hosts, addresses, URIs.
            public let names: [String]
            /// When its validity begins; nil where that could not be read.
            public let notBefore: CaptureTime?
            /// When its validity ends; nil where that could not be read.
            public let notAfter: CaptureTime?
        }

        /// The server name that the client asked for (SNI); nil where it named none.
        public let serverName: String?
        /// The application protocol that the server chose (ALPN), such as `h2`; nil where it chose none, or chose it encrypted.
        public let applicationProtocol: String?
        /// The agreed version, such as `TLS 1.3`; nil where no ServerHello was captured.
        public let version: String?
        /// The agreed cipher suite by its IANA name, or as `0x1301` where it has none; nil where no ServerHello was captured.
        public let cipherSuite: String?
        /// Whether what is inside can be read.
        public let secrets: Secrets
        /// The certificates that the server sent, its own first; empty where they are encrypted and there are no keys.
        public let certificates: [Certificate]
    }
}
