/// The state of an `Inflater`, and how it goes from block to block.
struct InflaterCore {
    enum State {
        case blockHeader
        case storedLength
        case stored(left: Int)
        case codeCounts
        case codeLengthLengths(read: Int)
        case codeLengths(read: Int)
        case symbols(isFixed: Bool)
    }

    let windowSize: Int
    private var state = State.blockHeader
    private var isFinalBlock = false
    /// The last block was final: what follows may be a new chain of blocks (RFC 7692, section 7.2.3.4).
    private var isBehindFinalBlock = false
    private var bits = BitReader()
    private(set) var history: [UInt8]
    private var taken = 0
    private var end = 0
    /// Where the message that is read begins, as long as none has needed one before it; 0 where nothing lies before it, and from then on.
    private var messageStart = 0
    /// The message that is read is the first that refers to bytes of those before it.
    private(set) var needsEarlier = false
    private var hasNeeded = false
    /// The tables of a block with codes of its own, literals then distances; empty in a message without such a block.
    private var tables: [UInt32] = []
    private var lengths: [UInt8] = []
    private var literalCodes = 0
    private var distanceCodes = 0
    private var codeLengthCodes = 0
    /// The tables of the fixed code, at hand without asking whether they were made.
    private let fixedTables = HuffmanTable.fixed

    init(windowBits: UInt8) {
        windowSize = 1 << Int(min(15, max(8, windowBits)))
        history = [UInt8](repeating: 0, count: 1_024)
    }

    var heldBytes: Int { history.count + tables.count * 4 + lengths.count }

    var pending: Range<Int> { taken..<end }

    mutating func take() { taken = end }

    var unusedBytes: Int { bits.count / 8 }

    mutating func reset() {
        taken = 0
        end = 0
        endMessage()
    }

