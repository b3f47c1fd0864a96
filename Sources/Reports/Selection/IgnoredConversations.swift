import Dissection

/// Leaves out the conversations with servers that a user does not want to see.
///
/// Which server a conversation is with may be told only by the name in its ClientHello or by its first request. Until then what came is held, which is
/// little: that it opened, what the hellos say, findings about them.
struct IgnoredConversations {
    /// What is to be done with an event.
    enum Verdict { case pass, hold, leaveOut, release }

    private struct Held {
        var events: [HeldEvent] = []
        var bytes = 0
        let port: UInt16
    }

    /// Events of one conversation that are held at most, and bytes of their contents.
    private static let most = (events: 16, bytes: 4_096)
    /// A name that is longer is none.
    private static let longestName = 300

    private let isIgnored: @Sendable (String, UInt16) -> Bool
    private var held: [UInt64: Held] = [:]
    /// Those that are left out and have not closed.
    private var leftOut: Set<UInt64> = []
    /// How many conversations were left out.
    private(set) var count: UInt64 = 0
    private var bytesOfHeld = 0

    /// Bytes of memory that it takes.
    var heldBytes: Int {
        bytesOfHeld + held.capacity * (MemoryLayout<UInt64>.size + MemoryLayout<Held>.stride) + leftOut.capacity * MemoryLayout<UInt64>.size
    }

    /// - Parameter isIgnored: whether a server is one of those: its name or address, perhaps with a port, and the port where it has none.
    init(_ isIgnored: @escaping @Sendable (String, UInt16) -> Bool) { self.isIgnored = isIgnored }

    mutating func judge(_ event: borrowing ConversationEvent) -> Verdict {
        let number = event.conversation
        if number == 0 { return .pass }
        if !leftOut.isEmpty, leftOut.contains(number) {
            if case .closed = event.fact { leftOut.remove(number) }
            return .leaveOut
        }
        if case .opened(let opening) = event.fact {
            var address = OutputBuffer(capacity: 64)
            address.append(opening.server)
            let isServer = matches(address.bytes, opening.server.port)
            let isName = matches(event.bytes(opening.serverName), opening.server.port)
            let isTarget = matches(event.bytes(opening.viaTarget), opening.server.port)
            if isServer || isName || isTarget { return leaveOut(number) }
            held[number] = Held(port: opening.server.port)
            return hold(event)
        }
        guard !held.isEmpty, let port = held[number]?.port else { return .pass }
        switch event.fact {
        case .tls(let facts): return matches(event.bytes(facts.serverName), port) ? leaveOut(number) : hold(event)
        case .finding: return hold(event)
        case .request(let head):
            let isConnect = event.bytes(head.method).isWord("connect")
            if isConnect, matches(event.bytes(head.target), port) { return leaveOut(number) }
            return matches(event.host(of: head), port) ? leaveOut(number) : .release
        default: return .release
        }
    }

    /// Gives up what is held of a conversation, to be shown.
    mutating func take(_ number: UInt64) -> [HeldEvent] {
        guard let one = held.removeValue(forKey: number) else { return [] }
        bytesOfHeld -= one.bytes
        return one.events
    }

    private mutating func hold(_ event: borrowing ConversationEvent) -> Verdict {
        let number = event.conversation
        guard var one = held[number], one.events.count < Self.most.events, one.bytes + event.content.byteCount <= Self.most.bytes else {
            return .release
        }
        let copy = HeldEvent(event)
        one.events.append(copy)
        let added = copy.heldBytes
        one.bytes += added
        bytesOfHeld += added
        held[number] = one
        return .hold
    }

    private mutating func leaveOut(_ number: UInt64) -> Verdict {
        _ = take(number)
        leftOut.insert(number)
        count += 1
        return .leaveOut
    }

    private func matches(_ name: RawSpan, _ port: UInt16) -> Bool {
        guard !name.isEmpty, name.byteCount <= Self.longestName else { return false }
        return isIgnored(String(decoding: name.copy, as: UTF8.self), port)
    }
}
