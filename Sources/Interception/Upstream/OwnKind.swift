import Dissection
import Libc
import NIOCore

/// Whether a client on this machine is a proxy like this one, by the program that has the other end of its connection.
enum OwnKind {
    /// Nil where the system does not tell: the client is on another machine, is somebody else's, or this is not Linux.
    static func isProxy(client: SocketAddress?, listener: SocketAddress?) -> Bool? {
        #if os(Linux)
        guard let client, let listener, let own = program(of: "self") else { return nil }
        guard let owner = SocketOwner.process(local: Endpoint(client), remote: Endpoint(listener)), let program = program(of: owner)
        else { return nil }
        return program == own
        #else
        return nil
        #endif
    }

    /// The same of a client at a Unix socket, which the kernel knows itself (SO_PEERCRED, unix(7)).
    static func isProxy(unixPeerOf channel: any Channel) -> Bool? {
        #if os(Linux)
        // struct ucred: pid, uid and gid.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var isKnown = false
        ConnectionReset.withSocket(of: channel) { socket in
            var length = socklen_t(MemoryLayout.size(ofValue: credentials))
            isKnown = getsockopt(socket, SOL_SOCKET, peerCredentials, &credentials, &length) == 0
        }
        guard isKnown, credentials.pid > 0, let own = program(of: "self") else { return nil }
        return program(of: String(credentials.pid)).map { $0 == own }
        #else
        return nil
        #endif
    }

    #if os(Linux)
    /// SO_PEERCRED of asm-generic/socket.h.
    private static let peerCredentials: CInt = 17

    private static func program(of process: String) -> String? {
        SocketOwner.link("/proc/\(process)/exe")?.split(separator: "/").last.map { String($0.prefix { $0 != " " }) }
    }
    #endif
}
