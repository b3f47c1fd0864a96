import Dissection
import Libc
import NIOCore

/// Whether a client on this machine is a proxy like this one, by the program that has the other end of its connection.
enum OwnKind {
    /// Nil where the system does not tell: the client is on another machine, is somebody else's, or this is not Linux.
    static func isProxy(client: SocketAddress?, listener: SocketAddress?) -> Bool? {
        #if os(Linux)
        guard let client, let listener, let own = program(of: "self") else { return nil }
        guard let inode = inode(local: Endpoint(client), remote: Endpoint(listener)) else { return nil }
        guard let owner = owner(of: inode), let program = program(of: owner) else { return nil }
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

    /// The inode of the socket with these ends (proc_net_tcp: local and remote address, both in hexadecimal, then seven more columns).
    private static func inode(local: Endpoint, remote: Endpoint) -> String? {
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let file = fopen(table, "re") else { continue }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 512)
            while fgets(&line, CInt(line.count), file) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                let columns = text.split(separator: " ")
                guard columns.count > 9, port(columns[1]) == local.port, port(columns[2]) == remote.port else { continue }
                return String(columns[9])
            }
        }
        return nil
    }

    private static func port(_ column: Substring) -> UInt16? { UInt16(column.suffix(4), radix: 16) }

    /// The process that has the socket open.
    private static func owner(of inode: String) -> String? {
        for process in entries("/proc") where process.allSatisfy(\.isNumber) {
            for descriptor in entries("/proc/\(process)/fd") where link("/proc/\(process)/fd/\(descriptor)") == "socket:[\(inode)]" {
                return process
            }
        }
        return nil
    }

    private static func program(of process: String) -> String? {
        link("/proc/\(process)/exe")?.split(separator: "/").last.map { String($0.prefix { $0 != " " }) }
    }

    private static func entries(_ folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = String(decoding: entryName(entry), as: UTF8.self)
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: 4_096)
        let count = readlink(path, &target, target.count)
        return count > 0 ? String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
    #endif
}
