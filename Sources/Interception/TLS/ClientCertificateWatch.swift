import Dissection
import NIOCore

/// Reads what we send to a server during the handshake, for what the TLS library does not report: whether the server asked for a client certificate.
///
/// A client sends a Certificate message only then, an empty one where it has none (RFC 5246, section 7.4.6; RFC 8446, section 4.4.2). In TLS 1.2 the
/// message is in plaintext. In TLS 1.3 it is encrypted and shows in the length: without it our last flight is Finished alone, as long as a hash.
struct ClientCertificateWatch {
    private var cursor = TLSRecordCursor()
    private var isRecordBegun = false
    /// What follows change_cipher_spec is encrypted.
    private var hasChangedCipher = false
    private var hasPlainCertificate = false
    /// Length of the encrypted records of TLS 1.3.
    private var encryptedBytes = 0

    /// What a message and its record of TLS 1.3 add to the content: type and length, content type, tag of the cipher (RFC 8446, sections 4 and 5.2).
    private static let overhead = 4 + 1 + 16

    /// Takes the next bytes of our direction.
    mutating func receive(_ buffer: ByteBuffer) {
        let bytes = buffer.readableBytesSpan
        var position = 0
        while let step = cursor.next(in: bytes, at: &position) {
            switch step {
            case .header(let record):
                isRecordBegun = true
                if record.contentType == 20 { hasChangedCipher = true }
                if record.contentType == 23 { encryptedBytes += record.fragmentLength }
            case .fragment(let part):
                // Certificate comes first in its flight, and so in its record.
                let isPlainHandshake = cursor.header.contentType == 22 && !hasChangedCipher
                if isRecordBegun, isPlainHandshake, !part.isEmpty, bytes[part.lowerBound] == 11 { hasPlainCertificate = true }
                isRecordBegun = false
            }
        }
    }

    /// Whether the handshake, which is finished, had a Certificate of ours in it.
    ///
    /// - Parameter cipherSuite: the one that was agreed on; its hash is SHA-384 in one suite of TLS 1.3 (RFC 8446, appendix B.4).
    func hasSentCertificate(cipherSuite: UInt16?) -> Bool {
        guard let cipherSuite, encryptedBytes > 0 else { return hasPlainCertificate }
        return encryptedBytes > Self.overhead + (cipherSuite == 0x1302 ? 48 : 32)
    }
}
