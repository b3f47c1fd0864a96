import Dissection
import NIOCore
import Reports

/// What is said about a conversation beside its bytes and their ends.
enum Note: Sendable {
    case begin(Beginning)
    case secured(TLSSummary)
    case finding(FindingRow, detail: String)
    case close(Closing.Manner, Closing.Closer, ends: Closing.Ends, reason: String?)
    case aside(Side)
    case unkept(Side, UInt64)
    case move([OutputMove])
    case connected(RecordedConnection)
    case left
    case secrets(ByteBuffer)
}

/// Events in the order in which they were told.
///
/// ```
/// events    [ begin 0 | bytes 0..<14 | held 0 | bytes 14..<20 | finished | … ]    32 bytes each
/// small     [ 14 bytes, 6 bytes … ]                   runs that are cheaper to copy than to hold on to
/// held      [ ByteBuffer … ]                          the others
/// notes     [ begin … ]
/// ```
///
/// A small run is copied, since holding on to it would hold the whole buffer that the socket was read into.
struct EventBatch: Sendable {
    enum Kind: UInt8, Sendable {
        case small, held, finished, reset, note
    }

    struct Event: Sendable {
        var conversation: UInt64
        var time: Int64
        /// Of small bytes: the first one. Otherwise the position in `held` or `notes`.
        var position: Int
        var count: UInt32
        var kind: Kind
        var side: Side
        /// It is about a connection, and `conversation` is the number of that.
        var isOfConnection = false
    }

    /// Up to so many bytes a run is copied.
    static let smallRun = 4_096
    /// Memory that an empty batch keeps for the next one.
    private static let keptBytes = 1 << 20

    private(set) var events: [Event] = []
    private(set) var small: [UInt8] = []
    private(set) var held: [ByteBuffer] = []
    private(set) var notes: [Note] = []
    /// Memory that the runs take, those held on to by the size of the buffers that they lie in.
    private(set) var bytes = 0

    var isEmpty: Bool { events.isEmpty }

    @inline(__always)
    mutating func append(
        _ run: ByteBuffer, from side: Side, in conversation: UInt64, at time: Int64, isOfConnection: Bool = false
    ) {
        let count = run.readableBytes
        var event = Event(
            conversation: conversation, time: time, position: small.count, count: UInt32(truncatingIfNeeded: count), kind: .small,
            side: side, isOfConnection: isOfConnection)
        if count <= EventBatch.smallRun {
            run.withUnsafeReadableBytes { small.append(contentsOf: $0) }
            bytes += count
        } else {
            event.kind = .held
            event.position = held.count
            held.append(run)
            bytes += run.storageCapacity
        }
        events.append(event)
    }

    @inline(__always)
    mutating func append(_ kind: Kind, from side: Side, in conversation: UInt64, at time: Int64, isOfConnection: Bool = false) {
        events.append(
            Event(
                conversation: conversation, time: time, position: 0, count: 0, kind: kind, side: side, isOfConnection: isOfConnection))
    }

    mutating func append(_ note: Note, in conversation: UInt64, at time: Int64) {
        events.append(Event(conversation: conversation, time: time, position: notes.count, count: 0, kind: .note, side: .client))
        notes.append(note)
    }

    mutating func removeAll() {
        if events.capacity * MemoryLayout<Event>.stride > EventBatch.keptBytes { events = [] }
        if small.capacity > EventBatch.keptBytes { small = [] }
        events.removeAll(keepingCapacity: true)
        small.removeAll(keepingCapacity: true)
        held.removeAll(keepingCapacity: held.capacity <= 4_096)
        notes.removeAll(keepingCapacity: notes.capacity <= 4_096)
        bytes = 0
    }
}
