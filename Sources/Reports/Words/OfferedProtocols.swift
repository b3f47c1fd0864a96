/// Walks the protocol names of an ALPN offer: each behind a length byte (RFC 7301, section 3.1).
struct OfferedProtocols {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    /// The next name; none at the end, or where a length points beyond it.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard let length = rest.first, rest.count > Int(length) else { return nil }
        let name = rest.dropFirst().prefix(Int(length))
        rest = rest.dropFirst(1 + Int(length))
        return UnsafeRawBufferPointer(rebasing: name)
    }
}
