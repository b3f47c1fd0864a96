import Dissection

/// What a text message has in it that looks like an object of JSON, or its conversation, and what formats have to have one of: most such messages have
/// none of these, and are JSON and no more.
package struct PayloadMarks: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let lineFeed = PayloadMarks(rawValue: 1)
    /// `"ph` somewhere in it.
    package static let phoenix = PayloadMarks(rawValue: 1 << 1)
    /// `"js` somewhere in it.
    package static let rpc = PayloadMarks(rawValue: 1 << 2)
    /// `{"pr` at its beginning.
    package static let handshake = PayloadMarks(rawValue: 1 << 4)
    /// Parameters in the target of the conversation.
    package static let parameters = PayloadMarks(rawValue: 1 << 5)
    /// `/connect` at the beginning of the path of the conversation.
    package static let connection = PayloadMarks(rawValue: 1 << 6)
    /// It is not known what a format has to have.
    package static let unknown = PayloadMarks(rawValue: 1 << 7)

    /// Those of a message that begins and ends with a brace.
    init(ofObject bytes: RawSpan) {
        self.init(rawValue: UInt8(truncatingIfNeeded: bytes.jsonMarks() & 0b111))
        let isHandshake =
            bytes.byteCount > 4 && bytes[1] == UInt8(ascii: "\"") && bytes[2] == UInt8(ascii: "p") && bytes[3] == UInt8(ascii: "r")
        if isHandshake { insert(.handshake) }
    }
}

extension RawSpan {
    /// Whether it is an object of JSON that has none of these marks, where it begins and ends with a brace.
    func isPlainJSON(without marks: PayloadMarks) -> Bool {
        PayloadMarks(ofObject: self).isDisjoint(with: marks) && PlainJSON.isWhole(self)
    }

    /// Whether it begins and ends as an object of JSON does.
    @inline(__always)
    var isInBraces: Bool { byteCount > 1 && self[0] == UInt8(ascii: "{") && self[byteCount - 1] == UInt8(ascii: "}") }
}

extension PayloadTable {
    /// The marks of all rows but JSON's that a text message may be of which begins with a brace; nil where JSON has no row, or a row says nothing of
    /// marks.
    static func marksBesideJSON(_ rows: [PayloadRow]) -> PayloadMarks? {
        var marks: PayloadMarks = []
        var hasJSON = false
        for row in rows where row.isInQuestion(.text, first: UInt8(ascii: "{")) {
            if row.format == PlainJSON.self { hasJSON = true } else { marks.formUnion(row.format.marks) }
        }
        return hasJSON && !marks.contains(.unknown) ? marks : nil
    }
}

extension DecodedPayload {
    /// What a payload says that is JSON and no more.
    static var plainJSON: DecodedPayload {
        var decoded = DecodedPayload(format: PlainJSON.name)
        decoded.traits = PlainJSON.self
        return decoded
    }
}
