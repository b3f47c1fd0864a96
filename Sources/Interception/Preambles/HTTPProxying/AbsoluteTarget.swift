import Dissection

/// A request target in absolute-form (RFC 9112, section 3.2.2): `http://host[:port]/path?query`.
struct AbsoluteTarget: Sendable {
    let origin: HostPort
    /// Host and port as they are written.
    let authority: ArraySlice<UInt8>
    /// Path, query and whatever follows; it may be empty, and it is not decoded.
    let path: ArraySlice<UInt8>

    enum Fault: Error, Hashable {
        /// There is no scheme: another form of target.
        case notAbsolute
        /// In small letters.
        case scheme(String)
        case user
        case host(HostPortFault)
    }

    /// `ws` is read like `http`: some clients of WebSocket write it.
    init(_ target: ArraySlice<UInt8>) throws(Fault) {
        guard let colon = target.firstIndex(of: UInt8(ascii: ":")), colon > target.startIndex,
            target[colon...].starts(with: "://".utf8),
            target[..<colon].allSatisfy({ $0.isDigit || $0.lowercased &- 0x61 < 26 || [0x2B, 0x2D, 0x2E].contains($0) })
        else { throw .notAbsolute }
        let scheme = String(decoding: target[..<colon], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "ws" else { throw .scheme(scheme) }
        let rest = target[(colon + 3)...]
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
        authority = rest[..<end]
        path = rest[end...]
        // "Treat its presence as an error" (RFC 9110, section 4.2.4).
        guard !authority.contains(UInt8(ascii: "@")) else { throw .user }
        do {
            origin = try HostPort.parse(authority, defaultPort: 80)
        } catch {
            throw .host(error)
        }
    }

    /// The target as the server of it expects it (RFC 9112, sections 3.2.1 and 3.2.4).
    func originForm(isOptions: Bool) -> [UInt8] {
        if path.first == UInt8(ascii: "/") { return Array(path) }
        if isOptions, path.isEmpty { return [UInt8(ascii: "*")] }
        return [UInt8(ascii: "/")] + path
    }

    /// The path without query and fragment, `/` where it is empty.
    var plainPath: String { AbsoluteTarget.plainPath(path) }

    static func plainPath(_ path: ArraySlice<UInt8>) -> String {
        let end = path.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? path.endIndex
        return end == path.startIndex ? "/" : String(decoding: path[..<end], as: UTF8.self)
    }
}
