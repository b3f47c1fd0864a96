/// Names of TLS versions and alerts, and the values that mean nothing.
public enum TLSNames {
    /// A version as on the wire, in words: `TLS 1.3` for 0x0304; nil for a number that is no version.
    public static func version(_ version: UInt16) -> String? {
        switch version {
        case 0x0002: "SSL 2.0"
        case 0x0300: "SSL 3.0"
        case 0x0301: "TLS 1.0"
        case 0x0302: "TLS 1.1"
        case 0x0303: "TLS 1.2"
        case 0x0304: "TLS 1.3"
        case 0x7F00...0x7FFF: "TLS 1.3 draft \(version & 0xFF)"
        default: nil
        }
    }

    /// Whether a number of a cipher suite, extension, group or version is one of those that are sent to keep peers
    /// tolerant (GREASE, RFC 8701, section 2).
    public static func isGREASE(_ value: UInt16) -> Bool { value & 0x0F0F == 0x0A0A && value >> 8 == value & 0xFF }

    /// An alert's description, in words (RFC 8446, section 6; older ones from RFC 5246, section 7.2).
    public static func alert(_ description: UInt8) -> String? {
        switch description {
        case 0: "close notify"
        case 1: "end of early data"
        case 10: "unexpected message"
        case 20: "bad record MAC"
        case 21: "decryption failed"
        case 22: "record overflow"
        case 30: "decompression failure"
        case 40: "handshake failure"
        case 41: "no certificate"
        case 42: "bad certificate"
        case 43: "unsupported certificate"
        case 44: "certificate revoked"
        case 45: "certificate expired"
        case 46: "certificate unknown"
        case 47: "illegal parameter"
        case 48: "unknown CA"
        case 49: "access denied"
        case 50: "decode error"
        case 51: "decrypt error"
        case 52: "too many CIDs requested"
        case 60: "export restriction"
        case 70: "protocol version"
        case 71: "insufficient security"
        case 80: "internal error"
        case 86: "inappropriate fallback"
        case 90: "user canceled"
        case 100: "no renegotiation"
        case 109: "missing extension"
        case 110: "unsupported extension"
        case 111: "certificate unobtainable"
        case 112: "unrecognized name"
        case 113: "bad certificate status response"
        case 114: "bad certificate hash value"
        case 115: "unknown PSK identity"
        case 116: "certificate required"
        case 117: "general error"
        case 120: "no application protocol"
        case 121: "ECH required"
        default: nil
        }
    }

    /// A message of TLS 1.3 that comes after the handshake, by its name in RFC 8446, section 4.6; nil for others.
    public static func messageAfterHandshake(_ type: UInt8) -> StaticString? {
        switch type {
        case 4: "NewSessionTicket"
        case 13: "CertificateRequest"
        case 24: "KeyUpdate"
        default: nil
        }
    }

    /// A record's content type, in words (RFC 8446, section 5.1).
    public static func contentType(_ type: UInt8) -> String? {
        switch type {
        case 20: "change cipher spec"
        case 21: "alert"
        case 22: "handshake"
        case 23: "application data"
        case 24: "heartbeat"
        default: nil
        }
    }
}
