import Dissection

/// What text remembers of a conversation that is open.
struct TextConversation {
    /// What turned out to be spoken in it.
    enum Talk { case tcp, tls, http, webSocket, other }

    // What each line asks for comes first, and so lies together.
    let number: UInt64
    var openedAt: Timestamp?
    /// When something was last heard.
    var lastAt: Timestamp?
    var packets: PacketRange?
    var talk = Talk.tcp
    /// Nothing but heads, handshakes and the end has come: it may be told as one of several that are alike.
    var isBrief = true
    /// Nothing has come since it opened; where lines are followed, that it opened is not told yet.
    var isEmpty = false
    /// Whether a part of the block has been printed.
    var isContinued = false
    /// Which sides' Close frames were seen.
    var closeFrames: (client: Bool, server: Bool) = (false, false)
    /// The channels, a bit for each depth, whose TLS keys have opened: their handshakes and alerts are no sealed rows.
    private var openedChannels: UInt16 = 0
    /// Lines that wait for the block to be printed, and how many.
    fileprivate(set) var waiting: [UInt8] = []
    fileprivate var waitingBreaks: UInt64 = 0
    /// Where the memory of these lines begins, and where the next one goes: their beginning says how long they are.
    fileprivate var waitingMemory: (start: UInt, end: UInt) = (0, 0)
    /// Neighbours among those with lines waiting, by when they began to wait; -1 for none.
    fileprivate var older = -1
    fileprivate var newer = -1
    /// Bodies that have begun and are not done, at most one of each side, and of each stream of HTTP/2.
    fileprivate(set) var bodies: [BodyRun] = []
    /// The first SETTINGS of each side, until both are there.
    var settings = SettingsRow()
    var sealed = SealedRun()
    /// Why the proxy will end it, which the closing line says.
    var reason: (finding: Finding, text: [UInt8], verdict: EventVerdict)?
    var opening: Opening?
    /// What the source calls the two sides, and the way through a proxy, as much of them as a heading needs.
    var clientName: [UInt8] = []
    var serverName: [UInt8] = []
    var viaMode: [UInt8] = []
    var processName: [UInt8] = []
    var requests: UInt64 = 0
    /// The name that the client called the server by, as it came.
    var host: [UInt8] = []
    /// The target of the upgrade, or of the first request; or the name of the protocol after an upgrade.
    var subject: [UInt8] = []
    /// What the WebSocket speaks, where that has close codes of its own.
    var closeCodes: CloseCodeProtocol?
    /// Header fields of the upgrade request that waits for its response, as field lines.
    fileprivate(set) var asked: [UInt8] = []
    /// When the last head of each side came.
    var headAt: (client: Timestamp?, server: Timestamp?)

    init(number: UInt64) { self.number = number }

    /// A client of a proxy that got no server: it is one line, and not a block.
    var isRefused: Bool {
        guard let opening, opening.start == .accepted else { return false }
        return opening.server.address.family == .none && serverName.isEmpty && !viaMode.isEmpty
    }

    fileprivate init(_ quiet: QuietOpening) {
        number = quiet.number
        opening = quiet.opening
        openedAt = quiet.openedAt
        lastAt = quiet.openedAt
        packets = quiet.packets
        isEmpty = true
    }

    /// Whether keys have opened the TLS of a channel, which says as much of its records as there is to say.
    func isOpened(_ channel: ByteChannel) -> Bool { channel.depth < 16 && openedChannels >> UInt16(channel.depth) & 1 == 1 }

    /// Notes whether keys open the TLS of a channel.
    mutating func note(isOpened: Bool, _ channel: ByteChannel) {
        guard channel.depth < 16 else { return }
        let bit: UInt16 = 1 << UInt16(channel.depth)
        openedChannels = isOpened ? openedChannels | bit : openedChannels & ~bit
    }

    /// Bytes that one takes at most beside its lines: itself, and the names that it keeps.
    static var ownBytes: Int { MemoryLayout<TextConversation>.stride + 768 + 2 * SettingsRow.mostBytes }

    /// Keeps a name or target, as much of it as a heading needs.
    static func kept(_ bytes: RawSpan) -> [UInt8] { bytes.prefix(256).copy }
}

