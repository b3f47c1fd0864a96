/// Walks the records of a Name Resolution Block, one name at a time (draft-ietf-opsawg-pcapng section 4.5).
struct NameList {
    private(set) var cursor: Int
    private let end: Int
    private let order: ByteOrder
    private var address = LocatedBytes(start: 0, count: 0)
    private var recordEnd: Int
    private var nextRecord: Int

    enum Step {
        case name(address: LocatedBytes, name: LocatedBytes)
        case end
        /// A record's length reaches past the block or is too short for its address.
        case damaged
    }

    init(from cursor: Int, to end: Int, order: ByteOrder) {
        self.cursor = cursor
        self.end = end
        self.order = order
        recordEnd = cursor
        nextRecord = cursor
    }

    mutating func next(_ source: borrowing ByteSource) -> Step {
        while true {
            if cursor < recordEnd {
                let start = cursor
                while cursor < recordEnd, source.byte(at: cursor) != 0 { cursor += 1 }
                let name = LocatedBytes(start: start, count: cursor - start)
                cursor += 1
                if name.count > 0 { return .name(address: address, name: name) }
                continue
            }
            cursor = nextRecord
            guard end - cursor >= 4 else { return .end }
            let type = source.integer(order, at: cursor, as: UInt16.self)
            let length = Int(source.integer(order, at: cursor + 2, as: UInt16.self))
            guard length <= end - cursor - 4 else { return .damaged }
            let value = cursor + 4
            nextRecord = min(end, value + (length + 3) & ~3)
            recordEnd = cursor
            switch type {
            case 0:
                // The end of the records; options follow.
                cursor = nextRecord
                return .end
            case 1, 2:
                let addressLength = type == 1 ? 4 : 16
                guard length >= addressLength else { return .damaged }
                address = LocatedBytes(start: value, count: addressLength)
                cursor = value + addressLength
                recordEnd = value + length
            default: continue
            }
        }
    }
}
