import Dissection

/// The bytes that an event is about, and how much of a payload among them is shown.
struct RecordContent {
    let bytes: UnsafeRawBufferPointer
    let policy: PayloadPolicy

    /// A part of the bytes, held inside them.
    func part(_ range: ByteRange) -> UnsafeRawBufferPointer {
        let start = min(max(0, range.start), bytes.count)
        let count = min(max(0, range.count), bytes.count - start)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }

    var whole: ByteRange { ByteRange(0..<bytes.count) }
}

extension OutputBuffer {
    /// Appends a payload: `text` where it is valid UTF-8 without many control characters, otherwise `base64`; and
    /// `truncated` where some of it is not shown.
    ///
    /// - Parameters:
    ///   - length: The payload's true length.
    ///   - lengthIsKnown: The record has `length` already; otherwise a cut payload brings it.
    mutating func appendPayload(_ range: ByteRange, of content: RecordContent, length: UInt64, lengthIsKnown: Bool = true) {
        let payload = content.part(range)
        let shown = UnsafeRawBufferPointer(rebasing: payload.prefix(content.policy.limit))
        let isCut = UInt64(shown.count) < length
        if content.policy != .none {
            let mark = count
            append(",\"text\":\"")
            if shown.hasManyControls || !appendJSON(utf8: shown, isCut: isCut) {
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
    mutating func appendString(_ bytes: UnsafeRawBufferPointer, latin1: inout Bool) {
        append(0x22)
        if !appendJSON(utf8: bytes) {
            latin1 = true
            appendJSON(latin1: bytes)
        }
        append(0x22)
    }

    /// Appends a key with a string of bytes from a head, unless there are none.
    @inline(__always)
    mutating func appendString(_ key: StaticString, _ bytes: UnsafeRawBufferPointer, latin1: inout Bool) {
        guard !bytes.isEmpty else { return }
        append(key)
        appendString(bytes, latin1: &latin1)
    }

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

extension UnsafeRawBufferPointer {
    /// So many control characters are text in any content.
    static let fewControls = 16

    /// Whether more than an eighth of the bytes, and more than a few, are control characters other than tab, line feed and
    /// carriage return. Each of them is six bytes of JSON: what is mostly zeros would become six times as long.
    var hasManyControls: Bool {
        guard count > UnsafeRawBufferPointer.fewControls, let start = baseAddress else { return false }
        var found = 0
        var position = 0
        while position + 8 <= count {
            let word = (start + position).loadUnaligned(as: UInt64.self)
            // Words without any, which are almost all of them, cost two additions.
            if word.controls != 0 { found += (word.controls & ~word.blanks).nonzeroBitCount }
            position += 8
        }
        while position < count {
            let byte = self[position]
            if (byte < 0x20 && byte != 0x09 && byte != 0x0a && byte != 0x0d) || byte == 0x7f { found += 1 }
            position += 1
        }
        return found > Swift.max(UnsafeRawBufferPointer.fewControls, count / 8)
    }
}

extension UInt64 {
    /// The highest bit of each byte that is a control character of ASCII.
    fileprivate var controls: UInt64 {
        let low = 0x7f7f_7f7f_7f7f_7f7f as UInt64
        // The sum reaches the highest bit from 0x20 on.
        let isLow = ~(((self & low) &+ 0x6060_6060_6060_6060) | self)
        return (isLow & 0x8080_8080_8080_8080) | bytes(equalTo: low)
    }

    /// The highest bit of each byte that is a tab, a line feed or a carriage return.
    fileprivate var blanks: UInt64 {
        bytes(equalTo: 0x0909_0909_0909_0909) | bytes(equalTo: 0x0a0a_0a0a_0a0a_0a0a) | bytes(equalTo: 0x0d0d_0d0d_0d0d_0d0d)
    }

    /// The highest bit of each byte that is the one which `pattern` repeats.
    private func bytes(equalTo pattern: UInt64) -> UInt64 {
        let difference = self ^ pattern
        let low = 0x7f7f_7f7f_7f7f_7f7f as UInt64
        return ~(((difference & low) &+ low) | difference | low)
    }
}
