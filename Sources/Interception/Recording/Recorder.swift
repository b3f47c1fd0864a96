import Dissection
import NIOCore
import Reports
import Synchronization

/// Takes what the relay saw, and makes records of it on a thread of its own.
///
/// ```
/// event loops ─▶ queue ─▶ thread: dissector ─▶ line of outputs ─▶ one write each
/// ```
///
/// Calls come from any event loop; those about one conversation come from one loop, in order. None of them waits. A relay
/// looks at `hasRoom` before it reads on. Times that step back are held at the latest one, and reads at one time are a
/// nanosecond apart, so that each is a read of its own in the recording too.
///
/// A conversation ends when both sides have finished, when one was reset, or with `close`; what is told of it afterwards is
/// left out. `close` is always called in the end.
package final class Recorder: Sendable {
    /// What became of the end of a recording.
    package enum Ending: Sendable {
        /// Everything is written, but for what the user agreed to lose.
        case complete
        /// All that could be written is; how much could not was told.
        case lost
        /// Writing takes longer than it may, as with a network disk whose server is gone.
        case gaveUp
    }

    private let queue: RecorderQueue
    /// What is written to; none once all is, so that whoever reads it comes to an end.
    private let outputs: Mutex<OutputPlan?>
    private let isEnding: @Sendable () -> Void
    private let hasLost: Flag
    private let hasEnded = Bell()
    /// Nobody listens: numbers are given, and nothing else is done.
    private let isSilent: Bool
    private let lastNumber = Atomic<UInt64>(0)

    /// A recorder that gives numbers and records nothing.
    package init() {
        queue = RecorderQueue(mostBytes: 1, mostEvents: 1)
        outputs = Mutex(nil)
        isEnding = {}
        hasLost = Flag()
        isSilent = true
    }

    /// Starts the thread.
    ///
    /// - Throws: A `RecorderError` where there is none left.
    package init(_ settings: RecorderSettings) throws(RecorderError) {
        isSilent = false
        let queue = RecorderQueue(mostBytes: settings.queueBytes, mostEvents: settings.queueEvents)
        let hasLost = Flag()
        self.queue = queue
        outputs = Mutex(settings.outputs)
        isEnding = settings.isEnding
        self.hasLost = hasLost
        let job = Job(settings: settings, queue: queue, hasLost: hasLost, hasEnded: hasEnded)
        let status = RecordingThread.start { job.run() }
        if status != 0 { throw RecorderError(subject: "the recording thread", cause: .failed(errno: status)) }
    }

    /// What was found at the end, for another thread to look at.
    private final class Flag: Sendable {
        let isRaised = Atomic<Bool>(false)
    }

    /// What the thread is given.
    private struct Job: Sendable {
        let settings: RecorderSettings
        let queue: RecorderQueue
        let hasLost: Flag
        let hasEnded: Bell

        func run() {
            var writer = RecordWriter(settings)
            hasLost.isRaised.store(writer.run(queue), ordering: .releasing)
            hasEnded.ring()
        }
    }

    /// A conversation begins; gives its number, from 1 in the order of these calls.
    ///
    /// - Parameter isPast: the time may lie before that of what was told last: it is that of an attempt which has come to its end now.
    package func begin(_ beginning: Beginning, at time: Timestamp, isPast: Bool = false) -> UInt64 {
        if isSilent { return lastNumber.add(1, ordering: .relaxed).newValue }
        return queue.begin(beginning, at: time, isPast: isPast)
    }

    /// How many conversations have begun, refused clients among them.
    package var begunConversations: UInt64 { isSilent ? lastNumber.load(ordering: .relaxed) : queue.begun }

    /// TLS was terminated on one or both sides; what follows is plaintext.
    package func secured(_ summary: TLSSummary, in conversation: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(.secured(summary), in: conversation, at: time) }
    }

    /// One run of bytes, as one read of the socket brought it.
    package func received(_ bytes: ByteBuffer, from side: Side, in conversation: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(bytes, from: side, in: conversation, at: time) }
    }

    /// A side will send no more: FIN, or close_notify.
    package func finished(from side: Side, in conversation: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(.finished, from: side, in: conversation, at: time) }
    }

    /// A side reset the connection.
    package func reset(from side: Side, in conversation: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(.reset, from: side, in: conversation, at: time) }
    }

    /// Something that the proxy itself has to say about a conversation, or with 0 for its number about itself: a finding.
    ///
    /// - Parameter detail: what the row's sentence names as `{text}`.
    package func find(_ row: FindingRow, detail: String, in conversation: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(.finding(row, detail: detail), in: conversation, at: time) }
    }

    /// The conversation is over.
    ///
    /// - Parameters:
    ///   - how: what ended it, where nothing that the peers sent did.
    ///   - ends: how the sides had left by then, where that was no end of what they had to say.
    ///   - reason: in words, for a person, why the proxy ended it; told as a finding of the proxy ahead of `closed`.
    package func close(
        _ how: Closing.Manner, by closer: Closing.Closer, ends: Closing.Ends = Closing.Ends(), reason: String? = nil,
        in conversation: UInt64,
        at time: Timestamp
    ) {
        if !isSilent { queue.append(.close(how, closer, ends: ends, reason: reason), in: conversation, at: time) }
    }

    /// What the side sends from here on belongs to nothing that is read of the conversation: it is shown as it came.
    package func setAside(_ side: Side, in conversation: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(.aside(side), in: conversation, at: time) }
    }

    /// So many bytes of the side came next, and are not kept.
    package func unkept(_ count: Int, from side: Side, in conversation: UInt64) {
        if !isSilent, count > 0 { queue.append(.unkept(side, UInt64(count)), in: conversation, at: .now) }
    }

    // MARK: - Connections, for a sealed recording

    /// A connection has begun; gives its number, from 1, or 0 where nothing is recorded.
    package func begin(_ connection: RecordedConnection, at time: Timestamp) -> UInt64 {
        isSilent ? 0 : queue.begin(connection, at: time)
    }

    /// A run of bytes as it went over the wire.
    package func carried(_ bytes: ByteBuffer, from side: Side, over connection: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(bytes, from: side, in: connection, at: time, isOfConnection: true) }
    }

    /// A side has sent its FIN.
    package func finished(from side: Side, over connection: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(.finished, from: side, in: connection, at: time, isOfConnection: true) }
    }

    /// A side has sent a RST.
    package func reset(from side: Side, over connection: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(.reset, from: side, in: connection, at: time, isOfConnection: true) }
    }

    /// Nothing more is told of the connection. Always called in the end.
    package func left(_ connection: UInt64, at time: Timestamp) {
        if !isSilent { queue.append(.left, in: connection, at: time) }
    }

    /// Secrets of TLS sessions, whole lines of a key log (RFC 9850), before the bytes that they open.
    package func take(secrets: ByteBuffer, at time: Timestamp) {
        if !isSilent { queue.append(.secrets(secrets), in: 0, at: time) }
    }

    /// Logs go on in other files, from what is told now on.
    package func move(_ moves: [OutputMove]) {
        guard !isSilent, !moves.isEmpty else { return }
        outputs.withLock { plan in
            for move in moves { plan?.targets[move.index].outlet = move.outlet }
        }
        queue.append(.move(moves), in: 0, at: .now)
    }

    /// The conversations take so many bytes elsewhere, which are not there to keep what they say; fewer where it is below zero.
    func reserve(_ bytes: Int) { queue.reserved.add(bytes, ordering: .relaxed) }

    /// Whether the queue can take more; when it cannot, the relay stops reading.
    package var hasRoom: Bool { isSilent || queue.hasRoom }

    /// Calls back on `loop`, once, as soon as there is room.
    package func whenRoom(on loop: any EventLoop, _ proceed: @escaping @Sendable () -> Void) {
        if isSilent { loop.execute(proceed) } else { queue.whenRoom(on: loop, proceed) }
    }

    /// Waits until everything is recorded and written that was told so far. Called from a thread that may wait.
    ///
    /// - Parameter nanoseconds: how long to wait.
    /// - Returns: whether it is; false where writing takes longer.
    @discardableResult
    package func catchUp(within nanoseconds: Int64 = 1_000_000_000) -> Bool {
        if isSilent { return true }
        let bell = Bell()
        queue.whenRecorded { bell.ring() }
        return bell.wait(nanoseconds: nanoseconds)
    }

    /// Takes nothing more, records what was told, closes what is still open, and writes the totals. Called once, from a
    /// thread that may wait.
    ///
    /// - Parameter nanoseconds: how long it may come no further; 10 seconds unless told. Slow writing that goes on is waited for.
    package func finish(within nanoseconds: Int64 = 10_000_000_000) -> Ending {
        if isSilent { return .complete }
        queue.finish()
        isEnding()
        var seen = progress
        while !hasEnded.wait(nanoseconds: nanoseconds) {
            let now = progress
            // Slow is not stuck.
            if now == seen { return .gaveUp }
            seen = now
        }
        outputs.withLock { $0 = nil }
        return hasLost.isRaised.load(ordering: .acquiring) ? .lost : .complete
    }

    /// Grows as long as the thread comes any further.
    private var progress: UInt64 { queue.progress.load(ordering: .relaxed) &+ outputs.withLock { $0?.takenBytes ?? 0 } }
}
