import Synchronization

/// What all clients together have the proxy hold before their conversations run: unfinished requests, SOCKS greetings, ClientHellos, and
/// bytes that came ahead of the server's connection.
///
/// Over the limit the oldest is given up, whichever event loop it lives on.
final class PreambleBudget: Sendable {
    /// One client that holds something.
    struct Ticket: Hashable, Sendable {
        fileprivate var number: UInt64
    }

    private struct Holder {
        var bytes: Int
        var giveUp: @Sendable () -> Void
    }

    private struct State {
        var holders: [UInt64: Holder] = [:]
        /// The numbers of the holders in the order in which they came; of those that have gone too, until they are passed.
        var order: [UInt64] = []
        var first = 0
        var last: UInt64 = 0
        var total = 0
        /// The most that was held since memory was given back.
        var peak = 0

        /// Takes out the oldest holders until the rest is within the limit; at least the youngest stays.
        mutating func evict(limit: Int) -> [Holder] {
            var evicted: [Holder] = []
            while total > limit, holders.count > 1, first < order.count {
                if let holder = holders.removeValue(forKey: order[first]) {
                    total -= holder.bytes
                    evicted.append(holder)
                }
                first += 1
            }
            if first > 64, first * 2 > order.count {
                order.removeFirst(first)
                first = 0
            }
            return evicted
        }
    }

    /// What a connection costs beside the bytes that it holds: its channel, its session, and the buffer of its last read.
    static let perClient = 12 << 10
    /// What has to have been held and let go for it to be worth asking the allocator for it.
    private static let worthGivingBack = 8 << 20

    /// The most that may be held, in bytes.
    let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Why a client is given up.
    var refusal: String { "unfinished requests and handshakes take more than \(limit >> 20) MiB, and this one was the oldest" }

    /// A client holds its first bytes.
    ///
    /// - Parameter giveUp: called once, on any thread, where its place is needed by others.
    func enter(holding bytes: Int, giveUp: @escaping @Sendable () -> Void) -> Ticket {
        let (ticket, evicted) = state.withLock { state in
            state.last += 1
            let cost = bytes + Self.perClient
            state.holders[state.last] = Holder(bytes: cost, giveUp: giveUp)
            state.order.append(state.last)
            state.total += cost
            state.peak = max(state.peak, state.total)
            return (Ticket(number: state.last), state.evict(limit: limit))
        }
        for holder in evicted { holder.giveUp() }
        return ticket
    }

    /// It holds so many now.
    func update(_ ticket: Ticket, holding bytes: Int) {
        let evicted = state.withLock { state -> [Holder] in
            guard let old = state.holders[ticket.number]?.bytes else { return [] }
            let cost = bytes + Self.perClient
            state.holders[ticket.number]?.bytes = cost
            state.total += cost - old
            state.peak = max(state.peak, state.total)
            return state.evict(limit: limit)
        }
        for holder in evicted { holder.giveUp() }
    }

    /// It holds nothing any more.
    ///
    /// - Returns: whether so much has been let go that the allocator should give it back.
    func leave(_ ticket: Ticket) -> Bool {
        state.withLock { state in
            if let holder = state.holders.removeValue(forKey: ticket.number) { state.total -= holder.bytes }
            // Those who have gone are kept in the list until it is mostly them.
            if state.order.count > 2 * state.holders.count + 64 {
                state.order = state.order[state.first...].filter { state.holders[$0] != nil }
                state.first = 0
            }
            guard state.peak - state.total > Self.worthGivingBack, state.total < state.peak / 2 else { return false }
            state.peak = state.total
            return true
        }
    }

    /// The length of the list of who came first.
    var orderCount: Int { state.withLock { $0.order.count } }

    /// What is held, in bytes.
    var total: Int { state.withLock { $0.total } }
}
