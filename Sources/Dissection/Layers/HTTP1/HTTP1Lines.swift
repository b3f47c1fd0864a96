/// How the first line of an HTTP/1 message is recognised where the protocol is not known yet (RFC 9112, sections 3 and 4).
///
/// A request line is believed for its version, which is its last word: a method and a path alone begin lines of RTSP,
/// Icecast, FTP and of many logs.
package enum HTTP1Lines {
    /// A start line that is longer is not looked for in a stream without a beginning.
    package static let longestStartLine = 4_096
    /// More empty lines than these many bytes do not stand before a first request (RFC 9112, section 2.2).
    static let mostEmptyBytes = 16

    /// Whether the bytes of a client begin with a request line, after empty lines perhaps.
    ///
    /// - Parameter searched: before which byte no line feed ends the line; moves on, so that each byte is looked at once.
    package static func requestAtStart(_ bytes: RawSpan, searched: inout Int) -> Recognized {
        let start = afterEmptyLines(bytes)
        if start > mostEmptyBytes { return .no }
        guard let target = targetStart(in: bytes, from: start) else { return .no }
        guard target < bytes.byteCount else { return .undecided }
        if !HTTP1Methods.isRegistered(bytes, ByteRange(start..<target - 1)), !HTTP1Target.mayBegin(bytes, from: target) { return .no }
        let from = max(searched, target)
        guard let lineFeed = bytes.firstIndex(of: 0x0A, from: from, to: bytes.byteCount) else {
            searched = bytes.byteCount
            return .undecided
        }
        let line = RequestLine(bytes, from: start, lineFeed: lineFeed)
        return isRequest(line, bytes) || isSimple(line, bytes) ? .yes : .no
    }

    /// Whether bytes that nothing follows are the beginning of a request whose line has no end: a registered method and
    /// a path. That is all there is of a long request in a capture that cuts packets short.
    package static func isUnfinishedRequest(_ bytes: RawSpan) -> Bool {
        let start = afterEmptyLines(bytes)
        guard start <= mostEmptyBytes, let target = targetStart(in: bytes, from: start), target < bytes.byteCount,
            bytes[target] == UInt8(ascii: "/"), HTTP1Methods.isRegistered(bytes, ByteRange(start..<target - 1))
        else { return false }
        for index in target..<bytes.byteCount where bytes[index] < 0x20 { return false }
        return true
    }

    /// Whether a line from its first byte on is a request line, its version included.
    ///
    /// The name in the version may have small letters, and any method or target may go with a version that is well-formed
    /// and with a target that has one of the forms; what is odd about them is found later. A line with a registered method
    /// may have either of them wrong.
    static func isRequest(_ line: RequestLine, _ bytes: RawSpan) -> Bool {
        guard line.method.count > 0, line.method.count <= HTTP1StartLine.longestMethod, !line.version.isEmpty, !line.target.isEmpty
        else { return false }
        let version = HTTP1Version(bytes, line.version)
        // The preface of HTTP/2 (RFC 9113, section 3.4), which is written so that HTTP/1 does not understand it.
        let isPreface = version.isWellFormed && version.major == 2 && bytes.equals("pri", in: line.method.start..<line.method.end)
        if isPreface { return false }
        if HTTP1Methods.isRegistered(bytes, line.method) { return true }
        guard version.isWellFormed, mayBeMethod(bytes, from: line.method.start, to: line.method.end, isWhole: true) else { return false }
        let first = bytes[line.target.start]
        if first == UInt8(ascii: "/") || first == UInt8(ascii: "*") { return true }
        return HTTP1Target.hasScheme(bytes, line.target.start..<line.target.end)
    }

    /// Whether a line is a request of HTTP/0.9 (RFC 1945, section 4.1): `GET`, a path, nothing else. Only the first line of a
    /// connection can be one.
    private static func isSimple(_ line: RequestLine, _ bytes: RawSpan) -> Bool {
        guard line.version.isEmpty, !line.hasSpaceInTarget, line.method.count == 3, !line.target.isEmpty,
            bytes.equals("get", in: line.method.start..<line.method.end)
        else { return false }
        guard bytes[line.method.start] == UInt8(ascii: "G"), bytes[line.target.start] == UInt8(ascii: "/") else { return false }
        for index in line.target.start..<line.target.end where bytes[index] <= 0x20 || bytes[index] >= 0x7F { return false }
        return true
    }

    private static func afterEmptyLines(_ bytes: RawSpan) -> Int {
        var start = 0
        while start < bytes.byteCount, start <= mostEmptyBytes, bytes[start] == 0x0D || bytes[start] == 0x0A { start += 1 }
        return start
    }

    /// Where the target behind a method begins; nil where no method stands at `start`, the end of the bytes where it may go on.
    private static func targetStart(in bytes: RawSpan, from start: Int) -> Int? {
        var index = start
        while index < bytes.byteCount, bytes[index].isTokenCharacter {
            index += 1
            if index - start > HTTP1StartLine.longestMethod { return nil }
        }
        let isWhole = index < bytes.byteCount
        guard mayBeMethod(bytes, from: start, to: index, isWhole: isWhole) else { return nil }
        guard isWhole else { return index }
        return index > start && bytes[index] == 0x20 ? index + 1 : nil
    }

    /// Whether a token may be a method: capital letters, or one of the common methods in any case. So that a word of another
    /// protocol, which nothing may follow for long, does not wait to become one.
    private static func mayBeMethod(_ bytes: RawSpan, from start: Int, to end: Int, isWhole: Bool) -> Bool {
        var isCapital = true
        for index in start..<end where !isMethodByte(bytes[index]) && !bytes[index].isDigit { isCapital = false }
        if isCapital { return true }
        return isCommon("get", bytes, start, end, isWhole) || isCommon("post", bytes, start, end, isWhole)
            || isCommon("put", bytes, start, end, isWhole) || isCommon("head", bytes, start, end, isWhole)
            || isCommon("delete", bytes, start, end, isWhole) || isCommon("options", bytes, start, end, isWhole)
            || isCommon("patch", bytes, start, end, isWhole) || isCommon("connect", bytes, start, end, isWhole)
    }

    private static func isCommon(_ name: StaticString, _ bytes: RawSpan, _ start: Int, _ end: Int, _ isWhole: Bool) -> Bool {
        let count = end - start
        guard isWhole ? count == name.utf8CodeUnitCount : count <= name.utf8CodeUnitCount else { return false }
        // A static string has as many bytes as it says.
        for index in 0..<count where unsafe bytes[start + index].lowercased != name.utf8Start[index] { return false }
        return true
    }

    /// Whether a status line starts at `position`: `HTTP/1.x`, a space and three digits.
    package static func statusLine(in bytes: RawSpan, at position: Int) -> Recognized {
        let count = min(bytes.byteCount - position, 12)
        for index in 0..<max(0, count) where !StatusPattern.accepts(bytes[position + index], at: index) { return .no }
        return count < 12 ? .undecided : .yes
    }

    /// A byte of the methods that are looked for inside other bytes.
    static func isMethodByte(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "A") < 26 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

/// The bytes that a status line consists of, one by one: `HTTP/1.` digit, space, three digits.
enum StatusPattern {
    static let length = 12

    static func accepts(_ byte: UInt8, at index: Int) -> Bool {
        switch index {
        case 0..<VersionPattern.length: VersionPattern.accepts(byte, at: index)
        case 8: byte == 0x20
        default: byte.isDigit
        }
    }
}

/// The bytes of a version of HTTP/1, one by one: `HTTP/1.` and a digit.
enum VersionPattern {
    static let length = 8

    static func accepts(_ byte: UInt8, at index: Int) -> Bool {
        switch index {
        case 0: byte == UInt8(ascii: "H")
        case 1, 2: byte == UInt8(ascii: "T")
        case 3: byte == UInt8(ascii: "P")
        case 4: byte == UInt8(ascii: "/")
        case 5: byte == UInt8(ascii: "1")
        case 6: byte == UInt8(ascii: ".")
        default: byte.isDigit
        }
    }
}