/// All that text remembers of a conversation that has opened and has not said anything since.
private struct QuietOpening {
    let number: UInt64
    private let clientHigh: UInt64
    private let clientLow: UInt64
    private let serverHigh: UInt64
    private let serverLow: UInt64
    private let packet: UInt64
    let openedAt: Timestamp?
    private let family: IPAddress.Family
    private let start: Opening.Start
    private let clientPort: UInt16
    private let serverPort: UInt16

    /// Nothing where more is known of it.
    init?(_ conversation: TextConversation) {
        guard let opening = conversation.opening, opening.transport == .tcp, opening.roles == .handshake,
            opening.client.address.family == opening.server.address.family, conversation.clientName.isEmpty,
            conversation.serverName.isEmpty, conversation.viaMode.isEmpty, conversation.processName.isEmpty,
            opening.processIdentifier == nil, conversation.waiting.isEmpty, conversation.asked.isEmpty,
            conversation.bodies.isEmpty,
            let packets = conversation.packets, packets.lowest == packets.highest
        else { return nil }
        number = conversation.number
        (clientHigh, clientLow) = (opening.client.address.high, opening.client.address.low)
        (serverHigh, serverLow) = (opening.server.address.high, opening.server.address.low)
        family = opening.client.address.family
        (clientPort, serverPort) = (opening.client.port, opening.server.port)
        start = opening.start
        openedAt = conversation.openedAt
        packet = packets.lowest
    }

    var opening: Opening {
        Opening(
            client: Endpoint(address: QuietOpening.address(family, clientHigh, clientLow), port: clientPort),
            server: Endpoint(address: QuietOpening.address(family, serverHigh, serverLow), port: serverPort), start: start,
            roles: .handshake)
    }

    var packets: PacketRange { PacketRange(packet) }

    private static func address(_ family: IPAddress.Family, _ high: UInt64, _ low: UInt64) -> IPAddress {
        switch family {
        case .none: IPAddress()
        case .ipv4: IPAddress(ipv4: UInt32(truncatingIfNeeded: low))
        case .ipv6: IPAddress(ipv6High: high, low: low)
        }
    }
}

/// The open conversations, and the order in which their lines began to wait.
///
/// One that has only opened is kept small, because there may be a great many of them.
struct ConversationTable {
    private var slots = ChunkedArray<TextConversation>()
    private var free: [Int32] = []
    private var quiet = ChunkedArray<QuietOpening?>()
    private var freeQuiet: [Int32] = []
    /// The slot of a conversation; below 0 for a quiet one, whose place there is the complement.
    private var places = ByConversation<Int32>(vacant: 0)
    private var oldest = -1
    private var newest = -1
    /// Bytes reserved for lines that wait, over all conversations.
    private(set) var waitingBytes = 0

    /// Bytes of what is kept of requests until their responses come, and of bodies until they are done.
    private var asideBytes = 0

    /// Bytes of memory that all of it takes.
    var heldBytes: Int {
        waitingBytes + asideBytes + slots.count * TextConversation.ownBytes + quiet.count * MemoryLayout<QuietOpening?>.stride
            + places.heldBytes
    }

    /// Where a conversation's state is; begins it if it is new.
    mutating func place(of number: UInt64) -> Int {
        let known = places.place(of: number).map { places[$0] }
        if let known, known >= 0 { return Int(known) }
        var conversation = TextConversation(number: number)
        if let known, let opening = quiet[Int(~known)] {
            conversation = TextConversation(opening)
            quiet[Int(~known)] = nil
            freeQuiet.append(~known)
        }
        let place = free.popLast() ?? Int32(truncatingIfNeeded: slots.count)
        if Int(place) == slots.count { slots.append(conversation) } else { slots[Int(place)] = conversation }
        note(place, of: number)
        return Int(place)
    }

    /// A conversation has opened and no more: keeps what is known of it in less memory until the next `place(of:)`.
    mutating func rest(at place: Int) {
        guard let opening = QuietOpening(slots[place]) else { return }
        let index = freeQuiet.popLast() ?? Int32(truncatingIfNeeded: quiet.count)
        if Int(index) == quiet.count { quiet.append(opening) } else { quiet[Int(index)] = opening }
        note(~index, of: opening.number)
        slots[place] = TextConversation(number: 0)
        free.append(Int32(truncatingIfNeeded: place))
    }

