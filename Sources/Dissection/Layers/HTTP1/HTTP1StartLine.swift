/// The first line of a message where one has to stand, read as widely as it makes sense (RFC 9112, sections 3 and 4).
///
/// The reading depends on the line alone, never on how it came in: a beginning that is refused is refused whatever
/// follows.
enum HTTP1StartLine {
    enum Verdict {
        /// The line is not whole, and could become one.
        case undecided
        case valid
        /// An HTTP/0.9 request: a method and a target, nothing else.
        case simple
        case invalid
    }

    /// A longer method is no method.
    static let longestMethod = 64

    /// What stands at `start`. `lineFeed` is where its line ends, if that was seen.
    static func verdict(on bytes: RawSpan, from start: Int, lineFeed: Int?, side: Side) -> Verdict {
        side == .client
            ? request(bytes, from: start, lineFeed: lineFeed) : status(bytes, from: start, lineFeed: lineFeed)
    }

    private static func request(_ bytes: RawSpan, from start: Int, lineFeed: Int?) -> Verdict {
        let end = lineFeed ?? bytes.byteCount
        var index = start
        while index < end, bytes[index].isTokenCharacter {
            index += 1
            if index - start > longestMethod { return .invalid }
        }
        if index == end, lineFeed == nil { return .undecided }
        guard index > start, index < end, bytes[index] == 0x20 else { return .invalid }
        guard let lineFeed else { return .undecided }
        let line = RequestLine(bytes, from: start, lineFeed: lineFeed)
        if !line.version.isEmpty { return .valid }
        let isGet = line.method.count == 3 && bytes.hasPrefix("get", at: line.method.start)
        return isGet && !line.target.isEmpty && !line.hasSpaceInTarget ? .simple : .invalid
    }

    private static func status(_ bytes: RawSpan, from start: Int, lineFeed: Int?) -> Verdict {
        if bytes[start] == UInt8(ascii: "I"), ICAPLine.status(bytes.suffix(from: start)) == .undecided { return .undecided }
        if bytes[start] == 0x15, ClearAlert.begins(bytes.suffix(from: start)) == .undecided { return .undecided }
        let end = lineFeed ?? bytes.byteCount
        let name: StaticString = "http/"
        var index = 0
        while index < 5 {
            if start + index >= end { return lineFeed == nil ? .undecided : .invalid }
            // A static string has as many bytes as it says.
            if unsafe bytes[start + index].lowercased != name.utf8Start[index] { return .invalid }
            index += 1
        }
        guard let lineFeed else { return .undecided }
        return StatusLine(bytes, from: start, lineFeed: lineFeed).status == nil ? .invalid : .valid
    }
}

/// The parts of a request line, as ranges of the bytes it was found in.
struct RequestLine {
    var method = ByteRange()
    var target = ByteRange()
    /// Empty where the line ends without one.
    var version = ByteRange()
    /// There is whitespace inside the target, or more than one space beside it.
    var hasSpaceInTarget = false

    /// The line from `start` to the line feed. A target with spaces reaches to the last space before the version.
    init(_ bytes: RawSpan, from start: Int, lineFeed: Int) {
        var end = lineFeed
        while end > start, bytes[end - 1] == 0x0D || bytes[end - 1].isSpaceOrTab {
            if bytes[end - 1].isSpaceOrTab { hasSpaceInTarget = true }
            end -= 1
        }
        var index = start
        while index < end, bytes[index] != 0x20 { index += 1 }
        method = ByteRange(start..<index)
        guard index < end else { return }
        let targetStart = index + 1
        var versionStart = end
        while versionStart > targetStart, !bytes[versionStart - 1].isSpaceOrTab { versionStart -= 1 }
        if bytes.hasPrefix("http/", at: versionStart), versionStart + 5 <= end {
            version = ByteRange(versionStart..<end)
            target = ByteRange(targetStart..<max(targetStart, versionStart - 1))
        } else if lineFeed == bytes.byteCount, versionStart > targetStart + 1, versionStart < end,
            bytes.isPrefix(of: "http/", in: versionStart..<end)
        {
            // The line was cut inside its version.
            version = ByteRange(versionStart..<end)
            target = ByteRange(targetStart..<versionStart - 1)
        } else {
            target = ByteRange(targetStart..<end)
        }
        for position in target.start..<target.end where bytes[position].isSpaceOrTab { hasSpaceInTarget = true }
    }
}

/// The parts of a status line, as ranges of the bytes it was found in.
package struct StatusLine {
    package var version = ByteRange()
    /// Absent where no number of one to three digits stands in its place.
    package var status: UInt16?
    package var reason = ByteRange()
    /// The space behind the status code, which is there even without a reason, is missing.
    package var lacksSpace = false

    /// The line from `start` to the line feed.
    package init(_ bytes: RawSpan, from start: Int, lineFeed: Int) {
        var end = lineFeed
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        var index = start
        while index < end, bytes[index] != 0x20 { index += 1 }
        version = ByteRange(start..<index)
        while index < end, bytes[index] == 0x20 { index += 1 }
        let digits = index
        var number: UInt16 = 0
        while index < end, bytes[index].isDigit, index - digits < 3 {
            number = number * 10 + UInt16(bytes[index] - 0x30)
            index += 1
        }
        guard index > digits, index == end || bytes[index] == 0x20 else { return }
        status = number
        lacksSpace = index == end
        reason = ByteRange(min(index + 1, end)..<end)
    }
}

/// A version as it stands on the wire (RFC 9112, section 2.3): `HTTP/`, a digit, a point, a digit.
struct HTTP1Version: Equatable {
    var major: UInt8 = 1
    var minor: UInt8 = 1
    var isWellFormed = true
    /// The name has small letters.
    var hasWrongCase = false

    init(_ bytes: RawSpan, _ range: ByteRange) {
        let start = range.start
        guard range.count == 8, bytes.hasPrefix("http/", at: start), bytes[start + 5].isDigit,
            bytes[start + 6] == UInt8(ascii: "."), bytes[start + 7].isDigit
        else {
            isWellFormed = false
            return
        }
        major = bytes[start + 5] - 0x30
        minor = bytes[start + 7] - 0x30
        for index in start..<start + 4 where bytes[index] >= 0x61 { hasWrongCase = true }
    }

    /// Older than 1.1: no chunks, no 1xx, no upgrade, and the connection ends with the answer unless both agree to keep it.
    var isBefore11: Bool { major < 1 || (major == 1 && minor == 0) }
}
