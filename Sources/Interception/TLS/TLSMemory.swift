import Synchronization

/// What the TLS sessions of conversations that run take: the library's state is in none of our buffers, so that it is an estimate.
///
/// Measured over 1,000 sessions each, of clients and of servers: one that is open takes 18 to 24 KiB, and 47 KiB with a record of 16 KiB
/// that has no end; one in its handshake 19 to 22 KiB, and up to three times the bytes that have come for it.
final class TLSMemory: Sendable {
    /// Bytes that are counted for one session that is open.
    static let perSession = 40 << 10
    /// Bytes that are counted for one in its handshake, and for each byte that has come for it.
    static let perHandshake = 24 << 10
    static let perHandshakeByte = 3

    /// The part of a session; it is given back with the object.
    final class Share: Sendable {
        private let memory: TLSMemory
        fileprivate init(_ memory: TLSMemory) { self.memory = memory }
        deinit { memory.give(back: TLSMemory.perSession) }
    }

    /// The most that all sessions may take, in bytes.
    let limit: Int
    private let recorder: Recorder
    private let taken = Mutex(0)

    /// - Parameter recorder: keeps so much less for its conversations as the sessions take.
    init(limit: Int, recorder: Recorder) {
        self.limit = limit
        self.recorder = recorder
    }

    /// What is taken, in bytes.
    var total: Int { taken.withLock { $0 } }

    /// Counts one session; nil where there is no room for it.
    func take() -> Share? {
        let hasRoom = taken.withLock { taken in
            guard taken + Self.perSession <= limit else { return false }
            taken += Self.perSession
            return true
        }
        guard hasRoom else { return nil }
        recorder.reserve(Self.perSession)
        return Share(self)
    }

    private func give(back bytes: Int) {
        taken.withLock { $0 -= bytes }
        recorder.reserve(-bytes)
    }

    /// Why a conversation comes to nothing for which there is no room.
    var refusal: String { "the TLS sessions of open conversations take \(limit >> 20) MiB, which is half of --memory" }
}
