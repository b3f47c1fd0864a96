/// How far one side of an opened connection has been read, and what of it was not.
struct OpenedSide {
    /// Where the next byte of plaintext stands in the channel inside.
    private(set) var offset: UInt64 = 0
    /// What was not opened, and is not told.
    var lost = LostPlaintext()
    /// It pads its records.
    var isPadded = false
    /// Gaps were told whose length is a little too large, or may be.
    var hasInexactGap = false
    /// It was told that records stay sealed.
    var saysSealed = false

    /// Bytes are given to the reader inside, or a gap of that length.
    mutating func pass(_ count: UInt64) { offset &+= count }
}
