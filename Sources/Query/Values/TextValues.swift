import Dissection
import Reports

/// Takes one value of a field after the other, until it returns true.
typealias ValueVisitor = (FieldValue) -> Bool

extension ConversationEvent {
    /// A part of the content, held inside it.
    @_lifetime(copy self)
    func part(_ range: ByteRange) -> RawSpan { content.part(range) }
}

extension RawSpan {
    /// A part, held inside the bytes.
    @_lifetime(copy self)
    func part(_ range: ByteRange) -> RawSpan {
        let start = min(max(0, range.start), byteCount)
        let count = min(max(0, range.count), byteCount - start)
        return extracting(start..<start + count)
    }

    /// The bytes of a payload that is shown as text: valid UTF-8 of which no more than an eighth and a few are control characters
    /// (docs/log-format.md); nil of any other.
    ///
    /// - Parameter isCut: More of it came than is here: where its last character is not whole, it is left out.
    func textCount(isCut: Bool) -> Int? {
        var (index, controls) = (0, 0)
        // Where the first eight bytes are of which one is beyond ASCII.
        var firstOther: Int?
        while index + 8 <= byteCount {
            let word = nativeInteger(at: index, as: UInt64.self)
            let isDelete = RawSpan.hasByte(below: 1, in: word ^ 0x7f7f_7f7f_7f7f_7f7f)
            if word & 0x8080_8080_8080_8080 != 0 || isDelete || RawSpan.hasByte(below: 0x20, in: word) {
                if word & 0x8080_8080_8080_8080 != 0, firstOther == nil { firstOther = index }
                for place in index..<index + 8 where isControl(at: place) { controls += 1 }
            }
            index += 8
        }
        for place in index..<byteCount {
            if self[place] >= 0x80, firstOther == nil { firstOther = place }
            if isControl(at: place) { controls += 1 }
        }
        guard controls <= max(16, byteCount / 8) else { return nil }
        guard let firstOther else { return byteCount }
        var validator = UTF8Validator()
        guard validator.check(suffix(from: firstOther)) == nil, isCut || validator.isComplete else { return nil }
        return byteCount - validator.openBytes
    }

    /// Whether one of eight bytes is less than a number of at most 128, where none is beyond ASCII.
    @inline(__always)
    private static func hasByte(below number: UInt64, in word: UInt64) -> Bool {
        (word &- 0x0101_0101_0101_0101 &* number) & ~word & 0x8080_8080_8080_8080 != 0
    }

    /// A control character that text does not have: neither a tab nor a line end.
    @inline(__always)
    private func isControl(at place: Int) -> Bool {
        let byte = self[place]
        return (byte < 0x20 || byte == 0x7f) && byte != 0x09 && byte != 0x0a && byte != 0x0d
    }

    /// 32 bytes.
    @inline(__always)
    func nativeInteger32(at offset: Int) -> SIMD32<UInt8> { unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD32<UInt8>.self) }
}

/// Hands on a text of a head, as the log shows it: bytes that are no UTF-8 are Latin-1.
func hand(_ bytes: RawSpan, _ take: ValueVisitor) -> Bool {
    if bytes.isUTF8 { return take(.text(bytes)) }
    let text = bytes.fromLatin1
    return take(.text(text.rawBytes))
}

/// The same, unless it is empty: then there is none.
func handUnlessEmpty(_ bytes: RawSpan, _ take: ValueVisitor) -> Bool { bytes.isEmpty ? false : hand(bytes, take) }

/// Hands on a word of ours.
func hand(_ word: StaticString, _ place: UInt8, _ take: ValueVisitor) -> Bool { take(.word(Int(place), word.bytes)) }

/// Hands on a payload where it is text.
func handText(_ payload: RawSpan, length: UInt64, _ take: ValueVisitor) -> Bool {
    guard let count = payload.textCount(isCut: UInt64(payload.byteCount) < length) else { return false }
    return take(.text(payload.extracting(0..<count)))
}

/// Hands on a payload where it is no text.
func handBytes(_ payload: RawSpan, length: UInt64, _ take: ValueVisitor) -> Bool {
    payload.textCount(isCut: UInt64(payload.byteCount) < length) == nil ? take(.bytes(payload)) : false
}

/// Hands on a key that is there only where it is true.
func handFlag(_ value: Bool, _ take: ValueVisitor) -> Bool { value ? take(.flag(true)) : false }

func handSeconds(_ nanoseconds: Int64?, _ take: ValueVisitor) -> Bool {
    guard let nanoseconds else { return false }
    return take(.seconds(nanoseconds))
}

func handNumber(_ value: UInt64?, _ take: ValueVisitor) -> Bool {
    guard let value else { return false }
    return take(.number(value))
}

/// Hands on text that is put together for the occasion.
func hand(made text: [UInt8], _ take: ValueVisitor) -> Bool { take(.text(text.rawBytes)) }
