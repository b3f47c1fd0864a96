import Dissection
import Reports

/// Text of which characters are written as JSON writes them (`\u00fc`, `\"`, RFC 8259, section 7), as the characters themselves.
enum JSONEscapes {
    /// The bytes with each escape as its character; nil where there is none. Halves of characters, and a backslash before anything else, stay as
    /// they are.
    static func undone(_ bytes: RawSpan) -> [UInt8]? {
        guard let first = FilterRun.escape.first(in: bytes) else { return nil }
        var text = bytes.extracting(0..<first).copy
        text.reserveCapacity(bytes.byteCount)
        var position = first
        var isChanged = false
        while position < bytes.byteCount {
            if let (scalar, length) = bytes.escapeOfJSON(at: position) {
                text.append(contentsOf: String(Character(scalar)).utf8)
                position += length
                isChanged = true
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        return isChanged ? text : nil
    }
}
