import Dissection
import NIOCore

/// The number of an alert (RFC 8446 6).
package struct TLSAlert: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The protocols that the client offers have none in common with the server's (RFC 7301 3.2).
    package static let noApplicationProtocol = TLSAlert(rawValue: 120)
    /// The server wants a client certificate and got none (RFC 8446 4.4.2.4).
    package static let certificateRequired = TLSAlert(rawValue: 116)
    package static let handshakeFailure = TLSAlert(rawValue: 40)
    package static let protocolVersion = TLSAlert(rawValue: 70)
    package static let unrecognizedName = TLSAlert(rawValue: 112)

    /// Such as `unknown CA`; of a number without a name, the number.
    package var description: String { TLSNames.alert(rawValue) ?? "alert \(rawValue)" }

    /// Whether a client that sends it may well mean the certificate that it was shown: bad, unsupported, revoked, expired, unknown,
    /// its authority unknown, access denied, its signature wrong (RFC 8446 6.2).
    package var isAboutCertificate: Bool {
        switch rawValue {
        case 41...46, 48, 49, 51, 111, 113, 114: true
        default: false
        }
    }

    /// A fatal alert that a client sends in the clear, perhaps behind a change_cipher_spec.
    ///
    /// OpenSSL's clients have no keys to send with before their own last flight of TLS 1.3, so this is how they refuse a certificate;
    /// BoringSSL takes the alert for a record that is too short to be genuine.
    init?(inClear records: ByteBuffer) {
        let bytes = records.readableBytesSpan
        var position = 0
        while position + TLSRecordHeader.length <= bytes.byteCount {
            let length = Int(bytes.bigEndianUInt16(at: position + 3))
            let body = position + TLSRecordHeader.length
            if bytes[position] == 21, length == 2, body + 1 < bytes.byteCount, bytes[body] == 2 {
                self.init(rawValue: bytes[body + 1])
                return
            }
            guard bytes[position] == 20 else { return nil }
            position = body + length
        }
        return nil
    }
}
