/// What the two hellos agreed on, as far as the keys follow from it.
package struct TLSSession: Sendable, Equatable {
    /// As on the wire: 0x0303 is TLS 1.2.
    package var version: UInt16
    package var cipherSuite: UInt16
    package var clientRandom: TLSRandom
    package var serverRandom: TLSRandom
    /// Both use encrypt-then-MAC (RFC 7366); without a meaning for AEAD suites.
    package var encryptsThenMACs: Bool
    /// Records are compressed before they are encrypted (RFC 3749).
    package var isCompressed: Bool

    package init(
        version: UInt16, cipherSuite: UInt16, clientRandom: TLSRandom, serverRandom: TLSRandom, encryptsThenMACs: Bool = false,
        isCompressed: Bool = false
    ) {
        self.version = version
        self.cipherSuite = cipherSuite
        self.clientRandom = clientRandom
        self.serverRandom = serverRandom
        self.encryptsThenMACs = encryptsThenMACs
        self.isCompressed = isCompressed
    }

    /// Keys change without ChangeCipherSpec, and the content type is encrypted (RFC 8446).
    package var isTLS13: Bool { version == 0x0304 }
}

/// Why a record stays closed.
package enum TLSUnopened: UInt8, Error, Sendable, CaseIterable {
    /// The key log has no secret for it.
    case secretMissing
    /// The secret's length does not fit version and cipher suite.
    case secretUnfit
    /// SSL 3.0 and before, and drafts of TLS 1.3.
    case versionUnsupported
    case suiteUnsupported
    /// Compression is not undone (RFC 3749).
    case compressed
    /// The fragment is shorter than what the cipher adds.
    case recordTooShort
    /// Its tag, or its MAC or padding, is wrong: it was changed, the secret is another session's, or it stands elsewhere in the sequence.
    case notAuthentic
    /// TLS 1.3: authentic, but without a content type (RFC 8446, section 5.4).
    case contentTypeMissing
    /// Records before it were lost, and where it stands in the sequence was not found out.
    case unsynchronised
}

/// What came of a record.
package enum TLSOpening: Sendable, Equatable {
    /// It is not encrypted: its fragment is its content.
    case clear
    case plaintext(TLSPlaintext)
    case sealed(TLSUnopened)
}

/// An opened record; its content is the beginning of the buffer.
package struct TLSPlaintext: Sendable, Equatable {
    /// The content type, with TLS 1.3 the inner one.
    package var contentType: UInt8
    /// Bytes of content, padding left out. At most as many as the fragment has.
    package var length: Int
    /// Where the record stands among those under the same keys.
    package var sequence: UInt64
    /// Those that opened it.
    package var keys = TLSKeys()
    /// Early data of TLS 1.3, which the server may have refused and thrown away (RFC 8446, section 4.2.10).
    package var isEarly: Bool { keys.kind == .early }

    package init(contentType: UInt8, length: Int, sequence: UInt64) {
        self.contentType = contentType
        self.length = length
        self.sequence = sequence
    }
}

/// The keys of one direction between two changes of keys.
package protocol TLSRecordOpener: AnyObject {
    /// Opens a record with the first of `count` sequence numbers from `sequence` on that fits. Where `count` is more than 1, an opener may
    /// know from the record itself that it stands further on.
    ///
    /// - Parameters:
    ///   - fragment: all of it.
    ///   - buffer: takes the content at its beginning; it is made as long as the fragment where it is shorter, and never shorter.
    func open(
        _ header: TLSRecordHeader, _ fragment: RawSpan, sequence: UInt64, count: Int, into buffer: inout [UInt8]
    ) -> Result<TLSPlaintext, TLSUnopened>

    /// Learns that a record under these keys was not given to it, or not all of it.
    func noteLoss()
}

/// What makes openers out of secrets.
package protocol TLSCiphers: AnyObject, Sendable {
    /// The keys of `side`.
    ///
    /// - Parameter secret: up to TLS 1.2 the master secret, with TLS 1.3 the traffic secret of the side.
    func opener(for session: TLSSession, side: Side, secret: [UInt8]) throws(TLSUnopened) -> any TLSRecordOpener

    /// Bytes that encryption adds to the content of a record: header and padding left out, as far as padding is not needed.
    func overhead(of session: TLSSession) -> Int

    /// Whether it adds just as many to each record, but for padding of TLS 1.3.
    func isOverheadExact(of session: TLSSession) -> Bool

    /// The traffic secret after a key update (RFC 8446, section 7.2); nil where the suite is not known.
    func secret(after secret: [UInt8], cipherSuite: UInt16) -> [UInt8]?
}

extension TLSCiphers {
    /// It is with AEAD.
    package func isOverheadExact(of session: TLSSession) -> Bool { true }
}

/// Secrets, and what can be done with them: all that a dissector has to be given to read inside of TLS.
package final class TLSDecryption: DecryptionKeys {
    package let secrets: any TLSSecrets
    package let ciphers: any TLSCiphers

    package init(secrets: any TLSSecrets, ciphers: any TLSCiphers) {
        self.secrets = secrets
        self.ciphers = ciphers
    }
}
