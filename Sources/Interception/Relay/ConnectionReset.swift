import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends a TCP connection with a RST, as the peer on the other side ended its own.
///
/// A RST throws away what the kernel has not sent. What the other side sent before its own RST had reached us, and would
/// have reached this side, so the RST waits until it is acknowledged; not for ever, since a peer that does not read would
/// never see the RST.
enum ConnectionReset {
    /// The most that is waited for acknowledgements.
    private static let patience = TimeAmount.seconds(2)

    /// Sends what was written, then RST. To be called on the channel's event loop.
    static func send(on channel: any Channel) {
        let loop = channel.eventLoop
        let deadline = NIODeadline.now() + patience
        if let options = channel as? any SocketOptionProvider, channel.remoteAddress?.protocol != .unix {
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
                wait(channel, options, until: deadline, next: .milliseconds(1), on: loop)
            }
        } else {
            // A Unix socket knows no RST.
            channel.close(mode: .all, promise: nil)
        }
    }

    private static func wait(
        _ channel: any Channel, _ options: any SocketOptionProvider, until deadline: NIODeadline, next: TimeAmount, on loop: any EventLoop
    ) {
        guard channel.isActive else { return }
        unsentBytes(of: channel, options).whenComplete { result in
            let isClear = if case .success(let waiting) = result { !waiting } else { true }
            if isClear || NIODeadline.now() >= deadline {
                channel.close(mode: .all, promise: nil)
                return
            }
            loop.scheduleTask(in: next) {
                wait(channel, options, until: deadline, next: min(next + next, .milliseconds(50)), on: loop)
            }
        }
    }

    /// Whether bytes wait in the channel or the kernel, or are not acknowledged.
    private static func unsentBytes(of channel: any Channel, _ options: any SocketOptionProvider) -> EventLoopFuture<Bool> {
        let inChannel = channel.getOption(.bufferedWritableBytes)
        #if os(Linux)
        // Part of `struct tcp_info` of the kernel; what glibc knows of it ends before the bytes that were not sent.
        let inKernel: EventLoopFuture<TCPInfo> = options.unsafeGetSocketOption(
            level: .tcp, name: NIOBSDSocket.Option(rawValue: CInt(TCP_INFO)))
        return inChannel.and(inKernel).map { $0 > 0 || $1.unacknowledgedSegments > 0 || $1.unsentBytes > 0 }
        #else
        return inChannel.map { $0 > 0 }
        #endif
    }
}

#if os(Linux)
/// The fields of the kernel's `struct tcp_info` (linux/tcp.h) that tell whether all was sent and acknowledged.
private struct TCPInfo: Sendable {
    private var upToUnacked: (UInt64, UInt64, UInt64) = (0, 0, 0)
    /// `tcpi_unacked`, at 24.
    var unacknowledgedSegments: UInt32 = 0
    private var upToRates: (UInt32, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    private var rates: (UInt64, UInt64, UInt64, UInt64, UInt32, UInt32) = (0, 0, 0, 0, 0, 0)
    /// `tcpi_notsent_bytes`, at 144.
    var unsentBytes: UInt32 = 0
}
#endif
