import Dissection

// What calls and their answers are matched by, where it stands in JSON: the value, since each side may write it in a notation of its own, such
// as `\/` for `/`, or `1.0` for 1.

extension JSONParts {
    /// What the value of a member is matched by; nil where there is none.
    func key(_ name: StaticString, in bytes: RawSpan) -> [UInt8]? { value(name, in: bytes).map { bytes.extracting($0).jsonKey } }
}

extension RawSpan {
    /// More than 128 bytes remain of a string whose beginning this is, whatever is escaped in it: no call is kept under so long a key.
    private static var longestKey: Int { 6 * 132 }

    /// What JSON that is valid is matched by: equal for two strings that are equal without their escapes, and for two numbers of one value.
    /// Other values are taken as they are written. At most 792 bytes: of what is longer the beginning.
    var jsonKey: [UInt8] {
        let bytes = prefix(Self.longestKey)
        guard let first = byteCount > 0 ? self[0] : nil else { return [] }
        if first == UInt8(ascii: "\"") {
            return [first]
                + bytes.extracting(1..<Swift.max(1, bytes.byteCount == byteCount ? byteCount - 1 : bytes.byteCount)).unescapedJSON
        }
        guard first == UInt8(ascii: "-") || first.isDigit, bytes.byteCount == byteCount else { return bytes.copy }
        return decimalKey ?? bytes.copy
    }

    /// A number as its digits without zeros at either end and the power of ten that they are multiplied by; nil for an exponent of more than
    /// nine digits.
    private var decimalKey: [UInt8]? {
        var digits: [UInt8] = []
        var (scale, index) = (0, self[0] == UInt8(ascii: "-") ? 1 : 0)
        var isFraction = false
        while index < byteCount {
            let byte = self[index]
            if byte.isDigit {
                if byte != 0x30 || !digits.isEmpty { digits.append(byte) }
                if isFraction { scale -= 1 }
            } else if byte == UInt8(ascii: ".") {
                isFraction = true
            } else {
                break
            }
            index += 1
        }
        if index < byteCount {
            index += 1
            let isNegative = index < byteCount && self[index] == UInt8(ascii: "-")
            if index < byteCount, !self[index].isDigit { index += 1 }
            guard byteCount - index <= 9, let exponent = extracting(index..<byteCount).decimal else { return nil }
            scale += isNegative ? -Int(exponent) : Int(exponent)
        }
        while digits.last == 0x30 {
            digits.removeLast()
            scale += 1
        }
        guard !digits.isEmpty else { return [0x30] }
        return (self[0] == UInt8(ascii: "-") ? [self[0]] : []) + digits + [UInt8(ascii: "e")] + "\(scale)".utf8
    }
}
