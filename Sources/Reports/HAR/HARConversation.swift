import Dissection

/// Exchanges of a stream, or of a connection that has none.
struct HARTurn {
    /// The exchange whose request came last, whose response did, and that became a WebSocket.
    var asking: UInt64?
    var responding: UInt64?
    var webSocket: UInt64?

    var isNobodys: Bool { asking == nil && responding == nil && webSocket == nil }

    mutating func forget(_ exchange: UInt64) {
        if asking == exchange { asking = nil }
        if responding == exchange { responding = nil }
        if webSocket == exchange { webSocket = nil }
    }
}

/// What is known of a conversation that has had an exchange.
struct HARConversation {
    let address: IPAddress
    /// What the server is called: a name and its port, or the address with its port.
    let server: [UInt8]
    var isSecure = false
    var entries = HAREntries()
    /// Whose turn it is, by streams of HTTP/2 where there are any.
    private var turn = HARTurn()
    private var turns: [UInt32: HARTurn] = [:]
    /// The exchange that something came of last.
    private(set) var latest: UInt64?
    /// An entry may be picked by what comes later.
    var hasKept = false
    var hasWritten = false
    /// What is missing since the last entry that it could belong to.
    var missing = (client: HARLosses.Missing(), server: HARLosses.Missing())
    /// Entries that have no request of their own; their numbers are counted down from the highest.
    private(set) var strays: UInt64 = 0
    /// The highest number of a request so far.
    private var highest: UInt64 = 0

    /// - Parameter name: of the server; empty where only its address is known.
    init(server endpoint: Endpoint, name: RawSpan = RawSpan()) {
        address = endpoint.address
        var text = OutputBuffer(capacity: 64)
        if name.isEmpty {
            if endpoint.address.family != .none { text.append(endpoint) } else { text.append("unknown.invalid") }
        } else {
            // The colons of an address are not that before the port (RFC 3986, section 3.2.2).
            let isIPv6 = IPAddress(text: String(decoding: name.copy, as: UTF8.self))?.family == .ipv6
            if isIPv6 { text.append(0x5b) }
            text.append(name)
            if isIPv6 { text.append(0x5d) }
            text.append(0x3a)
            text.append(decimal: UInt64(endpoint.port))
        }
        server = text.bytes.copy
    }

    /// The number of a request, or one of its own where it has none that is higher than those before, as a log may claim.
    mutating func number(of head: RequestHead) -> UInt64 {
        guard head.exchange > highest, head.exchange < .max / 2 else { return takeStrayNumber() }
        highest = head.exchange
        return head.exchange
    }

    /// Whether a request of this number has come.
    func hasHad(_ exchange: UInt64) -> Bool { exchange > 0 && exchange <= highest }

    /// Takes note that something came of an exchange.
    ///
    /// - Parameter mayBePicked: what comes later may still pick it.
    mutating func noteLatest(_ exchange: UInt64, mayBePicked: Bool) {
        latest = exchange
        if mayBePicked { hasKept = true }
    }

    /// Whose turn it is in a stream.
    subscript(stream: UInt32) -> HARTurn {
        get { stream == 0 ? turn : turns[stream] ?? HARTurn() }
        set {
            if stream == 0 { turn = newValue } else { turns[stream] = newValue.isNobodys ? nil : newValue }
        }
    }

    /// Forgets an exchange of a stream, which comes to no other there.
    mutating func forget(_ exchange: UInt64, of stream: UInt32) {
        guard stream != 0 else { return }
        turns[stream]?.forget(exchange)
        if turns[stream]?.isNobodys == true { turns[stream] = nil }
    }

    /// Bytes of memory that it takes beside its entries.
    var heldBytes: Int { MemoryLayout<HARConversation>.stride + server.capacity + 32 }

    /// A number for an entry that no request has.
    mutating func takeStrayNumber() -> UInt64 {
        strays &+= 1
        return .max - strays
    }

    /// Takes note of bytes that nobody saw: of the body or the WebSocket that they belong to, or of the entry that is next.
    ///
    /// - Returns: the entry that they belong to.
    mutating func note(_ gap: Gap, from side: Side, in stream: UInt32) {
        let turn = self[stream]
        if let index = entries.index(of: turn.webSocket) { return entries[index].note(gap, from: side) }
        if side == .client {
            if let index = entries.index(of: turn.asking), entries[index].awaitsBody(from: side) {
                return entries[index].note(gap, from: side)
            }
            return missing.client.add(gap.length, afterBody: 0)
        }
        if let index = entries.index(of: turn.responding), entries[index].awaitsBody(from: side) {
            return entries[index].note(gap, from: side)
        }
        if let index = entries.firstIndex(where: { !$0.isAnswered }) { return entries[index].note(gap, from: side) }
        missing.server.add(gap.length, afterBody: 0)
    }

    /// Hands what is missing to an entry that begins.
    mutating func giveMissing(to entry: inout HAREntry) {
        entry.losses.client.add(missing.client)
        entry.losses.server.add(missing.server)
        missing = (HARLosses.Missing(), HARLosses.Missing())
    }
}

/// The servers of conversations that have opened and had no exchange: there may be a great many of them, and most never have one.
struct HAROpenings {
    /// Conversations whose numbers lie beside each other.
    private struct Run {
        var servers = [Endpoint?](repeating: nil, count: Int(HAROpenings.runLength))
        var count = 0
    }

    private static let runLength: UInt64 = 64

    private var runs: [UInt64: Run] = [:]

    /// Bytes of memory.
    var heldBytes: Int {
        runs.count * (Int(Self.runLength) * MemoryLayout<Endpoint?>.stride + 32)
            + runs.capacity * (MemoryLayout<UInt64>.stride + MemoryLayout<Run>.stride)
    }

    mutating func insert(_ server: Endpoint, of number: UInt64) {
        _ = take(number)
        runs[number / Self.runLength, default: Run()].servers[Int(number % Self.runLength)] = server
        runs[number / Self.runLength]?.count += 1
    }

    /// Takes a conversation out; nil where it is not there.
    mutating func take(_ number: UInt64) -> Endpoint? {
        let (key, place) = (number / Self.runLength, Int(number % Self.runLength))
        guard let slot = runs.index(forKey: key), let server = runs.values[slot].servers[place] else { return nil }
        runs.values[slot].servers[place] = nil
        runs.values[slot].count -= 1
        if runs.values[slot].count == 0 { runs.remove(at: slot) }
        return server
    }
}
