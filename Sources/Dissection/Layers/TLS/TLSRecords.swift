/// The header of a TLS record (RFC 8446, section 5.1): content type, version, length of the fragment.
package struct TLSRecordHeader: Sendable, Equatable {
    /// Bytes of a header.
    package static let length = 5
    /// The longest fragment of TLS 1.3: 2^14 and what encryption may add (RFC 8446, section 5.2).
    package static let longestFragment = 16_640
    /// The longest of TLS 1.2 and before, where compression may add more (RFC 5246, section 6.2.3).
    package static let longestOldFragment = 18_432

    package var contentType: UInt8
    package var version: UInt16
    package var fragmentLength: Int

    /// - Parameter bits: The five bytes as a number.
    package init(bits: UInt64) {
        contentType = UInt8(truncatingIfNeeded: bits >> 32)
        version = UInt16(truncatingIfNeeded: bits >> 16)
        fragmentLength = Int(bits & 0xFFFF)
    }

    /// The five bytes.
    var bytes: [UInt8] {
        [
            contentType, UInt8(version >> 8), UInt8(version & 0xFF), UInt8(truncatingIfNeeded: fragmentLength >> 8),
            UInt8(truncatingIfNeeded: fragmentLength),
        ]
    }

    /// Content type and major version are ones that exist. The minor version must be ignored (RFC 8446, 5.1).
    package var isKnown: Bool { (20...24).contains(contentType) && version >> 8 == 3 }

    /// Worth taking for a header where nothing says that one begins here.
    package var isPlausible: Bool {
        isKnown && version & 0xFF <= 4 && fragmentLength > 0 && fragmentLength <= Self.longestFragment
    }
}

/// How the beginning of a TLS connection is recognised (RFC 8446, section 5.1).
package enum TLSRecords {
    /// Whether the bytes begin with a handshake record whose first message is of `type` (1 ClientHello, 2 ServerHello),
    /// or, for a ClientHello, with one in the form of SSL 2.0.
    package static func beginsWithHello(_ bytes: RawSpan, type: UInt8) -> Recognized {
        let count = bytes.byteCount
        if type == 1, count > 0, bytes[0] & 0x80 != 0 { return OldHello.isBeginning(bytes) }
        if count > 0, bytes[0] != 0x16 { return .no }
        if count > 1, bytes[1] != 3 { return .no }
        if count > 2, bytes[2] > 4 { return .no }
        if count > 4 {
            let length = Int(bytes.bigEndianUInt16(at: 3))
            if length < 1 || length > TLSRecordHeader.longestFragment { return .no }
        }
        if count > 5, bytes[5] != type { return .no }
        // A record may end before the message's length does.
        if count > 4, bytes.bigEndianUInt16(at: 3) < 2 { return count > 5 ? .yes : .undecided }
        // A hello is shorter than 64 KiB: the first byte of its 24-bit length is zero.
        if count > 6, bytes[6] != 0 { return .no }
        return count > 6 ? .yes : .undecided
    }
}

extension TLSRecords {
    /// The shortest ClientHello: version, random, empty session, one suite, one compression method (RFC 5246, section 7.4.1.2). A ServerHello
    /// names its suite and its method without their counts (section 7.4.1.3).
    private static func shortestHello(_ type: UInt8) -> Int { type == 1 ? 41 : 38 }

    /// Whether bytes in the middle of a conversation begin with a hello: its length, and its own version, have to fit as well. The
    /// form of SSL 2.0 is not looked for: no server that agrees on TLS is asked in it.
    ///
    /// - Parameter type: 1 for a ClientHello, 2 for a ServerHello.
    static func isHelloAfterData(_ bytes: RawSpan, type: UInt8 = 1) -> Recognized {
        let count = bytes.byteCount
        guard count > 0, bytes[0] == 0x16 else { return .no }
        guard case .yes = beginsWithHello(bytes, type: type) else { return beginsWithHello(bytes, type: type) }
        guard count >= 11 else { return .undecided }
        let length = Int(bytes.bigEndianUInt24(at: 6))
        let record = Int(bytes.bigEndianUInt16(at: 3))
        // The record has all of the hello, or as much as fits; a server's may go on with its certificates.
        guard length >= shortestHello(type), record >= 6, type == 2 || record <= length + 4, bytes[9] == 3, bytes[10] <= 4 else {
            return .no
        }
        return .yes
    }

    /// Whether bytes that may be anything begin with a hello: what follows its random has to fit as well. Numbers of 32 bits, the low byte
    /// first, read as the beginning of one.
    ///
    /// ```
    /// 16 03 01 | 00 2d | 01 | 00 00 29 | 03 03 | random | 00 | 00 02 | c0 2f | 01 00 | …
    /// record, its length  hello, its length     32 bytes  session  suites  methods
    /// ```
    static func isHelloAmongOthers(_ bytes: RawSpan, type: UInt8) -> Recognized {
        let isLike = isHelloAfterData(bytes, type: type)
        guard case .yes = isLike else { return isLike }
        let (count, session) = (bytes.byteCount, 43)
        let end = 9 + Int(bytes.bigEndianUInt24(at: 6))
        guard count > session else { return .undecided }
        guard bytes[session] <= 32 else { return .no }
        let suites = session + 1 + Int(bytes[session])
        guard count >= suites + 3 else { return .undecided }
        if type == 1 {
            let length = Int(bytes.bigEndianUInt16(at: suites))
            return length > 0 && length % 2 == 0 && suites + 2 + length + 2 <= end ? .yes : .no
        }
        // Null, or DEFLATE (RFC 3749); then extensions that fill it, if any.
        let extensions = suites + 3
        guard bytes[suites + 2] <= 1 else { return .no }
        if extensions == end { return .yes }
        guard count >= extensions + 2 else { return .undecided }
        return extensions + 2 + Int(bytes.bigEndianUInt16(at: extensions)) == end ? .yes : .no
    }
}

/// A ClientHello in the form of SSL 2.0, as clients sent it that wanted to reach such servers too
/// (RFC 5246, appendix E.2).
///
/// ```
/// 80 2e | 01 | 03 01 | 00 15 | 00 00 | 00 10 | suites of three bytes, session, challenge
/// length  type version suites  session challenge
/// ```
package enum OldHello {
    /// Whether bytes that start with a set high bit begin with one.
    package static func isBeginning(_ bytes: RawSpan) -> Recognized {
        let count = bytes.byteCount
        if count > 2, bytes[2] != 1 { return .no }
        if count > 4 {
            let version = bytes.bigEndianUInt16(at: 3)
            guard version == 2 || version >> 8 == 3 && version & 0xFF <= 4 else { return .no }
        }
        guard count > 10 else { return .undecided }
        let length = Int(bytes.bigEndianUInt16(at: 0) & 0x7FFF)
        let suites = Int(bytes.bigEndianUInt16(at: 5))
        let session = Int(bytes.bigEndianUInt16(at: 7))
        let challenge = Int(bytes.bigEndianUInt16(at: 9))
        guard suites > 0, suites % 3 == 0, (16...32).contains(challenge), 9 + suites + session + challenge == length else { return .no }
        return .yes
    }
}
