/// Messages of one length.
struct FixedCutter: CuttingMachine {
    private let count: UInt64
    private var left: UInt64

    init(_ count: UInt32) {
        self.count = max(1, UInt64(count))
        left = self.count
    }

    var remaining: UInt64? { left }

    mutating func restart() { left = count }

    mutating func advance(over bytes: RawSpan) -> Cut {
        guard UInt64(bytes.byteCount) >= left else {
            left -= UInt64(bytes.byteCount)
            return .inside
        }
        return .ends(Int(left))
    }
}
