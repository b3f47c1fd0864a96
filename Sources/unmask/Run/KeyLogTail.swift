import Libc

/// The lines that a program appends to a key log while it runs, for a recording that has them beside its packets.
final class KeyLogTail {
    private let path: String
    /// Negative before the file is there.
    private var descriptor: Int32
    /// What follows the last whole line.
    private var rest: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    /// The most bytes of a line; what is longer is not of a key log.
    private static let longestLine = 16 << 10

    /// Begins at the end that the file has now, or with the first line of one that is made later.
    init(path: String) {
        self.path = path
        descriptor = Self.open(path)
        if descriptor >= 0 { lseek(descriptor, 0, Int32(SEEK_END)) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func open(_ path: String) -> Int32 { systemOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }

    /// The whole lines that have come since the last call; empty where there are none.
    func lines() -> [UInt8] {
        if descriptor < 0 { descriptor = Self.open(path) }
        while descriptor >= 0 {
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
        return []
    }
}

// The system's calls, under names that do not collide with methods.

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int { read(descriptor, bytes, count) }
