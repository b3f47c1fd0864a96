import Dissection
import Libc

/// Where the bytes come from: a file, standard input, or memory.
struct InputDescriptor: ~Copyable {
    /// What one `read` came to.
    enum Outcome {
        case bytes(Int)
        case end
        case failed(Int32)
    }

    /// Size of a regular file; absent for pipes and terminals, which also may have to be waited for.
    let size: UInt64?
    private let descriptor: Int32
    private let closesDescriptor: Bool
    private let memory: [UInt8]
    private var memoryPosition = 0
    private let bytesPerRead: Int
    private let stop: StopFlag?

    /// Whether the stop flag was raised, so that an early end is wanted and no damage.
    var wasStopped: Bool { stop?.isStopped ?? false }

    /// Opens `path`, or takes standard input for `-`. Throws the `errno` of the system.
    init(path: String, stop: StopFlag?) throws(InputFailure) {
        let opened = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { throw InputFailure(code: errno) }
        var status = stat()
        let isRegular = unsafe fstat(opened, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        self.size = isRegular ? UInt64(max(0, status.st_size)) : nil
        self.descriptor = opened
        self.closesDescriptor = path != "-"
        self.memory = []
        self.bytesPerRead = .max
        self.stop = stop
    }

    /// Reads from `bytes`, at most `bytesPerRead` in one go.
    init(bytes: [UInt8], bytesPerRead: Int) {
        self.size = UInt64(bytes.count)
        self.descriptor = -1
        self.closesDescriptor = false
        self.memory = bytes
        self.bytesPerRead = max(1, bytesPerRead)
        self.stop = nil
    }

    deinit {
        if closesDescriptor { close(descriptor) }
    }

    /// Reads into `buffer` after `position`, at most `limit` bytes. Waits until there is something, the input ends or the stop flag is raised,
    /// which counts as the end.
    mutating func read(into buffer: inout [UInt8], at position: Int, limit: Int = .max) -> Outcome {
        let room = min(buffer.count - position, bytesPerRead, limit)
        guard room > 0 else { return .bytes(0) }
        guard descriptor >= 0 else {
            let count = min(room, memory.count - memoryPosition)
            guard count > 0 else { return .end }
            buffer.replaceSubrange(position..<position + count, with: memory[memoryPosition..<memoryPosition + count])
            memoryPosition += count
            return .bytes(count)
        }
        while true {
            if let stop, stop.isStopped { return .end }
            if size == nil, stop != nil, !waitBriefly() { continue }
            // The range lies in the array: room was computed from its count.
            let count = unsafe buffer.withUnsafeMutableBytes { target in
                unsafe systemRead(descriptor, target.baseAddress.map { unsafe $0 + position }, room)
            }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EINTR || errno == EAGAIN { continue }
            return .failed(errno)
        }
    }

    /// Whether any byte of the input can be gone to: a file that was opened by its name, or memory.
    var canSeek: Bool { size != nil && (closesDescriptor || descriptor < 0) }

    /// Makes the next `read` begin at `position`; false where the system refuses.
    mutating func seek(to position: UInt64) -> Bool {
        guard canSeek, let size, position <= size else { return false }
        // At most the input's size, which is an Int.
        guard descriptor >= 0 else {
            memoryPosition = Int(position)
            return true
        }
        return lseek(descriptor, off_t(position), SEEK_SET) >= 0
    }

    /// Up to `count` bytes from `position` on; the next `read` goes on where it would have.
    func readAside(at position: UInt64, count: Int) -> [UInt8] {
        guard canSeek, let size, position < size, count > 0 else { return [] }
        let wanted = Int(min(UInt64(count), size - position))
        guard descriptor >= 0 else { return Array(memory[Int(position)..<Int(position) + wanted]) }
        var bytes = [UInt8](repeating: 0, count: wanted)
        var filled = 0
        while filled < wanted {
            // The range lies in the array: `filled` is less than its count.
            let count = unsafe bytes.withUnsafeMutableBytes { target in
                unsafe pread(
                    descriptor, target.baseAddress.map { unsafe $0 + filled }, wanted - filled, off_t(position) + off_t(filled))
            }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            filled += count
        }
        bytes.removeLast(wanted - filled)
        return bytes
    }

    /// Waits up to a quarter of a second for input, so that the stop flag is seen. True when there is something to read.
    private func waitBriefly() -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 250) != 0 && request.revents != 0
    }
}

/// The `errno` that a system call left.
struct InputFailure: Error {
    var code: Int32

    /// The system's words for it.
    var text: String { unsafe String(cString: strerror(code)) }
}

/// The system's `read`, under a name that does not collide with methods.
private func systemRead(_ descriptor: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, target, count)
}
