/// The names of WebSocket close codes (RFC 6455, section 7.4.1, and IANA's WebSocket Close Code Number registry).
package enum CloseCodeNames {
    /// The name in lower case; none for a number that nobody has named.
    package static func name(_ code: UInt16) -> StaticString? {
        switch code {
        case 1000: "normal closure"
        case 1001: "going away"
        case 1002: "protocol error"
        case 1003: "unsupported data"
        case 1004: "reserved"
        case 1005: "no status received"
        case 1006: "abnormal closure"
        case 1007: "invalid frame payload data"
        case 1008: "policy violation"
        case 1009: "message too big"
        case 1010: "mandatory extension missing"
        case 1011: "internal server error"
        case 1012: "service restart"
        case 1013: "try again later"
        case 1014: "bad gateway"
        case 1015: "TLS handshake failure"
        case 3000: "unauthorized"
        case 3003: "forbidden"
        case 3008: "timeout"
        case 3001...3999: "registered"
        case 4000...4999: "private"
        default: nil
        }
    }
}