    mutating func makeRoom() {
        let full = windowSize + max(4_096, windowSize / 2) + InflaterCore.margin
        if history.count < full {
            let more = min(full, history.count * 2) - history.count
            // Exactly so much: an array that grows by itself may take twice what it needs.
            history.reserveCapacity(history.count + more)
            history.append(contentsOf: repeatElement(0, count: more))
            return
        }
        guard end > windowSize else { return }
        let from = end - windowSize
        // A move inside one array; the two ranges are inside it and may overlap.
        unsafe history.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            unsafe base.copyMemory(from: base + from, byteCount: windowSize)
        }
        end = windowSize
        taken = windowSize
        // Of a message that has filled the window by itself nothing lies before it.
        messageStart = max(0, messageStart - from)
    }

    mutating func finishMessage() -> Inflater.Ending {
        var ending = Inflater.Ending.unterminated
        switch state {
        case .storedLength: if bits.count == 0 { ending = .complete }
        case .blockHeader: if isBehindFinalBlock, bits.count == 0 { ending = .complete }
        case .stored, .codeCounts, .codeLengthLengths, .codeLengths, .symbols: break
        }
        endMessage()
        return ending
    }

    private mutating func endMessage() {
        state = .blockHeader
        // A block with codes of its own brings them along, and no block goes on in the next message.
        if !tables.isEmpty {
            tables = []
            lengths = []
        }
        isFinalBlock = false
        isBehindFinalBlock = false
        bits = BitReader()
        needsEarlier = false
        messageStart = hasNeeded ? 0 : end
    }

    /// Room that is always left: the longest match, and what its last wide step may write too far.
    static let margin = 258 + 32

    mutating func inflate(_ input: RawSpan, from position: inout Int, allowance: UInt64) -> Inflater.Outcome {
        let stop = end + Int(min(allowance, UInt64(history.count))) + 1
        while true {
            if end >= stop { return .overAllowance }
            switch state {
            case .blockHeader:
                bits.refill(input, &position)
                guard bits.count >= 3 else { return .needsInput }
                isFinalBlock = bits.take(1) == 1
                isBehindFinalBlock = false
                switch bits.take(2) {
                case 0:
                    bits.dropToByte()
                    state = .storedLength
                case 1: state = .symbols(isFixed: true)
                case 2: state = .codeCounts
                default: return .invalid(.malformed)
                }
            case .storedLength:
                bits.refill(input, &position)
                guard bits.count >= 32 else { return .needsInput }
                let length = bits.take(16)
                guard bits.take(16) == length ^ 0xFFFF else { return .invalid(.malformed) }
                state = .stored(left: Int(length))
            case .stored(let left):
                if left == 0 {
                    endBlock()
                    continue
                }
                let room = history.count - InflaterCore.margin - end
                guard room > 0 else { return .needsRoom }
                let copied = copyStored(input, &position, min(left, room, stop - end))
                if copied == 0 { return .needsInput }
                state = .stored(left: left - copied)
            case .codeCounts:
                bits.refill(input, &position)
                guard bits.count >= 14 else { return .needsInput }
                literalCodes = 257 + Int(bits.take(5))
                distanceCodes = 1 + Int(bits.take(5))
                codeLengthCodes = 4 + Int(bits.take(4))
                guard literalCodes <= 286, distanceCodes <= 30 else { return .invalid(.malformed) }
                if lengths.isEmpty {
                    lengths = [UInt8](repeating: 0, count: 320)
                    tables = [UInt32](repeating: 0, count: HuffmanTable.literalEntries + HuffmanTable.distanceEntries)
                }
                for index in 0..<19 { lengths[index] = 0 }
                state = .codeLengthLengths(read: 0)
            case .codeLengthLengths(let read):
                if let outcome = readCodeLengthLengths(input, &position, read) { return outcome }
            case .codeLengths(let read):
                if let outcome = readCodeLengths(input, &position, read) { return outcome }
            case .symbols(let isFixed):
                var symbols = SymbolDecoder(bits: bits, end: end, windowSize: windowSize, messageStart: messageStart)
                // The fixed tables are constants of the program, the others this stream's.
                let step = symbols.run(input, &position, table: isFixed ? fixedTables : tables, history: &history, stop: stop)
                bits = symbols.bits
                end = symbols.end
                if messageStart > 0, symbols.messageStart == 0 { (messageStart, needsEarlier, hasNeeded) = (0, true, true) }
                switch step {
                case .endOfBlock: endBlock()
                case .needsInput: return .needsInput
                case .needsRoom: return end >= stop ? .overAllowance : .needsRoom
                case .invalid(let fault): return .invalid(fault)
                }
            }
        }
    }

    private mutating func endBlock() {
        state = .blockHeader
        if isFinalBlock {
            bits.dropToByte()
            isBehindFinalBlock = true
        }
    }

    /// Copies up to `most` stored bytes: first those that the bit reader has read ahead.
    private mutating func copyStored(_ input: RawSpan, _ position: inout Int, _ most: Int) -> Int {
        var copied = 0
        while copied < most, bits.count >= 8 {
            history[end] = UInt8(bits.take(8))
            end += 1
            copied += 1
        }
        if copied == most { return copied }
        bits = BitReader()
        let count = min(most - copied, input.byteCount - position)
        guard count > 0 else { return copied }
        Unmasking.copy(input.extracting(position..<position + count), key: 0, position: 0, to: &history, at: end)
        end += count
        position += count
        return copied + count
    }

    /// The lengths of the code for code lengths, in the order of RFC 1951, section 3.2.7.
    private mutating func readCodeLengthLengths(_ input: RawSpan, _ position: inout Int, _ read: Int) -> Inflater.Outcome? {
        let order: SIMD32<UInt8> = [
            16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]
        var read = read
        while read < codeLengthCodes {
            bits.refill(input, &position)
            guard bits.count >= 3 else {
                state = .codeLengthLengths(read: read)
                return .needsInput
            }
            lengths[Int(order[read])] = UInt8(bits.take(3))
            read += 1
        }
        // The table of literals is not needed yet, so the code for code lengths lies in its place.
        guard
            HuffmanTable.build(
                .codeLengths, lengths: lengths[0..<19], primaryBits: HuffmanTable.codeLengthBits, into: &tables, at: 0,
                capacity: 1 << HuffmanTable.codeLengthBits)
        else { return .invalid(.malformed) }
        state = .codeLengths(read: 0)
        return nil
    }

    /// The lengths of the codes for literals and distances, one run over both (RFC 1951, section 3.2.7).
    private mutating func readCodeLengths(_ input: RawSpan, _ position: inout Int, _ read: Int) -> Inflater.Outcome? {
        var read = read
        let total = literalCodes + distanceCodes
        while read < total {
            bits.refill(input, &position)
            let entry = tables[Int(bits.peek(HuffmanTable.codeLengthBits))]
            let codeBits = Int(entry & 0xFF)
            let symbol = entry >> 16
            let (extra, base): (Int, Int) =
                switch symbol {
                case 16: (2, 3)
                case 17: (3, 3)
                case 18: (7, 11)
                default: (0, 1)
                }
            guard bits.count >= codeBits + extra else {
                state = .codeLengths(read: read)
                return .needsInput
            }
            _ = bits.take(codeBits)
            let times = base + Int(bits.take(extra))
            guard read + times <= total else { return .invalid(.malformed) }
            var value = UInt8(truncatingIfNeeded: symbol)
            if symbol == 16 {
                guard read > 0 else { return .invalid(.malformed) }
                value = lengths[read - 1]
            } else if symbol > 16 {
                value = 0
            }
            for index in read..<read + times { lengths[index] = value }
            read += times
        }
        // A block without a code for its end cannot end.
        guard lengths[256] > 0,
            HuffmanTable.build(
                .literals, lengths: lengths[0..<literalCodes], primaryBits: HuffmanTable.literalBits, into: &tables, at: 0,
                capacity: HuffmanTable.literalEntries),
            HuffmanTable.build(
                .distances, lengths: lengths[literalCodes..<total], primaryBits: HuffmanTable.distanceBits, into: &tables,
                at: HuffmanTable.literalEntries, capacity: HuffmanTable.distanceEntries)
        else { return .invalid(.malformed) }
        state = .symbols(isFixed: false)
        return nil
    }
}