    subscript(place: Int) -> TextConversation {
        // Each access would take memory for itself otherwise.
        @inline(__always) _read { yield slots[place] }
        @inline(__always) _modify { yield &slots[place] }
    }

    /// Keeps header fields of a request until its response comes; none where there is no more use for them.
    mutating func keepAsked(_ fields: [UInt8], at place: Int) {
        asideBytes += fields.count - slots[place].asked.count
        slots[place].asked = fields
    }

    /// Keeps what came of a side's body until the rest comes; nothing once it is shown.
    mutating func keep(_ run: BodyRun?, of side: Side, stream: UInt32, at place: Int) {
        let bodies = slots[place].bodies
        slots[place].bodies = bodies.filter { $0.from != side || $0.stream != stream } + (run.map { [$0] } ?? [])
        asideBytes += slots[place].bodies.reduce(0) { $0 + $1.heldBytes } - bodies.reduce(0) { $0 + $1.heldBytes }
    }

    /// Adds a line to those that wait.
    mutating func append(_ line: borrowing OutputBuffer, breaks: UInt64, at place: Int) { append(line.bytes, breaks: breaks, at: place) }

    /// Adds lines to those that wait.
    mutating func append(_ lines: RawSpan, breaks: UInt64, at place: Int) {
        let before = slots[place].waiting.capacity
        if slots[place].waiting.isEmpty { link(place) }
        slots[place].waiting.append(copying: lines)
        slots[place].waitingBreaks += breaks
        slots[place].waitingMemory = unsafe slots[place].waiting.withUnsafeBytes {
            let start = UInt(bitPattern: $0.baseAddress)
            return (start, start &+ UInt(bitPattern: $0.count))
        }
        waitingBytes += slots[place].waiting.capacity - before
    }

    /// Asks for what a line needs of a conversation: of a thousand side by side it is far away.
    @inline(__always)
    func prefetch(_ place: Int) {
        let memory = slots[place].waitingMemory
        guard memory.start > 0 else { return }
        Prefetch.ask(at: memory.start &- 16, bytes: 16)
        Prefetch.ask(at: memory.end, bytes: 192)
    }

    /// Gives up the lines that wait, with the memory they take, and how many lines they are.
    mutating func takeWaiting(at place: Int) -> (bytes: [UInt8], breaks: UInt64) {
        guard !slots[place].waiting.isEmpty else { return ([], 0) }
        unlink(place)
        waitingBytes -= slots[place].waiting.capacity
        let waiting = (slots[place].waiting, slots[place].waitingBreaks)
        slots[place].waiting = []
        slots[place].waitingBreaks = 0
        slots[place].waitingMemory = (0, 0)
        return waiting
    }

    /// The conversation whose lines wait longest.
    var oldestWaiting: Int? { oldest >= 0 ? oldest : nil }

    /// The numbers of all open conversations, in order.
    var openNumbers: [UInt64] { places.all.sorted() }

    private mutating func note(_ place: Int32, of number: UInt64) {
        if let entry = places.placeAdding(number) { places[entry] = place }
    }

    /// Forgets a conversation, whose lines have been taken.
    mutating func remove(at place: Int) {
        _ = takeWaiting(at: place)
        keepAsked([], at: place)
        for run in slots[place].bodies { keep(nil, of: run.from, stream: run.stream, at: place) }
        places.remove(slots[place].number)
        slots[place] = TextConversation(number: 0)
        free.append(Int32(truncatingIfNeeded: place))
    }

    private mutating func link(_ place: Int) {
        slots[place].older = newest
        slots[place].newer = -1
        if newest >= 0 { slots[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (older, newer) = (slots[place].older, slots[place].newer)
        if older >= 0 { slots[older].newer = newer } else { oldest = newer }
        if newer >= 0 { slots[newer].older = older } else { newest = older }
        slots[place].older = -1
        slots[place].newer = -1
    }
}
