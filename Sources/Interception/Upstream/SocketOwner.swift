#if os(Linux)
import Dissection
import Libc

/// The process of this machine that has one end of a TCP connection, by the inode of its socket.
package enum SocketOwner {
    /// Nil where the system does not say: the end is on another machine, is another user's, or is closed by now.
    ///
    /// - Parameter processes: those that are asked; nil for all.
    package static func process(local: Endpoint, remote: Endpoint, among processes: [Int32]? = nil) -> String? {
        guard let inode = inode(local: local, remote: remote) else { return nil }
        let asked = processes.map { $0.map { String($0) } } ?? entries("/proc").filter { $0.allSatisfy(\.isNumber) }
        return asked.first { process in sockets(of: process).contains { $0 == "socket:[\(inode)]" } }
    }

    /// Whether a process has a socket of any kind.
    package static func hasSocket(_ process: Int32) -> Bool { sockets(of: String(process)).contains { $0.hasPrefix("socket:") } }

    /// What the descriptors of a process lead to (proc_pid_fd(5)).
    private static func sockets(of process: String) -> some Sequence<String> {
        entries("/proc/\(process)/fd").lazy.compactMap { link("/proc/\(process)/fd/\($0)") }
    }

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

    static func link(_ path: String) -> String? {
        var target = [CChar](repeating: 0, count: 4_096)
        let count = readlink(path, &target, target.count)
        return count > 0 ? String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
#endif
