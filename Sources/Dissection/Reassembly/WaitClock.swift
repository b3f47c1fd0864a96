/// Bounds in time how long connections wait for packets that may have been captured late.
///
/// `LostBytes` counts the packets of its own connection. One that falls silent would wait for ever, though the capture goes on:
/// the times of all packets are the clock by which such a wait ends.
struct WaitClock {
    /// How a connection stands with the clock.
    enum Hand: Sendable {
        case none
        /// It waits.
        case running
        /// It waits, and packets of its own have come since: those are counted, and it has as much time again.
        case renewed
    }

    struct Wait {
        var slot: Int32
        /// The number of its conversation: another may have taken its place.
        var conversation: UInt64
        var since: Timestamp
    }

    /// A wait ends after this time without packets of its own connection, or up to twice that where some came.
    static let nanoseconds: Int64 = 1_000_000_000

    /// In the order in which they began, from `head` on; each connection once.
    private var waits: [Wait] = []
    private var head = 0

    var isEmpty: Bool { head == waits.count }

    /// Bytes of memory, against `Limits.totalBytes`.
    var heldBytes: Int { waits.capacity * MemoryLayout<Wait>.stride }

    mutating func add(_ wait: Wait) { waits.append(wait) }

    /// Takes out the wait that began first, if its time is over. Each is looked at once.
    mutating func takeOverdue(at now: Timestamp) -> Wait? {
        guard head < waits.count, now.nanoseconds(since: waits[head].since) > Self.nanoseconds else { return nil }
        defer {
            head += 1
            if head == waits.count {
                waits.removeAll(keepingCapacity: head <= 1_024)
                head = 0
            } else if head >= 1_024, head * 2 >= waits.count {
                waits.removeFirst(head)
                head = 0
            }
        }
        return waits[head]
    }
}
