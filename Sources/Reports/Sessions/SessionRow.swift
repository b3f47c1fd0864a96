import Dissection

/// One record of a session file, as far as it is not bytes: those lie in the batch that the row belongs to.
package struct SessionRow: Sendable {
    /// What a message's record has beside what every record has.
    package struct OfMessage: Sendable {
        package var opcode: UInt8
        package var length: UInt64
        package var wireLength: UInt64
        package var fragments: UInt32
        package var isCompressed: Bool
        /// It was cut out of raw bytes: it has no opcode, no fragments and no compression.
        package var isFramed: Bool

        package init(opcode: UInt8, length: UInt64, wireLength: UInt64, fragments: UInt32, isCompressed: Bool, isFramed: Bool) {
            self.opcode = opcode
            self.length = length
            self.wireLength = wireLength
            self.fragments = fragments
            self.isCompressed = isCompressed
            self.isFramed = isFramed
        }
    }

    /// What the payload is.
    package enum Form: UInt8, Sendable {
        /// None is kept.
        case absent
        /// Valid UTF-8 without a zero byte.
        case text
        case bytes
    }

    /// The word for its kind, as in `kind` of the log.
    package var kind: StaticString
    /// As the run numbers it; 0 where it is about the input.
    package var conversation: UInt64
    package var place: Place
    package var from: Side?
    package var offset: UInt64?
    package var channel: ByteChannel
    package var redacted: UInt32 = 0
    /// Of messages alone: their columns say everything.
    package var message: OfMessage?
    /// The record without its payload. Of a message that was cut out of raw bytes, or not finished: the object `framing`, with `unfinished` and
    /// `announced`.
    package var json = 0..<0
    /// Where in the record the payload goes.
    package var split: Int?
    package var form = Form.absent
    package var payload = 0..<0
    /// Some of the payload is not kept.
    package var isTruncated = false
    /// What words can be found by.
    package var words = 0..<0
    /// What the record says of its conversation.
    package var fact: SessionFact?

    package init(kind: StaticString, conversation: UInt64, place: Place, from: Side?, offset: UInt64?, channel: ByteChannel) {
        self.kind = kind
        self.conversation = conversation
        self.place = place
        self.from = from
        self.offset = offset
        self.channel = channel
    }
}
