import Dissection

/// Makes the keys of a direction out of a secret, for all suites that `RecordProtection` knows.
package final class RecordCiphers: TLSCiphers {
    package init() {}

    package func opener(for session: TLSSession, side: Side, secret: [UInt8]) throws(TLSUnopened) -> any TLSRecordOpener {
        guard let protection = RecordProtection(cipherSuite: session.cipherSuite) else { throw .suiteUnsupported }
        switch session.version {
        case 0x0301...0x0303: return try oldOpener(protection, session, side, secret)
        case 0x0304: return try opener13(protection, secret)
        default: throw .versionUnsupported
        }
    }

    package func overhead(of session: TLSSession) -> Int {
        guard let protection = RecordProtection(cipherSuite: session.cipherSuite) else { return 0 }
        let cipher = protection.cipher
        // The inner content type (RFC 8446, section 5.2).
        if session.isTLS13 { return cipher.tagLength + 1 }
        // The part of the nonce that stands in each record (RFC 5288, section 3).
        if cipher.isAEAD { return cipher.tagLength + (12 - cipher.fixedNonceLength) }
        let mac = protection.mac?.length ?? 0
        // With CBC the padding is a byte at least (RFC 5246, section 6.2.3.2).
        return cipher == .none ? mac : mac + 1 + (session.version == 0x0301 ? 0 : cipher.blockLength)
    }

    /// CBC fills up to a block, or to more of them.
    package func isOverheadExact(of session: TLSSession) -> Bool {
        guard let cipher = RecordProtection(cipherSuite: session.cipherSuite)?.cipher else { return false }
        return cipher.isAEAD || cipher == .none
    }

    package func secret(after secret: [UInt8], cipherSuite: UInt16) -> [UInt8]? {
        guard let protection = RecordProtection(cipherSuite: cipherSuite) else { return nil }
        return KeyDerivation.expandLabel(secret, "traffic upd", count: protection.derivation.length, hash: protection.derivation)
    }

    /// The key and the nonce of a traffic secret (RFC 8446, section 7.3).
    private func opener13(_ protection: RecordProtection, _ secret: [UInt8]) throws(TLSUnopened) -> any TLSRecordOpener {
        guard protection.cipher.isAEAD else { throw .suiteUnsupported }
        let hash = protection.derivation
        guard secret.count == hash.length else { throw .secretUnfit }
        guard let key = KeyDerivation.expandLabel(secret, "key", count: protection.cipher.keyLength, hash: hash),
            let nonce = KeyDerivation.expandLabel(secret, "iv", count: 12, hash: hash),
            let opener = AuthenticatedOpener(protection.cipher, key: key, nonce: nonce, isTLS13: true)
        else { throw .suiteUnsupported }
        return opener
    }

    /// The part of the key block that is the side's (RFC 5246, section 6.3).
    private func oldOpener(
        _ protection: RecordProtection, _ session: TLSSession, _ side: Side, _ secret: [UInt8]
    ) throws(TLSUnopened) -> any TLSRecordOpener {
        guard secret.count == 48 else { throw .secretUnfit }
        let cipher = protection.cipher
        guard session.version == 0x0303 || !cipher.isAEAD else { throw .suiteUnsupported }
        let macLength = protection.mac?.length ?? 0
        // From TLS 1.1 on each record brings its own.
        let vectorLength = session.version == 0x0301 ? cipher.blockLength : 0
        let nonceLength = cipher.isAEAD ? cipher.fixedNonceLength : vectorLength
        let block = KeyDerivation.prf(
            secret, label: "key expansion", seed: session.serverRandom.bytes + session.clientRandom.bytes,
            count: 2 * (macLength + cipher.keyLength + nonceLength), version: session.version, hash: protection.derivation)
        guard var parts = block?[...] else { throw .suiteUnsupported }
        func part(_ length: Int) -> [UInt8] {
            let client = Array(parts.prefix(length))
            let server = Array(parts.dropFirst(length).prefix(length))
            parts = parts.dropFirst(2 * length)
            return side == .client ? client : server
        }
        let macKey = part(macLength)
        let key = part(cipher.keyLength)
        let nonce = part(nonceLength)
        if cipher.isAEAD {
            guard let opener = AuthenticatedOpener(cipher, key: key, nonce: nonce, isTLS13: false) else { throw .suiteUnsupported }
            return opener
        }
        guard let hash = protection.mac, let mac = MessageAuthentication(hash, key: macKey) else { throw .suiteUnsupported }
        if cipher == .none { return AuthenticatedOnlyOpener(mac: mac) }
        guard let decrypting = CipherContext(cipher, key: key, nonceLength: cipher.blockLength) else { throw .suiteUnsupported }
        return BlockOpener(
            decrypting, blockLength: cipher.blockLength, mac: mac, encryptsThenMACs: session.encryptsThenMACs,
            firstVector: session.version == 0x0301 ? nonce : nil)
    }
}
