import CLibcrypto
import Dissection
import Synchronization

/// A private key of libcrypto that signs certificates. Safe from any thread: one signs at a time.
package final class SigningKey: Sendable {
    /// The key itself, freed with its owner. It is bound to no thread.
    private struct Owned: ~Copyable, @unchecked Sendable {
        let pointer: OpaquePointer
        deinit { EVP_PKEY_free(pointer) }
    }

    private let owned: Mutex<Owned>
    /// Its public half: SubjectPublicKeyInfo (RFC 5280 4.1.2.7), DER.
    package let publicKey: [UInt8]
    /// How it signs.
    package let algorithm: SignatureAlgorithm

    private init(_ key: consuming Owned) throws(SigningFailure) {
        let pointer = key.pointer
        guard let algorithm = SignatureAlgorithm(ofKey: pointer) else {
            throw SigningFailure(description: "the key is of a kind that does not sign certificates here")
        }
        self.algorithm = algorithm
        publicKey = try Self.encoded { i2d_PUBKEY(pointer, $0) }
        owned = Mutex(key)
    }

    /// A new key for ECDSA on P-256.
    package convenience init() throws(SigningFailure) {
        Libcrypto.prepare()
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .ofLibcrypto() }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &made) == 1, let made
        else { throw .ofLibcrypto() }
        try self.init(Owned(pointer: made))
    }

    /// Reads a key without encryption: PKCS #8 (RFC 5958), or the form of its kind (RFC 5915 for curves, RFC 8017 A.1.2 for RSA).
    package convenience init(der: [UInt8]) throws(SigningFailure) {
        Libcrypto.prepare()
        let read = der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &position, bytes.count)
        }
        guard let read else { throw .ofLibcrypto() }
        try self.init(Owned(pointer: read))
    }

    /// The key, PKCS #8 (RFC 5958), DER.
    package func der() throws(SigningFailure) -> [UInt8] {
        let bytes = owned.withLock { owned -> [UInt8]? in
            guard let form = EVP_PKEY2PKCS8(owned.pointer) else { return nil }
            defer { PKCS8_PRIV_KEY_INFO_free(form) }
            return try? Self.encoded { i2d_PKCS8_PRIV_KEY_INFO(form, $0) }
        }
        guard let bytes else { throw .ofLibcrypto() }
        return bytes
    }

    /// A signature, as certificates have it.
    package func signature(of message: [UInt8]) throws(SigningFailure) -> [UInt8] {
        let algorithm = algorithm
        let signature = owned.withLock { owned -> [UInt8]? in
            guard let context = EVP_MD_CTX_new() else { return nil }
            defer { EVP_MD_CTX_free(context) }
            var count = Int(EVP_PKEY_get_size(owned.pointer))
            var bytes = [UInt8](repeating: 0, count: count)
            guard EVP_DigestSignInit(context, nil, algorithm.digest, nil, owned.pointer) == 1,
                EVP_DigestSign(context, &bytes, &count, message, message.count) == 1
            else { return nil }
            return Array(bytes.prefix(count))
        }
        guard let signature else { throw .ofLibcrypto() }
        return signature
    }

    /// Whether a certificate, DER, is of this key.
    package func isKey(of certificate: [UInt8]) -> Bool {
        owned.withLock { owned in
            // That keys are of different kinds is written to the queue of errors of this thread.
            defer { ERR_clear_error() }
            guard let certificate = LibraryCertificate(certificate) else { return false }
            return EVP_PKEY_eq(owned.pointer, certificate.key) == 1
        }
    }

    /// What a function of libcrypto's `i2d_` family writes: it says how much there is, and then writes that.
    private static func encoded(
        _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) throws(SigningFailure) -> [UInt8] {
        let count = Int(write(nil))
        guard count > 0 else { throw .ofLibcrypto() }
        return [UInt8](unsafeUninitializedCapacity: count) { room, written in
            var end = room.baseAddress
            written = max(0, Int(write(&end)))
        }
    }
}

/// How certificates are signed with a key: the kinds that TLS clients know.
package enum SignatureAlgorithm: Sendable {
    case ecdsaWithSHA256, ecdsaWithSHA384, ecdsaWithSHA512, rsaWithSHA256, ed25519

    /// By the kind of a key and its size; nil for one of another kind.
    fileprivate init?(ofKey key: OpaquePointer) {
        let bits = EVP_PKEY_get_bits(key)
        if EVP_PKEY_is_a(key, "EC") == 1 {
            var (name, length) = ([CChar](repeating: 0, count: 32), 0)
            guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return nil }
            switch String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) {
            case "prime256v1", "P-256": self = .ecdsaWithSHA256
            case "secp384r1", "P-384": self = .ecdsaWithSHA384
            case "secp521r1", "P-521": self = .ecdsaWithSHA512
            default: return nil
            }
        } else if EVP_PKEY_is_a(key, "RSA") == 1, bits >= 1_024 {
            self = .rsaWithSHA256
        } else if EVP_PKEY_is_a(key, "ED25519") == 1 {
            self = .ed25519
        } else {
            return nil
        }
    }

    /// AlgorithmIdentifier (RFC 5758 3.2, RFC 4055 5, RFC 8410 3), DER.
    var identifier: [UInt8] {
        switch self {
        case .ecdsaWithSHA256: DER.sequence(DER.identifier(1, 2, 840, 10_045, 4, 3, 2))
        case .ecdsaWithSHA384: DER.sequence(DER.identifier(1, 2, 840, 10_045, 4, 3, 3))
        case .ecdsaWithSHA512: DER.sequence(DER.identifier(1, 2, 840, 10_045, 4, 3, 4))
        // With parameters, which are NULL.
        case .rsaWithSHA256: DER.sequence(DER.identifier(1, 2, 840, 113_549, 1, 1, 11), [0x05, 0x00])
        case .ed25519: DER.sequence(DER.identifier(1, 3, 101, 112))
        }
    }

    /// Of libcrypto, which keeps it; nil where the signature chooses it.
    fileprivate var digest: OpaquePointer? {
        switch self {
        case .ecdsaWithSHA256, .rsaWithSHA256: EVP_sha256()
        case .ecdsaWithSHA384: EVP_sha384()
        case .ecdsaWithSHA512: EVP_sha512()
        case .ed25519: nil
        }
    }
}
