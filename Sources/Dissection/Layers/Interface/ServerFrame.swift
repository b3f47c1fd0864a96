/// The first frame of a server that speaks HTTP/2 (RFC 9113, section 3.4), whatever the client says: its SETTINGS, or the GOAWAY with which
/// it refuses a client that did not begin with the preface.
///
/// ```
/// 00 00 12 | 04 | 00 | 00 00 00 00    SETTINGS, 18 bytes
/// 00 00 08 | 07 | 00 | 00 00 00 00    GOAWAY, 8 bytes
///  length   type flags    stream
/// ```
enum ServerFrame {
    /// Bytes of its header.
    static let length = 9
    /// Settings are six bytes each, of which a server has some dozen at most; a GOAWAY has eight bytes and a text.
    private static let mostBytes: UInt8 = 240

    /// Whether the bytes begin with one.
    static func begins(_ bytes: RawSpan) -> Recognized {
        let known = min(length, bytes.byteCount)
        for index in 0..<known where index != 2 && index != 3 && bytes[index] != 0 { return .no }
        if known > 2, bytes[2] > mostBytes { return .no }
        if known > 3 {
            switch bytes[3] {
            case 4: if bytes[2] % 6 != 0 { return .no }
            case 7: if bytes[2] < 8 { return .no }
            default: return .no
            }
        }
        return known < length ? .undecided : .yes
    }
}
