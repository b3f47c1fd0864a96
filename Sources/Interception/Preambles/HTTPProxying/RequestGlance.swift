import Dissection

/// Whether bytes that should belong to another protocol, or to the body of a request that was answered already, begin as a request to a
/// proxy does: with CONNECT, or a method and a URL (RFC 9112, sections 3.2.2 and 3.2.3).
///
/// Many clients take a 101 that they did not understand for the end of the exchange, and go on with their next request, which may be for
/// another server and has a password and cookies in it.
enum RequestGlance: Hashable {
    /// More bytes decide.
    case undecided
    case request
    case other

    /// Methods and schemes that are longer are not known.
    private static let longestMethod = 24
    private static let longestScheme = 8

    /// Some servers part the words of a request line at VT and FF too (RFC 9112, section 3).
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0B || byte == 0x0C }

    /// - Parameter bytes: the first bytes; the verdict on their beginning holds whatever follows.
    init(_ bytes: some Collection<UInt8>) {
        // Empty lines before a request are read over (RFC 9112, section 2.2), and many servers take any case and any number of blanks.
        let bytes = bytes.drop { $0 == 0x0D || $0 == 0x0A || Self.isBlank($0) }
        let method = bytes.prefix { $0.lowercased &- 0x61 < 26 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        guard method.count <= RequestGlance.longestMethod else {
            self = .other
            return
        }
        var rest = bytes.dropFirst(method.count)
        guard let space = rest.popFirst() else {
            self = .undecided
            return
        }
        guard Self.isBlank(space), !method.isEmpty else {
            self = .other
            return
        }
        if method.lazy.map(\.lowercased).elementsEqual("connect".utf8) {
            self = .request
            return
        }
        rest = rest.drop(while: Self.isBlank)
        let scheme = rest.prefix { $0.lowercased &- 0x61 < 26 }
        let mark = rest.dropFirst(scheme.count).prefix(3)
        if scheme.count > RequestGlance.longestScheme || !"://".utf8.starts(with: mark) || scheme.isEmpty && !mark.isEmpty {
            self = .other
        } else {
            self = mark.count == 3 ? .request : .undecided
        }
    }
}
