/// Where the proxy listens: the values of `--listen`.
package enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// Port 0 lets the kernel choose.
    case tcp(host: String, port: UInt16)
    case unix(path: String)

    /// The host of an address that has none.
    package static let defaultHost = "127.0.0.1"

    /// A path has to fit into `sockaddr_un` with its zero: 108 bytes on Linux, 104 elsewhere.
    package static let longestPath = 103

    /// Reads `HOST:PORT`, `[IPv6]:PORT`, `:PORT`, `PORT` or `unix:PATH`; `*` stands for every address (0.0.0.0).
    ///
    /// Without a host it is the loopback address: whoever wants to be reached from elsewhere has to write it.
    /// - Throws: `SpecError`.
    package init(_ text: String) throws(SpecError) {
        if text.hasPrefix("unix:") {
            self = .unix(path: try ListenAddress.path(text.dropFirst(5), in: text))
            return
        }
        let isPort = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        var rest = text[...]
        if isPort { rest = ":" + rest }
        if rest.hasPrefix(":") { rest = ListenAddress.defaultHost + rest }
        if rest.hasPrefix("*:") { rest = "0.0.0.0" + rest.dropFirst(1) }
        // The kernel's choice is written 0, which is no port to dial.
        let (written, isFree) = rest.hasSuffix(":0") ? (rest.dropLast(1) + "1", true) : (rest, false)
        do {
            let found = try HostPort.parse(written.utf8)
            self = .tcp(host: found.host, port: isFree ? 0 : found.port)
        } catch {
            throw SpecError("“\(URLParts.shown(text))” is not a valid listen address: \(error) (HOST:PORT, [IPv6]:PORT, PORT or unix:PATH)")
        }
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool {
        switch self {
        case .tcp(let host, let port): HostPort(host: host, port: port).isLoopback
        case .unix: true
        }
    }

    /// Whether the system keeps its port for itself, as it usually does.
    var isPrivileged: Bool { if case .tcp(_, 1..<1_024) = self { true } else { false } }

    /// As it can be written again.
    package var description: String {
        switch self {
        case .tcp(let host, let port): HostPort(host: host, port: port).description
        case .unix(let path): "unix:\(path)"
        }
    }

    /// The path after `unix:`, also in the spelling `unix:///path`.
    static func path(_ text: Substring, in whole: String) throws(SpecError) -> String {
        let path = text.hasPrefix("//") ? text.dropFirst(2) : text
        guard !path.isEmpty, !path.utf8.contains(0) else { throw SpecError("“\(whole)” names no path: write unix:/path/of/the.sock") }
        guard path.utf8.count <= longestPath else {
            throw SpecError("“\(whole)”: the path of a Unix socket has at most \(longestPath) bytes, this one \(path.utf8.count)")
        }
        return String(path)
    }
}
