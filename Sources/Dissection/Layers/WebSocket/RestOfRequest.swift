/// The rest of an upgrade request that was captured after its response: text up to an empty line, before the client's first frame.
struct RestOfRequest: Sendable {
    /// More is no head.
    private static let mostBytes = 16 << 10

    /// It may come next.
    private(set) var isDue: Bool
    private var count = 0
    /// Of the last bytes, whether they end a line, and whether that was empty.
    private var endsLine: Bool
    private var isEmptyLine = false

    /// - Parameter isBegun: the first bytes of the request came before its response; otherwise all of it comes after.
    init(isDue: Bool, isBegun: Bool) {
        self.isDue = isDue
        endsLine = !isBegun
    }

    /// Takes the next bytes of the client. Returns how many of them belong to the request.
    mutating func take(_ bytes: RawSpan) -> Int {
        var index = 0
        while isDue, index < bytes.byteCount {
            let byte = bytes[index]
            let isText = byte >= 0x20 && byte < 0x7F || byte == 0x09 || byte == 0x0D || byte == 0x0A
            // The first byte of a frame has its highest bit, unless it begins a fragmented message.
            guard isText, count < Self.mostBytes else {
                isDue = false
                break
            }
            index += 1
            count += 1
            if byte == 0x0A {
                isEmptyLine = endsLine
                endsLine = true
                if isEmptyLine, count > 2 { isDue = false }
            } else if byte != 0x0D {
                endsLine = false
            }
        }
        return index
    }

    /// Bytes are missing: where the request ends is not known.
    mutating func lose() { isDue = false }
}
