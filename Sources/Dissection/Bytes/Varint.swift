extension RawSpan {
    /// The number at `position` that has seven bits a byte, the lowest first, as in protobuf, MQTT and SignalR, and where it ends; bits beyond
    /// the 64th are lost, as everywhere.
    ///
    /// - Returns: nil where the bytes end in the middle of it, or it has more than `most` bytes, of which all are at hand.
    @inlinable @inline(__always)
    package func varint(at position: Int, most: Int = 10) -> (value: UInt64, end: Int)? {
        var value: UInt64 = 0
        var index = position
        let end = Swift.min(byteCount, position + most)
        while index < end {
            let byte = self[index]
            value |= UInt64(byte & 0x7F) << UInt64(7 * (index - position))
            index += 1
            if byte & 0x80 == 0 { return (value, index) }
        }
        return nil
    }
}
