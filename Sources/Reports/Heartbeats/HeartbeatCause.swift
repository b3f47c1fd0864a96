import Dissection

/// Why a side ended a conversation, as far as signs of life say so: it waited for one in vain.
struct HeartbeatCause: Sendable {
    enum Kind: Sendable, Equatable {
        /// So many beats in a row were not answered.
        case unanswered(UInt64)
        /// A side sent nothing for longer than its keep-alive allows (MQTT 3.1.2.10; STOMP 1.2, "Heart-beating").
        case keepAlive
        /// The client sent nothing for as long as the server waits unless it is set (Phoenix, `timeout`).
        case usualIdle
        /// Pings were announced, and neither side sent one: it is not agreed who does (Engine.IO 3 and 4).
        case neverPinged
        /// Another conversation connected under the same name, which ends the earlier one (MQTT 3.1.4).
        case takenOver(by: UInt64)

        /// It is about beats, whose row says so too.
        var isOfBeats: Bool {
            switch self {
            case .unanswered, .keepAlive, .usualIdle, .noPing: true
            case .neverPinged, .takenOver: false
            }
        }
        /// The ping that the peer announced did not come (Engine.IO, "Heartbeat").
        case noPing
    }

    var kind: Kind
    /// Who sent the beats that explain it, and of what kind.
    var from: Side
    var beats: HeartbeatKind
    /// Who was silent.
    var silent: Side
    /// Nanoseconds that the other side waited: since the first beat that was not answered, or since the last byte.
    var waited: Int64
    /// Nanoseconds that were announced; nil where nothing was.
    var timeout: Int64?
    var isCertain: Bool
}

extension HeartbeatConversation {
    /// Less is no waiting in vain.
    private static let shortestWait: Int64 = 1_000_000_000
    /// Whoever ended it so long after the last beat had another reason.
    private static let longestWait: Int64 = 120_000_000_000

    /// Why it was ended at a time; nil where nothing is known. A side that was not captured, or spoke since, is not blamed.
    func cause(of closing: Closing, at time: Timestamp) -> HeartbeatCause? {
        guard closing.how == .fin || closing.how == .reset || closing.how == .closeFrame, closing.by == .client || closing.by == .server
        else { return nil }
        if closing.by == .server, let takeover, case let waited = time.nanoseconds(since: takeover.time),
            (0...Self.shortestWait).contains(waited)
        {
            return HeartbeatCause(
                kind: .takenOver(by: takeover.conversation), from: .client, beats: timeouts.beats, silent: .client, waited: waited,
                timeout: nil,
                isCertain: true)
        }
        if let cause = overUsualIdle(closing, time) { return cause }
        // Who says goodbye leaves for no silence and is not missed; who was refused has nothing to say.
        guard !hasGoodbye, !hasSignedOff, !namespaces.isLeft, !timeouts.isRefused else { return nil }
        let closer: Side = closing.by == .client ? .client : .server
        guard let heard = lives[closer.peer] else { return nil }
        let quiet = time.nanoseconds(since: heard)
        return overKeepAlive(closer, quiet) ?? unanswered(closer, quiet, time) ?? withoutPing(closer, quiet)
            ?? neverPinged(closing, time)
    }

    private func overKeepAlive(_ closer: Side, _ quiet: Int64) -> HeartbeatCause? {
        let limit = closer == .server ? timeouts.keepAlive : timeouts.serverKeepAlive
        let least = timeouts.isExact ? limit &- limit / 50 : limit &+ limit / 20 * 9
        guard limit > 0, quiet >= least, quiet <= limit &* 4 else { return nil }
        return HeartbeatCause(
            kind: .keepAlive, from: closer.peer, beats: timeouts.beats, silent: closer.peer, waited: quiet, timeout: limit,
            isCertain: quiet <= limit &* 2 &+ Self.shortestWait)
    }

