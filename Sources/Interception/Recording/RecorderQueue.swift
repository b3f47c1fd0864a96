import Dissection
import NIOCore
import Synchronization

/// The bounded queue between the relay's event loops and the one thread that records.
///
/// Many append, one takes. An append takes a lock for some tens of nanoseconds and wakes the thread only when that sleeps.
/// After a batch the thread naps for a moment before it looks again, so that under load a wake-up and a write are paid
/// for by many events, and the batches grow by themselves.
final class RecorderQueue: Sendable {
    private enum Consumer {
        case busy, napping, asleep
    }

    private struct Waiter: Sendable {
        var loop: any EventLoop
        var proceed: @Sendable () -> Void
    }

    private struct State {
        var batch = EventBatch()
        /// What the consumer works on at the moment.
        var takenBytes = 0
        var takenEvents = 0
        var consumer = Consumer.busy
        var isFinishing = false
        var lastTime = Int64.min
        /// Of the last run: two runs with one time would count as one read, which clocks that step back, and are held, would give.
        var lastRunTime = Int64.min
        var lastNumber: UInt64 = 0
        var lastConnection: UInt64 = 0
        var waiters: [Waiter] = []
        /// Whether the consumer works: on a batch, or before its first one on the beginning of the report.
        var isAtWork = true
        /// Who wants to know when the batch is recorded that collects now, and when the one that the consumer works on is.
        var curious: [@Sendable () -> Void] = []
        var takenCurious: [@Sendable () -> Void] = []
    }

    /// How long the thread naps after a batch.
    private static let nap: Int64 = 1_000_000
    /// How long it is quiet before that is told.
    private static let quiet: Int64 = 1_000_000_000
    /// What ends a nap early.
    private static let napBytes = 1 << 20
    private static let napEvents = 8_192

    private let state = Mutex(State())
    private let bell = Bell()
    private let room = Atomic<Bool>(true)
    private let mostBytes: Int
    private let mostEvents: Int

    /// Grows with each event that the writer has taken up, so that whoever waits for the end can tell slow from stuck.
    let progress = Atomic<UInt64>(0)
    /// Bytes of the conversations' memory that are taken elsewhere.
    let reserved = Atomic<Int>(0)

    init(mostBytes: Int, mostEvents: Int) {
        self.mostBytes = max(1, mostBytes)
        self.mostEvents = max(1, mostEvents)
    }

    // MARK: - The relay's side

    var hasRoom: Bool { room.load(ordering: .relaxed) }

    /// How many conversations have begun.
    var begun: UInt64 { state.withLock { $0.lastNumber } }

    func begin(_ beginning: Beginning, at time: Timestamp, isPast: Bool = false) -> UInt64 {
        var number: UInt64 = 0
        append(at: time) { state, now in
            state.lastNumber += 1
            number = state.lastNumber
            state.batch.append(.begin(beginning), in: number, at: isPast ? min(time.nanoseconds, now) : now)
        }
        // Once all is finishing nothing is taken any more; the conversation has a number all the same.
        return number > 0
            ? number
            : state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
    }

    /// Gives the number of the connection, from 1; 0 where nothing is taken any more.
    func begin(_ connection: RecordedConnection, at time: Timestamp) -> UInt64 {
        var number: UInt64 = 0
        append(at: time) { state, now in
            state.lastConnection += 1
            number = state.lastConnection
            state.batch.append(.connected(connection), in: number, at: now)
        }
        return number
    }

    func append(_ run: ByteBuffer, from side: Side, in conversation: UInt64, at time: Timestamp, isOfConnection: Bool = false) {
        append(at: time) { state, now in
            state.lastRunTime = max(now, state.lastRunTime &+ 1)
            state.lastTime = state.lastRunTime
            state.batch.append(run, from: side, in: conversation, at: state.lastRunTime, isOfConnection: isOfConnection)
        }
    }

    func append(
        _ kind: EventBatch.Kind, from side: Side, in conversation: UInt64, at time: Timestamp, isOfConnection: Bool = false
    ) {
        append(at: time) { $0.batch.append(kind, from: side, in: conversation, at: $1, isOfConnection: isOfConnection) }
    }

    func append(_ note: Note, in conversation: UInt64, at time: Timestamp) {
        append(at: time) { state, now in state.batch.append(note, in: conversation, at: now) }
    }

