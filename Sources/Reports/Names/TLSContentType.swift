/// What a TLS record holds, as the log has it.
package enum TLSContentType {
    /// The name of a content type (RFC 8446, section 5.1; heartbeat: RFC 6520); nil for any other number.
    package static func name(_ value: UInt8) -> StaticString? {
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
