/// The static table of HPACK (RFC 7541, appendix A).
enum StaticTable {
    /// How many entries it has; they have the indexes from 1 on.
    static var count: Int { texts.count }

    /// The entry of an index from 1 to `count`.
    static func entry(_ index: Int) -> HPACKEntry? {
        guard index > 0, index <= entries.count else { return nil }
        return entries[index - 1]
    }

    private static let entries: [HPACKEntry] = texts.map { name, value in
        var entry = HPACKEntry()
        name.withUTF8Buffer { unsafe entry.name.append(contentsOf: $0) }
        value.withUTF8Buffer { unsafe entry.value.append(contentsOf: $0) }
        return entry
    }

    /// Names and values by index, from 1.
    private static let texts: [(name: StaticString, value: StaticString)] = [
        (":authority", ""),
        (":method", "GET"),
        (":method", "POST"),
        (":path", "/"),
        (":path", "/index.html"),
        (":scheme", "http"),
        (":scheme", "https"),
        (":status", "200"),
        (":status", "204"),
        (":status", "206"),
        (":status", "304"),
        (":status", "400"),
        (":status", "404"),
        (":status", "500"),
        ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"),
        ("accept-language", ""),
        ("accept-ranges", ""),
        ("accept", ""),
        ("access-control-allow-origin", ""),
        ("age", ""),
        ("allow", ""),
        ("authorization", ""),
        ("cache-control", ""),
        ("content-disposition", ""),
        ("content-encoding", ""),
        ("content-language", ""),
        ("content-length", ""),
        ("content-location", ""),
        ("content-range", ""),
        ("content-type", ""),
        ("cookie", ""),
        ("date", ""),
        ("etag", ""),
        ("expect", ""),
        ("expires", ""),
        ("from", ""),
        ("host", ""),
        ("if-match", ""),
        ("if-modified-since", ""),
        ("if-none-match", ""),
        ("if-range", ""),
        ("if-unmodified-since", ""),
        ("last-modified", ""),
        ("link", ""),
        ("location", ""),
        ("max-forwards", ""),
        ("proxy-authenticate", ""),
        ("proxy-authorization", ""),
        ("range", ""),
        ("referer", ""),
        ("refresh", ""),
        ("retry-after", ""),
        ("server", ""),
        ("set-cookie", ""),
        ("strict-transport-security", ""),
        ("transfer-encoding", ""),
        ("user-agent", ""),
        ("vary", ""),
        ("via", ""),
        ("www-authenticate", ""),
    ]
}
