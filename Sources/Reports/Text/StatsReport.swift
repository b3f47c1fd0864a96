import Dissection

/// `--stats`: the totals alone, with how often each kind of event and each finding came.
public struct StatsReport: LineSink, ~Copyable {
    private var output: Output
    private let conversations: ConversationSelection?
    /// What is counted comes from a proxy, which sees streams and no packets.
    private var isProxy = false
    private var kinds = [UInt64](repeating: 0, count: Fact.kindNames.count)
    private var findings: [String: (severity: Severity, count: UInt64)] = [:]

    /// The index of the kind `message`.
    private static let messages = 7

    /// - Parameter conversations: Those that are counted; all where none are named.
    public init(_ output: consuming Output, conversations: ConversationSelection? = nil) {
        self.output = output
        self.conversations = conversations
    }

    public var outputError: OutputError? { output.error }

    public var unwrittenRecords: UInt64 { output.unwrittenRecords }

    public var isHeldUp: Bool { output.isHeldUp }

    public mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { output.retry() }

    /// What was written since the last call, for an output that stays in memory.
    public mutating func takeBytes() -> [UInt8] { output.take() }

    public mutating func begin(_ source: CaptureSource) { isProxy = source.kind == .proxy }

    public mutating func receive(_ event: borrowing ConversationEvent) {
        if let conversations, event.conversation != 0, !conversations.contains(event.conversation) { return }
        kinds[event.fact.kindIndex] += 1
        // One of gRPC is a part of a body as well.
        if event.kind == .body, event.isMessage { kinds[Self.messages] += 1 }
        guard case .finding(let finding) = event.fact else { return }
        findings[finding.row.id, default: (finding.row.severity, 0)].count += 1
    }

    public mutating func finish(_ totals: Totals) {
        var table = TextLine(width: nil, usesColor: false)
        if !isProxy { table.appendRow(totals.packets, "packet", "packets") }
        table.appendRow(totals.bytes, isProxy ? "byte relayed" : "byte captured", isProxy ? "bytes relayed" : "bytes captured")
        table.appendRow(totals.conversations, "conversation", "conversations")
        if totals.ignored > 0 {
            table.appendRow(totals.ignored, "of them ignored, and not counted below", "of them ignored, and not counted below")
        }
        for (names, count) in zip(Fact.kindNames, kinds) where count > 0 {
            if let names { table.appendRow(count, names.one, names.several) }
        }
        for (reason, count) in zip(SkipReason.allCases, totals.skipped) where count > 0 {
            table.appendRow(count, "packet", "packets", reason.words)
        }
        let found = totals.ignored > 0 ? findings.values.reduce(0) { $0.clampedSum($1.count) } : totals.findings
        table.appendRow(found, "finding", "findings")
        for (id, found) in findings.sorted(by: {
            ($0.value.severity.rawValue, $0.value.count, $1.key) > ($1.value.severity.rawValue, $1.value.count, $0.key)
        }) {
            table.append(rightIn: 16) { $0.append(grouped: found.count) }
            table.append("    ")
            table.append(id)
            table.append(", ")
            table.append(found.severity.word)
            table.append(0x0a)
        }
        output.buffer.append(table.buffer)
        output.endRecord(lines: UInt64(table.buffer.bytes.count(of: 0x0a)))
        output.flush()
    }

    public mutating func flush() { output.flush() }

    /// The totals are those of the whole run, wherever they stand.
    package mutating func move(to outlet: Outlet) {
        output.move(to: outlet)
        output.tellMove()
    }
}

extension TextLine {
    fileprivate mutating func appendRow(_ count: UInt64, _ one: StaticString, _ several: StaticString, _ more: StaticString? = nil) {
        append(rightIn: 16) { $0.append(grouped: count) }
        append("  ")
        append(count == 1 ? one : several)
        if let more {
            append(" ")
            append(more)
        }
        append(0x0a)
    }
}

extension Fact {
    /// What the kinds are called in a table, in the order of `kindIndex`; none for those that the totals have already.
    fileprivate static let kindNames: [(one: StaticString, several: StaticString)?] = [
        nil, ("TLS handshake", "TLS handshakes"), ("HTTP request", "HTTP requests"), ("HTTP response", "HTTP responses"),
        ("part of a body", "parts of bodies"), ("upgrade", "upgrades"), ("WebSocket frame", "WebSocket frames"),
        ("message", "messages"), ("ping", "pings"), ("pong", "pongs"), ("Close frame", "Close frames"),
        ("run of other data", "runs of other data"), ("gap", "gaps"), nil, nil, ("HTTP/2 control frame", "HTTP/2 control frames"),
    ]

    fileprivate var kindIndex: Int {
        switch self {
        case .opened: 0
        case .tls: 1
        case .request: 2
        case .response: 3
        case .body: 4
        case .upgrade: 5
        case .frame: 6
        case .message: 7
        case .ping: 8
        case .pong: 9
        case .close: 10
        case .data: 11
        case .gap: 12
        case .finding: 13
        case .closed: 14
        case .control: 15
        }
    }
}
