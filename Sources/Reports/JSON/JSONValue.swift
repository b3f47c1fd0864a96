import Dissection

/// One value of JSON (RFC 8259), as a record has them. Strings are bytes: nothing is lost by what is not valid in them.
package enum JSONValue: Sendable {
    package struct Member: Sendable {
        package var name: [UInt8]
        package var value: JSONValue
    }

    case null
    case boolean(Bool)
    /// As it is written.
    case number([UInt8])
    case string([UInt8])
    case array([JSONValue])
    case object([Member])

    /// The one value that a text is; nil where it is not JSON, or nested deeper than so many levels.
    package init?(_ text: [UInt8], mostLevels: Int) {
        var reader = JSONReader(text.rawBytes, mostLevels: mostLevels)
        guard let value = try? reader.whole() else { return nil }
        self = value
    }

    /// The value of a member of an object; of several with one name, the last.
    package subscript(_ name: StaticString) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.rawBytes.isEqual(name.bytes) }?.value
    }

    package var string: [UInt8]? { if case .string(let bytes) = self { bytes } else { nil } }

    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    package var elements: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// A whole number from 0 to 2^64 - 1.
    package var unsigned: UInt64? {
        guard case .number(let digits) = self else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    /// A number of seconds, as nanoseconds.
    package var nanoseconds: Int64? {
        guard case .number(let text) = self else { return nil }
        var digits = text[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        // A program in between may have written 0.000000001 as 1e-09.
        if digits.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            guard let value = Double(String(decoding: text, as: UTF8.self)), (value * 1e9).magnitude < 9.2e18 else { return nil }
            return Int64((value * 1e9).rounded())
        }
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, let seconds = Int64(String(decoding: parts[0], as: UTF8.self)) else { return nil }
        var fraction: Int64 = 0
        for place in 0..<9 {
            let digit = parts.count == 2 && place < parts[1].count ? parts[1][parts[1].startIndex + place] &- 0x30 : 0
            guard digit < 10 else { return nil }
            fraction = fraction * 10 + Int64(digit)
        }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooMuch) = whole.addingReportingOverflow(fraction)
        return overflow || isTooMuch ? nil : isNegative ? -sum : sum
    }
}
