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
        typealias Lanes = SIMD32<UInt8>
        let ones = Lanes(repeating: 1)
        var found = 0
        var position = 0
        while position + Lanes.scalarCount <= count {
            // A lane counts to 255 at most.
            let end = Swift.min(count, position + 255 * Lanes.scalarCount)
            var lanes = Lanes.zero
            while position + Lanes.scalarCount <= end {
                let bytes = (start + position).loadUnaligned(as: Lanes.self)
                let isControl = (bytes .< 0x20) .| (bytes .== 0x7f)
                let isBlank = (bytes .== 0x09) .| (bytes .== 0x0a) .| (bytes .== 0x0d)
                lanes = lanes &+ Lanes.zero.replacing(with: ones, where: isControl .& .!isBlank)
                position += Lanes.scalarCount
            }
            for lane in 0..<Lanes.scalarCount { found += Int(lanes[lane]) }
        }
        while position < count {
            let byte = self[position]
            if (byte < 0x20 && byte != 0x09 && byte != 0x0a && byte != 0x0d) || byte == 0x7f { found += 1 }
            position += 1
        }
        return found > Swift.max(UnsafeRawBufferPointer.fewControls, count / 8)
    }
}
