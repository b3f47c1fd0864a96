import Dissection
import Reports

/// The field lines of a head, as values.
enum HeaderLines {
    /// Each line, `Name: value`, without its line end.
    static func visit(_ content: RawSpan, _ range: ByteRange, _ take: ValueVisitor) -> Bool {
        var lines = HeaderFields(in: content, at: range)
        while let line = lines.next() {
            let end = max(line.name.end, line.value.isEmpty ? line.name.end + (line.hasColon ? 1 : 0) : line.value.end)
            if hand(content.part(ByteRange(line.name.start..<end)), take) { return true }
        }
        return false
    }

    /// The value of each field of a name, whatever the case of its letters.
    ///
    /// - Parameter name: in lower case.
    static func visit(_ content: RawSpan, _ range: ByteRange, named name: [UInt8], _ take: ValueVisitor) -> Bool {
        var lines = HeaderFields(in: content, at: range)
        while let line = lines.next() {
            guard line.hasColon, content.part(line.name).isEqual(ignoringCase: name.rawBytes) else { continue }
            if hand(content.part(line.value), take) { return true }
        }
        return false
    }

    /// Whether a name or a value is no UTF-8.
    static func isLatin1(_ content: RawSpan, _ range: ByteRange) -> Bool {
        guard !content.part(range).isUTF8 else { return false }
        var lines = HeaderFields(in: content, at: range)
        while let line = lines.next() {
            if !content.part(line.name).isUTF8 || !content.part(line.value).isUTF8 { return true }
        }
        return false
    }
}

extension RawSpan {
    /// Whether both are the same, the first in any case of its ASCII letters.
    ///
    /// - Parameter lower: in lower case.
    func isEqual(ignoringCase lower: RawSpan) -> Bool {
        guard byteCount == lower.byteCount else { return false }
        for index in 0..<byteCount {
            let byte = self[index]
            if byte | (0x41...0x5a ~= byte ? 0x20 : 0) != lower[index] { return false }
        }
        return true
    }
}
