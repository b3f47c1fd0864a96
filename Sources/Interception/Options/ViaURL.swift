import Dissection

/// The proxy that comes after this one: the value of `--via`.
package struct ViaURL: Hashable, Sendable, CustomStringConvertible {
    package enum Scheme: String, Sendable {
        /// CONNECT (RFC 9110, section 9.3.6).
        case http
        /// RFC 1928; names are resolved by that proxy.
        case socks5
    }

    package let scheme: Scheme
    package let proxy: HostPort
    package let credentials: ProxyCredentials?

    /// Without the password, for messages.
    package var description: String { "\(scheme.rawValue)://\(proxy)" }

    /// Reads `http://[USER:PASSWORD@]HOST[:PORT]` or `socks5://[USER:PASSWORD@]HOST[:PORT]`; the ports are 8080 and 1080 unless
    /// told. `%40` and the like in user and password stand for the byte with that number.
    /// - Throws: `SpecError`, which does not repeat the password.
    package init(_ text: String) throws(SpecError) {
        let parts: URLParts
        do {
            parts = try URLParts(text, hint: "")
        } catch {
            throw SpecError("--via is not a valid URL; write http://HOST:PORT or socks5://HOST:PORT")
        }
        switch parts.scheme {
        case "http": scheme = .http
        case "socks5", "socks5h": scheme = .socks5
        case "https": throw SpecError("--via reaches a proxy over plain TCP: http:// or socks5://, not https://")
        default: throw SpecError("--via takes http:// or socks5://, not “\(parts.scheme)://”")
        }
        guard parts.rest.isEmpty || parts.rest == "/" else {
            throw SpecError("--via takes no path: leave “\(URLParts.shown(String(parts.rest)))” away")
        }
        do {
            proxy = try HostPort.parse(parts.authority.utf8, defaultPort: scheme == .http ? 8080 : 1080)
        } catch {
            throw SpecError("--via: \(error)")
        }
        guard let info = parts.userInfo else {
            credentials = nil
            return
        }
        let halves = info.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = ViaURL.decoded(halves.first ?? ""), let password = ViaURL.decoded(halves.count > 1 ? halves[1] : "") else {
            throw SpecError("--via: a percent sign in user or password is written %25")
        }
        // A colon in the user's name would end it early for the proxy (RFC 7617, section 2).
        guard (1...255).contains(user.count), password.count <= 255, !user.contains(UInt8(ascii: ":")) || scheme == .socks5 else {
            throw SpecError("--via: user and password have at most 255 bytes each, and the user at least one and no colon")
        }
        var found = ProxyCredentials(user: "", password: "")
        found.user = user
        found.password = password
        credentials = found
    }

    /// Percent-decoded (RFC 3986, section 2.1); none where a percent sign has no two digits after it.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        let bytes = Array(text.utf8)
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%") else {
                plain.append(bytes[index])
                index += 1
                continue
            }
            guard index + 2 < bytes.count, let byte = UInt8(hexadecimal: bytes.rawBytes.extracting(index + 1..<index + 3)) else {
                return nil
            }
            plain.append(byte)
            index += 3
        }
        return plain
    }
}
