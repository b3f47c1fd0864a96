import Libc
import NIOCore
import NIOPosix

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
        if channel.remoteAddress?.protocol == .unix {
            // A Unix socket knows no RST.
            channel.close(mode: .all, promise: nil)
        } else {
            attempt(on: channel, until: .now() + patience, next: .milliseconds(1))
        }
    }

    private static func attempt(on channel: any Channel, until deadline: NIODeadline, next: TimeAmount) {
        guard channel.isActive else { return }
        if NIODeadline.now() < deadline, unsentBytes(of: channel) > 0 {
            // An acknowledgement cannot be waited for, only asked about.
            channel.eventLoop.assumeIsolated().scheduleTask(in: next) {
                attempt(on: channel, until: deadline, next: min(next + next, .milliseconds(50)))
            }
            return
        }
        withSocket(of: channel) { socket in
            var option = linger(l_onoff: 1, l_linger: 0)
            _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        channel.close(mode: .all, promise: nil)
    }

    /// Whether closing the channel sends a RST.
    static func isPending(on channel: any Channel) -> Bool {
        var option = linger(l_onoff: 0, l_linger: 0)
        withSocket(of: channel) { socket in
            var length = socklen_t(MemoryLayout<linger>.size)
            _ = getsockopt(socket, SOL_SOCKET, SO_LINGER, &option, &length)
        }
        return option.l_onoff != 0 && option.l_linger == 0
    }

    /// Bytes that wait in the channel or the kernel, or are not acknowledged; what the socket does not tell counts as none.
    static func unsentBytes(of channel: any Channel) -> Int {
        let inChannel = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        var inKernel: CInt = 0
        withSocket(of: channel) { socket in
            #if canImport(Darwin)
            var length = socklen_t(MemoryLayout<CInt>.size)
            _ = getsockopt(socket, SOL_SOCKET, SO_NWRITE, &inKernel, &length)
            #else
            // SIOCOUTQ by its other name.
            _ = ioctl(socket, UInt(TIOCOUTQ), &inKernel)
            #endif
        }
        return inChannel + Int(inKernel)
    }

    static func withSocket(of channel: any Channel, _ body: (CInt) -> Void) {
        // It fails where the socket is closed already, and then there is nothing to ask.
        _ = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { body($0) }
    }
}
