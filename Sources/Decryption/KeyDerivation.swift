import Dissection

/// What keys are derived with: the PRF of TLS 1.2 and before, and HKDF-Expand-Label of TLS 1.3. Each is nil where libcrypto does not have the
/// hash, as MD5 under a policy.
package enum KeyDerivation {
    /// `count` bytes of PRF(secret, label, seed) (RFC 5246, section 5; RFC 2246, section 5, for versions before 0x0303).
    package static func prf(
        _ secret: [UInt8], label: String, seed: [UInt8], count: Int, version: UInt16, hash: RecordProtection.Hash
    ) -> [UInt8]? {
        let labelled = Array(label.utf8) + seed
        guard version < 0x0303 else { return expand(secret, labelled, count: count, hash: hash) }
        // Each half of the secret has a hash of its own; with an odd length they share a byte.
        let half = (secret.count + 1) / 2
        guard let md5 = expand(Array(secret.prefix(half)), labelled, count: count, hash: .md5),
            let sha1 = expand(Array(secret.suffix(half)), labelled, count: count, hash: .sha1)
        else { return nil }
        return zip(md5, sha1).map { $0 ^ $1 }
    }

    /// HKDF-Expand-Label with an empty context (RFC 8446, section 7.1).
    ///
    /// - Parameter count: at most 255 times the length of the hash.
    package static func expandLabel(_ secret: [UInt8], _ label: String, count: Int, hash: RecordProtection.Hash) -> [UInt8]? {
        let full = Array("tls13 \(label)".utf8)
        let information =
            [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: full.count)] + full + [0]
        guard let mac = MessageAuthentication(hash, key: secret) else { return nil }
        // HKDF-Expand (RFC 5869, section 2.3).
        var bytes: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 1
        while bytes.count < count {
            guard let next = mac.code(of: block + information + [number]) else { return nil }
            block = next
            bytes += block
            number &+= 1
        }
        return Array(bytes.prefix(count))
    }

    /// P_hash (RFC 5246, section 5).
    private static func expand(_ secret: [UInt8], _ seed: [UInt8], count: Int, hash: RecordProtection.Hash) -> [UInt8]? {
        guard let mac = MessageAuthentication(hash, key: secret) else { return nil }
        var bytes: [UInt8] = []
        var chained = seed
        while bytes.count < count {
            guard let next = mac.code(of: chained), let part = mac.code(of: next + seed) else { return nil }
            chained = next
            bytes += part
        }
        return Array(bytes.prefix(count))
    }
}
