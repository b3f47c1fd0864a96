#if os(Linux)
import CNamespaces
import CertificateAuthority
import Interception
import Libc
import NIOCore

/// The network of the command of `unmask run --all`: a namespace (network_namespaces(7)) with nothing in it but a loopback and a way that leads
/// nowhere, in which the kernel redirects every TCP connection to the proxy, and every DNS query to a relay of ours.
///
/// The proxy itself stays in the machine's network; only the sockets that it accepts at are made in here. So nothing of the machine is changed, and
/// there is nothing to take back: the namespace goes with the last process in it, however that ends. There is a mount namespace as well, in which
/// the system's list of authorities has ours.
final class OwnNetwork: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Where connections arrive, for the proxy.
    let entrances: [ProxySettings.Entrance]
    private let thread: SideThread

    /// The address that programs in it see as their own, of the block for benchmarks (RFC 2544); and one of ULA (RFC 4193).
    private static let own = (v4: "198.18.0.1", v6: "fd75:6e6d:6173:6b::1")
    /// Where the proxy accepts: addresses that no service of the machine is likely to have, since those of the proxy are not dialled.
    private static let doors = (v4: "127.85.77.75", v6: "fd75:6e6d:6173:6b::2")
    /// The mark of connections that lead to servers in it, which are not redirected.
    private static let mark: UInt32 = 0x756E_6D73

    /// Makes it.
    ///
    /// - Throws: `Failure`, which says what is missing, and `RunFolder.Failure`.
    init(in folder: borrowing RunFolder) throws {
        guard geteuid() == 0 else {
            throw Failure(description: "--all makes a network namespace, which takes root: sudo unmask run --all -- …")
        }
        let surroundings = Surroundings.here
        guard let ip = surroundings.program("ip") else {
            throw Failure(description: "--all needs the program ip; install the package iproute2 (iproute on Fedora)")
        }
        guard let nft = surroundings.program("nft") else {
            throw Failure(description: "--all needs the program nft; install the package nftables")
        }
        thread = try SideThread()
        let links = try folder.write("links", Array(Self.links.utf8))
        let links6 = try folder.write("links6", Array((Self.doors6 + (Self.machineHasIPv6 ? Self.links6 : "")).utf8))
        let hasIPv6 = try thread.perform { try Self.enter(ip, links, links6) }
        let (streams, names) = try thread.perform { try Self.open(hasIPv6: hasIPv6) }
        let rules = try folder.write("rules", Array(Self.rules(streams.map(\.port), names.map(\.port)).utf8))
        try thread.perform { try Self.run([nft, "-f", rules]) }
        entrances = zip([Self.doors.v4, Self.doors.v6], streams).map { host, stream in
            var entrance = ProxySettings.Entrance(mode: .transparent, address: .tcp(host: host, port: stream.port))
            entrance.socket = stream.socket
            return entrance
        }
        try NameRelay.start(doors: names.map(\.socket))
    }

    /// Starts the command in it.
    func start(_ body: @escaping @Sendable () throws -> CommandProcess) throws -> CommandProcess { try thread.perform(body) }

    /// Puts a list of authorities in the place of the system's, for what is started in here alone.
    ///
    /// - Returns: Whether it is there.
    func trust(_ file: String) -> Bool {
        guard let system = SystemRoots.file, let path = realpath(system, nil) else { return false }
        defer { free(path) }
        let place = String(cString: path)
        return (try? thread.perform { mount(file, place, nil, UInt(MS_BIND), nil) == 0 }) ?? false
    }

    /// A connection to a server that the command has itself, on a port of its loopback; nil where it has none there.
    func connection(to address: SocketAddress) -> Int32? {
        guard let host = address.ipAddress, host.hasPrefix("127.") || host == "::1", let port = address.port.flatMap(UInt16.init) else {
            return nil
        }
        // Refused at once where nobody listens.
        return try? thread.perform { try NetworkSocket.connected(.stream, to: host, port: port, mark: Self.mark) }
    }

    /// Lines of `ip -batch`. A pair of interfaces whose other end nobody has: programs that look for a network find one. They get no address by
    /// themselves, which would come a second later, and a browser begins anew when its network changes.
    private static let links = """
        link set lo up
        link add unmask0 type veth peer name unmask1
        link set unmask0 addrgenmode none
        link set unmask1 addrgenmode none
        link set unmask1 up
        link set unmask0 up
        address add \(own.v4)/32 dev unmask0
        route add default dev unmask0

        """
    private static let doors6 = """
        address add \(doors.v6)/128 dev lo nodad

        """
    /// Where the machine has no IPv6 beyond itself, the network has none either: a program would connect at once, find its connection reset, and
    /// not try IPv4.
    private static let links6 = """
        address add \(own.v6)/128 dev unmask0 nodad
        route add ::/0 dev unmask0

        """

    /// Whether the machine has a route to addresses of IPv6 like this one, of a.root-servers.net; nothing is sent there.
    private static var machineHasIPv6: Bool {
        guard let socket = try? NetworkSocket.connected(.datagram, to: "2001:503:ba3e::2:30", port: 53) else { return false }
        close(socket)
        return true
    }

    /// Rules of nft(8). What is neither TCP nor DNS is refused, so that programs do not wait for it: HTTP/3 falls back to TCP.
    private static func rules(_ streams: [UInt16], _ names: [UInt16]) -> String {
        func redirection(_ family: String, _ verb: String, _ address: String, _ stream: UInt16, _ name: UInt16) -> String {
            """
                    meta nfproto \(family) meta l4proto tcp dnat \(verb) to \(address):\(stream)
                    meta nfproto \(family) udp dport 53 dnat \(verb) to \(address):\(name)

            """
        }
        var lines = redirection("ipv4", "ip", doors.v4, streams[0], names[0])
        if streams.count > 1 { lines += redirection("ipv6", "ip6", "[\(doors.v6)]", streams[1], names[1]) }
        return """
            table inet unmask {
                chain connections {
                    type nat hook output priority -100; policy accept;
                    meta mark \(mark) accept
                    ip daddr \(own.v4) accept
                    ip6 daddr \(own.v6) accept
            \(lines)
                }
                chain rest {
                    type filter hook output priority 0; policy accept;
                    ip daddr { 127.0.0.0/8, \(own.v4) } accept
                    ip6 daddr { ::1, \(own.v6), \(doors.v6) } accept
                    meta l4proto tcp accept
                    reject
                }
            }

            """
    }

    private static let newNetwork: Int32 = 0x4000_0000
    private static let newMounts: Int32 = 0x0002_0000

    /// Puts the thread that calls this into a network and a tree of mounts of its own.
    ///
    /// - Returns: Whether the network has IPv6.
    private static func enter(_ ip: String, _ links: String, _ links6: String) throws -> Bool {
        guard unshare(newNetwork | newMounts) == 0 else {
            throw Failure(description: "--all cannot make a network namespace: \(String(cString: strerror(errno)))")
        }
        // What is mounted in here is not to be seen outside.
        guard mount("none", "/", nil, UInt(MS_REC) | UInt(MS_PRIVATE), nil) == 0 else {
            throw Failure(description: "--all cannot keep its mounts to itself: \(String(cString: strerror(errno)))")
        }
        try run([ip, "-batch", links])
        return ProgramRun.run([ip, "-batch", links6]).status == 0
    }

    /// The sockets of the proxy and of the relay, for IPv4 and perhaps for IPv6.
    private static func open(hasIPv6: Bool) throws -> ([(socket: Int32, port: UInt16)], [(socket: Int32, port: UInt16)]) {
        let hosts = hasIPv6 ? [doors.v4, doors.v6] : [doors.v4]
        return (try hosts.map { try NetworkSocket.bound(.stream, to: $0) }, try hosts.map { try NetworkSocket.bound(.datagram, to: $0) })
    }

    private static func run(_ words: [String]) throws {
        let result = ProgramRun.run(words, seconds: 20)
        guard result.status == 0 else {
            throw Failure(
                description: "--all cannot set up its network: \(ShellWord.line(words)) ended with \(result.status): \(result.said)")
        }
    }
}
#else
import Interception
import NIOCore

/// There are no network namespaces: `--all` is refused.
final class OwnNetwork: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    let entrances: [ProxySettings.Entrance] = []

    init(in folder: borrowing RunFolder) throws { throw Failure(description: "--all is for Linux") }

    func start(_ body: @escaping @Sendable () throws -> CommandProcess) throws -> CommandProcess { try body() }

    func trust(_ file: String) -> Bool { false }

    func connection(to address: SocketAddress) -> Int32? { nil }
}
#endif
