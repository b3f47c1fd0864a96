import Dissection

/// TLS records that came one after another, which have one line together: their contents say nothing.
struct SealedRun {
    /// A pause that ends a run, so that the rhythm of a sealed conversation can be seen: one second.
    static let pause: Int64 = 1_000_000_000

    private(set) var records: (client: UInt64, server: UInt64) = (0, 0)
    private(set) var bytes: (client: UInt64, server: UInt64) = (0, 0)
    private(set) var contentType: UInt8 = 0
    /// The greatest of the verdicts on its records.
    private(set) var verdict = EventVerdict.leaveOut
    private(set) var startedAt: Timestamp?
    private var lastAt: Timestamp?

    var isEmpty: Bool { records.client == 0 && records.server == 0 }

    /// Whether a record belongs to this run.
    func takes(_ contentType: UInt8, at time: Timestamp?, follows: Bool) -> Bool {
        if isEmpty { return true }
        guard SealedRun.isHandshake(contentType) == SealedRun.isHandshake(self.contentType), contentType != 21, self.contentType != 21
        else {
            return false
        }
        // Lines that are followed live do not wait for the end of a long run.
        guard let time, let earlier = follows ? startedAt : lastAt else { return true }
        return time.nanoseconds(since: earlier) < SealedRun.pause
    }

    mutating func add(_ length: UInt64, _ contentType: UInt8, from side: Side?, at time: Timestamp?, _ verdict: EventVerdict = .show) {
        self.verdict = max(self.verdict, verdict)
        if isEmpty {
            self.contentType = contentType
            startedAt = time
        }
        lastAt = time
        switch side {
        case .client, nil:
            records.client += 1
            bytes.client = bytes.client.clampedSum(length)
        case .server:
            records.server += 1
            bytes.server = bytes.server.clampedSum(length)
        }
    }

    private static func isHandshake(_ contentType: UInt8) -> Bool { contentType == 20 || contentType == 22 }

    /// What its records are called.
    var name: StaticString {
        switch contentType {
        case 20, 22: "handshake"
        case 21: "alert"
        default: "sealed"
        }
    }
}

extension FindingRow {
    /// Whether it says that a record of TLS could not be opened, although there are keys.
    var leavesSealed: Bool {
        [FindingRow.tlsRecordSealed, .tlsRecordNotAuthentic, .tlsSecretsUnfit, .tlsKeyAwaited].contains { $0.id == id }
    }
}
