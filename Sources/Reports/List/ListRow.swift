import Dissection

/// What the list says of one conversation.
struct ListRow {
    /// Bytes of a name or path that are kept.
    static let longestText = 200

    let number: UInt64
    var openedAt: Timestamp?
    var client: [UInt8] = []
    var server: [UInt8] = []
    /// The name that the client called the server by.
    var host: [UInt8] = []
    /// What is spoken, in the words of the heading: `TCP`, `TLS`, `HTTP`, `WebSocket`, or the name of another protocol.
    var spoken: [UInt8] = Array("TCP".utf8)
    /// The target of the upgrade, or of the first request.
    var path: [UInt8] = []
    var requests: UInt64 = 0
    /// What each side sent.
    var ofClient = SideTotals()
    var ofServer = SideTotals()
    var duration: Int64?
    var how = Closing.Manner.endOfCapture
    var by = Closing.Closer.unknown
    var code: UInt16?
    var findings: UInt64 = 0
    /// The first of the worst findings.
    var worst: FindingRow?

    init(_ number: UInt64) { self.number = number }

    var bytes: UInt64 { ofClient.bytes.clampedSum(ofServer.bytes) }
    /// Messages; of HTTP, requests.
    var messages: UInt64 { ofClient.messages.clampedSum(ofServer.messages) }

    /// Bytes of memory that it takes.
    var heldBytes: Int { MemoryLayout<ListRow>.stride + 5 * 32 + client.count + server.count + host.count + spoken.count + path.count }

    /// Takes what an event says.
    mutating func take(_ event: borrowing ConversationEvent) {
        switch event.fact {
        case .opened(let opening): take(opening, event)
        case .tls(let facts):
            if isSpoken("TCP") { spoken = Array("TLS".utf8) }
            if host.isEmpty { host = ListRow.kept(event.bytes(facts.serverName)) }
        case .request(let head):
            requests &+= 1
            if isSpoken("TCP") || isSpoken("TLS") { spoken = Array("HTTP".utf8) }
            guard requests == 1 else { return }
            path = ListRow.kept(event.bytes(head.target))
            let asked = event.host(of: head)
            if !asked.isEmpty { host = ListRow.kept(asked) }
        case .response: if isSpoken("TCP") || isSpoken("TLS") { spoken = Array("HTTP".utf8) }
        case .upgrade(let upgrade):
            guard upgrade.accepted else { return }
            let name = event.bytes(upgrade.protocolName)
            if name.isWord("websocket") { spoken = Array("WebSocket".utf8) } else if !name.isEmpty { spoken = ListRow.kept(name) }
            if !upgrade.target.isEmpty { path = ListRow.kept(event.bytes(upgrade.target)) }
            if !upgrade.host.isEmpty { host = ListRow.kept(event.bytes(upgrade.host)) }
        case .message(let message):
            guard let frame = message.frame else {
                if !isSpoken("WebSocket") { spoken = Array("WebSocket".utf8) }
                return
            }
            if case .protocol(let name) = frame.framing, !isSpoken(name.word) { spoken = name.word.bytes.copy }
        case .finding(let finding): note(finding)
        case .closed(let closing):
            (ofClient, ofServer, duration) = (closing.client, closing.server, closing.duration)
            (how, by, code) = (closing.how, closing.by, closing.code)
        case .body, .frame, .ping, .pong, .close, .data, .gap, .control: return
        }
    }

    mutating func note(_ finding: Finding) {
        findings &+= 1
        if worst.map({ $0.severity.rawValue < finding.row.severity.rawValue }) ?? true { worst = finding.row }
    }

    private mutating func take(_ opening: Opening, _ event: borrowing ConversationEvent) {
        openedAt = event.place.time
        client = ListRow.text(opening.client, event.bytes(opening.clientName), opening.transport)
        server = ListRow.text(opening.server, event.bytes(opening.serverName), opening.transport)
    }

    private func isSpoken(_ word: StaticString) -> Bool { spoken.rawBytes.isEqual(word.bytes) }

    /// An address with its port, or the path of a Unix socket.
    private static func text(_ endpoint: Endpoint, _ name: RawSpan, _ transport: Opening.Transport) -> [UInt8] {
        var text = OutputBuffer(capacity: 64)
        if transport == .unix {
            text.append("unix")
            if !name.isEmpty { text.append(0x3a) }
            text.append(name.prefix(longestText))
        } else if !name.isEmpty {
            text.append(name.prefix(longestText))
            text.append(0x3a)
            text.append(decimal: UInt64(endpoint.port))
        } else if endpoint.address.family != .none {
            // A client of a proxy that was refused got no server.
            text.append(endpoint)
        }
        return text.bytes.copy
    }

    private static func kept(_ bytes: RawSpan) -> [UInt8] { bytes.prefix(longestText).copy }

    /// Whether this row stands before another one.
    func stands(before other: ListRow, in order: ListSettings.Order) -> Bool {
        switch order {
        case .time:
            let (mine, others) = (openedAt ?? Timestamp(nanoseconds: .max), other.openedAt ?? Timestamp(nanoseconds: .max))
            return mine != others ? mine < others : number < other.number
        case .bytes: return bytes != other.bytes ? bytes > other.bytes : number < other.number
        case .duration: return duration != other.duration ? duration ?? -1 > other.duration ?? -1 : number < other.number
        case .messages:
            let (mine, others) = (messages.clampedSum(requests), other.messages.clampedSum(other.requests))
            return mine != others ? mine > others : number < other.number
        }
    }
}
