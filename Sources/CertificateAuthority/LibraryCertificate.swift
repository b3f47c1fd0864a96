import CLibcrypto

/// A certificate as libcrypto reads it, for what only a library of cryptography can say: whether it is whole, and who has signed it. What else it says
/// Dissection's reader knows (`X509Certificate`).
package struct LibraryCertificate: ~Copyable {
    private let certificate: OpaquePointer
    /// Its public key, which belongs to it.
    let key: OpaquePointer

    /// Nil where it cannot be read, has a key of a kind that libcrypto does not know, or where there is something else after it.
    package init?(_ der: [UInt8]) {
        Libcrypto.prepare()
        var length = 0
        let read = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            let read = d2i_X509(nil, &position, bytes.count)
            if let start = bytes.baseAddress, let position { length = position - start }
            return read
        }
        guard let read else {
            ERR_clear_error()
            return nil
        }
        guard length == der.count, let key = X509_get0_pubkey(read) else {
            X509_free(read)
            ERR_clear_error()
            return nil
        }
        certificate = read
        self.key = key
    }

    deinit { X509_free(certificate) }

    /// Whether the key of another certificate has signed it.
    package borrowing func isSigned(by issuer: borrowing LibraryCertificate) -> Bool {
        // What is wrong with a signature is written to the queue of errors of this thread.
        defer { ERR_clear_error() }
        return X509_verify(certificate, issuer.key) == 1
    }
}
