#if os(Linux)
import CaptureFiles
import Dissection
import Libc
import Synchronization

/// Takes in the packets of a log on a thread of its own, so that each gets its time when it comes, whatever is being done with those before it.
final class PacketFeed: Sendable {
    /// Packets, one after another, and where they are.
    struct Batch: Sendable {
        struct Place: Sendable {
            let time: Timestamp
            var start: Int
            let length: Int
        }

        var bytes: [UInt8] = []
        var places: [Place] = []

        mutating func append(_ packet: UnsafeRawBufferPointer, _ time: Timestamp) {
            places.append(Place(time: time, start: bytes.count, length: packet.count))
            bytes.append(contentsOf: packet)
        }

        mutating func append(_ other: Batch) {
            let start = bytes.count
            bytes += other.bytes
            places += other.places.map { Place(time: $0.time, start: $0.start + start, length: $0.length) }
        }

        mutating func removeAll() {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 8 << 20)
            places.removeAll(keepingCapacity: places.capacity <= 1 << 14)
        }
    }

    private struct State: Sendable {
        var batch = Batch()
        /// Bytes beyond which the bell is rung.
        var quietBytes = 0
        var received: UInt64 = 0
        /// The call that failed, as `errno`; nothing more comes.
        var failure: Int32?
    }

    private let state = Mutex(State())
    private let isOver = Atomic<Bool>(false)
    private let brake: ProgramBrake
    /// Only the thread uses it.
    private nonisolated(unsafe) var log: PacketLog
    private let descriptor: Int32
    /// A pipe that has a byte in it when there are packets enough.
    private let bell: (waited: Int32, rung: Int32)
    private nonisolated(unsafe) var thread = pthread_t()

    /// Bytes that wait here at most; then the kernel keeps what comes, as long as it can. Of half of it the program stands still.
    private static let mostBytes = 64 << 20
    /// Messages that are read before others get to see them.
    private static let messages = 64

    /// Starts the thread.
    ///
    /// - Parameter brake: of the program whose packets they are.
    init(_ log: consuming PacketLog, _ brake: ProgramBrake) throws(NetlinkSocket.Refusal) {
        descriptor = log.descriptor
        self.brake = brake
        self.log = log
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw NetlinkSocket.Refusal(code: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        bell = (ends[0], ends[1])
        let code = pthread_create(&thread, nil, { PacketFeed.body($0) }, Unmanaged.passRetained(self).toOpaque())
        guard code == 0 else {
            Unmanaged.passUnretained(self).release()
            throw NetlinkSocket.Refusal(code: code)
        }
    }

    deinit {
        close(bell.waited)
        close(bell.rung)
    }

    /// Ends the thread, and waits until it has.
    func end() {
        if !isOver.exchange(true, ordering: .relaxed) { pthread_join(thread, nil) }
    }

    /// Waits for packets, at most so long. A signal ends the wait early.
    ///
    /// - Parameter quietBytes: bytes of packets for which the wait goes on: each end of a wait takes the program that is watched some of its time.
    func wait(milliseconds: Int32, quietBytes: Int) {
        let isEnough = state.withLock { state in
            state.quietBytes = quietBytes
            return state.batch.bytes.count > quietBytes
        }
        guard !isEnough else { return }
        var request = pollfd(fd: bell.waited, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, milliseconds)
    }

    /// Moves what has come to the end of a batch.
    func take(into batch: inout Batch) throws(NetlinkSocket.Refusal) {
        var rung = [UInt8](repeating: 0, count: 16)
        while read(bell.waited, &rung, rung.count) > 0 {}
        let failure = state.withLock { state in
            if batch.places.isEmpty { swap(&batch, &state.batch) } else { batch.append(state.batch) }
            state.batch.removeAll()
            return state.failure
        }
        if let failure, batch.places.isEmpty { throw NetlinkSocket.Refusal(code: failure) }
    }

    /// Packets that came, and those for which the kernel had no room.
    var statistics: InterfaceStatistics {
        InterfaceStatistics(interface: 0, received: state.withLock { $0.received }, droppedBySystem: PacketLog.dropped(at: descriptor))
    }

    // MARK: - The thread

    private static func body(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // Signals are for the thread that waits for them.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        Unmanaged<PacketFeed>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }

    private func run() {
        // It has little to do for each packet, and its time is right if that is done at once. Of this thread alone on Linux.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -10)
        defer { brake.release() }
        while !isOver.load(ordering: .relaxed) {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let hasCome = poll(&request, 1, brake.isHeld ? 2 : 50) > 0
            keepUp()
            guard hasCome else { continue }
            var (failure, count, isFull) = (Int32?.none, 0, false)
            do throws(NetlinkSocket.Refusal) {
                while count < Self.messages, !isFull, try log.receive({ isFull = add($0, $1) }) { count += 1 }
            } catch {
                failure = error.code
            }
            if let failure {
                state.withLock { $0.failure = failure }
                ring()
                return
            }
            if isFull { usleep(2_000) }
        }
    }

    /// Has the program stand still while too much waits, here or in the kernel, and go on when there is room again.
    private func keepUp() {
        let waiting = state.withLock { $0.batch.bytes.count }
        let inKernel = PacketLog.waiting(at: descriptor)
        if waiting > Self.mostBytes / 2 || inKernel > 0.25 {
            brake.hold()
        } else if brake.isHeld, waiting < Self.mostBytes / 8, inKernel < 0.1 {
            brake.release()
        }
    }

    /// Gives a packet to the other thread.
    ///
    /// - Returns: Whether too many wait.
    private func add(_ packet: UnsafeRawBufferPointer, _ time: Timestamp) -> Bool {
        let (isEnough, isFull) = state.withLock { state in
            let wasQuiet = state.batch.bytes.count <= state.quietBytes
            state.batch.append(packet, time)
            state.received += 1
            let bytes = state.batch.bytes.count
            return (wasQuiet && bytes > state.quietBytes, bytes >= Self.mostBytes)
        }
        if isEnough { ring() }
        return isFull
    }

    private func ring() { _ = write(bell.rung, "!", 1) }
}
#endif
