/// The names of TLS wire values; none for values that have no name here, which outputs show as `0x1301`.
enum TLSNames {
    /// The protocol version as people call it (RFC 8446, section 4.2.1).
    static func version(_ value: UInt16) -> String? {
        switch value {
        case 0x0002: "SSL 2.0"
        case 0x0300: "SSL 3.0"
        case 0x0301: "TLS 1.0"
        case 0x0302: "TLS 1.1"
        case 0x0303: "TLS 1.2"
        case 0x0304: "TLS 1.3"
        default: nil
        }
    }

    /// The cipher suite's name in IANA's registry (RFC 8446, appendix B.4).
    static func cipher(_ value: UInt16) -> String? {
        switch value {
        case 0x1301: "TLS_AES_128_GCM_SHA256"
        case 0x1302: "TLS_AES_256_GCM_SHA384"
        case 0x1303: "TLS_CHACHA20_POLY1305_SHA256"
        case 0x1304: "TLS_AES_128_CCM_SHA256"
        case 0x1305: "TLS_AES_128_CCM_8_SHA256"
        default: nil
        }
    }

    /// The content type of a record (RFC 8446, section 5.1; heartbeat: RFC 6520), as the log has it.
    static func contentType(_ value: UInt8) -> StaticString? {
        switch value {
        case 20: "change-cipher-spec"
        case 21: "alert"
        case 22: "handshake"
        case 23: "application-data"
        case 24: "heartbeat"
        default: nil
        }
    }
}
