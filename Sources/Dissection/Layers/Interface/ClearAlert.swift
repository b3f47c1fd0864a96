/// An alert of TLS in the clear (RFC 8446, section 6), which may be what a server sends to a client that does not speak TLS.
///
/// ```
/// 15 | 03 01 | 00 02 | 02 46
/// type version length  level, description
/// ```
enum ClearAlert {
    /// Bytes of it, its record's header included.
    static let length = 7

    /// Whether the bytes begin with one.
    static func begins(_ bytes: RawSpan) -> Recognized {
        for index in 0..<min(length, bytes.byteCount) {
            let isRight =
                switch index {
                case 0: bytes[0] == 0x15
                case 1: bytes[1] == 3
                case 2: bytes[2] <= 4
                case 3: bytes[3] == 0
                case 4: bytes[4] == 2
                case 5: bytes[5] == 1 || bytes[5] == 2
                default: bytes[6] < 128
                }
            if !isRight { return .no }
        }
        return bytes.byteCount < length ? .undecided : .yes
    }
}
