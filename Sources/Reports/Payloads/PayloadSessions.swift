/// What is known of sessions that run over several conversations, such as those of Engine.IO; of at most 1,024 sessions, of which the least
/// recently used are forgotten.
struct PayloadSessions: Sendable {
    private struct Session: Sendable {
        var memory: PayloadMemory
        var lastUse: UInt64
    }

    private var sessions: [[UInt8]: Session] = [:]
    private var uses: UInt64 = 0
    /// Bytes of memory.
    private(set) var heldBytes = 0

    private static let most = 1_024
    /// More memory than this is not kept; the least recently used are forgotten.
    private let mostBytes: Int
    /// So many are forgotten at once, so that searching for them costs little for each.
    private static let forgotten = 128

    init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// Takes a session out, so that changing it copies nothing; nil where none is known.
    mutating func take(_ name: [UInt8]) -> PayloadMemory? {
        guard let session = sessions.removeValue(forKey: name) else { return nil }
        heldBytes -= Self.bytes(of: session, name)
        return session.memory
    }

    /// Keeps what is known of a session until the next of its payloads.
    mutating func keep(_ memory: PayloadMemory, _ name: [UInt8]) {
        _ = take(name)
        if sessions.count >= Self.most {
            let oldest = sessions.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(Self.forgotten)
            for (name, _) in oldest { _ = take(name) }
        }
        uses += 1
        let session = Session(memory: memory, lastUse: uses)
        heldBytes += Self.bytes(of: session, name)
        sessions[name] = session
        guard heldBytes > mostBytes else { return }
        // To three quarters, so that searching for them costs little for each.
        for (name, _) in sessions.sorted(by: { $0.value.lastUse < $1.value.lastUse }) where heldBytes > mostBytes / 4 * 3 { _ = take(name) }
    }

    private static func bytes(of session: Session, _ name: [UInt8]) -> Int {
        name.count + 64 + MemoryLayout<Session>.stride * 2 + session.memory.heldBytes
    }
}
