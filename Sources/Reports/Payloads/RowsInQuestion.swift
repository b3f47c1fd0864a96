/// Which rows of a table a payload may be of, by what carries it and its first byte: most are out of the question for most payloads.
struct RowsInQuestion: Sendable {
    /// Rows by their index, a bit each.
    struct Rows: Sequence, IteratorProtocol {
        fileprivate(set) var bits: UInt64 = 0

        mutating func remove(_ index: Int) { bits &= ~(1 << UInt64(index)) }

        mutating func next() -> Int? {
            guard bits != 0 else { return nil }
            let index = bits.trailingZeroBitCount
            bits &= bits &- 1
            return index
        }
    }

    /// By occasion.
    private var rows = [Rows](repeating: Rows(), count: PayloadOccasions.count)
    /// Of the occasion `text`, by the first byte.
    private var textRows: [Rows]

    init(_ rows: [PayloadRow]) {
        precondition(rows.count <= 64, "a table has at most 64 formats")
        // Made at the start of each run: most rows may begin with any byte, and the others with few.
        var always = Rows()
        for index in rows.indices {
            for occasion in 0..<PayloadOccasions.count where rows[index].occasions.rawValue >> UInt16(occasion) & 1 == 1 {
                self.rows[occasion].bits |= 1 << UInt64(index)
            }
            if rows[index].occasions.contains(.text), rows[index].beginsWithAny { always.bits |= 1 << UInt64(index) }
        }
        textRows = [Rows](repeating: always, count: 256)
        for index in rows.indices where rows[index].occasions.contains(.text) && !rows[index].beginsWithAny {
            for word in 0..<4 {
                var beginnings = rows[index].beginnings[word]
                while beginnings != 0 {
                    textRows[word * 64 + beginnings.trailingZeroBitCount].bits |= 1 << UInt64(index)
                    beginnings &= beginnings &- 1
                }
            }
        }
    }

    subscript(occasion: PayloadOccasions, first byte: UInt8) -> Rows {
        occasion == .text ? textRows[Int(byte)] : rows[occasion.rawValue.trailingZeroBitCount]
    }
}

extension PayloadRow {
    fileprivate var beginsWithAny: Bool { beginnings[0] & beginnings[1] & beginnings[2] & beginnings[3] == .max }
}
