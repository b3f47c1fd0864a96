import CaptureFiles
import Dissection
import Interception
import Libc
import NIOCore
import Reports
import Runs
import Sessions
import WebConsole

/// The web console of a run: a port that is bound before anything else is opened, then a view of the session file that the run writes.
final class RunConsole {
    private let port: ConsoleServer.Port
    private let origin: ConsoleStore.Origin
    /// The session file, where the user keeps none.
    let temporary: TemporarySession?
    private let saved: String?
    let trouble: SessionTrouble
    /// Of the session file: reports that it has grown, and has what was stored last.
    private let growth = Growth(), tail = SessionTail()
    private var server: ConsoleServer?
    private var store: ConsoleStore?
    private var isOver = false

    /// - Parameters:
    ///   - inputs: The names of what is read or listened at.
    ///   - saved: The session file that the run writes for the user.
    /// - Throws: Where there is no port or no folder.
    init(_ place: ConsoleServer.Place, inputs: [String], isLive: Bool = true, saved: String? = nil) throws {
        port = try ConsoleServer.bind(place)
        do throws(TemporarySession.Failure) {
            temporary = saved == nil ? try TemporarySession() : nil
        } catch {
            ConsoleServer.release(port)
            throw error
        }
        self.saved = saved
        trouble = SessionTrouble(path: saved ?? temporary?.path ?? "")
        var origin = ConsoleStore.Origin(tool: toolName, inputs: inputs)
        (origin.isLive, origin.saved) = (isLive, saved)
        self.origin = origin
    }

    /// Where it listens: the proxy of the run does not connect to it.
    var address: SocketAddress? { port.address }

    /// Its own packets, as a BPF expression: they have the token, and what they show would come of itself again and again.
    var ownPackets: String? {
        guard let (hosts, port) = ownPlaces else { return nil }
        return "tcp port \(port) and (\(hosts.map { "host \($0)" }.joined(separator: " or ")))"
    }

    /// The ends of its own packets.
    var ownEnds: [Endpoint] {
        guard let (hosts, port) = ownPlaces else { return [] }
        return hosts.compactMap { host in IPAddress(text: host).map { Endpoint(address: $0, port: UInt16(clamping: port)) } }
    }

    /// The addresses at which it is reached, and its port.
    private var ownPlaces: (hosts: [String], port: Int)? {
        guard let address, let port = address.port, var host = address.ipAddress else { return nil }
        if host.hasPrefix("::ffff:"), host.contains(".") { host = String(host.dropFirst(7)) }
        var hosts = [host]
        if host == "0.0.0.0" || host == "::" {
            hosts = ["127.0.0.1", "::1"] + ((try? System.enumerateDevices()) ?? []).compactMap(\.address?.ipAddress)
        }
        return (Set(hosts.map { String($0.prefix { $0 != "%" }) }).sorted(), port)
    }

    private var path: String? { saved ?? temporary?.path }

    /// Has a run say what it stores in the session file.
    func follow(_ request: inout RunOutputs.Request) {
        request.sessionHasGrown = { [growth] in growth.report() }
        request.sessionTail = path.map { ($0, tail) }
    }

    /// The session file is there: serves it, and prints the URL.
    func begin() throws {
        guard server == nil, let path else { return }
        try begin(ConsoleStore(path: path, isOwn: true, isTemporary: saved == nil, origin: origin, growth: growth, tail: tail))
    }

    /// Serves a store, and prints the URL.
    func begin(_ store: ConsoleStore) {
        let server = ConsoleServer(on: port, store)
        (self.store, self.server) = (store, server)
        trouble.report(to: store)
        writeLine("unmask: console at \(server.url)")
        guard !server.isLoopback else { return }
        writeLine("unmask: the console can be reached from other machines, without encryption: what it shows can be read on the way")
    }

    /// Leaves what a program has sent and received on show, until the user has seen enough.
    static func linger(after program: String) {
        linger("\(program) has ended", until: Interruption.hurry)
    }

    /// Leaves what was captured on show, where the capture ended by itself.
    static func lingerUntilStopped() {
        linger("the capture has ended", until: Interruption.stop)
    }

    /// Leaves what the demo has shown.
    static func lingerAfterDemo() { linger("the demo has ended", until: Interruption.stop) }

    private static func linger(_ what: String, until over: StopFlag) {
        guard !over.isStopped else { return }
        writeLine("unmask: \(what); the console stays until Ctrl-C")
        while !over.isStopped {
            var moment = timespec(tv_sec: 0, tv_nsec: 100_000_000)
            nanosleep(&moment, nil)
        }
    }

    /// All that comes is in the session file.
    func finish(problem: String? = nil) { store?.finish(problem: problem) }

    /// Ends it. The session file is not read any more.
    func shutDown() {
        guard !isOver else { return }
        isOver = true
        if let server { server.shutDown() } else { ConsoleServer.release(port) }
        (server, store) = (nil, nil)
        temporary?.remove()
    }
}
