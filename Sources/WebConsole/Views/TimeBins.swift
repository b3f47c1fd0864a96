/// Counts by time, in a fixed number of bins that grow wider as later or earlier moments come.
///
/// So a picture of a view is drawn without its end being known, and goes on while records come.
struct TimeBins: Sendable {
    /// What one side sent in one bin.
    struct Bin: Sendable, Equatable {
        /// Of the client and of the server.
        var counts: (client: Int64, server: Int64) = (0, 0)
        var bytes: (client: Int64, server: Int64) = (0, 0)

        static func == (one: Bin, other: Bin) -> Bool { one.counts == other.counts && one.bytes == other.bytes }

        mutating func add(_ other: Bin) {
            counts.client += other.counts.client
            counts.server += other.counts.server
            bytes.client &+= other.bytes.client
            bytes.server &+= other.bytes.server
        }
    }

    static let count = 8_192

    /// In nanoseconds: that of a bin, and the moment at which the first of them begins.
    private(set) var width: Int64 = 1_024
    private var base: Int64 = 0
    private(set) var earliest: Int64?
    private(set) var latest: Int64?
    private var bins: [Bin] = []

    /// The moments that are counted: those from 1970 for 146 years.
    private static let possible: Range<Int64> = 0..<1 << 62

    /// Something came, from a side or from neither.
    mutating func add(_ time: Int64, side: Int64?, bytes: Int64) {
        guard Self.possible.contains(time) else { return }
        if bins.isEmpty {
            bins = Array(repeating: Bin(), count: Self.count)
            base = time
        }
        let (first, last) = (min(earliest ?? time, time), max(latest ?? time, time))
        (earliest, latest) = (first, last)
        var place = time < base ? -1 : (time - base) / width
        if !(0..<Int64(Self.count)).contains(place) {
            widen(first, last)
            place = (time - base) / width
        }
        add(side, bytes, at: Int(place))
    }

    private mutating func add(_ side: Int64?, _ bytes: Int64, at place: Int) {
        switch side {
        case 0:
            bins[place].counts.client += 1
            bins[place].bytes.client &+= bytes
        case 1:
            bins[place].counts.server += 1
            bins[place].bytes.server &+= bytes
        case _: break
        }
    }

    /// Makes bins that all moments fit in. Half of the room that is left is before them: moments may also come from before.
    private mutating func widen(_ first: Int64, _ last: Int64) {
        let (oldBase, oldWidth, old) = (base, width, bins)
        while (last - first) / width >= Int64(Self.count) - 1 { width *= 2 }
        let room = Int64(Self.count) - 1 - (last - first) / width
        base = first - (first < oldBase ? room / 2 * width : 0)
        bins = Array(repeating: Bin(), count: Self.count)
        for (place, bin) in old.enumerated() where bin != Bin() {
            // An old bin goes where it begins; what had come in it was not before the first moment.
            let moment = max(first, oldBase + Int64(place) * oldWidth)
            bins[Int((moment - base) / width)].add(bin)
        }
    }

    /// At most so many buckets from the earliest moment to the latest one, each of as many bins.
    func buckets(most: Int) -> (first: Int64, last: Int64, width: Int64, list: [Bin]) {
        guard let earliest, let latest, most > 0 else { return (0, 0, 1, []) }
        let (start, end) = (Int((earliest - base) / width), Int((latest - base) / width))
        let each = (end - start) / most + 1
        var list: [Bin] = []
        for place in start...end {
            if (place - start) % each == 0 { list.append(Bin()) }
            list[list.count - 1].add(bins[place])
        }
        let first = base + Int64(start) * width
        let (whole, isTooLong) = (width * Int64(each)).multipliedReportingOverflow(by: Int64(list.count))
        let (until, isTooLate) = first.addingReportingOverflow(whole - 1)
        return (first, isTooLong || isTooLate ? .max : until, width * Int64(each), list)
    }
}
