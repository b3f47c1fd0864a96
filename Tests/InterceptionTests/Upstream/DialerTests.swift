import Libc
import NIOCore
import NIOPosix
import Testing

@testable import Interception

@Suite("Connections to servers")
struct DialerTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    /// A listener at 127.0.0.1, and what comes of a dial of the same port at ::1 for a client whose localhost is this machine's.
    private func dialTwin(isOwn: Bool) async throws -> Result<Void, DialFailure> {
        let listener = try await ServerBootstrap(group: loop).bind(host: "127.0.0.1", port: 0).get()
        let places = ListeningPlaces()
        if isOwn { places.add(try #require(listener.localAddress)) }
        let dialer = Dialer(
            places: places, ownConnections: OwnConnections(isWatching: false), patience: .seconds(10), connected: { _ in nil })
        let port = try #require(listener.localAddress?.port)
        let result: Result<Void, DialFailure>
        do {
            let address = try SocketAddress(ipAddress: "::1", port: port)
            try await dialer.dial(.address(address), on: loop).flatMap { $0.close() }.get()
            result = .success(())
        } catch {
            result = .failure(DialFailure(error))
        }
        try await listener.close()
        return result
    }

    /// Whether a dial of ::1 is refused where there is no listener, rather than impossible.
    private var hasIPv6: Bool {
        guard let address = try? SocketAddress(ipAddress: "::1", port: 0) else { return false }
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return descriptor >= 0 && address.withSockAddr { bind(descriptor, $0, socklen_t($1)) } == 0
    }

    @Test("the other address of localhost is tried, unless this process listens there")
    func twin() async throws {
        guard hasIPv6 else { return print("skipped: the other address of localhost (there is no ::1)") }
        let other = try await dialTwin(isOwn: false)
        #expect((try? other.get()) != nil, "\(other)")
        guard case .failure(let failure) = try await dialTwin(isOwn: true) else {
            Issue.record("its own listener was reached")
            return
        }
        #expect(failure.kind == .dialsItself, "\(failure)")
    }
}
