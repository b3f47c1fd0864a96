import Dissection

/// How many things happened when, in at most 64 steps of equal length, which double when there would be more.
package struct RateSeries: Sendable {
    private static let most = 64
    /// A millisecond.
    private static let shortest: Int64 = 1_000_000

    private var counts: [UInt64] = []
    /// Nanoseconds of a step.
    package private(set) var step = RateSeries.shortest
    /// The beginning of the first step, a multiple of `step`.
    package private(set) var start: Int64 = 0

    package init() {}

    package var heldBytes: Int { counts.capacity * MemoryLayout<UInt64>.size }

    package mutating func add(_ times: UInt64 = 1, at time: Timestamp) { add(times, at: time.nanoseconds) }

    /// Takes in what another one has, each step at its beginning.
    package mutating func add(_ other: RateSeries) {
        for (index, count) in other.counts.enumerated() where count > 0 { add(count, at: other.start &+ Int64(index) &* other.step) }
    }

    private mutating func add(_ times: UInt64, at moment: Int64) {
        if counts.isEmpty {
            start = Self.floor(moment, step)
            counts = [times]
            return
        }
        while true {
            let place = Self.floor(moment, step).subtractingReportingOverflow(start)
            let index = place.partialValue / step
            if !place.overflow, index >= 0, index < Int64(Self.most) {
                while counts.count <= Int(index) { counts.append(0) }
                counts[Int(index)] = counts[Int(index)].clampedSum(times)
                return
            }
            // A time before the first one: room is made, as far as there is any.
            if !place.overflow, index < 0, counts.count - Int(max(index, -Int64(Self.most))) <= Self.most {
                counts.insert(contentsOf: [UInt64](repeating: 0, count: Int(-index)), at: 0)
                start += index * step
                continue
            }
            guard double() else { return }
        }
    }

    /// Makes the steps twice as long.
    private mutating func double() -> Bool {
        let (next, overflow) = step.multipliedReportingOverflow(by: 2)
        guard !overflow else { return false }
        let first = Self.floor(start, next)
        // At the beginning of all times there is no such multiple.
        guard first <= start else { return false }
        var (halves, position) = ([UInt64](), (start - first) / step)
        for count in counts {
            if halves.count <= Int(position / 2) { halves.append(0) }
            halves[Int(position / 2)] = halves[Int(position / 2)].clampedSum(count)
            position += 1
        }
        (counts, step, start) = (halves, next, first)
        return true
    }

    private static func floor(_ value: Int64, _ step: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: step)
        return (remainder < 0 ? quotient - 1 : quotient).multipliedReportingOverflow(by: step).partialValue
    }

    /// The number of each step.
    package var values: [UInt64] { counts }

    /// The most in a second, on average over a step.
    package var mostPerSecond: Double { Double(counts.max() ?? 0) * 1e9 / Double(step) }

    /// The steps as bars of eight heights; a step without anything is a space.
    ///
    /// - Parameter width: the most columns.
    package func sparkline(width: Int = 24) -> String {
        guard width > 0, !counts.isEmpty else { return "" }
        let share = (counts.count + width - 1) / width
        let bars = stride(from: 0, to: counts.count, by: share).map { first in
            counts[first..<min(counts.count, first + share)].reduce(UInt64(0)) { $0.clampedSum($1) }
        }
        let highest = bars.max() ?? 0
        let heights = Array("▁▂▃▄▅▆▇█")
        var line = ""
        for bar in bars {
            let height = Int(Double(bar == 0 ? 0 : bar - 1) / Double(max(1, highest)) * 8)
            line.append(bar == 0 ? " " : heights[min(7, height)])
        }
        return line
    }
}
