import Dissection

/// Opens records of AEAD suites (RFC 5246, section 6.2.3.3; RFC 8446, section 5.2).
///
/// ```
/// TLS 1.2, GCM and CCM   explicit nonce, 8 bytes │ ciphertext │ tag     nonce: 4 bytes of the key block, and the explicit part
/// TLS 1.2, ChaCha20                                ciphertext │ tag     nonce: 12 bytes of the key block xor the sequence number
/// TLS 1.3                ciphertext of (content │ type │ zeros) │ tag   nonce: 12 bytes of the secret xor the sequence number
/// ```
package final class AuthenticatedOpener: TLSRecordOpener {
    private let context: CipherContext
    private let fixedNonce: [UInt8]
    private let isTLS13: Bool
    /// With TLS 1.2, bytes of each record that end its nonce.
    private let explicitLength: Int
    private var nonce: [UInt8]
    private var additional: [UInt8] = []
    private var header12 = AuthenticatedHeader()
    /// The explicit part of the last record that was opened, and where that stood. Most count it up by one for each record.
    private var lastExplicit: (nonce: UInt64, sequence: UInt64)?

    /// Nil where libcrypto does not have the cipher.
    ///
    /// - Parameter nonce: with TLS 1.3 twelve bytes, before it as many as come from the key block.
    package init?(_ cipher: RecordProtection.Cipher, key: [UInt8], nonce: [UInt8], isTLS13: Bool) {
        guard nonce.count == (isTLS13 ? 12 : cipher.fixedNonceLength), let context = CipherContext(cipher, key: key, nonceLength: 12)
        else { return nil }
        self.context = context
        fixedNonce = nonce
        self.isTLS13 = isTLS13
        explicitLength = 12 - nonce.count
        self.nonce = nonce + [UInt8](repeating: 0, count: 12 - nonce.count)
        additional = [UInt8](repeating: 0, count: TLSRecordHeader.length)
    }

    /// Each record says all that is needed.
    package func noteLoss() {}

    package func open(
        _ header: TLSRecordHeader, _ fragment: RawSpan, sequence: UInt64, count: Int, into buffer: inout [UInt8]
    ) -> Result<TLSPlaintext, TLSUnopened> {
        let added = explicitLength + context.tagLength + (isTLS13 ? 1 : 0)
        guard fragment.byteCount >= added else { return .failure(.recordTooShort) }
        buffer.lengthen(to: fragment.byteCount)
        if explicitLength == 0 {
            var next = sequence
            for _ in 0..<count {
                if isOpened(header, fragment, sequence: next, &buffer) { return told(header, fragment, next, buffer) }
                next &+= 1
            }
            return .failure(.notAuthentic)
        }
        let explicit = fragment.bigEndianUInt64(at: 0)
        // After a loss the nonce says how many records are missing.
        if count > 1, let last = lastExplicit {
            let counted = last.sequence &+ (explicit &- last.nonce)
            if isOpened(header, fragment, sequence: counted, &buffer) { return told(header, fragment, counted, buffer) }
        }
        var next = sequence
        for _ in 0..<count {
            if isOpened(header, fragment, sequence: next, &buffer) { return told(header, fragment, next, buffer) }
            next &+= 1
        }
        return .failure(.notAuthentic)
    }

    private func isOpened(_ header: TLSRecordHeader, _ fragment: RawSpan, sequence: UInt64, _ buffer: inout [UInt8]) -> Bool {
        if explicitLength > 0 {
            for index in 0..<explicitLength { nonce[fixedNonce.count + index] = fragment[index] }
        } else {
            for index in 0..<8 { nonce[4 + index] = fixedNonce[4 + index] ^ UInt8(truncatingIfNeeded: sequence >> (8 * UInt64(7 - index))) }
        }
        let sealed = fragment.suffix(from: explicitLength)
        if isTLS13 {
            additional[0] = header.contentType
            additional[1] = UInt8(truncatingIfNeeded: header.version >> 8)
            additional[2] = UInt8(truncatingIfNeeded: header.version)
            additional[3] = UInt8(truncatingIfNeeded: header.fragmentLength >> 8)
            additional[4] = UInt8(truncatingIfNeeded: header.fragmentLength)
            return context.openAuthenticated(nonce: nonce, additional: additional, sealed: sealed, into: &buffer)
        }
        header12.set(header, sequence: sequence, length: sealed.byteCount - context.tagLength)
        return context.openAuthenticated(nonce: nonce, additional: header12.bytes, sealed: sealed, into: &buffer)
    }

    private func told(
        _ header: TLSRecordHeader, _ fragment: RawSpan, _ sequence: UInt64, _ buffer: [UInt8]
    ) -> Result<TLSPlaintext, TLSUnopened> {
        var length = fragment.byteCount - explicitLength - context.tagLength
        guard isTLS13 else {
            if explicitLength > 0 { lastExplicit = (fragment.bigEndianUInt64(at: 0), sequence) }
            return .success(TLSPlaintext(contentType: header.contentType, length: length, sequence: sequence))
        }
        // The type is the last byte that is not zero (RFC 8446, section 5.4).
        while length > 0, buffer[length - 1] == 0 { length -= 1 }
        guard length > 0 else { return .failure(.contentTypeMissing) }
        return .success(TLSPlaintext(contentType: buffer[length - 1], length: length - 1, sequence: sequence))
    }
}

extension [UInt8] {
    /// Makes it as long as `count` where it is shorter.
    mutating func lengthen(to count: Int) {
        if self.count < count { self += [UInt8](repeating: 0, count: count - self.count) }
    }
}
