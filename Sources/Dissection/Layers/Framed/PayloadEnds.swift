/// How the payload of a side's first message begins and ends: where it was cut in the wrong place, so is all that follows, and these bytes show why.
struct PayloadEnds {
    private var head = ShortBytes()
    private var tail = ShortBytes()
    private var count: Int

    init(_ payload: RawSpan) {
        count = payload.byteCount
        for index in 0..<min(4, count) { head.append(payload[index]) }
        for index in max(0, count - 8)..<count { tail.append(payload[index]) }
    }

    /// Why the length after it may be none; nil where nothing shows that.
    func reason(_ prefix: LengthPrefix) -> String? {
        guard prefix.offset == 0, !prefix.countsItself, let width = prefix.width.bytes, Int(prefix.header) == width, count > width else {
            return nil
        }
        // Without the header that it counts, the message would end a header earlier, where the next length is.
        let last = tail.array.suffix(width)
        if width >= 4, let next = LengthClues.number(Array(last).rawBytes, prefix.width, at: 0), next >= UInt64(width),
            next <= min(65_535, prefix.most)
        {
            return "the first message ends with \(next), which may be the next length; try the option self"
        }
        if prefix.width == .u32le, head.array == [0, 0, 0, 0] { return "the first message begins with 00 00 00 00; try length:u64le" }
        return nil
    }
}
