/// Those settings of a side that the other one has to keep to, from when it has to: a side may go by the old ones until it has accepted the
/// new ones (RFC 9113, section 6.5.3), so that what holds is the most that either allow.
struct HTTP2AnnouncedSettings {
    /// What SETTINGS allow the other side.
    struct Bounds {
        /// Bytes that may be sent on a stream before more is given.
        var initialWindow: UInt32 = 65_535
        /// Streams that may be open at once.
        var openStreams = UInt32.max
        /// Bytes of the fields of a head, as they count in the table (section 6.5.2).
        var listBytes = UInt32.max
        /// Bytes of the table of header fields (section 4.3.1).
        var tableBytes: UInt32 = 4_096

        init() {}

        init(_ settings: HTTP2Settings) {
            initialWindow = settings.initialWindow
            openStreams = settings.openStreams
            listBytes = settings.listBytes
            tableBytes = settings.headerTableSize
        }

        mutating func widen(by other: Bounds) {
            initialWindow = max(initialWindow, other.initialWindow)
            openStreams = max(openStreams, other.openStreams)
            listBytes = max(listBytes, other.listBytes)
            tableBytes = max(tableBytes, other.tableBytes)
        }
    }

    /// What the other side may go by, at most.
    private(set) var most = Bounds()
    private var accepted = Bounds()
    /// What the other side has not accepted yet, in the order in which it was announced.
    private var waiting: [Bounds] = []
    /// When each of those was announced.
    private var times: [Timestamp?] = []
    /// So much was announced that nobody knows which acknowledgement belongs to what.
    private var isConfused = false

    private static let mostWaiting = 32

    /// All was accepted that was announced.
    var isAccepted: Bool { waiting.isEmpty && !isConfused }

    /// The table that the other side has accepted; nil where nobody knows which settings it has.
    var acceptedTableBytes: Int? { isConfused ? nil : Int(accepted.tableBytes) }

    /// SETTINGS that wait for their acknowledgement.
    var waitingCount: Int { waiting.count }

    /// When the oldest SETTINGS were sent that wait for their acknowledgement; nil where there are none, or nobody knows.
    var waitsSince: Timestamp? { isConfused ? nil : times.first ?? nil }

    /// Settings were announced beside frames: the other side knows them.
    mutating func begin(with settings: HTTP2Settings) {
        accepted.initialWindow = max(accepted.initialWindow, settings.initialWindow)
        most.widen(by: accepted)
    }

    /// The side has sent SETTINGS, after which these hold.
    mutating func announce(_ settings: HTTP2Settings, at time: Timestamp?) {
        if waiting.count >= Self.mostWaiting {
            waiting.removeFirst()
            times.removeFirst()
            isConfused = true
        }
        waiting.append(Bounds(settings))
        times.append(time)
        most.widen(by: Bounds(settings))
    }

    /// The other side has accepted the first SETTINGS that it had not.
    mutating func accept() {
        guard !waiting.isEmpty else { return }
        accepted = waiting.removeFirst()
        times.removeFirst()
        guard !isConfused else { return }
        most = accepted
        for bounds in waiting { most.widen(by: bounds) }
    }
}
