import Dissection

/// The bytes that an event is about, and how much of a payload among them is shown.
struct RecordContent: ~Escapable {
    let bytes: RawSpan
    let policy: PayloadPolicy

    @_lifetime(copy bytes)
    init(bytes: RawSpan, policy: PayloadPolicy) {
        self.bytes = bytes
        self.policy = policy
    }

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
            let mark = count
            append(",\"text\":\"")
            // Each control is six bytes of JSON: what is mostly zeros would become six times as long.
            if !appendJSON(utf8: shown, isCut: isCut, mostControls: max(OutputBuffer.fewControls, shown.byteCount / 8)) {
                truncate(to: mark)
                append(",\"base64\":\"")
                append(base64: shown)
            }
            append(0x22)
        }
        guard isCut else { return }
        if !lengthIsKnown {
            append(",\"length\":")
            append(decimal: length)
        }
        append(",\"truncated\":true")
    }

    /// Appends a JSON string of bytes from a head: UTF-8, or else Latin-1.
    ///
    /// - Parameter latin1: Set where the bytes had to be read as Latin-1.
    mutating func appendString(_ bytes: RawSpan, latin1: inout Bool) {
        append(0x22)
        if !appendJSON(utf8: bytes) {
            latin1 = true
            appendJSON(latin1: bytes)
        }
        append(0x22)
    }

    /// Appends a key with a string of bytes from a head, unless there are none.
    @inline(__always)
    mutating func appendString(_ key: StaticString, _ bytes: RawSpan, latin1: inout Bool) {
        guard !bytes.isEmpty else { return }
        append(key)
        appendString(bytes, latin1: &latin1)
    }
}

extension ByteWriter where Self: ~Copyable & ~Escapable {
    /// Appends a key with one of the format's own words.
    @inline(__always)
    mutating func appendWord(_ key: StaticString, _ word: StaticString) {
        append(key)
        append(word)
        append(0x22)
    }

    @inline(__always)
    mutating func append(_ key: StaticString, decimal value: UInt64) {
        append(key)
        append(decimal: value)
    }

    /// Appends a key with nanoseconds as seconds, unless there are none.
    @inline(__always)
    mutating func append(_ key: StaticString, secondsOf nanoseconds: Int64?) {
        guard let nanoseconds else { return }
        append(key)
        append(secondsOf: nanoseconds)
    }

    @inline(__always)
    mutating func append(_ key: StaticString, _ value: Bool) {
        append(key)
        append(value ? "true" : "false")
    }

    /// Appends `"latin1":true` if so.
    mutating func appendLatin1(_ latin1: Bool) {
        if latin1 { append(",\"latin1\":true") }
    }
}
