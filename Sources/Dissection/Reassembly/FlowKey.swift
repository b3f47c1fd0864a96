/// Identifies a TCP connection whichever side sends: the lower endpoint first.
struct FlowKey: Hashable, Sendable {
    let lowHigh: UInt64
    let lowLow: UInt64
    let highHigh: UInt64
    let highLow: UInt64
    /// Both ports, and which of the addresses are IPv6.
    let ports: UInt64
    let scope: UInt32

    /// - Returns: the key, and whether the source is the lower endpoint.
    @inline(__always)
    static func make(_ header: borrowing SegmentHeader) -> (key: FlowKey, sourceIsLower: Bool) {
        let source = header.source
        let destination = header.destination
        let isLower: Bool
        if source.address.low != destination.address.low {
            isLower = source.address.low < destination.address.low
        } else if source.address.high != destination.address.high {
            isLower = source.address.high < destination.address.high
        } else {
            isLower = source.port <= destination.port
        }
        let low = isLower ? source : destination
        let high = isLower ? destination : source
        let families = UInt64(low.address.family.rawValue) << 2 | UInt64(high.address.family.rawValue)
        let ports = UInt64(low.port) << 32 | UInt64(high.port) << 16 | families
        return (
            FlowKey(
                lowHigh: low.address.high, lowLow: low.address.low, highHigh: high.address.high, highLow: high.address.low,
                ports: ports, scope: header.scope), isLower
        )
    }

    /// A hash that an outsider who does not know `seed` cannot steer.
    @inline(__always)
    func hash(seed: UInt64) -> UInt64 {
        var state = seed ^ 0x9E37_79B9_7F4A_7C15
        state = FlowKey.mix(state ^ lowLow, lowHigh ^ 0xA076_1D64_78BD_642F)
        state = FlowKey.mix(state ^ highLow, highHigh ^ 0xE703_7ED1_A0B4_28DB)
        return FlowKey.mix(state ^ ports, seed ^ UInt64(scope) ^ 0x8EBC_6AF0_9C88_C6E3)
    }

    /// Multiplies to 128 bits and folds (the mixing step of wyhash).
    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right | 1)
        return product.high ^ product.low
    }
}
