import Libc
import NIOCore
import NIOPosix

/// Where the urgent byte of a TCP stream stands (RFC 9293 3.8.5; MSG_OOB of send(2)).
///
/// The kernel leaves the byte in the stream (SO_OOBINLINE), and a read never goes past its mark. So whether the next read begins with it can
/// be asked before each read, and only then.
final class UrgentMark {
    private let socket: CInt
    private var isAtMark = false

    init(socket: CInt) { self.socket = socket }

    /// A read comes next.
    func look() { isAtMark = sockatmark(socket) == 1 }

    /// Whether the read that was done last began with an urgent byte; once.
    func take() -> Bool {
        defer { isAtMark = false }
        return isAtMark
    }
}

/// Sends urgent bytes, and keeps what comes after one that has to wait.
///
/// An urgent byte goes to the kernel past NIO, so nothing may wait in the channel then.
struct UrgentSending {
    enum Item {
        case bytes(ByteBuffer)
        case urgent(UInt8)
        case ending(LegEnding)
    }

    /// The longest that a byte waits to be sent as urgent; then it goes as any other.
    static let patience = TimeAmount.seconds(10)

    /// What waits, in order; it begins with an urgent byte.
    var waiting: [Item] = []
    /// Called with each urgent byte that has left past the channel.
    var onSent: ((UInt8) -> Void)?
    private var deadline: NIODeadline?
    private var pause = TimeAmount.milliseconds(1)

    /// What comes next of what waits, and how long to wait for it first.
    mutating func next(on channel: any Channel) -> (item: Item?, wait: TimeAmount?) {
        guard let first = waiting.first else { return (nil, nil) }
        guard case .urgent(let byte) = first else {
            waiting.removeFirst()
            return (first, nil)
        }
        let until = deadline ?? .now() + Self.patience
        deadline = until
        switch Self.send(byte, on: channel) {
        case .waits where NIODeadline.now() < until:
            defer { pause = min(pause + pause, .milliseconds(50)) }
            return (nil, pause)
        case .sent:
            waiting.removeFirst()
            onSent?(byte)
        // As any other byte, rather than not at all.
        case .waits, .impossible: waiting[0] = .bytes(ByteBuffer(bytes: [byte]))
        }
        deadline = nil
        pause = .milliseconds(1)
        return next(on: channel)
    }

    private enum Outcome { case sent, waits, impossible }

    private static func send(_ byte: UInt8, on channel: any Channel) -> Outcome {
        guard (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0 else { return .waits }
        var outcome = Outcome.impossible
        _ = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            #if canImport(Darwin)
            let flags = MSG_OOB
            #else
            let flags = CInt(MSG_OOB) | CInt(MSG_NOSIGNAL)
            #endif
            var byte = byte
            if systemSend(socket, &byte, 1, flags) == 1 { outcome = .sent } else if errno == EAGAIN || errno == EINTR { outcome = .waits }
        }
        return outcome
    }
}

/// send(2), whose name is that of the caller above.
private func systemSend(_ socket: CInt, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: CInt) -> Int {
    send(socket, bytes, count, flags)
}
