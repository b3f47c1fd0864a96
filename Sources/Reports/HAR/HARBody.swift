import Dissection

/// A body as it comes.
struct HARBody {
    private(set) var kept: [UInt8] = []
    /// After every coding was undone, and on the wire.
    private(set) var length: UInt64 = 0
    private(set) var wireLength: UInt64 = 0
    private(set) var isFinal = false

    /// Takes the next part.
    ///
    /// - Parameter most: bytes of the whole body that are kept.
    mutating func take(_ part: BodyPart, _ payload: RawSpan, most: Int) {
        length = length.clampedSum(part.length)
        wireLength = wireLength.clampedSum(part.wireLength)
        if part.final { isFinal = true }
        // After something was left out nothing follows that would stand in the wrong place.
        guard UInt64(kept.count).clampedSum(part.length) == length else { return }
        kept.append(copying: payload.prefix(max(0, most - kept.count)))
    }
}
