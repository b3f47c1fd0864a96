/// A coding of a body (RFC 9110, section 8.4.1; as a transfer coding RFC 9112, section 7).
enum ContentCoding: UInt8 {
    case gzip = 1
    case xGzip = 2
    case deflate = 3
    /// One that is not undone here.
    case other = 4

    init(_ bytes: RawSpan, _ range: Range<Int>) {
        switch range.count {
        case 4 where bytes.equals("gzip", in: range): self = .gzip
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
        case .other: ""
        }
    }
}

/// Codings in the order in which they were applied, four at most; a body with more is left as it is.
struct ContentCodings: Equatable {
    private var packed: UInt16 = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(index: Int) -> ContentCoding { ContentCoding(rawValue: UInt8(packed >> UInt16(index * 4) & 15)) ?? .other }

    mutating func append(_ coding: ContentCoding) {
        guard count < 4 else {
            // Whatever came before is out of reach behind it.
            packed = UInt16(ContentCoding.other.rawValue) << 12 | packed & 0x0FFF
            return
        }
        packed |= UInt16(coding.rawValue) << UInt16(count * 4)
        count += 1
    }

    /// The last ones that can be undone, in the order in which they were applied.
    var known: ContentCodings {
        var first = count
        while first > 0, self[first - 1] != .other { first -= 1 }
        var list = ContentCodings()
        for index in first..<count { list.append(self[index]) }
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
