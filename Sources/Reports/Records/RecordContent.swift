import Dissection

/// The bytes that an event is about, and how much of a payload among them is shown.
struct RecordContent: ~Escapable {
    let bytes: RawSpan
    let policy: PayloadPolicy
    /// What was replaced in them.
    let redaction: Redaction

    @_lifetime(copy bytes)
    init(bytes: RawSpan, policy: PayloadPolicy, redaction: Redaction = Redaction()) {
        self.bytes = bytes
        self.policy = policy
        self.redaction = redaction
    }

    /// How long a payload of this length is in the bytes, where something in it was replaced.
    func shown(_ length: UInt64) -> UInt64 { length.grown(by: redaction) }

    /// A part of the bytes, held inside them.
    @_lifetime(copy self)
    func part(_ range: ByteRange) -> RawSpan {
        let start = min(max(0, range.start), bytes.byteCount)
        let count = min(max(0, range.count), bytes.byteCount - start)
        return bytes.extracting(start..<start + count)
    }
}

extension OutputBuffer {
    /// So many control characters are text in any content.
    private static let fewControls = 16

    /// Appends a payload: `text` where it is valid UTF-8 of which no more than an eighth and a few are control characters, otherwise
    /// `base64`; and `truncated` where some of it is not shown.
    ///
    /// - Parameters:
    ///   - length: The payload's true length.
    ///   - lengthIsKnown: The record has `length` already; otherwise a cut payload brings it.
    mutating func appendPayload(_ payload: RawSpan, _ policy: PayloadPolicy, length: UInt64, lengthIsKnown: Bool = true) {
        let shown = payload.prefix(policy.limit)
        let isCut = UInt64(shown.byteCount) < length
        if policy != .none {
            let start = count
            appendShown(shown, isCut: isCut)
            payloadRange = start..<count
        }
        guard isCut else { return }
        if !lengthIsKnown {
            append(.cutLength, decimal: length)
        }
        append(.truncated, true)
    }

    /// Appends what is shown of a payload: `text` or `base64`.
    ///
    /// - Parameter isCut: More of it follows that is not shown.
    mutating func appendShown(_ shown: RawSpan, isCut: Bool) {
        let mark = count
        append(.text)
        append(0x22)
        // Each control is six bytes of JSON: what is mostly zeros would become six times as long.
        if !appendJSON(utf8: shown, isCut: isCut, mostControls: max(OutputBuffer.fewControls, shown.byteCount / 8)) {
            truncate(to: mark)
            append(.base64)
            append(0x22)
            append(base64: shown)
        }
        append(0x22)
    }

    /// Appends a JSON string of bytes from a head: UTF-8, or else Latin-1.
    ///
    /// - Parameter latin1: Set where the bytes had to be read as Latin-1.
    mutating func appendString(_ bytes: RawSpan, latin1: inout Bool) {
        append(0x22)
        if !appendPlain(bytes), !appendJSON(utf8: bytes) {
            latin1 = true
            appendJSON(latin1: bytes)
        }
        append(0x22)
    }

    /// Appends a key with a string of bytes from a head, unless there are none.
    @inline(__always)
    mutating func append(_ field: Field, _ bytes: RawSpan, latin1: inout Bool) {
        guard !bytes.isEmpty else { return }
        append(field)
        appendString(bytes, latin1: &latin1)
    }
}

extension ByteWriter where Self: ~Copyable & ~Escapable {
    /// Appends a key, after others.
    @inline(__always)
    mutating func append(_ field: Field) { append(field.key) }

    /// Appends the key that is the first of its object.
    @inline(__always)
    mutating func append(first field: Field) { append(field.key, from: 1) }

    /// Appends a key with one of the format's own words.
    @inline(__always)
    mutating func append(_ field: Field, word: StaticString) {
        append(field)
        append(0x22)
        append(word)
        append(0x22)
    }

    @inline(__always)
    mutating func append(_ field: Field, decimal value: UInt64) {
        append(field)
        append(decimal: value)
    }

    /// Appends a key with nanoseconds as seconds, unless there are none.
    @inline(__always)
    mutating func append(_ field: Field, secondsOf nanoseconds: Int64?) {
        guard let nanoseconds else { return }
        append(field)
        append(secondsOf: nanoseconds)
    }

    @inline(__always)
    mutating func append(_ field: Field, _ value: Bool) {
        append(field)
        append(value ? "true" : "false")
    }

    /// Appends a key that is there only where it is true.
    @inline(__always)
    mutating func append(_ field: Field, ifTrue value: Bool) {
        if value { append(field, true) }
    }

    /// Appends that the sender did not finish a message or a body, and how long it was to be, where that is known.
    mutating func appendUnfinished(_ announced: UInt64?) {
        append(.unfinished, true)
        if let announced { append(.announced, decimal: announced) }
    }
}
