import Dissection
import Interception
import Libc

/// The environment of a command that `unmask run` starts: ours, and in it what sends the runtimes of the usual languages through the proxy and
/// makes them trust it.
struct RunVariables {
    /// The ports of the proxy on 127.0.0.1; nil where connections come to it by themselves.
    struct Ports: Sendable {
        let http: UInt16
        let socks: UInt16

        /// - Parameter entrances: an http and a socks5 one.
        init(_ entrances: [Proxy.Entrance]) {
            let ports = entrances.map { UInt16($0.address.split(separator: ":").last ?? "") ?? 0 }
            (http, socks) = (ports.first ?? 0, ports.last ?? 0)
        }
    }

    private(set) var set: [(name: String, value: String)] = []
    private(set) var removed: [String] = []

    /// Variables that name a proxy, in small letters; each is known in capitals too.
    static let proxyVariables = ["http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"]

    /// Scheme, host and port of the proxy that such a variable names, without the user and password that its value may have.
    ///
    /// - Returns: nil where the value is neither a URL nor a host: no part of it may be shown, since any may be a password.
    static func place(ofProxy value: String) -> String? {
        let separator = value.firstRange(of: "://")
        let scheme = value[..<(separator?.lowerBound ?? value.startIndex)]
        let rest = value[(separator?.upperBound ?? value.startIndex)...]
        // A password may have `@`, `/`, `?` and `#` in it that should have been percent-encoded.
        let authority = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        let host = authority.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard scheme.utf8.allSatisfy(\.isTokenCharacter), (try? HostPort.parse(host.utf8, defaultPort: 0)) != nil else { return nil }
        return separator == nil ? String(host) : "\(scheme)://\(host)"
    }

    /// - Parameters:
    ///   - preload: the script that sends Node's connections through the proxy.
    ///   - wget: the file of options for wget, where it needs one.
    ///   - variable: reads a variable of our own environment.
    init(_ ports: Ports?, _ trust: TrustFiles, preload: String?, wget: String?, variable: (String) -> String?) {
        if let ports {
            for name in Self.proxyVariables {
                set(name, "http://127.0.0.1:\(ports.http)")
                set(name.uppercased(), "http://127.0.0.1:\(ports.http)")
            }
            // What it lists would go around the proxy, localhost more often than not.
            removed = ["no_proxy", "NO_PROXY"]
            set("NODE_USE_ENV_PROXY", "1")
        }
        for name in TrustFiles.fileVariables {
            set(name, name == "NODE_EXTRA_CA_CERTS" || name == "DENO_CERT" ? trust.added : trust.everything)
        }
        set("SSL_CERT_DIR", trust.folder)
        if let wget { set("WGETRC", wget) }
        if let preload { set("NODE_OPTIONS", Self.joined(variable("NODE_OPTIONS"), ["--require=\(preload)"])) }
        set("JAVA_TOOL_OPTIONS", Self.joined(variable("JAVA_TOOL_OPTIONS"), Self.java(ports, trust)))
    }

    /// Of a program that is watched: the file for the keys of its TLS sessions, and nothing else.
    ///
    /// - Parameters:
    ///   - preload: the library that has OpenSSL write keys.
    ///   - agent: what has Java write keys.
    init(keyLog: WatchedKeyLog, preload: String?, agent: JavaAgent?, variable: (String) -> String?) {
        set(keyLog.given == nil ? "SSLKEYLOGFILE" : "UNMASK_KEY_LOG", keyLog.path)
        #if os(Linux)
        if let preload {
            set("LD_PRELOAD", KeyPreload.variable(preload, after: variable("LD_PRELOAD")))
            set("ASAN_OPTIONS", KeyPreload.sanitizerOptions(after: variable("ASAN_OPTIONS")))
        }
        #endif
        if let agent { set("JAVA_TOOL_OPTIONS", Self.joined(variable("JAVA_TOOL_OPTIONS"), [agent.option(keyLog: keyLog.path)])) }
        // Node has an option instead; where the user has set it, that file is the user's.
        guard !keyLog.isNodes else { return }
        let options = ["--tls-keylog=\(keyLog.path)", "--require=\(keyLog.nodeScript)"]
        set("NODE_OPTIONS", Self.joined(variable("NODE_OPTIONS"), options))
    }

    private mutating func set(_ name: String, _ value: String) { set.append((name, value)) }

    /// Properties of Java's. The list of hosts to leave out is localhost unless it is empty; SOCKS is for connections that are not HTTP.
    private static func java(_ ports: Ports?, _ trust: TrustFiles) -> [String] {
        var words = ["-Djavax.net.ssl.trustStore=\(trust.java)", "-Djavax.net.ssl.trustStoreType=PKCS12"]
        guard let ports else { return words }
        for scheme in ["http", "https"] {
            words += ["-D\(scheme).proxyHost=127.0.0.1", "-D\(scheme).proxyPort=\(ports.http)"]
        }
        words += ["-Dhttp.nonProxyHosts=", "-DsocksProxyHost=127.0.0.1", "-DsocksProxyPort=\(ports.socks)", "-DsocksNonProxyHosts="]
        return words
    }

    /// Words after those that are there. Java and Node take a word with a blank in double quotes.
    private static func joined(_ before: String?, _ words: [String]) -> String {
        let quoted = words.map { $0.contains(where: \.isWhitespace) ? "\"\($0)\"" : $0 }.joined(separator: " ")
        return before.map { $0.isEmpty ? quoted : "\($0) \(quoted)" } ?? quoted
    }

    /// Our environment with these changes, byte for byte what it was otherwise.
    func environment() -> [[CChar]] {
        let names = Swift.Set(removed + set.map(\.name))
        var entries: [[CChar]] = []
        var next = environ
        while let entry = next.pointee {
            let bytes = Array(UnsafeBufferPointer(start: entry, count: strlen(entry) + 1))
            let name = String(decoding: bytes.prefix { $0 != 0x3D && $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !names.contains(name) { entries.append(bytes) }
            next += 1
        }
        return entries + set.map { Array("\($0.name)=\($0.value)".utf8CString) }
    }
}
