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
        switch (scale, other) {
        case (.absent, _), (_, .absent): 0xFFFF
        case (.shift(let shift), .shift): max(0xFFFF, Int(largest) << Int(shift))
        case (.unknown, _), (_, .unknown): Self.unknownBytes
        }
    }
}
