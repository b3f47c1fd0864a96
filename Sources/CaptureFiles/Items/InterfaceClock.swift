import Dissection

/// What a packet needs to know of its interface: the link type and how to turn ticks into nanoseconds.
struct InterfaceClock: Sendable {
    let linkType: LinkType
    let snapshotLength: UInt32
    private let offsetSeconds: Int64
    private let scale: Scale

    private enum Scale {
        /// Ticks of at least a nanosecond: so many nanoseconds each.
        case multiply(UInt64)
        /// Ticks shorter than a nanosecond: so many to one.
        case divide(UInt64)
        /// Ticks of 1/2^n of a second.
        case shift(UInt8)
        /// Ticks so short that 2^64 of them are less than a nanosecond.
        case vanish
    }

    init(_ interface: CaptureInterface) {
        linkType = interface.linkType
        snapshotLength = interface.snapshotLength
        offsetSeconds = interface.timestampOffset
        let exponent = interface.resolution.rawValue & 0x7F
        if interface.resolution.rawValue & 0x80 != 0 {
            // 2^64 ticks are 2^(64+30) / 2^exponent nanoseconds at most.
            scale = exponent < 94 ? .shift(exponent) : .vanish
        } else if exponent <= 9 {
            scale = .multiply(Self.powersOfTen[Int(9 - exponent)])
        } else if exponent <= 28 {
            scale = .divide(Self.powersOfTen[Int(exponent - 9)])
        } else {
            scale = .vanish
        }
    }

    /// The moment of `ticks`, rounded down to a nanosecond; nil outside the years 1677 to 2262.
    @inline(__always)
    func time(ofTicks ticks: UInt64) -> Timestamp? {
        if offsetSeconds == 0, case .multiply(let factor) = scale {
            let (nanoseconds, overflow) = ticks.multipliedReportingOverflow(by: factor)
            guard !overflow, let fitting = Int64(exactly: nanoseconds) else { return nil }
            return Timestamp(nanoseconds: fitting)
        }
        return timeWithOffset(ofTicks: ticks)
    }

    /// In 128 bits: ticks times 10^9 take 94 at most, the offset in nanoseconds the same.
    private func timeWithOffset(ofTicks ticks: UInt64) -> Timestamp? {
        let wide: Int128
        switch scale {
        case .multiply(let factor): wide = Int128(ticks) * Int128(factor)
        case .divide(let divisor): wide = Int128(ticks / divisor)
        case .shift(let bits): wide = (Int128(ticks) * 1_000_000_000) >> Int128(bits)
        case .vanish: wide = 0
        }
        guard let nanoseconds = Int64(exactly: wide + Int128(offsetSeconds) * 1_000_000_000) else { return nil }
        return Timestamp(nanoseconds: nanoseconds)
    }

    /// 10^0 to 10^19, all that 64 bits hold.
    private static let powersOfTen: [UInt64] = {
        var powers: [UInt64] = [1]
        for _ in 1...19 { powers.append(powers[powers.count - 1] * 10) }
        return powers
    }()
}
