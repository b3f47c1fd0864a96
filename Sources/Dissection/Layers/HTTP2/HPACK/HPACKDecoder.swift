/// What is wrong with a header block (RFC 7541).
enum HPACKProblem: UInt8 {
    /// It ends inside of a field.
    case cut
    /// A number that is larger than any that has a meaning (section 5.1).
    case integer
    /// An index that no table has (section 2.3.3).
    case index
    /// A string that the Huffman code does not give (section 5.2).
    case huffman
    /// A table that is larger than the other side allows (section 6.3).
    case size
    /// A change of the table's size behind a field (section 4.2).
    case lateSize

    /// What it is, as the end of a sentence.
    var words: StaticString {
        switch self {
        case .cut: "the block ends inside a field"
        case .integer: "an integer is too large"
        case .index: "an index is in neither table"
        case .huffman: "a string is not valid Huffman code"
        case .size: "the table is made larger than the peer's SETTINGS_HEADER_TABLE_SIZE"
        case .lateSize: "the table's size is changed after a field"
        }
    }
}

/// Reads the header blocks of one direction (RFC 7541), and keeps the table that they share.
///
/// ```
/// 1xxxxxxx   indexed field                       6.1
/// 01xxxxxx   literal, goes into the table        6.2.1
/// 001xxxxx   size of the table                   6.3
/// 0001xxxx   literal, is never to be indexed     6.2.3
/// 0000xxxx   literal, stays out of the table     6.2.2
/// ```
struct HPACKDecoder {
    private(set) var table: HPACKTable
    /// The largest table that the other side has allowed so far; nil where its settings may not have been seen.
    var allowedSize: Int? = HPACKTable.usualSize
    /// The side has accepted a smaller table than it uses: its next block begins with the new size (RFC 9113, section 4.3.1).
    var owedSize: Int?
    /// The last block did not, where it had to.
    private(set) var hasOmittedSize = false
    /// Bytes of fields of one block that are kept.
    private let listLimit: Int
    /// Blocks that were read.
    private var blocks: UInt64 = 0
    /// Bytes that the block has had of entries which it had named before.
    private var repeated = 0

    /// No program names an entry of the table twice in one block, but for short ones. What is beyond is counted, and not made: a byte would
    /// become as many as the entry has.
    private static let mostRepeated = 4_096
    /// A table that a side has agreed to is kept up to here.
    private static let largestTable = 1 << 20

    init(limits: Limits) {
        table = HPACKTable(limit: max(limits.headBytes, min(HPACKDecoder.largestTable, limits.totalBytes / 64)))
        listLimit = limits.headBytes
    }

    var heldBytes: Int { table.heldBytes }

    /// A block was lost, or may have been: what the table holds is not known.
    mutating func lose() {
        owedSize = nil
        table.lose(largest: allowedSize)
    }

    /// Reads a whole block. After a problem the table is not known any more.
    mutating func decode(_ block: RawSpan, into list: inout FieldList) -> HPACKProblem? {
        list.clear()
        blocks &+= 1
        repeated = 0
        hasOmittedSize = owedSize != nil && block.byteCount > 0 && block[0] & 0xE0 != 0x20
        if block.byteCount > 0 { owedSize = nil }
        let problem = read(block, into: &list)
        if problem != nil { lose() }
        return problem
    }

    private mutating func read(_ block: RawSpan, into list: inout FieldList) -> HPACKProblem? {
        var position = 0
        var hasField = false
        while position < block.byteCount {
            let first = block[position]
            if first & 0x80 != 0 {
                guard let index = HPACKDecoder.integer(block, at: &position, bits: 7) else { return HPACKDecoder.fault(block, position) }
                guard let entry = entry(index) else { return .index }
                if mayGive(index, bytes: entry.name.count + entry.value.count) {
                    list.add(entry, limit: listLimit)
                    if entry.isUnknown { list.note(entry: index) }
                } else {
                    list.omit(entry)
                }
                hasField = true
            } else if first & 0xE0 == 0x20 {
                guard let size = HPACKDecoder.integer(block, at: &position, bits: 5) else { return HPACKDecoder.fault(block, position) }
                if hasField { return .lateSize }
                if let allowedSize, size > allowedSize { return .size }
                table.resize(to: size)
            } else {
                let isIndexed = first & 0x40 != 0
                guard let index = HPACKDecoder.integer(block, at: &position, bits: isIndexed ? 6 : 4) else {
                    return HPACKDecoder.fault(block, position)
                }
                var literal = HPACKEntry()
                var isGiven = true
                if index == 0 {
                    if let problem = HPACKDecoder.string(block, at: &position, into: &literal.name) { return problem }
                } else {
                    guard let named = entry(index) else { return .index }
                    literal.name = named.name
                    literal.isUnknown = named.isUnknown
                    isGiven = mayGive(index, bytes: named.name.count)
                }
                if let problem = HPACKDecoder.string(block, at: &position, into: &literal.value) { return problem }
                if isGiven { list.add(literal, limit: listLimit) } else { list.omit(literal) }
                if isGiven, literal.isUnknown { list.note(entry: index) }
                literal.block = blocks
                if isIndexed { table.insert(literal) }
                hasField = true
            }
        }
        return nil
    }

    /// Whether a block may have so many bytes of an entry: all of it the first time, and what is left for repetitions after that.
    private mutating func mayGive(_ index: Int, bytes: Int) -> Bool {
        guard index > StaticTable.count, !table.note(index - StaticTable.count - 1, block: blocks) else { return true }
        guard repeated + bytes <= HPACKDecoder.mostRepeated else { return false }
        repeated += bytes
        return true
    }

    /// The entry of an index of both tables (section 2.3.3).
    private func entry(_ index: Int) -> HPACKEntry? {
        guard index > 0 else { return nil }
        guard index <= StaticTable.count else { return table.entry(index - StaticTable.count - 1) }
        return StaticTable.entry(index)
    }

    // MARK: - Primitives

    /// Larger numbers have no meaning in a block of any size that is read.
    private static let largest = 1 << 28

    /// A number of `bits` bits and more (section 5.1); nil where it is cut, or too large.
    static func integer(_ block: RawSpan, at position: inout Int, bits: Int) -> Int? {
        guard position < block.byteCount else { return nil }
        let mask = (1 << bits) - 1
        var value = Int(block[position]) & mask
        position += 1
        guard value == mask else { return value }
        var shift = 0
        while position < block.byteCount {
            let byte = block[position]
            guard shift <= 28 else { return nil }
            position += 1
            value += Int(byte & 0x7F) << shift
            guard value <= largest else {
                position -= 1
                return nil
            }
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }

    /// Why there was no number.
    private static func fault(_ block: RawSpan, _ position: Int) -> HPACKProblem { position < block.byteCount ? .integer : .cut }

    /// Appends a string (section 5.2).
    private static func string(_ block: RawSpan, at position: inout Int, into text: inout [UInt8]) -> HPACKProblem? {
        guard position < block.byteCount else { return .cut }
        let isCoded = block[position] & 0x80 != 0
        guard let length = integer(block, at: &position, bits: 7) else { return fault(block, position) }
        guard length <= block.byteCount - position else { return .cut }
        let bytes = block.extracting(position..<position + length)
        position += length
        if !isCoded {
            text.append(copying: bytes)
            return nil
        }
        return HuffmanCode.decode(bytes, into: &text) == nil ? nil : .huffman
    }
}
