import Dissection

/// The number of an alert (RFC 8446 6).
package struct TLSAlert: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The server wants a client certificate and got none (RFC 8446 4.4.2.4).
    package static let certificateRequired = TLSAlert(rawValue: 116)
    package static let handshakeFailure = TLSAlert(rawValue: 40)

    /// Such as `unknown CA`; of a number without a name, the number.
    package var description: String { TLSNames.alert(rawValue) ?? "alert \(rawValue)" }

    /// Whether a server that sends it means the client certificate: it is of an unsupported kind, revoked, expired, unknown, or its authority is unknown
    /// (RFC 8446 6.2).
    var isAboutClientCertificate: Bool { (43...46).contains(rawValue) || rawValue == 48 }

    /// Whether a client that sends it may well mean the certificate that it was shown: bad, unsupported, revoked, expired, unknown,
    /// its authority unknown, access denied, its signature wrong (RFC 8446 6.2).
    package var isAboutCertificate: Bool {
        switch rawValue {
        case 41...46, 48, 49, 51, 111, 113, 114: true
        default: false
        }
    }
}
