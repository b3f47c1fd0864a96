/// The start lines of ICAP (RFC 3507, section 4.3), which carries messages of HTTP inside its own: where its lines are not known for what
/// they are, the messages in them are taken for a conversation of HTTP.
///
/// ```
/// REQMOD icap://host/service ICAP/1.0        client
/// ICAP/1.0 200 OK                            server
/// ```
package enum ICAPLine {
    /// Bytes of `ICAP/1.0`.
    private static let versionLength = 8

    /// Whether a byte stands at its place in the version.
    private static func accepts(_ byte: UInt8, at index: Int) -> Bool {
        switch index {
        case 0: byte == UInt8(ascii: "I")
        case 1: byte == UInt8(ascii: "C")
        case 2: byte == UInt8(ascii: "A")
        case 3: byte == UInt8(ascii: "P")
        default: VersionPattern.accepts(byte, at: index)
        }
    }

    /// Whether bytes begin with a status line.
    static func status(_ bytes: RawSpan) -> Recognized {
        let count = min(bytes.byteCount, StatusPattern.length)
        for index in 0..<count {
            let isRight = index < versionLength ? accepts(bytes[index], at: index) : StatusPattern.accepts(bytes[index], at: index)
            if !isRight { return .no }
        }
        return count < StatusPattern.length ? .undecided : .yes
    }

    /// Whether bytes begin with a request line that is whole.
    static func isRequest(_ bytes: RawSpan) -> Bool {
        guard var end = bytes.firstIndex(of: 0x0A, from: 0, to: bytes.byteCount) else { return false }
        if end > 0, bytes[end - 1] == 0x0D { end -= 1 }
        let start = end - versionLength
        guard start > 0, bytes[start - 1] == 0x20 else { return false }
        for index in 0..<versionLength where !accepts(bytes[start + index], at: index) { return false }
        return true
    }

    /// The search for such a line in bytes that may be anything, each of which is looked at once.
    package struct Search {
        /// Bytes that were looked at.
        package private(set) var taken = 0
        private var previous: UInt8 = 0x0A
        /// How much of the scheme of a target came, and whether all of it stands on the line.
        private var scheme = 0
        private var hasScheme = false
        /// How much of a version came, and whether it stands at the beginning of its line.
        private var version = 0
        private var isFirst = false

        package init() {}

        /// Looks on, up to the end of `bytes` or to the end of a line. Returns whether it is a request.
        package mutating func advance(over bytes: RawSpan) -> Bool? {
            while taken < bytes.byteCount {
                let byte = bytes[taken]
                taken += 1
                let found = take(byte)
                previous = byte
                if let found { return found }
            }
            return nil
        }

        private mutating func take(_ byte: UInt8) -> Bool? {
            if version == versionLength {
                // Behind it the line of a request ends; that of a response has a status.
                if isFirst, byte == 0x20 { return false }
                if !isFirst, hasScheme, byte == 0x0D { return nil }
                if !isFirst, hasScheme, byte == 0x0A { return true }
                version = 0
            } else if version > 0, ICAPLine.accepts(byte, at: version) {
                version += 1
            } else {
                version = 0
            }
            if version == 0, byte == UInt8(ascii: "I"), previous == 0x0A || previous == 0x20 {
                isFirst = previous == 0x0A
                version = 1
            }
            takeScheme(byte)
            return nil
        }

        private mutating func takeScheme(_ byte: UInt8) {
            if byte == 0x0A { hasScheme = false }
            let name: StaticString = "icap://"
            // A static string has as many bytes as it says.
            if scheme < name.utf8CodeUnitCount, scheme > 0 || previous == 0x20, unsafe byte == name.utf8Start[scheme] {
                scheme += 1
                if scheme == name.utf8CodeUnitCount { (hasScheme, scheme) = (true, 0) }
            } else {
                scheme = 0
            }
        }
    }
}