    /// A server of Phoenix says no more than that all went well: Cowboy closes with 1000, Bandit with 1002. Cowboy looks ten times in that time, and
    /// may be early by one of them (`idle_timeout` of cowboy_websocket, from 2.13 on).
    private func overUsualIdle(_ closing: Closing, _ time: Timestamp) -> HeartbeatCause? {
        guard timeouts.usualIdle > 0, closing.by == .server, !hasSignedOff, let heard = clientBeforeClose ?? lives[.client]
        else { return nil }
        if closing.how == .closeFrame, let code = closing.code, ![1000, 1001, 1002].contains(code) { return nil }
        let quiet = time.nanoseconds(since: heard)
        let limit = timeouts.usualIdle
        guard quiet >= limit &- limit / 10 &- limit / 50, quiet <= limit &+ limit / 50 else { return nil }
        return HeartbeatCause(
            kind: .usualIdle, from: .client, beats: timeouts.beats, silent: .client, waited: quiet, timeout: limit, isCertain: true)
    }

    private func unanswered(_ closer: Side, _ quiet: Int64, _ time: Timestamp) -> HeartbeatCause? {
        var found: HeartbeatCause?
        // A side that takes its time has answered later than others would.
        let slowest = tracks.reduce(0) { $1.from == closer ? max($0, $1.longestAnswer) : $0 }
        let shortest = max(Self.shortestWait, slowest.multipliedReportingOverflow(by: 2).partialValue)
        for track in tracks where track.from == closer && track.isAnswered && track.isBelieved {
            guard let (beats, since) = track.waiting, let last = track.rhythm.lastAt else { continue }
            let waited = time.nanoseconds(since: since)
            let limit = track.kind == timeouts.beats && timeouts.pingTimeout > 0 ? timeouts.pingTimeout : nil
            guard waited >= limit.map({ $0 &- $0 / 20 }) ?? shortest, quiet >= waited,
                time.nanoseconds(since: last) <= max(track.rhythm.period &* 3, limit ?? 0, Self.longestWait), waited > found?.waited ?? 0
            else { continue }
            found = HeartbeatCause(
                kind: .unanswered(beats), from: closer, beats: track.kind, silent: closer.peer, waited: waited, timeout: limit,
                isCertain: limit.map { waited <= $0 &+ Self.shortestWait } ?? false)
        }
        return found
    }

    private func withoutPing(_ closer: Side, _ quiet: Int64) -> HeartbeatCause? {
        let limit = timeouts.pingInterval &+ timeouts.pingTimeout
        guard timeouts.pingInterval > 0, timeouts.pingTimeout > 0, quiet >= limit &- limit / 50, quiet <= limit &+ limit / 2
        else { return nil }
        return HeartbeatCause(
            kind: .noPing, from: closer.peer, beats: timeouts.beats, silent: closer.peer, waited: quiet, timeout: limit,
            isCertain: quiet <= limit &+ Self.shortestWait)
    }

    /// Pings were to come, and twice as long as one may take neither side sent any.
    private func neverPinged(_ closing: Closing, _ time: Timestamp) -> HeartbeatCause? {
        let limit = timeouts.pingInterval &+ timeouts.pingTimeout
        guard timeouts.pingInterval > 0, timeouts.pingTimeout > 0, let announcedAt, closing.client.missing == 0,
            closing.server.missing == 0, !tracks.contains(where: { $0.kind == timeouts.beats || $0.kind == .ping })
        else { return nil }
        let waited = time.nanoseconds(since: announcedAt)
        guard waited >= limit &* 2 else { return nil }
        return HeartbeatCause(
            kind: .neverPinged, from: .server, beats: timeouts.beats, silent: .server, waited: waited, timeout: timeouts.pingInterval,
            isCertain: true)
    }
}

extension HeartbeatTimeouts {
    /// The beats that they are about.
    fileprivate var beats: HeartbeatKind { .format(format) }
}
