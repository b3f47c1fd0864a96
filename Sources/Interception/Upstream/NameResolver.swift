import Libc
import NIOCore
import NIOPosix
import Synchronization

/// A name that could not be looked up, in the system's words.
package struct ResolutionError: Error, Sendable, CustomStringConvertible {
    package let description: String
}

/// The destination is this proxy itself.
package struct SelfDialError: Error, Sendable, CustomStringConvertible {
    package let address: String
    package var description: String { "\(address) is an address at which this proxy listens" }
}

/// Looks names up for NIO's connector, which races the addresses of both families (RFC 8305).
///
/// One getaddrinfo(3) on a thread of its own answers both queries. Addresses at which this proxy listens are left out.
final class NameResolver: Resolver, Sendable {
    private let loop: any EventLoop
    private let places: ListeningPlaces
    private let answers: EventLoopPromise<[SocketAddress]>
    private let leftOut = Mutex<String?>(nil)

    /// An address of the name at which this proxy listens; none before the answer is there.
    var ownAddress: String? { leftOut.withLock { $0 } }

    /// Starts the look-up; the connector then asks for one family at a time.
    init(host: String, port: Int, places: ListeningPlaces, loop: any EventLoop) {
        self.loop = loop
        self.places = places
        answers = loop.makePromise()
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try Self.lookUp(host, port: port) }
            .flatMapThrowing { found in
                let allowed = found.filter { !places.contain($0) }
                if let own = found.first(where: places.contain) {
                    let address = Destination.address(own).description
                    self.leftOut.withLock { $0 = address }
                    if allowed.isEmpty { throw SelfDialError(address: address) }
                }
                return allowed
            }
            .cascade(to: answers)
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        answers.futureResult.map { $0.filter { if case .v4 = $0 { true } else { false } } }
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        answers.futureResult.map { $0.filter { if case .v6 = $0 { true } else { false } } }
    }

    /// getaddrinfo cannot be called off; its answer is dropped.
    func cancelQueries() {}

    /// Waits for getaddrinfo(3): for a thread that may.
    static func lookUp(_ host: String, port: Int) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        let system = errno
        guard code == 0 else {
            // The files of the system and the sockets of the look-up are not to be had; the library may call that an unknown name.
            if !FileLimit.hasRoom { throw IOError(errnoCode: EMFILE, reason: "getaddrinfo") }
            if code == EAI_SYSTEM { throw IOError(errnoCode: system, reason: "getaddrinfo") }
            throw ResolutionError(description: "\(host): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next, found.count < 64 {
            next = entry.pointee.ai_next
            guard let address = entry.pointee.ai_addr else { continue }
            switch entry.pointee.ai_family {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { found.append(SocketAddress($0.pointee, host: host)) }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { found.append(SocketAddress($0.pointee, host: host)) }
            default: continue
            }
        }
        return found
    }
}
