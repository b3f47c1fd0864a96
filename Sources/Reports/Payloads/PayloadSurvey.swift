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
    }

    /// At most 1,000, the first that were seen.
    private(set) package var ports: [UInt16: Port] = [:]
    private var payloads = PayloadReader(.standard)
    private var heartbeats = HeartbeatReader()
    /// The port of each conversation that is open.
    private var open: [UInt64: UInt16] = [:]

    private static let mostPorts = 1_000

    package init() {}

    package var takesFrames: Bool { false }
    package var heldBytes: Int { payloads.heldBytes + heartbeats.heldBytes + open.capacity * 16 }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        if case .opened(let opening) = event.fact {
            let port = opening.server.port
            guard ports[port] != nil || ports.count < Self.mostPorts else { return }
            ports[port, default: Port()].conversations &+= 1
            open[event.conversation] = port
        }
        let decoded = payloads.read(event)
        _ = heartbeats.take(event, decoded)
        guard let port = open[event.conversation] else { return }
        switch event.fact {
        case .message, .body, .data:
            if let decoded {
                ports[port]?.formats[decoded.format.description, default: 0] &+= 1
            } else {
                ports[port]?.unknown &+= 1
            }
        case .closed(let closing):
            if !heartbeats.end(event.conversation, at: closing.endedAt ?? event.place.time).heartbeats.isEmpty {
                ports[port]?.withHeartbeats &+= 1
            }
            open[event.conversation] = nil
        case _: break
        }
    }
}
