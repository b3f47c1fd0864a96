import Dissection
import Reports

/// A pattern for servers: the values of `--passthrough` and `--ignore`. `*` stands for any characters, dots included; nothing else is special.
package struct HostGlob: Hashable, Sendable, CustomStringConvertible {
    /// As the user wrote it.
    package let description: String
    /// In small letters.
    private let host: [UInt8]
    /// None: any port.
    private let port: UInt16?

    /// Reads `HOST`, `HOST:PORT` or `HOST:*`, where HOST may hold asterisks; IPv6 in brackets.
    ///
    /// `*.example.org` fits every name under `example.org`, and not that name itself.
    /// - Throws: `SpecError`.
    package init(_ text: String) throws(SpecError) {
        description = text
        if let host = HostGlob.host(ofURL: text) { throw HostGlob.fault(text, "it is a URL; write the host alone: \(host)") }
        let bytes = Array(text.utf8)
        var host = bytes[...]
        var port = bytes[bytes.endIndex...]
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.lastIndex(of: UInt8(ascii: "]")) else { throw HostGlob.fault(text, "the bracket is not closed") }
            host = bytes[1..<bracket]
            port = bytes[(bracket + 1)...]
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            host = bytes[..<colon]
            port = bytes[colon...]
        }
        guard !host.isEmpty, host.count <= 255 else { throw HostGlob.fault(text, "the host is missing or longer than 255 characters") }
        let isHost = host.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") }
        guard isHost else { throw HostGlob.fault(text, "a host is ASCII without spaces, and no URL (names with umlauts: xn--…)") }
        if port.isEmpty || port.elementsEqual(":*".utf8) {
            self.port = nil
        } else {
            guard port.first == UInt8(ascii: ":"), let number = UInt16(String(decoding: port.dropFirst(), as: UTF8.self)), number > 0 else {
                throw HostGlob.fault(text, "after the colon stands a port or an asterisk; IPv6 is written in brackets")
            }
            self.port = number
        }
        self.host = HostGlob.canonical(String(decoding: host, as: UTF8.self))
    }

    /// Whether a server fits; a name does so whatever its case, and with or without a dot at its end.
    package func matches(_ server: HostPort) -> Bool {
        (port == nil || port == server.port) && WildcardPattern(bytes: host).matches(HostGlob.canonical(server.host).rawBytes)
    }

    /// One spelling for what is the same.
    private static func canonical(_ host: String) -> [UInt8] {
        if let address = IPAddress(text: host) { return Array(address.literal.utf8) }
        var bytes = host.utf8.map(\.lowercased)
        if bytes.count > 1, bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        return bytes
    }

    /// The host of a URL, with its port; nil where it is none.
    private static func host(ofURL text: String) -> Substring? {
        guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let sign = authority.lastIndex(of: "@")
        // A password may have a slash, and then this is a part of it.
        if sign == nil, text[authority.endIndex...].contains("@") { return nil }
        let host = sign.map { authority[authority.index(after: $0)...] } ?? authority
        return host.isEmpty ? nil : host
    }

    private static func fault(_ text: String, _ why: String) -> SpecError {
        SpecError("“\(URLParts.shown(text))” is not a valid host or pattern: \(why)")
    }
}
