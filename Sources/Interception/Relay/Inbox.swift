import Dissection
import NIOCore

/// What a side brought before anyone could take it, in order.
struct Inbox {
    private enum Item {
        case bytes(ByteBuffer, Timestamp, isUrgent: Bool)
        case ending(LegEnding, Timestamp)
    }

    private var items: [Item] = []
    /// Bytes that wait.
    private(set) var count = 0
    /// The side has sent all it will.
    private(set) var isFinished = false

    var isEmpty: Bool { items.isEmpty }

    /// - Parameter isUrgent: whether the first byte is an urgent one.
    mutating func append(_ bytes: ByteBuffer, at time: Timestamp, isUrgent: Bool = false) {
        count += bytes.readableBytes
        // A short run would keep the whole buffer that it was read into.
        let isRoomy = bytes.storageCapacity > 2 * bytes.readableBytes
        items.append(.bytes(isRoomy ? ByteBuffer(bytes: bytes.readableBytesView) : bytes, time, isUrgent: isUrgent))
    }

    /// Memory that what waits takes, in bytes.
    var cost: Int { count + items.count * 128 }

    mutating func append(_ ending: LegEnding, at time: Timestamp) {
        isFinished = true
        items.append(.ending(ending, time))
    }

    /// Every byte that waits, one after the other.
    var bytes: ByteBuffer {
        var all = ByteBuffer()
        for case .bytes(var run, _, _) in items { all.writeBuffer(&run) }
        return all
    }

    /// The first run alone where there is one, else the runs joined.
    mutating func takeBytes() -> ByteBuffer {
        let all = if items.count == 1, case .bytes(let run, _, _) = items[0] { run } else { bytes }
        items.removeAll { if case .bytes = $0 { true } else { false } }
        count = 0
        return all
    }

    /// Puts everything into the records without passing it on, but for a reset, which ends the conversation.
    func record(from side: Side, in conversation: UInt64, _ recorder: Recorder) {
        for item in items {
            switch item {
            case .bytes(let bytes, let time, _): recorder.received(bytes, from: side, in: conversation, at: time)
            case .ending(.closeNotify, let time), .ending(.fin, let time): recorder.finished(from: side, in: conversation, at: time)
            case .ending(.reset, _): break
            }
        }
    }

    /// Tells everything as if it came now, with the times at which it came. To whoever owns the leg at each moment: what is
    /// told may hand it on.
    func deliver(from leg: Leg) {
        for item in items {
            switch item {
            case .bytes(let bytes, let time, false): leg.owner?.leg(leg, received: bytes, at: time)
            case .bytes(let bytes, let time, true): leg.owner?.leg(leg, receivedUrgent: bytes, at: time)
            case .ending(let ending, let time): leg.owner?.leg(leg, ended: ending, at: time)
            }
        }
    }
}
