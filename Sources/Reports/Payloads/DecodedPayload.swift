import Dissection

/// What a payload says, as keys and values in the order in which the format tells them.
package struct DecodedPayload: Sendable {
    package enum Value: Equatable, Sendable {
        /// UTF-8, or else read as Latin-1.
        case text([UInt8])
        case number(UInt64)
        case flag(Bool)
    }

    /// The format's name.
    package let format: StaticString
    private(set) var entries: [(key: StaticString, value: Value)] = []

    init(format: StaticString) { self.format = format }

    /// Adds a key, which is in lower camel case and was not added before.
    package mutating func add(_ key: StaticString, _ value: Value) { entries.append((key, value)) }

    /// The format can read no further than up to the byte `position` of the payload.
    package mutating func stop(_ reason: StaticString, at position: Int) {
        entries.append(("error", .text(Array(reason.description.utf8))))
        entries.append(("at", .number(UInt64(max(0, position)))))
    }
}

extension OutputBuffer {
    /// Appends what a payload says, after other keys of its record.
    mutating func append(_ decoded: DecodedPayload) {
        append(.messageDecoded)
        append(0x7b)
        append(first: .decodedAs)
        append(0x22)
        append(decoded.format)
        append(0x22)
        for (key, value) in decoded.entries {
            append(",\"")
            append(key)
            append("\":")
            switch value {
            case .text(let bytes):
                var latin1 = false
                appendString(bytes.rawBytes, latin1: &latin1)
            case .number(let number): append(decimal: number)
            case .flag(let flag): append(flag ? "true" : "false")
            }
        }
        append(0x7d)
    }
}
