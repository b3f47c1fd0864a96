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
    /// The shortest ClientHello: version, random, empty session, one suite, one compression method (RFC 5246, section 7.4.1.2).
    private static let shortestHello = 41

    /// Whether bytes in the middle of a conversation begin with a ClientHello: its length, and its own version, have to fit as well. The
    /// form of SSL 2.0 is not looked for: no server that agrees on TLS is asked in it.
    static func isHelloAfterTalk(_ bytes: RawSpan) -> Recognized {
        let count = bytes.byteCount
        guard count > 0, bytes[0] == 0x16 else { return .no }
        guard case .yes = beginsWithHello(bytes, type: 1) else { return beginsWithHello(bytes, type: 1) }
        guard count >= 11 else { return .undecided }
        let length = Int(bytes.bigEndianUInt24(at: 6))
        // The record has all of the hello, or as much as fits.
        guard length >= shortestHello, Int(bytes.bigEndianUInt16(at: 3)) >= 6, Int(bytes.bigEndianUInt16(at: 3)) <= length + 4,
            bytes[9] == 3, bytes[10] <= 4
        else { return .no }
        return .yes
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
