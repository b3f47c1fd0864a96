/// What servers of Engine.IO have announced for their sessions, whatever conversations these run over: the first requests of a session mostly
/// are on another connection than its WebSocket. At most 256, of which the oldest are forgotten.
struct EngineIOSessions: Sendable {
    private static let most = 256

    private var sessions: [(id: [UInt8], maxPayload: UInt64)] = []
    /// Bytes of memory.
    private(set) var heldBytes = 0

    /// Takes what a conversation has shown, and gives it what its session has announced.
    mutating func take(_ shown: EngineIOSession, _ context: inout ConversationContext) {
        context.engineIOSession = nil
        if shown.isContinued {
            context.maxPayload = sessions.last { $0.id == shown.id }?.maxPayload
            return
        }
        guard let maxPayload = shown.maxPayload else { return }
        if sessions.count == Self.most { heldBytes -= Self.bytes(of: sessions.removeFirst().id) }
        sessions.append((shown.id, maxPayload))
        heldBytes += Self.bytes(of: shown.id)
    }

    private static func bytes(of id: [UInt8]) -> Int { id.capacity + 64 }
}
