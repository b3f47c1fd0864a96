// Bytes whose length is in front of them, as binary formats have them.
extension [UInt8] {
    /// A number in network order.
    func number(_ start: Int, _ width: Int) -> Int? {
        guard start >= 0, start + width <= count else { return nil }
        return self[start..<start + width].reduce(0) { $0 << 8 | Int($1) }
    }

    /// So many bytes after a place, if they are there.
    func range(_ start: Int, _ length: Int?) -> Range<Int>? {
        guard let length, length >= 0, start <= count, length <= count - start else { return nil }
        return start..<start + length
    }
}
