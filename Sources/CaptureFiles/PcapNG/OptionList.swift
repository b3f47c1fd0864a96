/// Walks the options of a block: code, length, value, padding to four bytes.
struct OptionList {
    /// Index in the buffer of the next option.
    private var cursor: Int
    private let end: Int
    private let order: ByteOrder

    /// One option and where its value lies.
    struct Option {
        var code: UInt16
        var value: LocatedBytes
    }

    /// What the next step came to.
    enum Step {
        case option(Option)
        case end
        /// The option's length reaches past the block.
        case overrun
    }

    init(from cursor: Int, to end: Int, order: ByteOrder) {
        self.cursor = cursor
        self.end = end
        self.order = order
    }

    @inline(__always)
    mutating func next(_ source: borrowing ByteSource) -> Step {
        guard end - cursor >= 4 else { return .end }
        let code = source.integer(order, at: cursor, as: UInt16.self)
        let length = Int(source.integer(order, at: cursor + 2, as: UInt16.self))
        guard code != OptionCode.end else { return .end }
        guard length <= end - cursor - 4 else { return .overrun }
        let value = LocatedBytes(start: cursor + 4, count: length)
        // The padding of the last option may be missing.
        cursor = min(end, cursor + 4 + (length + 3) & ~3)
        return .option(Option(code: code, value: value))
    }
}
