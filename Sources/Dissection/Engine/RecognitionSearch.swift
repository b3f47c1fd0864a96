/// How far the bytes that wait for recognition were searched, of each side.
///
/// A class, because few conversations ever wait. Each byte is looked at once: the searches go on where they stopped.
final class RecognitionSearch {
    /// Bytes that one takes in the heap.
    static var ownBytes: Int { 2 * MemoryLayout<SearchedSide>.size + 96 }

    /// How far the client's first bytes were searched for the end of a line.
    var lineSearched = 0
    /// How often the speaker changed, the first one counted.
    private var turns = 0
    private var speaker: Side?
    private var client = SearchedSide()
    private var server = SearchedSide()

    /// Steps of all searches, for tests of what they cost.
    var steps: Int { client.steps + server.steps }

    /// Neither direction was found to begin with anything else than a TLS record, and one was found to begin with it.
    var beginsWithOneRecord: Bool { client.records.beginsWithOneRecord || server.records.beginsWithOneRecord }

    /// Bytes before the first gap of a side, of which `bytes` are those that wait.
    func firstRun(of side: Side, in bytes: RawSpan) -> Int {
        min(bytes.byteCount, (side == .client ? client : server).gapAt ?? bytes.byteCount)
    }

    /// Searches the bytes that wait of one side on.
    func clue(in bytes: RawSpan, of side: Side) -> ProtocolRecognition.Clue? {
        side == .client ? client.clue(in: bytes, of: side) : server.clue(in: bytes, of: side)
    }

    /// Bytes are missing behind the `count` that wait of one side. Returns what those before may be believed to be.
    func skip(_ length: UInt64, of side: Side, behind count: Int) -> ProtocolRecognition.Clue? {
        side == .client ? client.skip(length, of: side, behind: count) : server.skip(length, of: side, behind: count)
    }

    /// Whether so much was said that what is known would have come to light, and nothing that waits may be the beginning of
    /// it. Text gives itself away sooner than binary data, most of whose messages have lengths that nobody knows.
    ///
    /// - Parameters:
    ///   - count: bytes that wait of both sides.
    ///   - side: who has spoken last.
    func hasSeenEnough(of count: Int, then side: Side, _ queue: borrowing PlacedQueue, limits: Limits) -> Bool {
        if speaker != side {
            speaker = side
            turns += 1
        }
        let isText = client.isText && server.isText
        guard isText ? turns >= limits.textTurns || count >= limits.textBytes : turns >= limits.binaryTurns else { return false }
        return !client.mayBegin(queue.client.rawBytes) && !server.mayBegin(queue.server.rawBytes)
    }

    /// The side that was taken for the client turned out to be the server.
    func swapSides() {
        swap(&client, &server)
        speaker = speaker?.peer
    }

    /// What the bytes may be believed to be when no more will come.
    func conclude() -> ProtocolRecognition.Clue? { client.conclude(.client) ?? server.conclude(.server) }
}

/// The searches of one side.
private struct SearchedSide {
    var records = TLSRecordSearch()
    var gapAt: Int?
    private var lines = StartLineSearch([.request, .status])
    private var frames = FootingEffort()
    /// The side does not begin with a frame, or with the header of a proxy.
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

    mutating func skip(_ length: UInt64, of side: Side, behind count: Int) -> ProtocolRecognition.Clue? {
        if gapAt == nil { gapAt = count }
        records.skip(length)
        return conclude(side)
    }

    mutating func conclude(_ side: Side) -> ProtocolRecognition.Clue? {
        lines.conclude().map { ProtocolRecognition.Clue(layer: .http, client: $0.isRequest ? side : side.peer) }
    }

    mutating func clue(in bytes: RawSpan, of side: Side) -> ProtocolRecognition.Clue? {
        readText(bytes)
        let firstRun = bytes.extracting(0..<min(bytes.byteCount, gapAt ?? bytes.byteCount))
        if !hasNoProxyHeader {
            switch ProxyHeader.begins(firstRun) {
            case .yes: return ProtocolRecognition.Clue(layer: ProxyHeaderLayer.name, client: side)
            case .no: hasNoProxyHeader = true
            case .undecided: break
            }
        }
        if !hasNoFrame, firstRun.byteCount >= max(1, frames.wanted) {
            switch WebSocketFooting.clientBorder(firstRun, effort: &frames) {
            case .yes: return ProtocolRecognition.Clue(layer: .webSocket, client: side)
            case .no: hasNoFrame = true
            case .undecided: break
            }
        }
        // What ends first counts, however the bytes are cut.
        let line = lines.advance(over: bytes, base: 0)
        let found = records.advance(over: bytes.extracting(0..<lines.taken))
        switch found {
        case .clientHello?: return ProtocolRecognition.Clue(layer: .tls, client: side)
        case .serverHello?: return ProtocolRecognition.Clue(layer: .tls, client: side.peer)
        case .records?: return ProtocolRecognition.Clue(layer: .tls, client: nil)
        case nil: break
        }
        return line.map { ProtocolRecognition.Clue(layer: .http, client: $0.isRequest ? side : side.peer) }
    }
}
