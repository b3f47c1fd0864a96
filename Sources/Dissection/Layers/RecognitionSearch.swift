/// How far the bytes that wait for recognition were searched, in each direction.
///
/// A class, because few conversations ever wait. Each byte is looked at once: the searches go on where they stopped.
final class RecognitionSearch {
    /// How far the client's first bytes were searched for the end of a line.
    var lineSearched = 0
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

    /// Bytes are missing behind the `count` that wait of one direction.
    func skip(_ length: UInt64, of direction: Direction, behind count: Int) {
        switch direction {
        case .first: first.skip(length, behind: count)
        case .second: second.skip(length, behind: count)
        }
    }
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

    var steps: Int { lines.steps + records.steps + frames.steps }

    mutating func skip(_ length: UInt64, behind count: Int) {
        if gapAt == nil { gapAt = count }
        lines.restart()
        records.skip(length)
    }

    mutating func clue(in bytes: RawSpan, of direction: Direction) -> ProtocolRecognition.Clue? {
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
