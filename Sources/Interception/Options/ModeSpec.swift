/// A way into the proxy: the values of `--mode`.
package enum ModeSpec: Hashable, Sendable, CustomStringConvertible {
    /// Every client is connected to one server.
    case reverse(UpstreamURL)
    /// CONNECT, and absolute-form requests.
    case http
    /// RFC 1928.
    case socks5
    /// The kernel redirects connections here and knows where they went.
    case transparent

    /// Reads `reverse:URL`, `http`, `socks5` or `transparent`.
    /// - Throws: `SpecError`.
    package init(_ text: String) throws(SpecError) {
        switch text {
        case "http", "regular": self = .http
        case "socks5": self = .socks5
        case "transparent": self = .transparent
        default:
            guard text.hasPrefix("reverse:") else {
                throw SpecError("“\(URLParts.shown(text))” is not a mode; there are reverse:URL, http, socks5 and transparent")
            }
            guard text != "reverse:" else {
                throw SpecError("“reverse:” names no server: write reverse:URL, such as reverse:ws://localhost:9000")
            }
            self = .reverse(try UpstreamURL(String(text.dropFirst(8))))
        }
    }

    /// The word that stands in `opened.via.mode`.
    package var name: String {
        switch self {
        case .reverse: "reverse"
        case .http: "http"
        case .socks5: "socks5"
        case .transparent: "transparent"
        }
    }

    /// As it can be written again.
    package var description: String {
        if case .reverse(let upstream) = self { "reverse:\(upstream)" } else { name }
    }
}

/// The server of reverse mode: the value of `--upstream`, or what stands after `reverse:`.
package struct UpstreamURL: Hashable, Sendable, CustomStringConvertible {
    /// What the URL says about the server beside its place.
    package enum Scheme: String, Sendable, CaseIterable {
        case ws, wss, http, https, tcp, tls, unix

        /// The proxy speaks TLS to the server.
        package var isSecure: Bool { self == .wss || self == .https || self == .tls }

        /// The port that a URL of this scheme need not name (RFC 9110, sections 4.2.1 and 4.2.2; RFC 6455, section 3).
        package var defaultPort: UInt16? {
            switch self {
            case .ws, .http: 80
            case .wss, .https: 443
            case .tcp, .tls, .unix: nil
            }
        }
    }

    /// Where the server listens.
    package enum Place: Hashable, Sendable {
        case tcp(HostPort)
        /// Plaintext.
        case unix(path: String)
    }

    package let scheme: Scheme
    package let place: Place
    /// As the user wrote it, without the path.
    package let description: String
    /// Path, query and fragment, which mean nothing: the proxy relays the client's own request target. Empty for `/` alone.
    package let ignoredPath: String

    /// Reads `ws://`, `wss://`, `http://`, `https://`, `tcp://`, `tls://` with a host and perhaps a port, or `unix:PATH`.
    ///
    /// - Throws: `SpecError`.
    package init(_ text: String) throws(SpecError) {
        if text.hasPrefix("unix:") {
            (description, ignoredPath) = (text, "")
            scheme = .unix
            place = .unix(path: try ListenAddress.path(text.dropFirst(5), in: text))
            return
        }
        let parts = try URLParts(text, hint: "ws://\(text.isEmpty || text.contains(":/") || text.contains("@") ? "localhost:9000" : text)")
        guard let scheme = Scheme(rawValue: parts.scheme), scheme != .unix else {
            throw SpecError("“\(URLParts.shown(text))”: the scheme is ws, wss, http, https, tcp, tls or unix, not “\(parts.scheme)”")
        }
        guard parts.userInfo == nil else {
            throw SpecError("“\(URLParts.shown(text))”: credentials in the upstream URL are not supported; remove them")
        }
        ignoredPath = parts.rest == "/" ? "" : String(parts.rest)
        description = String(text.dropLast(ignoredPath.count))
        self.scheme = scheme
        do {
            place = .tcp(try HostPort.parse(parts.authority.utf8, defaultPort: scheme.defaultPort))
        } catch {
            throw SpecError("“\(URLParts.shown(text))”: \(error)")
        }
    }
}

/// A URL in its parts (RFC 3986, section 3), none of them decoded.
package struct URLParts {
    /// In small letters.
    let scheme: String
    /// What stands before the last `@`, if there is one.
    let userInfo: Substring?
    /// Host and port.
    let authority: Substring
    /// Path, query and fragment.
    let rest: Substring

    /// A URL as errors show it: a user and password is `***`, and so is whatever may be one in a URL that is malformed.
    package static func shown(_ text: String) -> String {
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        guard let sign = text[start...].lastIndex(of: "@") else { return text }
        return "\(text[..<start])***\(text[sign...])"
    }

    /// - Parameter hint: how the URL could be meant where it has no scheme.
    init(_ text: String, hint: String) throws(SpecError) {
        guard let separator = text.firstRange(of: "://") else {
            // A port alone is mostly that of a server on this machine.
            let meant = UInt16(text).map { "ws://localhost:\($0)" } ?? hint
            throw SpecError("“\(URLParts.shown(text))” is not a valid URL; write for example \(meant)")
        }
        scheme = text[..<separator.lowerBound].lowercased()
        let behind = text[separator.upperBound...]
        let end = behind.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? behind.endIndex
        rest = behind[end...]
        let whole = behind[..<end]
        if let at = whole.lastIndex(of: "@") {
            userInfo = whole[..<at]
            authority = whole[whole.index(after: at)...]
        } else {
            userInfo = nil
            authority = whole
        }
    }
}
