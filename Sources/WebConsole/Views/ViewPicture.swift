import Sessions

/// What is drawn of a view: its records by time, by size, by kind, its latencies and findings. Each record is read once; while more come,
/// it goes on where it was.
struct ViewPicture: Sendable {
    private(set) var bins = TimeBins()
    /// By the power of two that is not less than the length: of the client and of the server.
    private(set) var sizes = [(client: Int64, server: Int64)](repeating: (0, 0), count: 65)
    /// By half a power of ten of nanoseconds.
    private(set) var latencies = [Int64](repeating: 0, count: 40)
    /// How many there are of each kind, and their bytes.
    var kinds: [String: (count: Int64, bytes: Int64)] {
        messages.count > 0 ? others.merging(["message": messages]) { $1 } : others
    }
    private var messages: (count: Int64, bytes: Int64) = (0, 0)
    private var others: [String: (count: Int64, bytes: Int64)] = [:]
    private(set) var findings: [StoredFinding] = []
    /// Pings with their replies, and requests with their responses: those that took longest.
    private(set) var trips: [Trip] = []

    /// From one side to the other and back.
    struct Trip: Sendable {
        /// That of the reply.
        var record: Int64
        /// When the reply came, and how long it took, in nanoseconds.
        var end: Int64
        var took: Int64
        var isPing: Bool
    }

    private static let mostTrips = 500
    /// What a trip has to take to be among them.
    private var shortest: Int64 = -1
    /// Records of the view that were looked at.
    private var place: Int64 = 0

    static let mostFindings = 500
    private static let mostKinds = 100
    private static let step = 4_096

    /// Looks at the records that have come.
    mutating func advance(_ view: ConsoleView, _ store: ConsoleStore) throws {
        let rows = store.slow
        while !view.isClosed {
            if view.request.isEverything {
                // To the next record that there is.
                guard let here = view.ids(from: place, count: 1).first, let next = try store.next(from: here, through: rows),
                    let found = view.place(of: next)
                else { return }
                place = found
            }
            let ids = view.ids(from: place, count: Self.step)
            guard let first = ids.first, let last = ids.last else { return }
            place += Int64(ids.count)
            if try add(ids, storedLast: store.tail, rows) { continue }
            var wanted = Set<Int64>()
            let isDense = last - first == Int64(ids.count) - 1
            if !isDense { wanted = Set(ids) }
            if isDense || last - first < 8 * Int64(ids.count) {
                try rows.moments(from: first, through: last) { moment in
                    if isDense || wanted.contains(moment.id) { add(moment) }
                }
            } else {
                try rows.moments(of: ids) { add($0) }
            }
            try addFindings(ids, wanted, rows)
        }
    }

    /// Adds records that were stored a moment ago: of messages nothing is read from the file.
    ///
    /// - Returns: Whether all of them are there.
    private mutating func add(_ ids: [Int64], storedLast tail: SessionTail?, _ rows: SessionRows) throws -> Bool {
        guard let tail, let first = ids.first, let last = ids.last else { return false }
        var (next, isKnown, rest) = (0, false, [Int64]())
        isKnown = tail.lend(from: first, through: last) { id, moment in
            guard ids[next] == id else { return true }
            next += 1
            if moment.isMessage { addMessage(moment.time, moment.side.map { Int64($0) }, moment.length) } else { rest.append(id) }
            return next < ids.count
        }
        guard isKnown else { return false }
        if let from = rest.first, let to = rest.last {
            let wanted = Set(rest)
            try rows.momentsOfRecords(from: from, through: to) { if wanted.contains($0.id) { add($0) } }
            try addFindings(rest, wanted, rows)
        }
        return true
    }

    private mutating func addMessage(_ time: Int64?, _ side: Int64?, _ length: Int64) {
        messages.count += 1
        messages.bytes &+= length
        guard let time else { return }
        bins.add(time, side: side, bytes: length)
        addSize(length, side)
    }

    private mutating func addSize(_ length: Int64, _ side: Int64?) {
        let bar = length <= 1 ? 0 : 64 - (length - 1).leadingZeroBitCount
        if side == 0 { sizes[bar].client += 1 } else if side == 1 { sizes[bar].server += 1 }
    }

    private mutating func add(_ moment: StoredMoment) {
        if moment.kind == "message" { return addMessage(moment.time, moment.side, moment.length) }
        if others.count < Self.mostKinds || others[moment.kind] != nil {
            var kind = others[moment.kind] ?? (0, 0)
            kind.count += 1
            kind.bytes &+= moment.length
            others[moment.kind] = kind
        }
        if let latency = moment.latency, latency >= 0 {
            latencies[Self.latencyBar(latency)] += 1
            if let time = moment.time { add(Trip(record: moment.id, end: time, took: latency, isPing: moment.kind == "pong")) }
        }
        guard let time = moment.time else { return }
        // What the program found itself is no more than a moment of the picture.
        let isSent = moment.kind != "finding" && moment.kind != "gap"
        bins.add(time, side: isSent ? moment.side : nil, bytes: moment.length)
        if moment.kind == "body" || moment.kind == "data" { addSize(moment.length, moment.side) }
    }

    /// Calls of other protocols than HTTP, with those that took longest.
    mutating func add(_ calls: [Calls.Call]) {
        for call in calls {
            latencies[Self.latencyBar(call.took)] += 1
            add(Trip(record: call.record, end: call.end, took: call.took, isPing: false))
        }
    }

    /// Sorts only when so many more have come.
    private mutating func add(_ trip: Trip) {
        guard trip.took > shortest else { return }
        trips.append(trip)
        guard trips.count >= 2 * Self.mostTrips else { return }
        trips.sort { $0.took > $1.took }
        trips.removeLast(trips.count - Self.mostTrips)
        shortest = trips.last?.took ?? -1
    }

    private mutating func addFindings(_ ids: [Int64], _ wanted: Set<Int64>, _ rows: SessionRows) throws {
        guard findings.count < Self.mostFindings, let first = ids.first, let last = ids.last else { return }
        let found = try rows.findings(in: first...last, most: wanted.isEmpty ? Self.mostFindings : 4 * Self.mostFindings)
        for finding in found where wanted.isEmpty || wanted.contains(finding.record) {
            if findings.count < Self.mostFindings { findings.append(finding) }
        }
    }

    /// The bar of a latency: the first one that it is not above.
    static func latencyBar(_ latency: Int64) -> Int {
        bounds.firstIndex { latency <= $0 } ?? 39
    }

    private static let bounds = (0..<39).map { bound($0) }

    /// Up to where a bar of latencies goes: 1 µs, 3 µs, 10 µs, 30 µs and so on.
    static func bound(_ bar: Int) -> Int64 {
        var bound: Int64 = 1_000
        for _ in 0..<bar / 2 where bound < Int64.max / 100 { bound *= 10 }
        return bar % 2 == 0 ? bound : bound * 3
    }
}
