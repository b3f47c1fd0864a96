import Dissection

/// Counts what is spoken at each port of a server: the material for a profile.
package struct PayloadSurvey: ConversationSink {
    /// What was seen at one port.
    package struct Port: Sendable {
        /// Messages and bodies by the format that was recognised, and those of none.
        package fileprivate(set) var formats: [String: UInt64] = [:]
        package fileprivate(set) var unknown: UInt64 = 0
        /// Conversations with heartbeats.
        package fileprivate(set) var withHeartbeats: UInt64 = 0
        package fileprivate(set) var conversations: UInt64 = 0
        /// Messages of each side by the framing that was guessed for them.
        fileprivate var guesses: [Side: [StreamFraming: UInt64]] = [:]
        /// Turns that did not fit what was guessed.
        fileprivate var misfits: UInt64 = 0

        /// What `--framing` takes for the port, and how many messages it was guessed for; nil where nothing was guessed, or what was guessed
        /// was given up, or a turn did not fit for every eight messages that did.
        package var framing: (argument: String, messages: UInt64)? {
            guard let guessed, misfits <= guessed.messages / 8 else { return nil }
            return guessed
        }

        private var guessed: (argument: String, messages: UInt64)? {
            let (client, server) = (surest(of: .client), surest(of: .server))
            guard let one = client ?? server else { return nil }
            guard let client, let server else { return (one.framing.argument, one.count) }
            let count = client.count &+ server.count
            if client.framing == server.framing { return (client.framing.argument, count) }
            return ("client=\(client.framing.argument);server=\(server.framing.argument)", count)
        }

        private func surest(of side: Side) -> (framing: StreamFraming, count: UInt64)? {
            let all = guesses[side] ?? [:]
            // By their words where as many messages speak for two.
            return all.filter { $0.value > 0 }.max { ($0.value, $1.key.argument) < ($1.value, $0.key.argument) }.map { ($0.key, $0.value) }
        }
    }

    /// At most 1,000, the first that were seen.
    private(set) package var ports: [UInt16: Port] = [:]
    private var payloads = PayloadReader(.standard)
    private var heartbeats = HeartbeatReader()
    /// A conversation that is open.
    private struct Talk {
        var port: UInt16
        /// Messages that were cut by a guess, and turns that did not fit it.
        var messages: [Side: [StreamFraming: UInt64]] = [:]
        var misfits: UInt64 = 0
    }

    private var open: [UInt64: Talk] = [:]

    private static let mostPorts = 1_000

    package init() {}

    package var takesFrames: Bool { false }
    package var heldBytes: Int { payloads.heldBytes + heartbeats.heldBytes + open.capacity * 64 }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        if case .opened(let opening) = event.fact {
            let port = opening.server.port
            guard ports[port] != nil || ports.count < Self.mostPorts else { return }
            ports[port, default: Port()].conversations &+= 1
            open[event.conversation] = Talk(port: port)
        }
        let decoded = payloads.read(event)
        _ = heartbeats.take(event, decoded)
        guard let port = open[event.conversation]?.port else { return }
        note(event)
        switch event.fact {
        case .message, .body, .data:
            if let decoded {
                ports[port]?.formats[decoded.format.description, default: 0] &+= 1
            } else {
                ports[port]?.unknown &+= 1
            }
        case .closed:
            if heartbeats.lastEnd.heartbeats.contains(where: \.isRow) { ports[port]?.withHeartbeats &+= 1 }
            open[event.conversation] = nil
        case _: break
        }
    }

    /// What was guessed of raw bytes, as long as it holds: a guess that is given up was wrong from its first message on.
    private mutating func note(_ event: borrowing ConversationEvent) {
        guard var talk = open[event.conversation] else { return }
        switch event.fact {
        case .message(let message):
            guard let frame = message.frame, let guess = frame.guess, let side = event.from else { return }
            talk.messages[side, default: [:]][frame.framing, default: 0] &+= 1
            ports[talk.port]?.guesses[side, default: [:]][frame.framing, default: 0] &+= 1
            let misfits = guess.of - min(guess.fits, guess.of)
            if misfits > talk.misfits {
                ports[talk.port]?.misfits &+= misfits - talk.misfits
                talk.misfits = misfits
            }
        case .finding(let finding) where finding.row.id == FindingRow.framingGuessDropped.id:
            for (side, guesses) in talk.messages {
                for (framing, count) in guesses { ports[talk.port]?.guesses[side]?[framing]? &-= count }
            }
            ports[talk.port]?.misfits &-= talk.misfits
            talk = Talk(port: talk.port)
        case _: return
        }
        open[event.conversation] = talk
    }
}
