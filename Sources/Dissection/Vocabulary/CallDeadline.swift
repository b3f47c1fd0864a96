/// How long the client of a gRPC call waits for it: the header field `grpc-timeout` (grpc/grpc, PROTOCOL-HTTP2.md, "Timeout").
public enum CallDeadline {
    /// The nanoseconds that a value says: at most eight digits and a unit. Nil for what is not one; what 64 bits cannot hold is the most that they can.
    public static func nanoseconds(_ value: RawSpan) -> Int64? {
        guard (2...9).contains(value.byteCount), let unit = unit(value[value.byteCount - 1]) else { return nil }
        var count: Int64 = 0
        for index in 0..<value.byteCount - 1 {
            guard (0x30...0x39).contains(value[index]) else { return nil }
            count = count * 10 + Int64(value[index] - 0x30)
        }
        let (nanoseconds, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? .max : nanoseconds
    }

    private static func unit(_ letter: UInt8) -> Int64? {
        switch letter {
        case UInt8(ascii: "H"): 3_600_000_000_000
        case UInt8(ascii: "M"): 60_000_000_000
        case UInt8(ascii: "S"): 1_000_000_000
        case UInt8(ascii: "m"): 1_000_000
        case UInt8(ascii: "u"): 1_000
        case UInt8(ascii: "n"): 1
        default: nil
        }
    }
}
