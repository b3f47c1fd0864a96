#if os(Linux)
import Libc

/// Sockets at addresses that are known in numbers, made with the system's calls: they belong to the network of the thread that makes them.
enum NetworkSocket {
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }
    }

    enum Kind {
        case stream, datagram

        fileprivate var number: Int32 { Int32(self == .stream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue) }
    }

    /// A socket that is bound to an address and a free port.
    ///
    /// - Throws: `Failure`.
    static func bound(_ kind: Kind, to host: String) throws(Failure) -> (socket: Int32, port: UInt16) {
        let socket = try open(kind, host, port: 0) { bind($0, $1, $2) }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard getsockname(socket, address, &length) == 0 else { return nil }
                // Both families have it at the same place, after two bytes (ip(7), ipv6(7)).
                return UInt16(bigEndian: UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 2, as: UInt16.self))
            }
        }
        guard let port else { throw Failure("getsockname") }
        return (socket, port)
    }

    /// A socket that is connected.
    ///
    /// - Parameter mark: what rules of the kernel know it by (SO_MARK of socket(7)).
    /// - Throws: `Failure`.
    static func connected(_ kind: Kind, to host: String, port: UInt16, mark: UInt32? = nil) throws(Failure) -> Int32 {
        try open(kind, host, port: port) { socket, address, length in
            if var mark, setsockopt(socket, SOL_SOCKET, markOption, &mark, 4) != 0 { return -1 }
            return connect(socket, address, length)
        }
    }

    /// SO_MARK of asm-generic/socket.h.
    private static let markOption: Int32 = 36

    private static func open(
        _ kind: Kind, _ host: String, port: UInt16, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(Failure) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = kind.number
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let entry = found else {
            errno = EINVAL
            throw Failure(host)
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(entry.pointee.ai_family, kind.number | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, let address = entry.pointee.ai_addr, use(descriptor, address, entry.pointee.ai_addrlen) == 0 else {
            let failure = Failure(host)
            if descriptor >= 0 { close(descriptor) }
            throw failure
        }
        return descriptor
    }
}
#endif
