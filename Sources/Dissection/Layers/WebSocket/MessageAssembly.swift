/// One message under way: what its frames said so far, and how its payload is read.
struct MessageAssembly {
    /// Open from its first frame on to its last one.
    var content = MessageContent.none
    var text = TextCheck.none
    var opcode: UInt8 = 0
    /// The first frame's header.
    var offset: UInt64 = 0
    /// Every frame so far.
    var place = Place()
    /// Payload bytes that came.
    var seen: UInt64 = 0
    /// Payload bytes that are known to be lost.
    var lost: UInt64 = 0
    /// Bytes of its frames' headers.
    var headers: UInt64 = 0
    /// Bytes of headers and payload that were told as impossible to decode, because a loss comes after them.
    var toldAsGap: UInt64 = 0
    /// Where the rest begins, behind that loss.
    var restOffset: UInt64?
    /// Bytes of content that were taken out of the inflater.
    var inflated: UInt64 = 0
    var fragments: UInt32 = 0
    /// It is compressed without context takeover: it needs no message before it.
    var isAlone = false

    init() {}

    var isOpen: Bool { content.isOpen }

    /// Payload bytes that were on the wire, whatever the headers of its frames announce.
    var wireLength: UInt64 { seen &+ lost }

    /// Headers and payload that came.
    var came: UInt64 { seen &+ headers }

    /// Counts one more frame.
    mutating func addFrame(_ frame: FrameHeader) {
        headers &+= UInt64(frame.headerLength)
        let (count, tooMany) = fragments.addingReportingOverflow(1)
        fragments = tooMany ? .max : count
    }

    /// Bytes of the payload are lost, so many as far as is known.
    mutating func lose(_ count: UInt64) {
        lost &+= count
        content.lose()
        text.lose()
    }
}

/// The bytes that are kept of something under way: a buffer that grows by doubling and a count of what is in use.
struct KeptBytes {
    /// As long as its capacity; what is in use stands at the front.
    var buffer: [UInt8] = []
    var count = 0
    /// It was freed while its element was under way: of what follows nothing is kept.
    private(set) var isGivenUp = false

    /// A buffer that is larger is given back when its element ends.
    private static let lasting = 2_048

    var heldBytes: Int { buffer.count }

    /// Appends `bytes`, unmasked, up to `most` bytes in all. `expected` more are announced to follow.
    @inline(__always)
    mutating func append(_ bytes: RawSpan, key: UInt32, position: UInt64, most: Int, expected: UInt64 = .max) {
        let added = min(bytes.byteCount, most - count)
        guard added > 0, !isGivenUp else { return }
        if count + added > buffer.count { grow(to: count + added, expected: expected, most: most) }
        Unmasking.copy(bytes.extracting(0..<added), key: key, position: position, to: &buffer, at: count)
        count += added
    }

    /// Grows once and for all where what is announced is no more than what has come; an announcement alone costs nothing.
    private mutating func grow(to needed: Int, expected: UInt64, most: Int) {
        // Never more than will be used: the last doubling of a long message would be as much memory again.
        let size = expected <= UInt64(needed) ? max(needed + Int(expected), 256) : max(needed, min(buffer.count * 2, most), 256)
        if buffer.isEmpty {
            buffer = [UInt8](repeating: 0, count: size)
        } else {
            buffer.append(contentsOf: repeatElement(0, count: size - buffer.count))
        }
    }

    /// Empties it, and gives a large buffer back.
    @inline(__always)
    mutating func clear() {
        count = 0
        isGivenUp = false
        if buffer.count > KeptBytes.lasting { buffer = [] }
    }

    /// Frees it for the rest of its element.
    mutating func giveUp() {
        count = 0
        buffer = []
        isGivenUp = true
    }
}
