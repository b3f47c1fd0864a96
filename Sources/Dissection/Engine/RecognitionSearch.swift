/// How far the bytes that wait for recognition were searched, in each direction.
///
/// A class, because few conversations ever wait. Each byte is looked at once: the searches go on where they stopped.
final class RecognitionSearch {
    /// Bytes that one takes in the heap.
    static var ownBytes: Int { 2 * MemoryLayout<SearchedDirection>.size + 96 }

    /// How far the client's first bytes were searched for the end of a line.
    var lineSearched = 0
    /// How often the speaker changed, the first one counted.
    private var turns = 0
    private var speaker: Direction?
    private var first = SearchedDirection()
    private var second = SearchedDirection()

    /// Steps of all searches, for tests of what they cost.
    var steps: Int { first.steps + second.steps }

    /// Neither direction was found to begin with anything else than a TLS record, and one was found to begin with it.
    var beginsWithOneRecord: Bool { first.records.beginsWithOneRecord || second.records.beginsWithOneRecord }

    /// Bytes before the first gap of a direction, of which `bytes` are those that wait.
    func firstRun(of direction: Direction, in bytes: RawSpan) -> Int {
        min(bytes.byteCount, (direction == .first ? first : second).gapAt ?? bytes.byteCount)
    }

    /// Searches the bytes that wait of one direction on.
    func clue(in bytes: RawSpan, of direction: Direction) -> ProtocolRecognition.Clue? {
        direction == .first ? first.clue(in: bytes, of: direction) : second.clue(in: bytes, of: direction)
    }

    /// Bytes are missing behind the `count` that wait of one direction. Returns what those before may be believed to be.
    func skip(_ length: UInt64, of direction: Direction, behind count: Int) -> ProtocolRecognition.Clue? {
        direction == .first ? first.skip(length, of: direction, behind: count) : second.skip(length, of: direction, behind: count)
    }

    /// Whether so much was said that what is known would have come to light, and nothing that waits may be the beginning of
    /// it. Text gives itself away sooner than binary data, most of whose messages have lengths that nobody knows.
    ///
    /// - Parameters:
    ///   - count: bytes that wait in both directions.
    ///   - direction: who has spoken last.
    func hasSeenEnough(of count: Int, then direction: Direction, _ queue: borrowing PlacedQueue, limits: Limits) -> Bool {
        if speaker != direction {
            speaker = direction
            turns += 1
        }
        let isText = first.isText && second.isText
        guard isText ? turns >= limits.textTurns || count >= limits.textBytes : turns >= limits.binaryTurns else { return false }
        return !first.mayBegin(queue.first.rawBytes) && !second.mayBegin(queue.second.rawBytes)
    }

    /// What the bytes may be believed to be when no more will come.
    func conclude() -> ProtocolRecognition.Clue? { first.conclude(.first) ?? second.conclude(.second) }
}

/// The searches of one direction.
private struct SearchedDirection {
    var records = TLSRecordSearch()
    var gapAt: Int?
    private var lines = StartLineSearch([.request, .status])
    private var frames = FootingEffort()
    /// The direction does not begin with a frame, or with the header of a proxy.
    private var hasNoFrame = false
    private var hasNoProxyHeader = false

    /// Nothing but text came: UTF-8 without control characters other than those of lines.
    private(set) var isText = true
    /// A character that ends a line, or none of text, came.
    private var hasControl = false
    private var validator = UTF8Validator()
    private var characters = 0

    var steps: Int { lines.steps + records.steps + frames.steps + characters }

    /// Whether what waits may be the beginning of something known: a header of a proxy, a frame, a record, a start line.
    func mayBegin(_ bytes: RawSpan) -> Bool {
        let count = bytes.byteCount
        guard count > 0 else { return false }
        if lines.hasStartLine || !hasNoProxyHeader || (!hasNoFrame && frames.wanted > count) || records.isInFirstRecord { return true }
        guard !hasControl, count < HTTP1Lines.longestStartLine else { return false }
        return HTTP1Lines.isUnfinishedRequest(bytes.extracting(0..<min(count, 32)))
    }

    private mutating func readText(_ bytes: RawSpan) {
        guard isText, characters < bytes.byteCount else { return }
        let new = bytes.suffix(from: characters)
        characters = bytes.byteCount
        if validator.check(new) != nil { isText = false }
        for index in 0..<new.byteCount where new[index] < 0x20 || new[index] == 0x7F {
            hasControl = true
            let isOfLines = new[index] == 0x0A || new[index] == 0x0D || new[index] == 0x09
            if !isOfLines { isText = false }
        }
    }

    mutating func skip(_ length: UInt64, of direction: Direction, behind count: Int) -> ProtocolRecognition.Clue? {
        if gapAt == nil { gapAt = count }
        records.skip(length)
        return conclude(direction)
    }

    mutating func conclude(_ direction: Direction) -> ProtocolRecognition.Clue? {
        lines.conclude().map { ProtocolRecognition.Clue(layer: .http1, client: $0.isRequest ? direction : direction.other) }
    }

    mutating func clue(in bytes: RawSpan, of direction: Direction) -> ProtocolRecognition.Clue? {
        readText(bytes)
        let firstRun = bytes.extracting(0..<min(bytes.byteCount, gapAt ?? bytes.byteCount))
        if !hasNoProxyHeader {
            switch ProxyHeader.begins(firstRun) {
            case .yes: return ProtocolRecognition.Clue(layer: .proxyHeader, client: direction)
            case .no: hasNoProxyHeader = true
            case .undecided: break
            }
        }
        if !hasNoFrame, firstRun.byteCount >= max(1, frames.wanted) {
            switch WebSocketFooting.clientBorder(firstRun, effort: &frames) {
            case .yes: return ProtocolRecognition.Clue(layer: .webSocket, client: direction)
            case .no: hasNoFrame = true
            case .undecided: break
            }
        }
        // What ends first counts, however the bytes are cut.
        let line = lines.advance(over: bytes, base: 0)
        let found = records.advance(over: bytes.extracting(0..<lines.taken))
        switch found {
        case .clientHello?: return ProtocolRecognition.Clue(layer: .tls, client: direction)
        case .serverHello?: return ProtocolRecognition.Clue(layer: .tls, client: direction.other)
        case .records?: return ProtocolRecognition.Clue(layer: .tls, client: nil)
        case nil: break
        }
        return line.map { ProtocolRecognition.Clue(layer: .http1, client: $0.isRequest ? direction : direction.other) }
    }
}
