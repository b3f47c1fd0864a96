/// Undoes the codings of one body, the last applied first (RFC 9110, section 8.4).
///
/// Between two codings lies a granule: it is filled until its coding has more to give, and only then handed on. So the
/// second coding sees the same cuts however the first one's input came.
///
/// ```
/// wire bytes ─ stage 0 ─ granule ─ stage 1 ─ granule ─ … ─ last stage ─ part of the body
/// ```
final class ContentDecoder {
    private struct Granule {
        var bytes: [UInt8] = []
        var taken = 0
        /// It is handed on: full, or the last one.
        var isReady = false
        var isLast = false
    }

    private static let granuleSize = 8_192

    /// As applied.
    let codings: ContentCodings
    private var stages: [ContentStage] = []
    private var granules: [Granule] = []
    /// What came out between two codings.
    private var between: UInt64 = 0
    /// Wire bytes that were taken.
    private(set) var wire: UInt64 = 0

    private let limit: UInt64

    /// A body may become so many times as long once it is longer than `freeBytes`: as much as one coding can do at most,
    /// so that several cannot do more.
    static let mostExpansion: UInt64 = 1_000
    static let freeBytes: UInt64 = 1 << 20

    /// Whether so many wire bytes became too many.
    static func isExcessive(_ decoded: UInt64, from wire: UInt64) -> Bool {
        decoded > freeBytes && decoded / mostExpansion >= max(1, wire)
    }

    /// - Parameter limit: how many bytes may come out between two codings.
    init(_ codings: ContentCodings, limit: UInt64) {
        self.codings = codings
        self.limit = limit
        for index in 0..<codings.count {
            stages.append(codings[codings.count - 1 - index].stage)
            if index > 0 { granules.append(Granule()) }
        }
    }

    var heldBytes: Int { stages.reduce(0) { $0 + $1.heldBytes } + granules.count * ContentDecoder.granuleSize }

    /// Whether every coding has come to its end.
    var isComplete: Bool { stages.allSatisfy(\.isComplete) && granules.allSatisfy { $0.taken == $0.bytes.count } }

    /// What was taken for the wrapper of a body that is not coded at all; nothing where there are several codings.
    var lead: [UInt8] {
        guard stages.count == 1, let stage = stages.first else { return [] }
        return stage.lead
    }

    /// Takes wire bytes and gives at most `room` bytes; see `ContentInflater.inflate`. `isEnd`: no more will come.
    func decode(_ wire: RawSpan, isEnd: Bool, room: Int, into output: inout [UInt8], capacity: Int) -> ContentInflater.Step {
        var step = ContentInflater.Step()
        step.status = run(
            stages.count - 1, wire, &step.consumed, isEnd: isEnd, room: room, into: &output, capacity: capacity, produced: &step.produced)
        self.wire &+= UInt64(step.consumed)
        return step
    }

    private func run(
        _ index: Int, _ wire: RawSpan, _ consumed: inout Int, isEnd: Bool, room: Int, into output: inout [UInt8], capacity: Int,
        produced: inout Int
    ) -> ContentInflater.Status {
        let stage = stages[index]
        guard index > 0 else {
            let step = stage.inflate(wire.suffix(from: consumed), room: room - produced, into: &output, capacity: capacity)
            consumed += step.consumed
            produced += step.produced
            return step.status
        }
        while true {
            if !granules[index - 1].isReady {
                if let status = fill(index - 1, wire, &consumed, isEnd: isEnd) { return status }
            }
            let granule = granules[index - 1]
            let step = stage.inflate(
                granule.bytes.rawBytes.suffix(from: granule.taken), room: room - produced, into: &output, capacity: capacity)
            granules[index - 1].taken += step.consumed
            produced += step.produced
            guard case .needsInput = step.status else { return step.status }
            // Room that is just used up, with output inside: the caller takes what there is first.
            if granule.isLast { return .needsInput }
            granules[index - 1] = Granule()
        }
    }

    /// Fills the granule behind a stage. Nil when it is ready; otherwise why not.
    private func fill(_ index: Int, _ wire: RawSpan, _ consumed: inout Int, isEnd: Bool) -> ContentInflater.Status? {
        var bytes = granules[index].bytes
        granules[index].bytes = []
        var produced = bytes.count
        let before = produced
        let status = run(
            index, wire, &consumed, isEnd: isEnd, room: ContentDecoder.granuleSize, into: &bytes, capacity: ContentDecoder.granuleSize,
            produced: &produced)
        granules[index].bytes = bytes
        between &+= UInt64(produced - before)
        switch status {
        case .full:
            // Looked at here alone, where it does not depend on how the input was cut.
            if between > limit || ContentDecoder.isExcessive(between, from: self.wire &+ UInt64(consumed)) { return .exceeded }
            granules[index].isReady = true
            return nil
        case .ended:
            granules[index].isReady = true
            return nil
        case .needsInput:
            guard isEnd else { return .needsInput }
            granules[index].isReady = true
            // Less than a whole granule: the stage has nothing more inside.
            granules[index].isLast = produced < ContentDecoder.granuleSize
            return nil
        case .notCoded, .corrupt: return .corrupt
        case .exceeded: return .exceeded
        }
    }
}
