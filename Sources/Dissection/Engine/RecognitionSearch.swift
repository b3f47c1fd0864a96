/// How far the bytes that wait for recognition were searched, of each side.
///
/// A class, because few conversations ever wait. Each byte is looked at once: the searches go on where they stopped.
final class RecognitionSearch {
    /// What a stream was recognised as without the first bytes deciding. `client` is the side that shows itself as the
    /// client, where the bytes say so.
    struct Clue: Equatable {
        var layer: LayerName
        var client: Side?
    }

    /// How far the client's first bytes were searched for the end of a line.
    var lineSearched = 0
    /// How often the speaker changed, the first one counted.
    private var turns = 0
    private var speaker: Side?
    private var client = SearchedSide()
    private var server = SearchedSide()
    private let layers: LayerTable

    init(_ layers: LayerTable) { self.layers = layers }

    /// Steps of all searches, for tests of what they cost.
    var steps: Int { client.steps + server.steps }

    /// Bytes that it takes in the heap.
    var ownBytes: Int { 2 * MemoryLayout<SearchedSide>.size + 96 + client.searchBytes + server.searchBytes }

    /// Searches the bytes that wait of one side on.
    func clue(in queue: borrowing PlacedQueue, of side: Side) -> Clue? {
        side == .client ? client.clue(in: queue, of: side, layers) : server.clue(in: queue, of: side, layers)
    }

    /// Bytes are missing behind the `count` that wait of one side. Returns what those before may be believed to be.
    func skip(_ length: UInt64, of side: Side, behind count: Int) -> Clue? {
        side == .client ? client.skip(length, of: side, behind: count, layers) : server.skip(length, of: side, behind: count, layers)
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
        client.swapSides()
        server.swapSides()
        speaker = speaker?.peer
    }

    /// The last word on a stream in which no side gave itself away: what a search believes when no more will come, else what it may be at
    /// best, else nothing known.
    ///
    /// - Parameter knowsRoles: it is known who is the client.
    func lastWord(_ queue: borrowing PlacedQueue, knowsRoles: Bool) -> Clue {
        for isLastResort in [false, true] {
            for row in layers.rows.indices {
                let clue =
                    client.conclude(row, in: queue, of: .client, knowsRoles: knowsRoles, isLastResort: isLastResort, layers)
                    ?? server.conclude(row, in: queue, of: .server, knowsRoles: knowsRoles, isLastResort: isLastResort, layers)
                if let clue { return clue }
            }
        }
        // What stands among other bytes of its side is believed only where the other side has nothing to say to it.
        if queue.server.isEmpty, let quoted = client.quoted { return quoted }
        if queue.client.isEmpty, let quoted = server.quoted { return quoted }
        return Clue(layer: .data, client: knowsRoles ? .client : nil)
    }
}

/// The searches of one side.
private struct SearchedSide {
    private var gapAt: Int?
    /// By the rows of the table; none before the first bytes came.
    private var searches: [(any MidstreamSearch)?] = []

    /// Nothing but text came: UTF-8 without control characters other than those of lines.
    private(set) var isText = true
    private var validator = UTF8Validator()
    private var characters = 0

    var steps: Int { searches.reduce(characters) { $0 + ($1?.steps ?? 0) } }

    /// Bytes of the searches in the heap.
    private(set) var searchBytes = 0

    /// The first that showed itself among other bytes of the side, where it may be quoted.
    private(set) var quoted: RecognitionSearch.Clue?

    mutating func swapSides() {
        guard let client = quoted?.client else { return }
        quoted?.client = client.peer
    }

    /// Whether what waits may be the beginning of something known.
    func mayBegin(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 0 else { return false }
        for search in searches where search?.mayBegin(bytes) == true { return true }
        return false
    }

    private mutating func readText(_ bytes: RawSpan) {
        guard isText, characters < bytes.byteCount else { return }
        let new = bytes.suffix(from: characters)
        characters = bytes.byteCount
        if validator.check(new) != nil { isText = false }
        for index in 0..<new.byteCount where new[index] < 0x20 || new[index] == 0x7F {
            let isOfLines = new[index] == 0x0A || new[index] == 0x0D || new[index] == 0x09
            if !isOfLines { isText = false }
        }
    }

    private func firstRun(in bytes: RawSpan) -> Int { min(bytes.byteCount, gapAt ?? bytes.byteCount) }

    private mutating func begin(_ layers: LayerTable) {
        guard searches.isEmpty else { return }
        searches = layers.rows.map { $0.search() }
        searchBytes = searches.reduce(32 + 16 * searches.count) { $0 + ($1?.ownBytes ?? 0) }
    }

    mutating func clue(in queue: borrowing PlacedQueue, of side: Side, _ layers: LayerTable) -> RecognitionSearch.Clue? {
        let bytes = queue.bytes(of: side)
        guard bytes.byteCount > 0 else { return nil }
        begin(layers)
        readText(bytes)
        let firstRun = firstRun(in: bytes)
        var best: (sighting: Sighting, row: Int)?
        for row in searches.indices {
            guard let search = searches[row] else { continue }
            while let sighting = search.advance(over: bytes, firstRun: firstRun, from: side) {
                if let start = sighting.turnStart, !queue.takesTurn(at: start, of: side) {
                    if quoted == nil { quoted = RecognitionSearch.Clue(layer: layers.rows[row].name, client: sighting.client) }
                    continue
                }
                if best.map({ $0.sighting.end > sighting.end }) ?? true { best = (sighting, row) }
                break
            }
        }
        return best.map { RecognitionSearch.Clue(layer: layers.rows[$0.row].name, client: $0.sighting.client) }
    }

    mutating func skip(_ length: UInt64, of side: Side, behind count: Int, _ layers: LayerTable) -> RecognitionSearch.Clue? {
        begin(layers)
        if gapAt == nil { gapAt = count }
        return first(layers) { $0.skip(length, from: side) }
    }

    /// What shows itself first counts, however the bytes are cut.
    private func first(_ layers: LayerTable, _ look: (any MidstreamSearch) -> Sighting?) -> RecognitionSearch.Clue? {
        var best: (sighting: Sighting, row: Int)?
        for row in searches.indices {
            guard let search = searches[row], let sighting = look(search) else { continue }
            if let best, best.sighting.end <= sighting.end { continue }
            best = (sighting, row)
        }
        return best.map { RecognitionSearch.Clue(layer: layers.rows[$0.row].name, client: $0.sighting.client) }
    }

    func conclude(
        _ row: Int, in queue: borrowing PlacedQueue, of side: Side, knowsRoles: Bool, isLastResort: Bool, _ layers: LayerTable
    ) -> RecognitionSearch.Clue? {
        guard row < searches.count, let search = searches[row] else { return nil }
        let bytes = queue.bytes(of: side)
        let sighting = search.conclude(
            bytes, firstRun: firstRun(in: bytes), from: side, knowsRoles: knowsRoles, isLastResort: isLastResort)
        guard let sighting, !search.isRefuted(sighting, of: side, by: queue.bytes(of: side.peer)) else { return nil }
        return RecognitionSearch.Clue(layer: layers.rows[row].name, client: sighting.client)
    }
}
