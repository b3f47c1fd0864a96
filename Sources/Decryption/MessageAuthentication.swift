import CLibcrypto
import Dissection

/// An HMAC with its key: of records under a suite that is not of AEAD (RFC 5246, section 6.2.3.1), and where keys are derived.
@safe
package final class MessageAuthentication {
    /// Owned; libcrypto never keeps what is passed to it beyond a call.
    private let context: OpaquePointer
    /// Bytes of a MAC.
    package let length: Int
    private var computed: [UInt8]

    /// Nil where libcrypto does not have the hash.
    package init?(_ hash: RecordProtection.Hash, key: [UInt8]) {
        let name =
            switch hash {
            case .md5: "MD5"
            case .sha1: "SHA1"
            case .sha256: "SHA256"
            case .sha384: "SHA384"
            }
        guard let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        // The context keeps a reference of its own.
        defer { unsafe EVP_MAC_free(algorithm) }
        guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { return nil }
        unsafe self.context = unsafe context
        length = hash.length
        computed = [UInt8](repeating: 0, count: hash.length)
        // libcrypto copies the name, and wants it to be writable nevertheless. The parameters point to both texts, so both have to outlive the
        // call that makes them: the copy that Swift passes in place of a String does not.
        var digest = Array(name.utf8CString)
        let parameter = Array(OSSL_MAC_PARAM_DIGEST.utf8CString)
        let isReady = unsafe digest.withUnsafeMutableBufferPointer { digest in
            unsafe parameter.withUnsafeBufferPointer { parameter in
                var parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(parameter.baseAddress, digest.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_MAC_init(context, key, key.count, &parameters) == 1
            }
        }
        guard isReady else { return nil }
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// Whether `mac` is that of `first` and `second`, one after the other.
    ///
    /// In a time that depends on where they differ: both are from a recording, and nobody is there to learn from it.
    func isValid(_ mac: RawSpan, of first: [UInt8], _ second: RawSpan) -> Bool {
        guard mac.byteCount == length, compute(first, second) else { return false }
        for index in 0..<length where mac[index] != computed[index] { return false }
        return true
    }

    /// The HMAC of a message.
    package func code(of message: [UInt8]) -> [UInt8]? { compute(message, RawSpan()) ? computed : nil }

    private func compute(_ first: [UInt8], _ second: RawSpan) -> Bool {
        // The context goes with this object.
        defer { extendLifetime(self) }
        var count = 0
        // Without a key, the one that it has.
        guard unsafe EVP_MAC_init(context, nil, 0, nil) == 1, unsafe EVP_MAC_update(context, first, first.count) == 1 else { return false }
        // The pointer is used inside of the closure only.
        let isTaken = unsafe second.withUnsafeBytes { bytes in
            guard let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count > 0 else { return true }
            return unsafe EVP_MAC_update(context, start, bytes.count) == 1
        }
        guard isTaken, unsafe EVP_MAC_final(context, &computed, &count, computed.count) == 1 else { return false }
        return count == length
    }
}

/// What stands before the content of a record where it is authenticated: sequence number, content type, version, length (RFC 5246, sections
/// 6.2.3.1 and 6.2.3.3).
struct AuthenticatedHeader {
    /// 13 bytes.
    private(set) var bytes = [UInt8](repeating: 0, count: 13)

    mutating func set(_ header: TLSRecordHeader, sequence: UInt64, length: Int) {
        for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: sequence >> (8 * UInt64(7 - index))) }
        bytes[8] = header.contentType
        bytes[9] = UInt8(truncatingIfNeeded: header.version >> 8)
        bytes[10] = UInt8(truncatingIfNeeded: header.version)
        bytes[11] = UInt8(truncatingIfNeeded: length >> 8)
        bytes[12] = UInt8(truncatingIfNeeded: length)
    }
}
