import Dissection

/// A format of payloads: what it is called, how sure it is that bytes are its own, what they say. Adding one is a type and a row in
/// `PayloadTable`.
package protocol PayloadFormat: FormatTraits {
    /// The layers of it that have names of their own.
    static var layers: [any FormatTraits.Type] { get }

    /// What a rule may say after the colon of the name, such as a message type; nil where it may say nothing.
    static var argument: StaticString? { get }

    /// Whether the beginning of a body says all that the format tells of it, as of pictures.
    static var readsHead: Bool { get }

    /// Where payloads of it may come; anywhere unless said otherwise. Elsewhere `likelihood` is not asked.
    static var occasions: PayloadOccasions { get }

    /// Whether a text message may begin with this byte, where no subprotocol was agreed; any, unless said otherwise. It has to be true of all of which
    /// `likelihood` would be sure.
    static func mayBegin(with byte: UInt8) -> Bool

    /// Of what a text message that begins and ends as an object of JSON does, or its conversation, has to have one for the format to be in question, where
    /// no subprotocol was agreed; not known, unless said otherwise. It has to be true of all of which `likelihood` would be sure.
    static var marks: PayloadMarks { get }

    /// How sure the format is of a payload. It looks at no more bytes than it has to, because most payloads are of other formats.
    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood

    /// Whether a payload without a byte says something: an attachment that is empty, a message whose fields all have their defaults.
    static func readsEmpty(in context: PayloadContext, memory: PayloadMemory) -> Bool

    /// Reads a payload that the format was the surest of. What it cannot read it says by `DecodedPayload.stop`.
    ///
    /// - Parameter memory: what this conversation said before: calls that wait for an answer, and what formats keep of their own.
    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload)
}

extension PayloadFormat {
    package static var layers: [any FormatTraits.Type] { [] }
    package static var argument: StaticString? { nil }
    package static var occasions: PayloadOccasions { .all }
    package static func mayBegin(with byte: UInt8) -> Bool { true }
    package static var marks: PayloadMarks { .unknown }

    package static func readsEmpty(in context: PayloadContext, memory: PayloadMemory) -> Bool { false }
    package static var readsHead: Bool { false }
}

/// A format of messages that a protocol frames: both read its grammar.
package protocol FramedFormat: PayloadFormat {
    associatedtype Grammar: ProtocolGrammar
}

extension FramedFormat {
    package static var name: StaticString { Grammar.name }
    package static var occasions: PayloadOccasions { .framed }

    package static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        context.isFramed(by: name) ? .agreed : .no
    }
}

/// How sure a format is that a payload is its own.
package enum PayloadLikelihood: UInt8, Comparable, Sendable {
    case no
    case possible
    case likely
    /// The subprotocol says how messages are encoded, and not what they say: it is believed as long as they can be read.
    case named
    /// The bytes, or those before them, can hardly be anything else.
    case certain
    /// Its content type says so.
    case typed
    /// The subprotocol that was agreed says so.
    case agreed

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
