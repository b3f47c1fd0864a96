import Dissection

/// What text remembers of a conversation that is open.
struct TextConversation {
    /// What turned out to be spoken in it.
    enum Talk { case tcp, tls, http, webSocket, other }

    let number: UInt64
    var opening: Opening?
    /// What the source calls the two sides, and the way through a proxy, as much of them as a heading needs.
    var clientName: [UInt8] = []
    var serverName: [UInt8] = []
    var viaMode: [UInt8] = []
    var openedAt: Timestamp?
    /// When something was last heard.
    var lastAt: Timestamp?
    var packets: PacketRange?
    var talk = Talk.tcp
    var requests: UInt64 = 0
    /// The name that the client called the server by, as it came.
    var host: [UInt8] = []
    /// The target of the upgrade, or of the first request; or the name of the protocol after an upgrade.
    var subject: [UInt8] = []
    /// Whether a Close frame was seen.
    var hasCloseFrame = false
    var sealed = SealedRun()
    /// Lines that wait for the block to be printed.
    var waiting: [UInt8] = []
    /// Whether a part of the block has been printed.
    var isContinued = false
    /// Neighbours among those with lines waiting, by when they began to wait; -1 for none.
    fileprivate var older = -1
    fileprivate var newer = -1

    init(number: UInt64) { self.number = number }

    /// A client of a proxy that got no server: it is one line, and not a block.
    var isRefused: Bool {
        guard let opening, opening.start == .accepted else { return false }
        return opening.server.address.family == .none && serverName.isEmpty && !viaMode.isEmpty
    }

    /// Keeps a name or target, as much of it as a heading needs.
    static func kept(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { Array(bytes.prefix(256)) }
}

/// The open conversations, and the order in which their lines began to wait.
struct ConversationTable {
    private var slots: [TextConversation] = []
    private var free: [Int] = []
    private var places: [UInt64: Int] = [:]
    private var oldest = -1
    private var newest = -1
    /// Bytes reserved for lines that wait, over all conversations.
    private(set) var waitingBytes = 0

    /// Where a conversation's state is; begins it if it is new.
    mutating func place(of number: UInt64) -> Int {
        if let place = places[number] { return place }
        let place = free.popLast() ?? slots.count
        if place == slots.count {
            slots.append(TextConversation(number: number))
        } else {
            slots[place] = TextConversation(number: number)
        }
        places[number] = place
        return place
    }

    subscript(place: Int) -> TextConversation {
        _read { yield slots[place] }
        _modify { yield &slots[place] }
    }

    /// Adds a line to those that wait.
    mutating func append(_ line: UnsafeRawBufferPointer, at place: Int) {
        let before = slots[place].waiting.capacity
        if slots[place].waiting.isEmpty { link(place) }
        slots[place].waiting.append(contentsOf: line)
        waitingBytes += slots[place].waiting.capacity - before
    }

    /// Gives up the lines that wait, with the memory they take.
    mutating func takeWaiting(at place: Int) -> [UInt8] {
        guard !slots[place].waiting.isEmpty else { return [] }
        unlink(place)
        waitingBytes -= slots[place].waiting.capacity
        let waiting = slots[place].waiting
        slots[place].waiting = []
        return waiting
    }

    /// The conversation whose lines wait longest.
    var oldestWaiting: Int? { oldest >= 0 ? oldest : nil }

    /// The numbers of all open conversations, in order.
    var openNumbers: [UInt64] { places.keys.sorted() }

    /// Forgets a conversation, whose lines have been taken.
    mutating func remove(at place: Int) {
        _ = takeWaiting(at: place)
        places[slots[place].number] = nil
        slots[place] = TextConversation(number: 0)
        free.append(place)
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