    /// Calls back as soon as there is room.
    func whenRoom(on loop: any EventLoop, _ proceed: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if room.load(ordering: .relaxed) || state.isFinishing { return true }
            state.waiters.append(Waiter(loop: loop, proceed: proceed))
            return false
        }
        if isNow { loop.execute(proceed) }
    }

    /// Calls back when everything is recorded that was told so far, perhaps at once.
    func whenRecorded(_ proceed: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if !state.batch.isEmpty {
                state.curious.append(proceed)
            } else if state.isAtWork {
                state.takenCurious.append(proceed)
            } else {
                return true
            }
            return false
        }
        if isNow { proceed() }
    }

    /// Nothing more is taken; what is here will still be given to the consumer.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinishing = true
            return takeWaiters(&state)
        }
        bell.ring()
        for waiter in waiters { waiter.loop.execute(waiter.proceed) }
    }

    /// Adds with a time that is not before that of an event before, whichever loop read the clock first.
    @inline(__always)
    private func append(at time: Timestamp, _ add: (inout State, Int64) -> Void) {
        let wakes = state.withLock { state in
            guard !state.isFinishing else { return false }
            let now = max(time.nanoseconds, state.lastTime)
            state.lastTime = now
            add(&state, now)
            let (bytes, events) = (state.batch.bytes, state.batch.events.count)
            if bytes + state.takenBytes >= mostBytes || events + state.takenEvents >= mostEvents {
                room.store(false, ordering: .relaxed)
            }
            switch state.consumer {
            case .busy: return false
            case .napping: guard bytes >= RecorderQueue.napBytes || events >= RecorderQueue.napEvents else { return false }
            case .asleep: break
            }
            state.consumer = .busy
            return true
        }
        if wakes { bell.ring() }
    }

    // MARK: - The recording thread's side

    /// Exchanges an empty batch for what has come, after a wait for it.
    ///
    /// - Parameters:
    ///   - nanoseconds: how long to wait for something at most; then the batch is empty.
    ///   - whenQuiet: called where nothing has come for a second, once until something comes.
    /// - Returns: Whether something has come or may come; when it is false, nothing will any more.
    func take(_ batch: inout EventBatch, within nanoseconds: Int64? = nil, whenQuiet: () -> Void = {}) -> Bool {
        let satisfied = state.withLock { state in
            state.isAtWork = false
            defer { state.takenCurious = [] }
            return state.takenCurious
        }
        for proceed in satisfied { proceed() }
        var hasNapped = false
        while true {
            let step = state.withLock { state -> Consumer? in
                let isMuch = state.batch.bytes >= RecorderQueue.napBytes || state.batch.events.count >= RecorderQueue.napEvents
                if state.isFinishing || isMuch || (hasNapped && !state.batch.isEmpty) {
                    state.consumer = .busy
                    swap(&state.batch, &batch)
                    state.takenBytes = batch.bytes
                    state.takenEvents = batch.events.count
                    state.isAtWork = !batch.isEmpty
                    swap(&state.takenCurious, &state.curious)
                    return nil
                }
                state.consumer = hasNapped ? .asleep : .napping
                return state.consumer
            }
            switch step {
            case .napping:
                bell.wait(nanoseconds: RecorderQueue.nap)
                hasNapped = true
            case .asleep where nanoseconds != nil:
                if bell.wait(nanoseconds: nanoseconds) { continue }
                // It may have rung just now; then it does so for the next wait.
                state.withLock { $0.consumer = .busy }
                return true
            case .asleep:
                if bell.wait(nanoseconds: RecorderQueue.quiet) { continue }
                whenQuiet()
                bell.wait()
            case .busy, nil: return !batch.isEmpty
            }
        }
    }

    /// Tells that a batch is recorded, and lets those go on who wait for room.
    func recorded() {
        let waiters = state.withLock { state in
            state.takenBytes = 0
            state.takenEvents = 0
            guard !hasRoom, state.batch.bytes <= mostBytes / 2, state.batch.events.count <= mostEvents / 2 else { return [] as [Waiter] }
            return takeWaiters(&state)
        }
        for waiter in waiters { waiter.loop.execute(waiter.proceed) }
    }

    /// Says that there is room, and gives those who wait for it.
    private func takeWaiters(_ state: inout State) -> [Waiter] {
        room.store(true, ordering: .relaxed)
        let waiters = state.waiters
        state.waiters = []
        return waiters
    }
}
