#if os(Linux)
import Libc

/// Takes the DNS queries of a network that has no way out (RFC 1035, section 4.2.1), puts them to the name servers of this machine, and takes the
/// responses back. Queries over TCP come through the proxy.
///
/// A thread does so until the process ends.
final class NameRelay: @unchecked Sendable {
    /// `@unchecked`: only its thread touches what changes.
    private struct Query {
        var bytes: [UInt8]
        /// Who asks, and at which of our sockets.
        var client: sockaddr_storage
        var length: socklen_t
        var door: Int32
        /// The socket to the name server that is asked now.
        var socket: Int32
        /// How many name servers have been asked.
        var asked: Int
        var deadline: ContinuousClock.Instant
    }

    private let doors: [Int32]
    private let servers: @Sendable () -> [String]
    private var queries: [Query] = []

    /// Queries that wait at the same time; over it the oldest is dropped. Who asks asks again.
    private static let limit = 256
    /// How long a name server has, before the next one is asked.
    private static let patience = Duration.milliseconds(1_500)

    /// - Parameters:
    ///   - doors: bound UDP sockets, in the network that asks.
    ///   - servers: the addresses of the name servers, asked for with every query.
    private init(doors: [Int32], servers: @escaping @Sendable () -> [String]) {
        self.doors = doors
        self.servers = servers
    }

    /// Starts it. The thread that calls this is in the network of the name servers.
    static func start(doors: [Int32], servers: @escaping @Sendable () -> [String] = { systemServers() }) throws(SideThread.Failure) {
        let relay = NameRelay(doors: doors, servers: servers)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                pthread_detach(pthread_self())
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                if let argument { Unmanaged<NameRelay>.fromOpaque(argument).takeRetainedValue().serve() }
                return nil
            }, Unmanaged.passRetained(relay).toOpaque())
        guard status == 0 else { throw SideThread.Failure(description: "cannot start a thread: \(String(cString: strerror(status)))") }
    }

    /// The first three name servers of resolv.conf(5), or the one that stands for none there.
    static func systemServers(_ path: String = "/etc/resolv.conf") -> [String] {
        var servers: [String] = []
        if let file = fopen(path, "re") {
            var line = [CChar](repeating: 0, count: 512)
            while servers.count < 3, fgets(&line, Int32(line.count), file) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                let words = text.split(whereSeparator: \.isWhitespace)
                if words.count > 1, words[0] == "nameserver" { servers.append(String(words[1])) }
            }
            fclose(file)
        }
        return servers.isEmpty ? ["127.0.0.1"] : servers
    }

    private func serve() -> Never {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var waiting = (doors + queries.map(\.socket)).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let next = queries.map(\.deadline).min().map { max(.zero, $0 - .now) } ?? .seconds(3_600)
            let milliseconds = next.components.seconds * 1_000 + next.components.attoseconds / 1_000_000_000_000_000 + 1
            guard poll(&waiting, nfds_t(waiting.count), Int32(clamping: milliseconds)) >= 0 else { continue }
            // From the end, since queries that are done go away.
            for index in queries.indices.reversed() {
                if waiting[doors.count + index].revents != 0 {
                    respond(index, &buffer)
                } else if queries[index].deadline <= .now {
                    askNext(index)
                }
            }
            for door in waiting.prefix(doors.count) where door.revents != 0 { take(from: door.fd, &buffer) }
        }
    }

    private func take(from door: Int32, _ buffer: inout [UInt8]) {
        var client = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let count = withUnsafeMutablePointer(to: &client) { client in
            client.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(door, &buffer, buffer.count, Int32(MSG_DONTWAIT), $0, &length)
            }
        }
        // The head of a message has twelve bytes.
        guard count >= 12 else { return }
        if queries.count >= Self.limit { close(queries.removeFirst().socket) }
        queries.append(
            Query(
                bytes: Array(buffer[..<count]), client: client, length: length, door: door, socket: -1, asked: 0, deadline: .now))
        askNext(queries.count - 1)
    }

    /// Asks the next name server that can be asked; drops the query where there is none left.
    private func askNext(_ index: Int) {
        let servers = servers()
        if queries[index].socket >= 0 { close(queries[index].socket) }
        queries[index].socket = -1
        while queries[index].asked < servers.count {
            let server = servers[queries[index].asked]
            queries[index].asked += 1
            guard let socket = try? NetworkSocket.connected(.datagram, to: server, port: 53) else { continue }
            let bytes = queries[index].bytes
            if send(socket, bytes, bytes.count, Int32(MSG_DONTWAIT)) == bytes.count {
                queries[index].socket = socket
                queries[index].deadline = .now + Self.patience
                return
            }
            close(socket)
        }
        queries.remove(at: index)
    }

    private func respond(_ index: Int, _ buffer: inout [UInt8]) {
        let query = queries[index]
        let count = recv(query.socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        // Nobody listens there, as ICMP says.
        guard count > 0 else { return askNext(index) }
        // A response has the number of its query.
        guard count >= 12, buffer[0] == query.bytes[0], buffer[1] == query.bytes[1] else { return }
        var client = query.client
        withUnsafePointer(to: &client) { client in
            client.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(query.door, buffer, count, Int32(MSG_DONTWAIT), $0, query.length)
            }
        }
        close(query.socket)
        queries.remove(at: index)
    }
}
#endif
