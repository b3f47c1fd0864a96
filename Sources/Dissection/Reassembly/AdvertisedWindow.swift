/// The receive window of one side, as far as it is known: how far ahead of what it has acknowledged the other may send.
struct AdvertisedWindow: Sendable {
    /// Where the scale is not known, a window is taken to be no larger than this: a fast connection across an ocean has
    /// less in flight, and what was meant for another connection lies within it once in 256 times.
    static let unknownBytes = 16 << 20

    private var largest: UInt16 = 0
    /// What the SYN of this side said.
    private(set) var scale = WindowScale.unknown

    /// Notes what a segment of this side says.
    @inline(__always)
    mutating func note(_ window: UInt16) { if window > largest { largest = window } }

    /// Notes what the SYN of this side says.
    mutating func note(_ scale: WindowScale) { self.scale = scale }

    /// The largest window so far in bytes; `other` is what the SYN of the other side said, because neither scales unless
    /// both said so (RFC 7323, section 2.2).
    @inline(__always)
    func bytes(beside other: WindowScale) -> Int {
        // One after the other: a pair of them is looked up as a type for each segment.
        if case .absent = scale { return 0xFFFF }
        if case .absent = other { return 0xFFFF }
        guard case .shift(let shift) = scale, case .shift = other else { return Self.unknownBytes }
        return max(0xFFFF, Int(largest) << Int(shift))
    }
}
