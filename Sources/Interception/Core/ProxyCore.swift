import Dissection
import Libc
import NIOCore
import NIOPosix
import Reports
import Synchronization

/// What all sessions of a proxy share.
final class ProxyCore: Sendable {
    let settings: ProxySettings
    let recorder: Recorder
    let places: ListeningPlaces
    /// Those of them that speak HTTP.
    let httpPlaces = ListeningPlaces()
    /// Those of this process that no client is to reach, be it by way of another proxy on this machine.
    let closedPlaces = ListeningPlaces()
    let ownConnections: OwnConnections
    let dialer: Dialer
    let tls: TLSTermination
    let conversations = OpenConversations()
    let waiting = WaitingClients()
    let reportedOnce = ReportedOnce()
    /// What this proxy goes by in the Via of a CONNECT to another proxy (RFC 9110, section 7.6.3).
    let mark = "unmask-" + String(UInt64.random(in: .min ... .max), radix: 16)
    /// Takes a line for the user.
    let tell: @Sendable (String) -> Void
    private let loops = Mutex(LoopWatch(files: FileLimit.current))
    /// Whether this proxy looks for a loop before another one that nothing else tells it from.
    let isFirstAmongEquals = Bool.random()
    let preambles: PreambleBudget
    let sessions: TLSMemory
    let relays: RelayMemory

    init(settings: ProxySettings, recorder: Recorder, tls: TLSTermination, tell: @escaping @Sendable (String) -> Void = { _ in }) {
        self.settings = settings
        self.tell = tell
        self.recorder = recorder
        self.tls = tls
        preambles = PreambleBudget(limit: settings.preambleBytes)
        sessions = TLSMemory(limit: settings.sessionBytes, recorder: recorder)
        relays = RelayMemory(limit: settings.relayBytes, recorder: recorder)
        places = ListeningPlaces()
        // In a network of its own nobody is this proxy, though addresses there may be the same as here.
        ownConnections = OwnConnections(isWatching: settings.entrances.contains { $0.mode == .transparent && $0.socket == nil })
        dialer = Dialer(
            places: places, ownConnections: ownConnections, patience: settings.patience.connect, connected: settings.connected)
    }
}

extension ProxyCore {
    /// Shows the watch for loops what happened to a connection.
    func watch<Result: Sendable>(_ show: @Sendable (inout LoopWatch) -> Result) -> Result { loops.withLock { show(&$0) } }

    /// Whether a client asks for a listener of this proxy that speaks HTTP. Names other than localhost are not looked up for that.
    func isHTTPListener(_ asked: HostPort) -> Bool { Self.isOne(of: httpPlaces, asked) }

    /// Whether a client asks for what is closed to it. Names other than localhost are not looked up for that.
    func isClosed(_ destination: Destination) -> Bool {
        guard let host = destination.host, let port = destination.port.flatMap(UInt16.init(exactly:)) else { return false }
        return Self.isOne(of: closedPlaces, HostPort(host: host, port: port))
    }

    /// Whether a proxy on the way would reach for a client what is closed to it: the proxy is on this machine too, and finds the same addresses by a
    /// name. Only names with the port of such a place are looked up.
    ///
    /// - Returns: nil where there is nothing to look up.
    func isClosed(_ destination: Destination, via proxy: HostPort, on loop: any EventLoop) -> EventLoopFuture<Bool>? {
        guard let host = destination.host, let port = destination.port, closedPlaces.contain(port: port) else { return nil }
        let closed = closedPlaces
        return NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
            let found = (try? NameResolver.lookUp(host, port: port)) ?? []
            guard found.contains(where: closed.contain) else { return false }
            if proxy.isLoopback { return true }
            return ((try? NameResolver.lookUp(proxy.host, port: Int(proxy.port))) ?? []).contains(where: ListeningPlaces.isOfThisMachine)
        }
    }

    private static func isOne(of places: ListeningPlaces, _ asked: HostPort) -> Bool {
        let port = Int(asked.port)
        // An IPv6 address may have a zone, which says nothing about one of this machine.
        let host = asked.host.contains(":") ? String(asked.host.prefix { $0 != "%" }) : asked.host
        let addresses = asked.address == nil && asked.isLoopback ? ["127.0.0.1", "::1"] : [shortForm(host) ?? host]
        return addresses.contains { (try? SocketAddress(ipAddress: $0, port: port)).map(places.contain) ?? false }
    }

    /// The address that inet_addr(3) reads in a text such as `127.1`, `0x7f000001` or `2130706433`, with four parts; nil where it reads none.
    private static func shortForm(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0.hexValue != nil || $0 | 0x20 == UInt8(ascii: "x") || $0 == UInt8(ascii: ".") }) else { return nil }
        let address = inet_addr(text)
        guard address != .max else { return nil }
        let number = UInt32(bigEndian: address)
        return [24, 16, 8, 0].map { "\(number >> $0 & 0xFF)" }.joined(separator: ".")
    }

    /// What tells the recorder what goes over a connection; nil where that is not recorded.
    func makeTap(_ peer: Side) -> WireTap? { settings.recordsConnections ? WireTap(recorder, peer: peer) : nil }

    /// The process has no files left, and accepts nobody for a moment.
    func noteOutOfFiles(_ reason: String) {
        recorder.find(.proxyOutOfFiles, detail: reason, in: 0, at: .now)
    }
}

/// The core of a proxy that does not accept anybody before it is there.
final class CoreBox: Sendable {
    private let content = Mutex<ProxyCore?>(nil)

    var core: ProxyCore? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
