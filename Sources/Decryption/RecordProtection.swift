import Dissection

/// How records are protected under a cipher suite, as its registered name says: the part after `WITH`, or all of it with TLS 1.3.
///
/// | name ends in | protection | PRF (TLS 1.2) or HKDF |
/// | --- | --- | --- |
/// | `AES_128_GCM_SHA256`, `ARIA_256_GCM_SHA384`, `CHACHA20_POLY1305_SHA256` | AEAD, tag of 16 bytes | the hash |
/// | `AES_128_CCM`, `AES_256_CCM_8`, `AES_128_CCM_SHA256` | AEAD, tag of 16 or 8 bytes | the hash, else SHA-256 |
/// | `AES_128_CBC_SHA`, `3DES_EDE_CBC_SHA`, `CAMELLIA_256_CBC_SHA384` | CBC and an HMAC of the hash | SHA-256, or SHA-384 where it is named |
/// | `NULL_SHA`, `NULL_MD5` | an HMAC alone | SHA-256, or SHA-384 |
package struct RecordProtection: Sendable, Equatable {
    /// What encrypts.
    package enum Cipher: String, Sendable, CaseIterable {
        case aes128GCM = "AES_128_GCM"
        case aes256GCM = "AES_256_GCM"
        case aria128GCM = "ARIA_128_GCM"
        case aria256GCM = "ARIA_256_GCM"
        case aes128CCM = "AES_128_CCM"
        case aes256CCM = "AES_256_CCM"
        case aes128CCM8 = "AES_128_CCM_8"
        case aes256CCM8 = "AES_256_CCM_8"
        case chaCha20Poly1305 = "CHACHA20_POLY1305"
        case aes128CBC = "AES_128_CBC"
        case aes256CBC = "AES_256_CBC"
        case camellia128CBC = "CAMELLIA_128_CBC"
        case camellia256CBC = "CAMELLIA_256_CBC"
        case aria128CBC = "ARIA_128_CBC"
        case aria256CBC = "ARIA_256_CBC"
        case tripleDES = "3DES_EDE_CBC"
        case none = "NULL"
    }

    /// The hash functions that suites name.
    package enum Hash: String, Sendable, CaseIterable {
        case md5 = "MD5"
        case sha1 = "SHA"
        case sha256 = "SHA256"
        case sha384 = "SHA384"

        /// Bytes of a hash, and of an HMAC of it.
        package var length: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha384: 48
            }
        }
    }

    package var cipher: Cipher
    /// Of the HMAC; nil with AEAD.
    package var mac: Hash?
    /// What secrets and keys are derived with from TLS 1.2 on.
    package var derivation: Hash

    /// Nil for suites that are not registered, and those whose cipher is not supported: RC4, DES, IDEA, SEED, Camellia with GCM, GOST, SM4, AEGIS.
    package init?(cipherSuite: UInt16) {
        guard let protection = Self.bySuite[cipherSuite] else { return nil }
        self = protection
    }

    /// What the names say, which are read once: each record asks for it.
    private static let bySuite: [UInt16: RecordProtection] = {
        var found: [UInt16: RecordProtection] = [:]
        for suite in 0...UInt16.max { found[suite] = RecordProtection(named: suite) }
        return found
    }()

    private init?(named cipherSuite: UInt16) {
        guard let name = TLSCipherSuite.name(cipherSuite) else { return nil }
        guard let words = name.firstRange(of: "_WITH_").map({ name[$0.upperBound...] }) ?? Self.wordsOfTLS13(cipherSuite, name) else {
            return nil
        }
        // The longest fits: AES_128_CCM is also the beginning of AES_128_CCM_8.
        guard let cipher = Cipher.allCases.filter({ words.hasPrefix($0.rawValue) }).max(by: { $0.rawValue.count < $1.rawValue.count })
        else { return nil }
        let rest = words.dropFirst(cipher.rawValue.count)
        let hash = Hash(rawValue: String(rest.dropFirst()))
        guard rest.isEmpty || hash != nil else { return nil }
        self.cipher = cipher
        mac = cipher.isAEAD ? nil : hash
        derivation = hash == .sha384 ? .sha384 : .sha256
        if !cipher.isAEAD, hash == nil { return nil }
    }

    private static func wordsOfTLS13(_ suite: UInt16, _ name: String) -> Substring? {
        suite >> 8 == 0x13 ? name.dropFirst(4) : nil
    }
}

extension RecordProtection.Cipher {
    package var isAEAD: Bool { tagLength > 0 }

    var isCCM: Bool {
        switch self {
        case .aes128CCM, .aes256CCM, .aes128CCM8, .aes256CCM8: true
        default: false
        }
    }

    /// Bytes of the tag of AEAD; 0 for others.
    package var tagLength: Int {
        switch self {
        case .aes128GCM, .aes256GCM, .aria128GCM, .aria256GCM, .aes128CCM, .aes256CCM, .chaCha20Poly1305: 16
        case .aes128CCM8, .aes256CCM8: 8
        case .aes128CBC, .aes256CBC, .camellia128CBC, .camellia256CBC, .aria128CBC, .aria256CBC, .tripleDES, .none: 0
        }
    }

    package var keyLength: Int {
        switch self {
        case .aes128GCM, .aria128GCM, .aes128CCM, .aes128CCM8, .aes128CBC, .camellia128CBC, .aria128CBC: 16
        case .aes256GCM, .aria256GCM, .aes256CCM, .aes256CCM8, .chaCha20Poly1305, .aes256CBC, .camellia256CBC, .aria256CBC: 32
        case .tripleDES: 24
        case .none: 0
        }
    }

    /// Bytes of a block with CBC; 0 for others.
    package var blockLength: Int {
        switch self {
        case .aes128CBC, .aes256CBC, .camellia128CBC, .camellia256CBC, .aria128CBC, .aria256CBC: 16
        case .tripleDES: 8
        default: 0
        }
    }

    /// Bytes of the nonce of TLS 1.2 that come from the key block: the rest stands in each record, but for ChaCha20 (RFC 7905, section 2).
    package var fixedNonceLength: Int { self == .chaCha20Poly1305 ? 12 : isAEAD ? 4 : 0 }
}
