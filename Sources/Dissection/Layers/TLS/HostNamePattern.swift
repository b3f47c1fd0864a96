/// Names in certificates, which may begin with a wildcard (RFC 9525, section 6.3).
package enum HostNamePattern {
    /// Whether a dNSName entry covers a host name: equal but for case, or `*` for exactly the first label.
    package static func matches(_ pattern: RawSpan, name: RawSpan) -> Bool {
        // An entry has no dot at its end (RFC 5280, section 4.2.1.6), and nobody else takes one that does.
        guard pattern.byteCount > 0, name.byteCount > 0, pattern[pattern.byteCount - 1] != dot, first(0, in: pattern) == nil,
            first(0, in: name) == nil
        else { return false }
        guard pattern.byteCount > 1, pattern[0] == UInt8(ascii: "*"), pattern[1] == dot else { return isEqual(pattern, name) }
        let rest = pattern.suffix(from: 1)
        guard let end = first(dot, in: name), end > 0 else { return false }
        // `*.com` would be everybody's: two labels have to follow.
        guard first(dot, in: rest.suffix(from: 1)) != nil, first(UInt8(ascii: "*"), in: rest) == nil else { return false }
        return isEqual(rest, name.suffix(from: end))
    }

    private static var dot: UInt8 { UInt8(ascii: ".") }

    private static func first(_ byte: UInt8, in bytes: RawSpan) -> Int? {
        for index in 0..<bytes.byteCount where bytes[index] == byte { return index }
        return nil
    }

    private static func isEqual(_ one: RawSpan, _ other: RawSpan) -> Bool {
        guard one.byteCount == other.byteCount else { return false }
        for index in 0..<one.byteCount where lowercased(one[index]) != lowercased(other[index]) { return false }
        return true
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
