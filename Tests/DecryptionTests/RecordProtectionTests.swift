import Decryption
import Dissection
import Testing

@Suite("Record protection")
struct RecordProtectionTests {
    @Test("the name of a suite says how its records are protected")
    func names() {
        let rows: [(suite: UInt16, cipher: RecordProtection.Cipher, mac: RecordProtection.Hash?, derivation: RecordProtection.Hash)] = [
            (0x1301, .aes128GCM, nil, .sha256),
            (0x1302, .aes256GCM, nil, .sha384),
            (0x1303, .chaCha20Poly1305, nil, .sha256),
            (0x1304, .aes128CCM, nil, .sha256),
            (0x1305, .aes128CCM8, nil, .sha256),
            (0xC02F, .aes128GCM, nil, .sha256),
            (0xC030, .aes256GCM, nil, .sha384),
            (0xC09C, .aes128CCM, nil, .sha256),
            (0xC0AF, .aes256CCM8, nil, .sha256),
            (0xCCA8, .chaCha20Poly1305, nil, .sha256),
            (0xC061, .aria256GCM, nil, .sha384),
            (0x002F, .aes128CBC, .sha1, .sha256),
            (0x0035, .aes256CBC, .sha1, .sha256),
            (0x003D, .aes256CBC, .sha256, .sha256),
            (0xC024, .aes256CBC, .sha384, .sha384),
            (0xC077, .camellia256CBC, .sha384, .sha384),
            (0xC03C, .aria128CBC, .sha256, .sha256),
            (0x000A, .tripleDES, .sha1, .sha256),
            (0x0001, .none, .md5, .sha256),
            (0x0002, .none, .sha1, .sha256),
            (0xC03B, .none, .sha384, .sha384),
        ]
        for row in rows {
            let protection = RecordProtection(cipherSuite: row.suite)
            let name = TLSCipherSuite.name(row.suite) ?? ""
            #expect(protection?.cipher == row.cipher, "\(name)")
            #expect(protection?.mac == row.mac, "\(name)")
            #expect(protection?.derivation == row.derivation, "\(name)")
        }
    }

    @Test("what is not supported says so, and what is not registered too")
    func unsupported() {
        // NULL without a MAC, RC4, RC2, IDEA, DES, Kerberos with RC4, SEED, Camellia with GCM, signals, SM4, AEGIS, GOST, integrity alone.
        let suites: [UInt16] = [
            0x0000, 0x0004, 0x0005, 0x0006, 0x0007, 0x0009, 0x0020, 0x0096, 0xC07A, 0x00FF, 0x5600, 0x00C6, 0x1306, 0x1307, 0xC100, 0xC0B4,
            0x0A0A, 0xFFFF,
        ]
        for suite in suites {
            #expect(RecordProtection(cipherSuite: suite) == nil, "\(TLSCipherSuite.name(suite) ?? String(suite, radix: 16))")
        }
    }

    @Test("each registered suite is either supported, with a cipher that libcrypto has, or is one of those that are not")
    func all() {
        var supported = 0
        var others: Set<String> = []
        for suite in UInt16.min...UInt16.max {
            guard let name = TLSCipherSuite.name(suite) else { continue }
            guard let protection = RecordProtection(cipherSuite: suite) else {
                others.insert(name)
                continue
            }
            supported += 1
            let length = protection.cipher.isAEAD ? 12 : protection.cipher.blockLength
            let key = [UInt8](repeating: 1, count: protection.cipher.keyLength)
            if protection.cipher != .none { #expect(CipherContext(protection.cipher, key: key, nonceLength: length) != nil, "\(name)") }
        }
        #expect(supported > 250)
        let ciphers = [
            "RC4", "RC2", "IDEA", "DES_CBC", "DES40", "DES_CBC_40", "SEED", "CAMELLIA_128_GCM", "CAMELLIA_256_GCM", "GOST", "SM4", "AEGIS",
        ]
        // Signals, no protection at all, and integrity alone with TLS 1.3 (RFC 9150).
        let names = [
            "TLS_NULL_WITH_NULL_NULL", "TLS_EMPTY_RENEGOTIATION_INFO_SCSV", "TLS_FALLBACK_SCSV", "TLS_SHA256_SHA256", "TLS_SHA384_SHA384",
        ]
        for name in others { #expect(names.contains(name) || ciphers.contains(where: { name.contains($0) }), "\(name)") }
    }

    @Test("a session whose version, secret or suite does not fit is refused with the reason")
    func refusals() throws {
        let bytes = [UInt8](repeating: 9, count: 32)
        let found = TLSRandom(bytes.rawBytes)
        let random = try #require(found)
        let secret = [UInt8](repeating: 1, count: 48)
        let rows: [(version: UInt16, suite: UInt16, secret: [UInt8], reason: TLSUnopened)] = [
            (0x0300, 0x002F, secret, .versionUnsupported),
            (0x7F17, 0x1301, secret, .versionUnsupported),
            (0x0303, 0x0005, secret, .suiteUnsupported),
            (0x0303, 0x002F, [1], .secretUnfit),
            (0x0304, 0x1301, secret, .secretUnfit),
            (0x0304, 0x1302, [], .secretUnfit),
            (0x0304, 0x002F, secret, .suiteUnsupported),
            (0x0302, 0xC02F, secret, .suiteUnsupported),
        ]
        for row in rows {
            let session = TLSSession(version: row.version, cipherSuite: row.suite, clientRandom: random, serverRandom: random)
            #expect(throws: row.reason) { try RecordCiphers().opener(for: session, side: .client, secret: row.secret) }
        }
    }
}
