/// The inner loop of inflating: literals and matches of one block (RFC 1951, section 3.2.5).
///
/// A literal, or a match with its length, distance and extra bits, needs at most 48 bits and is taken whole or not at
/// all, so that the input may end anywhere.
struct SymbolDecoder {
    enum Step {
        case endOfBlock
        case needsInput
        case needsRoom
        case invalid(Inflater.Fault)
    }

    var bits: BitReader
    /// Where the next byte goes.
    var end: Int
    let windowSize: Int
    /// Where the message begins, where it is to be known whether a distance reaches further back; 0 once one has.
    var messageStart: Int

    /// Decodes until the block or the input ends, `stop` is reached or there is no room for one more match.
    mutating func run(_ input: RawSpan, _ position: inout Int, table: [UInt32], history: inout [UInt8], stop: Int) -> Step {
        // Each of them is compiled by itself: what is not asked for costs nothing.
        messageStart == 0
            ? decode(input, &position, table: table, history: &history, stop: stop, watches: false)
            : decode(input, &position, table: table, history: &history, stop: stop, watches: true)
    }

    @inline(__always)
    private mutating func decode(
        _ input: RawSpan, _ position: inout Int, table: [UInt32], history: inout [UInt8], stop: Int, watches: Bool
    ) -> Step {
        let table = table.span
        guard table.count >= HuffmanTable.literalEntries + HuffmanTable.distanceEntries else { return .invalid(.malformed) }
        let limit = min(history.count - InflaterCore.margin, stop)
        // Local copies stay in registers.
        var bits = self.bits
        var end = self.end
        var next = position
        defer {
            self.bits = bits
            self.end = end
            position = next
        }
        var output = history.mutableSpan
        while end < limit {
            // Enough for a whole match, unless the input ends.
            if bits.count < 48 { bits.refill(input, &next) }
            var entry = table[Int(bits.peek(HuffmanTable.literalBits))]
            if entry & HuffmanTable.Kind.mask == HuffmanTable.Kind.link {
                let index = (bits.buffer >> UInt64(HuffmanTable.literalBits)) & ((1 << UInt64(entry >> 8 & 0x1F)) &- 1)
                entry = table[Int(entry >> 16) &+ Int(index)]
            }
            let codeBits = Int(entry & 0xFF)
            guard codeBits <= bits.count else { return .needsInput }
            let kind = entry & HuffmanTable.Kind.mask
            if kind == HuffmanTable.Kind.literal {
                output[end] = UInt8(truncatingIfNeeded: entry >> 16)
                end &+= 1
                bits.drop(codeBits)
                continue
            }
            guard kind == HuffmanTable.Kind.base else {
                if kind == HuffmanTable.Kind.endOfBlock {
                    bits.drop(codeBits)
                    return .endOfBlock
                }
                return .invalid(.malformed)
            }
            // Nothing is taken until the whole match is known to be there.
            var match = bits
            match.drop(codeBits)
            let lengthExtra = Int(entry >> 8 & 0x1F)
            let length = Int(entry >> 16) &+ Int(match.peek(lengthExtra))
            match.drop(lengthExtra)
            var far = table[HuffmanTable.literalEntries &+ Int(match.peek(HuffmanTable.distanceBits))]
            if far & HuffmanTable.Kind.mask == HuffmanTable.Kind.link {
                let index = (match.buffer >> UInt64(HuffmanTable.distanceBits)) & ((1 << UInt64(far >> 8 & 0x1F)) &- 1)
                far = table[HuffmanTable.literalEntries &+ Int(far >> 16) &+ Int(index)]
            }
            let distanceBits = Int(far & 0xFF)
            let distanceExtra = Int(far >> 8 & 0x1F)
            guard match.count >= distanceBits &+ distanceExtra else { return .needsInput }
            guard far & HuffmanTable.Kind.mask == HuffmanTable.Kind.base else { return .invalid(.malformed) }
            match.drop(distanceBits)
            let distance = Int(far >> 16) &+ Int(match.peek(distanceExtra))
            match.drop(distanceExtra)
            if distance > windowSize { return .invalid(.beyondWindow) }
            if distance > end { return .invalid(.beyondHistory) }
            if watches, distance > end &- messageStart { messageStart = 0 }
            bits = match
            SymbolDecoder.copy(&output, from: end &- distance, to: end, count: length)
            end &+= length
        }
        return .needsRoom
    }

    /// Copies a match, whose source may run into its target, and up to 15 bytes more than asked for: `InflaterCore.margin`
    /// leaves room for them.
    @inline(__always)
    private static func copy(_ output: inout MutableSpan<UInt8>, from: Int, to: Int, count: Int) {
        var from = from
        var to = to
        let end = to &+ count
        // The stores are checked against the bounds; only their type is unsafe in general, and integers are harmless.
        var bytes = unsafe output.mutableBytes
        if to &- from < 8 {
            // A short period is written until it spans 8 bytes or more; then whole steps repeat that many periods.
            let period = to &- from
            let wide = from &+ (7 / period &+ 1) &* period
            while to < wide {
                let byte = bytes.bytes[to &- period]
                bytes.storeBytes(of: byte, toByteOffset: to, as: UInt8.self)
                to &+= 1
            }
        }
        // Most matches are short: two steps without asking.
        let first = bytes.bytes.nativeInteger(at: from, as: UInt64.self)
        bytes.storeBytes(of: first, toByteOffset: to, as: UInt64.self)
        let second = bytes.bytes.nativeInteger(at: from &+ 8, as: UInt64.self)
        bytes.storeBytes(of: second, toByteOffset: to &+ 8, as: UInt64.self)
        from &+= 16
        to &+= 16
        while to < end {
            let word = bytes.bytes.nativeInteger(at: from, as: UInt64.self)
            bytes.storeBytes(of: word, toByteOffset: to, as: UInt64.self)
            from &+= 8
            to &+= 8
        }
    }
}
