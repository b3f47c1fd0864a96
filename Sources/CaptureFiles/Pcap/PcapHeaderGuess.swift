/// Finds the length of a pcap file's record headers where the magic number leaves it open.
///
/// Red Hat's and SuSE's patched libpcap of 1999 (24 and 28 bytes) and Nokia IPSO (20 bytes) wrote longer record headers
/// under magic numbers that others use. The length that the magic number stands for is kept unless the file's first
/// records make no sense by it and do by another.
struct PcapHeaderGuess {
    /// Records that are looked at, and bytes that are read ahead for them at most.
    private static let records = 4
    private static let readAhead = 64 << 10

    let order: ByteOrder
    /// Fractions of a second that make a whole one.
    let fractionsPerSecond: UInt32
    let maximumLength: Int

    /// The length of the record headers that `source` stands before.
    func recordHeaderLength(usual: Int, _ source: inout ByteSource) -> Int {
        let others = usual == 24 ? [28] : [24, 20]
        // A pipe is not waited for: what lies ready has to do.
        if source.inputSize != nil { _ = source.ensure(Self.readAhead) }
        if soundRecords(usual, source) != nil { return usual }
        var best = (length: usual, records: 1)
        for length in others {
            let records = soundRecords(length, source) ?? 0
            if records > best.records { best = (length, records) }
        }
        return best.length
    }

    /// How many of the first records make sense with headers of `length` bytes; nil when one of them does not.
    private func soundRecords(_ length: Int, _ source: borrowing ByteSource) -> Int? {
        var at = source.start
        let end = source.start + source.available
        var count = 0
        var firstSeconds: UInt32 = 0
        while count < Self.records, end - at >= length {
            let seconds = source.integer(order, at: at, as: UInt32.self)
            let fraction = source.integer(order, at: at + 4, as: UInt32.self)
            let captured = source.integer(order, at: at + 8, as: UInt32.self)
            let original = source.integer(order, at: at + 12, as: UInt32.self)
            if count == 0 { firstSeconds = seconds }
            let distance = max(seconds, firstSeconds) - min(seconds, firstSeconds)
            // Within a year of the first packet.
            guard fraction < fractionsPerSecond, captured <= original, captured <= maximumLength, distance < 31_536_000
            else { return nil }
            count += 1
            at += length + Int(captured)
        }
        return count
    }
}
