/// What follows a line that looks like a start line, byte by byte: whether it bears out that a message begins here.
///
/// Logs and mail quote start lines. At the beginning of a line one is believed when an empty line or the name of a header
/// follows it; in the middle of a line, where a body without a line feed may end, only with a whole head that ends its
/// lines as it should.
///
/// ```
/// HTTP/1.1 200 OK \n  D a t e :          borne out at the colon
/// …}HTTP/1.1 200 OK \r\n Date: … \r\n \r\n   borne out at the last line feed
/// 12:00 got HTTP/1.1 404 Not Found \n 12:01  not borne out
/// ```
struct HeadCandidate {
    enum Verdict { case goesOn, borneOut, refuted }

    private enum Place { case lineStart, name, value, emptyLine }

    /// A longer name is no header's.
    private static let longestName = 256
    /// More of a head is not waited for.
    private static let longestHead = 64 << 10

    /// Where the start line begins, counted as the search counts.
    let start: Int
    let isRequest: Bool
    /// The start line stands in the middle of a line.
    let isInLine: Bool
    private var place = Place.lineStart
    private var nameCount = 0
    private var count = 0
    private var hasFields = false

    init(start: Int, isRequest: Bool, isInLine: Bool) {
        self.start = start
        self.isRequest = isRequest
        self.isInLine = isInLine
    }

    /// Takes the next byte behind the start line. `previous` is the one before it.
    mutating func take(_ byte: UInt8, previous: UInt8) -> Verdict {
        count += 1
        if count > HeadCandidate.longestHead { return .refuted }
        switch place {
        case .lineStart:
            switch byte {
            case 0x0A: return isInLine ? .refuted : .borneOut
            case 0x0D: place = .emptyLine
            // The value of the line before goes on (RFC 9112, section 5.2).
            case 0x20, 0x09: if hasFields { place = .value } else { return .refuted }
            case _ where byte.isLetter:
                place = .name
                nameCount = 1
            default: return .refuted
            }
        case .emptyLine: return byte == 0x0A ? .borneOut : .refuted
        case .name:
            if byte == 0x3A {
                guard isInLine else { return .borneOut }
                place = .value
                hasFields = true
            } else {
                nameCount += 1
                // At the beginning of a line also a name that was damaged on the way; what is wrong with it is found later.
                let mayBeInName = byte.isTokenCharacter || (byte >= 0x80 && !isInLine)
                if !mayBeInName || nameCount > HeadCandidate.longestName { return .refuted }
            }
        case .value:
            if byte == 0x0A {
                guard previous == 0x0D else { return .refuted }
                place = .lineStart
            } else if previous == 0x0D || byte == 0x7F || (byte < 0x20 && byte != 0x09 && byte != 0x0D) {
                return .refuted
            }
        }
        return .goesOn
    }
}
