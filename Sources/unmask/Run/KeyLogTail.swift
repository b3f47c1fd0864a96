import Libc

/// The lines that a program appends to a key log while it runs, for a recording that has them beside its packets.
struct KeyLogTail: ~Copyable {
    private let descriptor: Int32
    /// What follows the last whole line.
    private var rest: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    /// The most bytes of a line; what is longer is not of a key log.
    private static let longestLine = 16 << 10

    /// Begins at the end that the file has now.
    ///
    /// - Returns: nil where it cannot be read.
    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        lseek(descriptor, 0, Int32(SEEK_END))
    }

    deinit { close(descriptor) }

    /// The whole lines that have come since the last call; empty where there are none.
    mutating func lines() -> [UInt8] {
        while true {
            let count = systemRead(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return [] }
            rest += buffer[..<count]
            if let end = rest.lastIndex(of: 0x0A) {
                let lines = Array(rest[...end])
                rest.removeFirst(end + 1)
                return lines
            }
            if rest.count > Self.longestLine { rest = [] }
        }
    }
}

/// The system's `read`, under a name that does not collide with methods.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int { read(descriptor, bytes, count) }
