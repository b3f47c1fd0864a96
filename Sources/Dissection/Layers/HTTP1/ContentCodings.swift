/// A coding of a body (RFC 9110, section 8.4.1; as a transfer coding RFC 9112, section 7).
enum ContentCoding: UInt8 {
    case gzip = 1
    case xGzip = 2
    case deflate = 3
    /// One that is not undone here.
    case other = 4
    case brotli = 5
    case zstd = 6

    init(_ bytes: RawSpan, _ range: Range<Int>) {
        switch range.count {
        case 2 where bytes.equals("br", in: range): self = .brotli
        case 4 where bytes.equals("gzip", in: range): self = .gzip
        case 4 where bytes.equals("zstd", in: range): self = .zstd
        case 6 where bytes.equals("x-gzip", in: range): self = .xGzip
        case 7 where bytes.equals("deflate", in: range): self = .deflate
        default: self = .other
        }
    }

    var name: StaticString {
        switch self {
        case .gzip: "gzip"
        case .xGzip: "x-gzip"
        case .deflate: "deflate"
        case .brotli: "br"
        case .zstd: "zstd"
        case .other: ""
        }
    }

    /// What undoes it.
    var stage: ContentStage {
        switch self {
        case .gzip, .xGzip, .other: .deflate(ContentInflater(.gzip))
        case .deflate: .deflate(ContentInflater(.deflate))
        case .brotli: .brotli(BrotliInflater())
        case .zstd: .zstd(ZstdInflater())
        }
    }

    /// Whether one stream may follow another: members of gzip (RFC 1952, section 2.2), frames of Zstandard (RFC 8878, section 3).
    var mayRepeat: Bool { self != .deflate && self != .brotli }

    /// Whether it is registered as a transfer coding as well (RFC 9112, section 7.3).
    var isTransferCoding: Bool { self == .gzip || self == .xGzip || self == .deflate }
}

/// Codings in the order in which they were applied, two at most: each one more multiplies what a few bytes can become, and
/// no server needs it. A body with more is left as it is.
struct ContentCodings: Equatable {
    /// How many are undone.
    static let most = 2

    private var first = ContentCoding.other
    private var second = ContentCoding.other
    /// How many were named, those included that are not kept.
    private(set) var named: UInt32 = 0

    /// How many are kept.
    var count: Int { min(ContentCodings.most, Int(named)) }
    var isEmpty: Bool { named == 0 }
    var areTooMany: Bool { named > UInt32(ContentCodings.most) }

    subscript(index: Int) -> ContentCoding { index == 0 ? first : second }

    mutating func append(_ coding: ContentCoding) {
        switch named {
        case 0: first = coding
        case 1: second = coding
        default: break  // Only counted.
        }
        if named < .max { named += 1 }
    }

    /// Appends the codings of another list, which were applied later.
    mutating func append(_ later: ContentCodings) {
        for index in 0..<later.count { append(later[index]) }
        let more = later.named - UInt32(later.count)
        named = named.addingReportingOverflow(more).overflow ? .max : named + more
    }

    /// The last ones that can be undone, in the order in which they were applied; none where there are too many.
    var known: ContentCodings {
        if areTooMany { return ContentCodings() }
        var start = count
        while start > 0, self[start - 1] != .other { start -= 1 }
        var list = ContentCodings()
        for index in start..<count { list.append(self[index]) }
        return list
    }

    /// Appends their names, separated as in a header.
    func append(to text: inout [UInt8]) {
        for index in 0..<count {
            if index > 0 { text += [UInt8(ascii: ","), 0x20] }
            self[index].name.withUTF8Buffer { unsafe text.append(contentsOf: $0) }
        }
    }
}
