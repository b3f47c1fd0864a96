import Dissection

/// A format of payloads: what it is called, how sure it is that bytes are its own, what they say. Adding one is a type and a row in
/// `PayloadTable`.
package protocol PayloadFormat {
    /// In lower case, as `decoded.as` has it in a record.
    static var name: StaticString { get }

    /// How sure the format is of a payload. It looks at no more bytes than it has to, because most payloads are of other formats.
    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood

    /// Reads a payload that the format was the surest of. What it cannot read it says by `DecodedPayload.stop`.
    static func decode(_ bytes: RawSpan, in context: PayloadContext, into decoded: inout DecodedPayload)
}

/// How sure a format is that a payload is its own.
package enum PayloadLikelihood: UInt8, Comparable, Sendable {
    case no
    case possible
    case likely
    case certain

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// What is known of a payload beside its bytes.
package struct PayloadContext: Sendable {
    package var from: Side
    /// Of the WebSocket message (RFC 6455, section 11.8).
    package var opcode: UInt8
    /// Bytes of the payload are not at hand.
    package var isCut: Bool

    package init(from: Side, opcode: UInt8, isCut: Bool) {
        self.from = from
        self.opcode = opcode
        self.isCut = isCut
    }
}
