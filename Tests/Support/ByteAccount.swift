package import Dissection

/// Where every byte of one direction went: each has to lie in a record or in a gap, and in no two of them.
///
/// WebSocket frames are a plane of their own, because a message may have other frames between its own: the frames have to
/// lie side by side, and beside them only gaps may be told, of what was lost or could not be decoded inside them.
package struct ByteAccount {
    package init() {}

    private var told = RangeList()
    private var dataFrames = RangeList()
    private var controlFrames = RangeList()

    /// Takes an event of this direction; what is wrong with where it lies.
    package mutating func take(_ fact: Fact, at offset: UInt64, contentBytes: Int) -> String? {
        switch fact {
        case .request, .response: return claim(offset, UInt64(contentBytes))
        case .body(let part): return claim(offset, part.wireLength &+ part.framing)
        case .data(let run): return claim(offset, run.length)
        case .frame(let frame):
            let range = offset..<offset &+ UInt64(frame.headerLength) &+ frame.length
            if dataFrames.overlaps(range) || controlFrames.overlaps(range) { return "lies in another frame" }
            if frame.opcode >= 8 { controlFrames.insert(range) } else { dataFrames.insert(range) }
            return nil
        case .message(let message) where message.frame != nil: return claim(offset, message.wireLength)
        case .message(let message):
            if message.unfinished > 0 { fill(from: offset, message.unfinished, passes: dataFrames) }
            return nil
        case .gap(let gap):
            switch gap.cause {
            // Told of a whole message, whose frames may lie apart.
            case .undecodable, .limit:
                let range = offset..<offset &+ gap.length
                guard [told, dataFrames, controlFrames].contains(where: { $0.overlaps(range) }) else {
                    return claim(offset, gap.length)
                }
                fill(from: offset, gap.length, passes: nil)
                return nil
            case .missing, .truncated, .resync:
                let range = offset..<offset &+ gap.length
                if told.overlaps(range) { return "was told before" }
                told.insert(range)
                return nil
            }
        case .opened, .tls, .upgrade, .ping, .pong, .close, .control, .finding, .closed: return nil
        }
    }

    /// The end of what was told so far.
    package var end: UInt64 { [told, dataFrames, controlFrames].compactMap { $0.ranges.last?.upperBound }.max() ?? 0 }

    /// What is wrong when a direction of `length` bytes is over.
    package func fault(length: UInt64) -> String? {
        var all = told
        for range in dataFrames.ranges + controlFrames.ranges { all.insert(range) }
        if let last = all.ranges.last, last.upperBound > length { return "bytes \(last) are told of \(length)" }
        var end: UInt64 = 0
        for range in all.ranges {
            if range.lowerBound > end { return "bytes \(end)..<\(range.lowerBound) of \(length) stand in no record and no gap" }
            end = range.upperBound
        }
        return end < length ? "bytes \(end)..<\(length) stand in no record and no gap" : nil
    }

    private mutating func claim(_ offset: UInt64, _ count: UInt64) -> String? {
        guard count > 0 else { return nil }
        let range = offset..<offset &+ count
        if told.overlaps(range) || dataFrames.overlaps(range) || controlFrames.overlaps(range) { return "\(range) was told before" }
        told.insert(range)
        return nil
    }

    /// Claims `count` bytes from `offset` on that nothing else has; those of data frames are counted unless they are passed
    /// over, and not claimed once more.
    private mutating func fill(from offset: UInt64, _ count: UInt64, passes: RangeList?) {
        var position = offset
        var left = count
        while left > 0 {
            if let end = told.end(around: position) ?? controlFrames.end(around: position) ?? passes?.end(around: position) {
                position = end
                continue
            }
            var stop = position &+ left
            for list in [told, controlFrames, dataFrames] { stop = min(stop, list.start(after: position) ?? stop) }
            if let end = dataFrames.end(around: position) {
                stop = min(max(stop, position + 1), end, position &+ left)
            } else {
                told.insert(position..<stop)
            }
            left -= stop - position
            position = stop
        }
    }
}

/// Ranges in order, none of which touches another.
struct RangeList {
    private(set) var ranges: [Range<UInt64>] = []

    func overlaps(_ range: Range<UInt64>) -> Bool {
        let index = first(endingAfter: range.lowerBound)
        return index < ranges.count && ranges[index].lowerBound < range.upperBound
    }

    /// The end of the range that `position` lies in.
    func end(around position: UInt64) -> UInt64? {
        let index = first(endingAfter: position)
        return index < ranges.count && ranges[index].lowerBound <= position ? ranges[index].upperBound : nil
    }

    /// The start of the first range after `position`.
    func start(after position: UInt64) -> UInt64? {
        var index = first(endingAfter: position)
        while index < ranges.count, ranges[index].lowerBound <= position { index += 1 }
        return index < ranges.count ? ranges[index].lowerBound : nil
    }

    mutating func insert(_ range: Range<UInt64>) {
        guard !range.isEmpty else { return }
        if let last = ranges.last, range.lowerBound >= last.upperBound {
            if range.lowerBound == last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
            } else {
                ranges.append(range)
            }
            return
        }
        var index = first(endingAfter: range.lowerBound)
        if index > 0, ranges[index - 1].upperBound == range.lowerBound { index -= 1 }
        var joined = range
        var end = index
        while end < ranges.count, ranges[end].lowerBound <= joined.upperBound {
            joined = min(joined.lowerBound, ranges[end].lowerBound)..<max(joined.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(index..<end, with: [joined])
    }

    /// The index of the first range that ends after `position`.
    private func first(endingAfter position: UInt64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound > position { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
