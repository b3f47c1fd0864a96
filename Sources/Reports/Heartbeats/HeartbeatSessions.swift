import Dissection

/// The times of sessions of Engine.IO that began in the body of a response, until a WebSocket goes on with them: at most 256, of which the
/// oldest are forgotten.
struct HeartbeatSessions: Sendable {
    private var sessions: [(name: [UInt8], timeouts: HeartbeatTimeouts)] = []
    private static let most = 256

    var heldBytes: Int { sessions.capacity * 48 + sessions.reduce(0) { $0 + $1.name.count } }

    /// Takes the packet that opens a session, alone in its body or the first of several.
    mutating func note(_ decoded: DecodedPayload) {
        guard decoded.format.description == "engine.io" else { return }
        var opening = decoded
        if case .items(let packets)? = decoded.entries.first(where: { $0.key.rawBytes.isWord("packets") })?.value,
            case .object(let members)? = packets.first?.value
        {
            opening = DecodedPayload(format: decoded.format)
            opening.add(members)
        }
        guard case .json(let quoted)? = opening.entries.first(where: { $0.key.rawBytes.isWord("sid") })?.value, quoted.count > 2,
            quoted.count - 2 <= EngineIOSession.longestSID
        else { return }
        var timeouts = HeartbeatTimeouts()
        EngineIO.note(opening, in: &timeouts)
        guard timeouts.pingInterval > 0 || timeouts.pingTimeout > 0 else { return }
        let name = Array(quoted.dropFirst().dropLast())
        sessions.removeAll { $0.name == name }
        if sessions.count == Self.most { sessions.removeFirst() }
        sessions.append((name, timeouts))
    }

    /// Takes out the times of the session that the target of a request names; nil where none are known.
    mutating func take(of target: RawSpan) -> HeartbeatTimeouts? {
        guard !sessions.isEmpty else { return nil }
        let name = EngineIO.session(of: target)
        guard !name.isEmpty, let index = sessions.firstIndex(where: { $0.name == name }) else { return nil }
        return sessions.remove(at: index).timeouts
    }
}
