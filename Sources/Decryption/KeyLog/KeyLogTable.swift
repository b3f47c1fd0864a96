import Dissection

/// The secrets of the lines of a key log, and the line that is not at its end.
struct KeyLogTable {
    private(set) var counts = KeyLogSecrets.Counts()
    /// Bytes that secrets and what they are found by take, about.
    private(set) var heldBytes = 0

    private struct Entry {
        var secrets: [(label: TLSSecretLabel, bytes: [UInt8])] = []
        /// Some label has more than one.
        var hasOthers = false
    }

    private let limit: Int
    private var sessions: [TLSRandom: Entry] = [:]
    /// In the order in which their first lines came; those before `firstLogged` were given up.
    private var order: [TLSRandom] = []
    private var firstLogged = 0
    /// The line that is not at its end.
    private var line: [UInt8] = []
    private var isTooLong = false

    /// The longest line that has a secret is 228 bytes.
    private static let longestLine = 1_024
    /// Of one session; more come only with thousands of key updates.
    private static let mostSecrets = 64
    /// Of one label of a session: each of them is tried on records.
    private static let mostOfLabel = 4
    /// What a session costs without its secrets, and what each of them costs beside its bytes.
    private static let sessionBytes = 160
    private static let secretBytes = 64

    /// - Parameter limit: bytes that are held at most, about; a session of TLS 1.3 takes some 700.
    init(limit: Int) { self.limit = limit }

    /// Sessions of which a secret is known.
    var sessionCount: Int { sessions.count }

    /// The one that was logged first.
    func secret(_ label: TLSSecretLabel, of random: TLSRandom) -> [UInt8]? {
        sessions[random]?.secrets.first { $0.label == label }?.bytes
    }

    /// Those that were logged later under the same label, and are not the same.
    func otherSecrets(_ label: TLSSecretLabel, of random: TLSRandom) -> [[UInt8]] {
        guard let entry = sessions[random], entry.hasOthers else { return [] }
        return entry.secrets.filter { $0.label == label }.dropFirst().map(\.bytes)
    }

    // MARK: - Lines

    /// Takes the next bytes of a log. A line counts once its end has come.
    mutating func receive(_ bytes: RawSpan) {
        var start = 0
        for index in 0..<bytes.byteCount where bytes[index] == 0x0A {
            if line.isEmpty, !isTooLong {
                take(bytes.extracting(start..<index))
            } else {
                keep(bytes.extracting(start..<index))
                endLine()
            }
            start = index + 1
        }
        keep(bytes.suffix(from: start))
    }

    /// Learns that the log is at its end, or another one begins: a last line without an end counts.
    mutating func finish() { endLine() }

    private mutating func keep(_ bytes: RawSpan) {
        if isTooLong || bytes.byteCount > Self.longestLine - line.count {
            isTooLong = true
            // The label stays, by which the line is counted.
            if line.isEmpty { line.append(copying: bytes.extracting(0..<min(bytes.byteCount, Self.longestLine))) }
        } else {
            line.append(copying: bytes)
        }
    }

    private mutating func endLine() {
        var ended: [UInt8] = []
        swap(&ended, &line)
        isTooLong = false
        if !ended.isEmpty { take(ended.rawBytes) }
        ended.removeAll(keepingCapacity: true)
        swap(&ended, &line)
    }

    private mutating func take(_ line: RawSpan) {
        switch KeyLogLine(line) {
        case .empty: return
        case .unused: counts.unused += 1
        case .damaged: counts.damaged += 1
        case .secret(let label, let random, let bytes): add(bytes, label, of: random)
        }
    }

    // MARK: - Secrets

    private mutating func add(_ bytes: [UInt8], _ label: TLSSecretLabel, of random: TLSRandom) {
        var entry = sessions[random] ?? Entry()
        let same = entry.secrets.filter { $0.label == label }
        // Logged by both sides, or read twice.
        if same.contains(where: { $0.bytes == bytes }) { return }
        // One of two is damaged, or the session begins once more under the same random: which one opens records is tried.
        guard entry.secrets.count < Self.mostSecrets, same.count < Self.mostOfLabel else {
            counts.givenUp += 1
            return
        }
        if entry.secrets.isEmpty {
            order.append(random)
            heldBytes += Self.sessionBytes
        }
        if !same.isEmpty { entry.hasOthers = true }
        entry.secrets.append((label, bytes))
        heldBytes += Self.secretBytes + bytes.count
        sessions[random] = entry
        counts.secrets += 1
        while heldBytes > limit, sessions.count > 1 { giveUpFirst() }
    }

    private mutating func giveUpFirst() {
        let random = order[firstLogged]
        firstLogged += 1
        if let entry = sessions.removeValue(forKey: random) {
            heldBytes -= Self.sessionBytes + entry.secrets.reduce(0) { $0 + Self.secretBytes + $1.bytes.count }
            counts.givenUp += 1
        }
        // Moves what is left once half was given up: each entry is moved once on average.
        if firstLogged > 1_024, firstLogged * 2 > order.count {
            order.removeFirst(firstLogged)
            firstLogged = 0
        }
    }
}
