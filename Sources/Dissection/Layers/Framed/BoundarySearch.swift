/// Looks for the beginning of a message in bytes that are cut by lengths, behind a loss or a length that is wrong: several lengths in a row
/// have to lead from one to the next.
///
/// ```
/// … 3F 00 00 00 05 x x x x x 00 00 00 02 y y 00 00 00 01 z 00 00 …
///      └─ the first ────────┘└─ second ─────┘└─ third ────┘└─ found
/// ```
///
/// Each place leads to one other at most, so that each byte is looked at once: what a place is reached by is noted at the place.
struct BoundarySearch {
    /// How a place was reached.
    private struct Link {
        var origin: Int
        var count: Int
    }

    private let prefix: LengthPrefix
    /// Lengths in a row that are enough: so that chance does it once in 2^40 places.
    private let needed: Int
    /// A longer message is not looked for.
    private let most: UInt64
    private(set) var held = HeldRuns()
    /// Places that were reached, counted from `base`; those that were passed are taken out.
    private var links: [Int: Link] = [:]
    /// The next place to look at, and where the bytes that are held begin.
    private var next = 0
    private var base = 0
    /// How many places were looked at, for tests of what it costs.
    private(set) var steps = 0

    /// So many bytes are kept at most.
    static let window = 128 << 10

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

    var heldBytes: Int { held.heldBytes + links.capacity * MemoryLayout<(Int, Link)>.stride }

    /// Takes the next bytes. Returns where in those that are held a message begins, once that is clear.
    mutating func receive(_ bytes: RawSpan, at arrival: Arrival) -> Int? {
        held.append(bytes, at: arrival)
        let header = Int(prefix.header)
        while next - base + header <= held.bytes.count {
            let place = next
            steps += 1
            next += 1
            let before = links.removeValue(forKey: place)
            if let before, before.count >= needed { return before.origin - base }
            guard let end = end(ofMessageAt: place - base) else { continue }
            let link = Link(origin: before?.origin ?? place, count: (before?.count ?? 0) + 1)
            let target = place + end
            if let other = links[target], other.count >= link.count { continue }
            links[target] = link
        }
        // A chain that ends with the bytes has no header behind it yet.
        if let link = links[base + held.bytes.count], link.count >= needed { return link.origin - base }
        return nil
    }

    /// How many bytes the message at a place would have; nil where none may begin there.
    private func end(ofMessageAt place: Int) -> Int? {
        var cutter = LengthCutter(prefix)
        let header = held.bytes.rawBytes.extracting(place..<place + Int(prefix.header))
        if case .broken = cutter.advance(over: header) { return nil }
        guard let payload = cutter.payload, payload > 0, payload <= most else { return nil }
        return Int(payload) + cutter.header
    }

    /// Bytes to give it next at most.
    var room: Int { max(1, min(64, Self.window - held.bytes.count)) }

    /// As many bytes are held as may be: half of them have to go.
    var isFull: Bool { held.bytes.count >= Self.window }

    /// Takes out bytes that were told.
    mutating func drop(first count: Int) {
        held.drop(first: count)
        base += count
        if next < base { next = base }
        links = links.filter { $0.key >= base && $0.value.origin >= base }
    }
}
