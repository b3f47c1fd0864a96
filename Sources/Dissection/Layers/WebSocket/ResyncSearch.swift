/// Bytes of one direction in which the next frame boundary is looked for, each with where it came from.
///
/// A class, because almost every direction never has one.
package final class ResyncSearch {
    /// The first byte of the search in its direction.
    let offset: UInt64
    /// Nothing of the direction was read before.
    let isStart: Bool
    private var bytes: [UInt8] = []
    private var runs: [(count: Int, place: Place)] = []
    /// Bytes that were dropped from the front of `bytes`.
    private var dropped: UInt64 = 0
    private var droppedPlace: Place?
    /// How many of `bytes` are known to be no boundary.
    private var examined = 0
    /// The bytes that are skipped are kept until they are taken (`takeSkipped`).
    private var keepsSkipped: Bool
    /// So many of the skipped bytes were taken, the first ones.
    private(set) var shown: UInt64 = 0
    /// More skipped bytes than these are not kept.
    private static let mostSkipped = 65_536
    private var effort = ResyncEffort()
    /// Bytes and runs that were moved, and steps of looking; for tests of what the search costs.
    private var moves = 0
    package var steps: Int { effort.steps + moves }

    package init(offset: UInt64, isStart: Bool, keepsSkipped: Bool = false) {
        self.offset = offset
        self.isStart = isStart
        self.keepsSkipped = keepsSkipped
    }

    var heldBytes: Int { bytes.capacity + runs.capacity * MemoryLayout<(Int, Place)>.stride }

    /// Bytes before the boundary, or all where there is none.
    var skipped: UInt64 { dropped &+ UInt64(examined) }

    package func append(_ run: RawSpan, place: Place) {
        bytes.append(copying: run)
        if let last = runs.last, last.place == place {
            runs[runs.count - 1].count += run.byteCount
        } else {
            runs.append((run.byteCount, place))
        }
    }

    /// Looks on. True where a boundary is found: it lies behind the skipped bytes.
    package func advance(masked: Bool, mayCompress: Bool, isEnd: Bool) -> Bool {
        if !isEnd, bytes.count < effort.wanted { return false }
        effort.wanted = 0
        while examined < bytes.count {
            effort.steps += 1
            // The first byte behind a loss is mostly the first of a segment, and so often the first of a frame.
            let isLikely = skipped == 0
            switch WebSocketResync.support(
                bytes.rawBytes, at: examined, masked: masked, mayCompress: mayCompress, isWebSocket: true, isLikely: isLikely, isEnd: isEnd,
                effort: &effort)
            {
            case .yes: return true
            case .undecided: return false
            case .no: examined += 1
            }
            if examined >= Self.mostSkipped, !keepsSkipped { drop(examined) }
        }
        return false
    }

    /// The place of the skipped bytes.
    var skippedPlace: Place? {
        var place = droppedPlace
        var left = examined
        for run in runs where left > 0 {
            if place == nil { place = run.place } else { place?.extend(by: run.place) }
            left -= run.count
        }
        return place
    }

    /// The place of the boundary.
    var boundaryPlace: Place {
        var left = examined
        for run in runs {
            if left < run.count { return run.place }
            left -= run.count
        }
        return runs.last?.place ?? Place()
    }

    /// Lends what lies behind the skipped bytes, run by run.
    func forEachRun(_ body: (RawSpan, Place) -> Void) {
        let bytes = bytes
        var position = 0
        for run in runs {
            let end = min(position + run.count, bytes.count)
            let start = max(position, examined)
            if start < end { body(bytes.rawBytes.extracting(start..<end), run.place) }
            position = end
        }
    }

    /// Lends the skipped bytes, run by run, each with where it begins and where it came from, and keeps them no longer: `all` of them, or as
    /// many as are too many to keep.
    func takeSkipped(all: Bool, _ body: (RawSpan, UInt64, Place) -> Void) {
        let count = all ? examined : examined - examined % Self.mostSkipped
        guard keepsSkipped, count > 0 else { return }
        let bytes = bytes
        var position = 0
        for run in runs where position < count {
            let end = min(position + run.count, count)
            body(bytes.rawBytes.extracting(position..<end), offset &+ dropped &+ UInt64(position), run.place)
            position = end
        }
        drop(count)
        shown = dropped
    }

    /// Frees all that waits; it counts as skipped.
    func dropAll() {
        keepsSkipped = false
        drop(bytes.count)
    }

    private func drop(_ count: Int) {
        let before = examined
        examined = count
        droppedPlace = skippedPlace
        examined = max(0, before - count)
        dropped &+= UInt64(count)
        bytes.removeFirst(count)
        effort.drop(count)
        moves += bytes.count + runs.count
        var left = count
        var whole = 0
        while whole < runs.count, left >= runs[whole].count {
            left -= runs[whole].count
            whole += 1
        }
        runs.removeFirst(whole)
        if left > 0, !runs.isEmpty { runs[0].count -= left }
    }
}
