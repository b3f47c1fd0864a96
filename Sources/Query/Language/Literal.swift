import Dissection
import Reports

/// A value as it is written in an expression.
enum Literal: Sendable {
    /// Without quotes.
    case word(String)
    case string([UInt8], isRaw: Bool)
    case character(UInt8)

    /// As a message names it.
    var shown: String {
        switch self {
        case .word(let word): word.shownInMessage
        case .string(let bytes, _): String(decoding: bytes, as: UTF8.self).shownInMessage
        case .character(let byte): "'\(Character(Unicode.Scalar(byte)))'".visible
        }
    }

    /// Text in quotes, or one character.
    var text: [UInt8]? {
        switch self {
        case .word: nil
        case .string(let bytes, _): bytes
        case .character(let byte): [byte]
        }
    }

    /// A whole number: decimal, `0x1f`, `017`, `0b101` or a character.
    var whole: Int128? {
        switch self {
        case .string: return nil
        case .character(let byte): return Int128(byte)
        case .word(let word):
            let isNegative = word.hasPrefix("-")
            let digits = isNegative ? word.dropFirst() : word[...]
            guard digits.utf8.count <= 66, let first = digits.utf8.first, 0x30...0x39 ~= first else { return nil }
            let magnitude: UInt64?
            if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
                magnitude = UInt64(plainDigits: digits.dropFirst(2), radix: 16)
            } else if digits.hasPrefix("0b") || digits.hasPrefix("0B") {
                magnitude = UInt64(plainDigits: digits.dropFirst(2), radix: 2)
            } else if digits.hasPrefix("0"), digits.count > 1 {
                magnitude = UInt64(plainDigits: digits.dropFirst(), radix: 8)
            } else {
                magnitude = UInt64(plainDigits: digits, radix: 10)
            }
            return magnitude.map { isNegative ? -Int128($0) : Int128($0) }
        }
    }

    /// A decimal: `0.5`, `-2`, `1e-3`.
    var real: Double? {
        guard case .word(let word) = self, word.count <= 60, let first = word.utf8.first(where: { $0 != UInt8(ascii: "-") }),
            0x30...0x39 ~= first || first == UInt8(ascii: "."),
            word.utf8.allSatisfy({ 0x30...0x39 ~= $0 || "-.eE".utf8.contains($0) })
        else { return nil }
        return Double(word)
    }

    /// A decimal of at most nine places and 64 bits, in billionths.
    var billionths: Int64? {
        guard case .word(let word) = self else { return nil }
        let isNegative = word.hasPrefix("-")
        let parts = (isNegative ? word.dropFirst() : word[...]).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts[0].utf8.count <= 10, let whole = UInt64(plainDigits: parts[0], radix: 10) else { return nil }
        var fraction: UInt64 = 0
        if parts.count == 2 {
            guard parts[1].utf8.count <= 9, let digits = UInt64(plainDigits: parts[1], radix: 10) else { return nil }
            fraction = digits
            for _ in parts[1].utf8.count..<9 { fraction *= 10 }
        }
        // Ten digits and nine do not overflow 64 bits with a sign: 9,999,999,999 s are more than it has.
        let sum = Int128(whole) * 1_000_000_000 + Int128(fraction)
        return Int64(exactly: isNegative ? -sum : sum)
    }

    /// Bytes: `de:ad:be:ef`, also with points, dashes or nothing between them; one as `0xff`.
    var bytes: [UInt8]? {
        guard case .word(let word) = self else { return text }
        let digits = Array(word.utf8)
        if word.hasPrefix("0x"), digits.count <= 4 { return UInt64(plainDigits: word.dropFirst(2), radix: 16).map { [UInt8($0)] } }
        let separators = Set(digits.filter { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
        guard separators.count <= 1 else { return nil }
        var bytes: [UInt8] = []
        if let separator = separators.first {
            for part in digits.split(separator: separator, omittingEmptySubsequences: false) {
                guard 1...2 ~= part.count, let byte = UInt8(plainDigits: String(decoding: part, as: UTF8.self)[...], radix: 16) else {
                    return nil
                }
                bytes.append(byte)
            }
            return bytes
        }
        guard digits.count == 1 || digits.count % 2 == 0 else { return nil }
        for start in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[start..<min(start + 2, digits.count)], as: UTF8.self)
            guard let byte = UInt8(plainDigits: pair[...], radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// An address, and how many bits of it count: all, or as many as stand after a slash.
    var network: (address: IPAddress, bits: Int)? {
        guard case .word(let word) = self else { return nil }
        let parts = word.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(text: parts[0]) else { return nil }
        let most = address.family == .ipv4 ? 32 : 128
        guard parts.count == 2 else { return (address, most) }
        guard let bits = UInt64(plainDigits: parts[1], radix: 10), bits <= UInt64(most) else { return nil }
        return (address, Int(bits))
    }
}

extension FixedWidthInteger {
    /// A number of digits alone, without a sign.
    fileprivate init?(plainDigits digits: Substring, radix: Int) {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
        self.init(digits, radix: radix)
    }
}
