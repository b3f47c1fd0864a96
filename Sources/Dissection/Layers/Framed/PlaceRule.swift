/// What the bytes at a place say of a message that would begin there: what a search for boundaries holds against each place.
protocol PlaceRule {
    /// Messages in a row that are enough: so that chance does it once in 2^40 places.
    var needed: Int { get }
    /// A longer message is not looked for, and no more bytes are looked at.
    var most: UInt64 { get }

    /// Whether a message may begin with the first of these bytes.
    func judge(_ bytes: RawSpan) -> PlaceVerdict

    /// Whether a message that ends with the byte may be one.
    func mayEnd(with byte: UInt8) -> Bool
}

extension PlaceRule {
    func mayEnd(with byte: UInt8) -> Bool { true }
}

enum PlaceVerdict: Equatable {
    case no
    /// Too few bytes came to say.
    case undecided
    /// A message of so many bytes may begin here.
    case ends(Int)
}

/// Where a message with a length in its header may begin.
struct LengthPlaces: PlaceRule {
    private let prefix: LengthPrefix
    let needed: Int
    let most: UInt64

    /// Nil where lengths say too little: of one byte, or a varint.
    init?(_ prefix: LengthPrefix) {
        self.prefix = prefix
        switch prefix.width {
        case .u8, .varint: return nil
        case .u16be, .u16le: (needed, most) = (10, 4_096)
        case .u24be, .u24le: (needed, most) = (5, 32 << 10)
        case .u32be, .u32le: (needed, most) = (3, 32 << 10)
        case .u64be, .u64le: (needed, most) = (2, 32 << 10)
        }
    }

    func judge(_ bytes: RawSpan) -> PlaceVerdict {
        let header = Int(prefix.header)
        guard bytes.byteCount >= header else { return .undecided }
        var cutter = LengthCutter(prefix)
        if case .broken = cutter.advance(over: bytes.extracting(0..<header)) { return .no }
        guard let payload = cutter.payload, payload > 0, payload <= most else { return .no }
        return .ends(Int(payload) + cutter.header)
    }
}
