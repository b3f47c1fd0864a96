import Dissection

/// Walks the protocol names of an ALPN offer: each after a length byte (RFC 7301, section 3.1).
package struct OfferedProtocols: ~Escapable {
    private var rest: RawSpan

    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) { rest = bytes }

    /// The next name; none at the end, or where a length points beyond it.
    @_lifetime(copy self)
    package mutating func next() -> RawSpan? {
        guard rest.byteCount > 0, rest.byteCount > Int(rest[0]) else { return nil }
        let end = 1 + Int(rest[0])
        let name = rest.extracting(1..<end)
        rest = rest.suffix(from: end)
        return name
    }
}
