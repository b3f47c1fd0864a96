import Dissection
import Support

@testable import Interception

/// Proxies with a `LoopWatch` each, clients and servers, on a clock that this model moves: who connects to whom, and when.
struct LoopModel {
    /// What happens at a proxy.
    private enum Event {
        case arrival(Connection)
        case due(Int)
        case answered(Int)
    }

    /// A connection to a proxy.
    struct Connection {
        var proxy: Int
        /// What the proxy's dial meets; nil: the next proxy.
        var server: Server?
        /// The connection of the proxy before that made this one.
        var cause: Int?
        var source: UInt32 = 1
    }

    /// A server does one of these, so many nanoseconds after it was dialled.
    enum Server {
        case silent
        case answers(after: Int64)
        /// The client opens another one then.
        case closes(after: Int64)
        /// The client opens another one then; this one stays.
        case accepts(after: Int64, times: Int)
    }

    private struct Known {
        var connection: Connection
        var ticket: LoopWatch.Ticket
        var arrivedAt: Int64
        var isOver = false
        var effect: Int?
    }

    private var watches: [LoopWatch]
    /// What is to come, the next at the end.
    private var queue: [(time: Int64, event: Event)] = []
    private var random: SplitMix
    private let latency: Int64
    private var records: [Known] = []
    private var now: Int64 = 0
    /// Connections that were taken for part of a loop, by their server.
    private(set) var refused: [Connection] = []
    /// How often it was said.
    private(set) var news = 0
    /// The longest that a connection was held.
    private(set) var longestHold: Int64 = 0

    /// Whether the system says that the clients are proxies.
    private let isKnown: Bool

    init(proxies: Int, latency: Int64 = 300_000, seed: UInt64, isKnown: Bool = true, files: Int = .max) {
        self.isKnown = isKnown
        watches = (0..<proxies).map { LoopWatch(seed: seed &* 31 &+ UInt64($0), files: files) }
        random = SplitMix(seed: seed)
        self.latency = latency
    }

    var connections: Int { records.count }
    var open: Int { records.count { !$0.isOver } }

    mutating func connect(_ connection: Connection, at time: Int64) { schedule(.arrival(connection), at: time) }

    private mutating func schedule(_ event: Event, at time: Int64) {
        var index = queue.endIndex
        while index > 0, queue[index - 1].time <= time { index -= 1 }
        queue.insert((time, event), at: index)
    }

    /// Runs until nothing happens any more, or it is `end`, or there are `limit` connections.
    mutating func run(until last: Int64, limit: Int = 5_000) {
        while let next = queue.last, next.time <= last, records.count < limit {
            queue.removeLast()
            now = next.time
            switch next.event {
            case .arrival(let connection):
                guard connection.cause.map({ !records[$0].isOver }) ?? true else { continue }
                let key = LoopWatch.Key(source: IPAddress(ipv4: connection.source), target: "tcp://next")
                let isFirst = connection.proxy == 0
                var (verdict, ticket) = watches[connection.proxy].arrived(key, at: now, isFirst: isFirst)
                if ticket.opensTrial, !isKnown, !watches[connection.proxy].unknown(ticket, isFirst: isFirst) { verdict = .dial }
                records.append(Known(connection: connection, ticket: ticket, arrivedAt: now))
                if let cause = connection.cause { records[cause].effect = records.count - 1 }
                follow(verdict, records.count - 1)
            case .due(let number):
                guard !records[number].isOver else { continue }
                follow(watches[records[number].connection.proxy].due(records[number].ticket, at: now), number)
            case .answered(let number):
                over(number)
            }
        }
    }

    private mutating func follow(_ verdict: LoopWatch.Verdict, _ number: Int) {
        let connection = records[number].connection
        switch verdict {
        // A timer is never early, and mostly late.
        case .hold(let span): schedule(.due(number), at: now + span + .random(in: 0...2_000_000, using: &random))
        case .loop(_, let isNews):
            refused.append(connection)
            if isNews { news += 1 }
            collapse(number)
        case .dial:
            longestHold = max(longestHold, now - records[number].arrivedAt)
            let there = now + latency + .random(in: 0...latency, using: &random)
            switch connection.server {
            case nil:
                schedule(
                    .arrival(Connection(proxy: (connection.proxy + 1) % watches.count, cause: number, source: connection.source)), at: there
                )
            case .silent?: break
            case .accepts(_, 0)?: break
            case .accepts(let span, let times)?:
                let next = Connection(proxy: connection.proxy, server: .accepts(after: span, times: times - 1))
                schedule(.arrival(next), at: there + span)
            case .answers(let span)?: schedule(.answered(number), at: there + span)
            case .closes(let span)?:
                schedule(.answered(number), at: there + span)
                schedule(.arrival(Connection(proxy: connection.proxy, server: connection.server)), at: there + span + latency)
            }
        }
    }

    private mutating func over(_ number: Int) {
        guard !records[number].isOver else { return }
        records[number].isOver = true
        watches[records[number].connection.proxy].cleared(records[number].ticket)
    }

    /// A connection of a chain ends, and all of the chain with it.
    private mutating func collapse(_ number: Int) {
        var next: Int? = number
        while let current = next {
            over(current)
            next = records[current].connection.cause
        }
        next = records[number].effect
        while let current = next {
            over(current)
            next = records[current].effect
        }
    }

}
