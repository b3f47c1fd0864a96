import Libc
import NIOCore
import NIOPosix

/// How sockets of both sides are set up.
enum StreamSocket {
    /// Bytes that one read takes at most; it grows to this while there is more to read. A quarter of it costs a fifth more processor
    /// time for each megabyte, most of it in waking the other side.
    static let readBytes = 256 << 10

    /// The same for TLS, whose library copies what does not fit its buffers, and keeps those as large as they once were.
    static let sealedReadBytes = 64 << 10

    /// The same once room is scarce for what the other sides do not take.
    static let scarceReadBytes = 8 << 10

    /// Bytes that wait to leave from which on they are counted, and at which they are no more. How many may wait is for the relay to say.
    static let writeMarks = ChannelOptions.Types.WriteBufferWaterMark(low: 4 << 10, high: 8 << 10)

    /// What the kernel may hold for us: NIO takes it all in at the peer's FIN, even where nobody reads.
    static let receiveBytes: Int = 1 << 20

    /// What one read of a client takes before it has a conversation: the buffer of each stays with it, and there may be thousands.
    static let preambleReadBytes = 4 << 10

    /// Sets up a connected or accepted channel. To be called on its event loop.
    ///
    /// - Returns: what knows of the channel's urgent bytes; nil where there are none.
    @discardableResult
    static func prepare(_ channel: any Channel, isPreamble: Bool = false) -> UrgentMark? {
        guard let options = channel.syncOptions else { return nil }
        // Options that a kind of socket does not have are none that it needs.
        try? options.setOption(.autoRead, value: false)
        // More runs would wait together in the buffers of TLS, which keep the size that they once had.
        try? options.setOption(.maxMessagesPerRead, value: 1)
        try? options.setOption(.allowRemoteHalfClosure, value: true)
        try? options.setOption(.writeBufferWaterMark, value: writeMarks)
        try? options.setOption(.socketOption(.so_rcvbuf), value: receiveBytes)
        var mark: UrgentMark?
        if channel.remoteAddress?.protocol != .unix {
            try? options.setOption(.tcpOption(.tcp_nodelay), value: 1)
            try? options.setOption(.socketOption(.so_keepalive), value: 1)
            // Else the kernel takes an urgent byte out of the stream, and it would be gone.
            let inLine = ChannelOptions.Types.SocketOption(level: .socket, name: NIOBSDSocket.Option(rawValue: SO_OOBINLINE))
            try? options.setOption(inLine, value: 1)
            mark = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                UrgentMark(socket: $0)
            }
        }
        setReads(of: channel, upTo: isPreamble ? preambleReadBytes : readBytes, mark: mark)
        return mark
    }

    /// Fits a client's channel for its conversation. To be called on its event loop.
    static func prepareForRelay(_ channel: any Channel, mark: UrgentMark?) { setReads(of: channel, upTo: readBytes, mark: mark) }

    /// Fits the reads of a channel to how much room there is for what the other side does not take. To be called on its event loop.
    static func fitReads(of channel: any Channel, isScarce: Bool, isSealed: Bool, mark: UrgentMark?) {
        // Not its receive buffer: the kernel would drop what it had made room for, and the sender would wait longer with each try.
        let most = isSealed ? sealedReadBytes : readBytes
        setReads(of: channel, upTo: isScarce ? scarceReadBytes : most, mark: isSealed ? nil : mark)
    }

    private static func setReads(of channel: any Channel, upTo maximum: Int, mark: UrgentMark?) {
        try? channel.syncOptions?.setOption(.recvAllocator, value: FreshReads(upTo: maximum, mark: mark))
    }

    /// Fits a channel for TLS. To be called on its event loop.
    static func prepareForTLS(_ channel: any Channel) {
        setReads(of: channel, upTo: sealedReadBytes, mark: nil)
    }
}
