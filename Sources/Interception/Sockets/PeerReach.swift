import Libc
import NIOCore

/// What the kernel knows of a peer that was not read yet.
enum PeerReach {
    /// Whether the peer has ended the connection, or its half of it: its FIN or RST is here, be it after bytes that nobody has read. False where
    /// the socket does not tell.
    static func hasPeerFinished(_ channel: any Channel) -> Bool {
        var isGone = false
        ConnectionReset.withSocket(of: channel) { socket in
            #if canImport(Darwin)
            var byte: UInt8 = 0
            isGone = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0
            #else
            // POLLRDHUP of linux/poll.h, which Swift does not import.
            let halfClosed: Int16 = 0x2000
            var question = pollfd(fd: socket, events: halfClosed, revents: 0)
            isGone = poll(&question, 1, 0) > 0 && question.revents & (halfClosed | Int16(POLLHUP) | Int16(POLLERR)) != 0
            #endif
        }
        return isGone
    }

    #if os(Linux)
    /// SO_PEERNAME of asm-generic/socket.h.
    private static let peerName: CInt = 28
    #endif

    /// The address of a peer that has reset its connection already: getpeername(2) does not tell it any more. Nil where the system does not either.
    static func addressOfReset(_ channel: any Channel) -> SocketAddress? {
        var found: SocketAddress?
        #if os(Linux)
        ConnectionReset.withSocket(of: channel) { socket in
            var storage = sockaddr_storage()
            // The kernel fills the whole of the room that it is given, or refuses.
            for size in [MemoryLayout<sockaddr_in6>.size, MemoryLayout<sockaddr_in>.size] {
                var length = socklen_t(size)
                guard getsockopt(socket, SOL_SOCKET, peerName, &storage, &length) == 0 else { continue }
                let family = CInt(storage.ss_family)
                found = withUnsafeBytes(of: storage) { bytes in
                    switch family {
                    case AF_INET: SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self))
                    case AF_INET6: SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self))
                    default: nil
                    }
                }
                return
            }
        }
        #endif
        return found
    }
}
