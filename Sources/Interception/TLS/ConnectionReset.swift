import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends a connection with RST instead of FIN, without taking from the peer what was written before: a reset throws away what the kernel has
/// not sent yet.
package enum ConnectionReset {
    /// How long the peer may take to accept what was written before.
    package static let patience = TimeAmount.seconds(2)

    /// Sends RST once nothing is left to send, in the channel or in the kernel, or after `patience`, and closes the channel. What was
    /// written has to be flushed. A Unix socket has no RST; it is closed.
    ///
    /// - Parameter promise: done when the channel is closed.
    package static func send(on channel: any Channel, promise: EventLoopPromise<Void>? = nil) {
        channel.eventLoop.preconditionInEventLoop()
        attempt(on: channel, until: .now() + patience, after: .milliseconds(1), promise)
    }

    private static func attempt(
        on channel: any Channel, until deadline: NIODeadline, after pause: TimeAmount, _ promise: EventLoopPromise<Void>?
    ) {
        if channel.isActive, .now() < deadline, unsentBytes(on: channel) > 0 {
            // An acknowledgement cannot be waited for, only asked about.
            let next = min(pause * 2, .milliseconds(50))
            channel.eventLoop.assumeIsolated().scheduleTask(in: pause) { attempt(on: channel, until: deadline, after: next, promise) }
            return
        }
        withSocket(of: channel) { socket in
            var option = linger(l_onoff: 1, l_linger: 0)
            _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        channel.close(mode: .all, promise: promise)
    }

    /// Bytes that the channel holds or the peer's kernel has not acknowledged; 0 where the socket does not say.
    static func unsentBytes(on channel: any Channel) -> Int {
        let held = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        var count: CInt = 0
        withSocket(of: channel) { socket in
            #if canImport(Darwin)
            var length = socklen_t(MemoryLayout<CInt>.size)
            _ = getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &length)
            #else
            // SIOCOUTQ by its other name.
            _ = ioctl(socket, UInt(TIOCOUTQ), &count)
            #endif
        }
        return held + Int(count)
    }

    private static func withSocket(of channel: any Channel, _ body: (CInt) -> Void) {
        // It fails where the socket is closed already, and then there is nothing to ask.
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { body($0) }
    }
}
