/// One message under way: what its frames said so far, and how its payload is read.
struct MessageAssembly {
    /// A first frame came, and no last one yet.
    var isOpen = false
    var opcode: UInt8 = 0
    /// The first frame's header.
    var offset: UInt64 = 0
    /// Every frame so far.
    var place = Place()
    /// Payload bytes that the headers of its frames announced.
    var wireLength: UInt64 = 0
    /// Those of them that came.
    var seen: UInt64 = 0
    /// Bytes of its frames' headers.
    var headers: UInt64 = 0
    /// Bytes of headers and payload that were told as impossible to decode, because a loss comes after them.
    var toldAsGap: UInt64 = 0
    /// Where the rest begins, behind that loss.
    var restOffset: UInt64?
    /// Bytes of content that were taken out of the inflater.
    var inflated: UInt64 = 0
    var fragments: UInt32 = 0
    var isCompressed = false
    /// Text whose bytes are checked: no extension that we do not know has changed them.
    var isChecked = false
    /// The first byte that is no UTF-8.
    var badByte: UInt64?
    /// Content is still kept: not after a loss, nor once it was given up for memory.
    var keeps = true
    /// Some of the payload was lost.
    var hasGap = false
    /// Its beginning was not seen, and it may be compressed: nobody can say what its bytes mean.
    var isUnreadable = false
    /// Inflating came to a stop.
    var fault: Inflater.Fault?
    /// More was inflated than `Limits` allows; the rest is not looked at.
    var isOverLimit = false
    /// Payload bytes that came after that.
    var unreadAfterLimit: UInt64 = 0
    var validator = UTF8Validator()

    init() {}

    /// Headers and payload that came.
    var came: UInt64 { seen &+ headers }

    /// Counts the announced payload of one more frame.
    mutating func addFrame(_ frame: FrameHeader) {
        let (sum, overflow) = wireLength.addingReportingOverflow(frame.length)
        wireLength = overflow ? .max : sum
        headers &+= UInt64(frame.headerLength)
        let (count, tooMany) = fragments.addingReportingOverflow(1)
        fragments = tooMany ? .max : count
    }

    /// Checks the next bytes of a text, once it is not already known to be none.
    @inline(__always)
    mutating func check(_ bytes: RawSpan) {
        if isChecked, badByte == nil { badByte = validator.check(bytes) }
    }

    /// Checks that a text that came whole does not end inside a character.
    mutating func finishCheck() {
        if isChecked, badByte == nil, !hasGap, !isOverLimit { badByte = validator.finish() }
    }
}

/// The bytes that are kept of something under way: a buffer that grows by doubling and a count of what is in use.
struct KeptBytes {
    /// As long as its capacity; what is in use stands at the front.
    var buffer: [UInt8] = []
    var count = 0

    /// A buffer that is larger is given back when its element ends.
    private static let lasting = 2_048

    var heldBytes: Int { buffer.count }

    /// Appends `bytes`, unmasked, up to `most` bytes in all. `expected` more are announced to follow.
    @inline(__always)
    mutating func append(_ bytes: RawSpan, key: UInt32, position: UInt64, most: Int, expected: UInt64 = .max) {
        let added = min(bytes.byteCount, most - count)
        guard added > 0 else { return }
        if count + added > buffer.count { grow(to: count + added, expected: expected, most: most) }
        Unmasking.copy(bytes.extracting(0..<added), key: key, position: position, to: &buffer, at: count)
        count += added
    }

    /// Grows once and for all where what is announced is no more than what has come; an announcement alone costs nothing.
    private mutating func grow(to needed: Int, expected: UInt64, most: Int) {
        // Never more than will be used: the last doubling of a long message would be as much memory again.
        let size = expected <= UInt64(needed) ? max(needed + Int(expected), 256) : max(needed, min(buffer.count * 2, most), 256)
        buffer.append(contentsOf: repeatElement(0, count: size - buffer.count))
    }

    /// Empties it, and gives a large buffer back.
    @inline(__always)
    mutating func clear() {
        count = 0
        if buffer.count > KeptBytes.lasting { buffer = [] }
    }

    mutating func free() {
        count = 0
        buffer = []
    }
}
