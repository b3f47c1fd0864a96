/// Looks for the beginning of a message in bytes whose messages have lengths (those of an app, packets of MQTT, frames of AMQP), behind a loss
/// or a length that is wrong: several in a row have to lead from one to the next.
///
/// ```
/// … 3F 00 00 00 05 x x x x x 00 00 00 02 y y 00 00 00 01 z 00 00 …
///      └─ the first ────────┘└─ second ─────┘└─ third ────┘└─ found
/// ```
///
/// Each place leads to one other at most, so that each byte is looked at once: what a place is reached by is noted at the place.
struct BoundarySearch<Rule: PlaceRule>: MessageSearch {
    /// How a place was reached.
    private struct Link {
        var origin: Int
        var count: Int
    }

    private let rule: Rule
    private(set) var held = HeldRuns()
    /// Places that were reached, counted from `base`; those that were passed are taken out.
    private var links: [Int: Link] = [:]
    /// The next place to look at, and where the bytes that are held begin.
    private var next = 0
    private var base = 0
    private(set) var steps = 0

    /// So many bytes are kept at most.
    private static var window: Int { 128 << 10 }

    init(_ rule: Rule) { self.rule = rule }

    var heldBytes: Int { held.heldBytes + links.capacity * MemoryLayout<(Int, Link)>.stride }

    mutating func receive(_ bytes: RawSpan, at arrival: Arrival) -> Int? {
        held.append(bytes, at: arrival)
        while next - base < held.bytes.count {
            let verdict = rule.judge(held.bytes.rawBytes.suffix(from: next - base))
            if verdict == .undecided { break }
            let place = next
            steps += 1
            next += 1
            let before = takeLink(to: place)
            if let before, before.count >= rule.needed { return before.origin - base }
            guard case .ends(let count) = verdict else { continue }
            let link = Link(origin: before?.origin ?? place, count: (before?.count ?? 0) + 1)
            let target = place + count
            if let other = links[target], other.count >= link.count { continue }
            links[target] = link
        }
        // A chain that ends with the bytes has no header behind it yet; one that ends before a header that is not clear yet is one.
        for place in next...max(next, base + held.bytes.count) {
            guard let link = links[place], link.count >= rule.needed, mayEnd(at: place) else { continue }
            return link.origin - base
        }
        return nil
    }

    /// The chain that leads to a place, if its last message ends as one does.
    private mutating func takeLink(to place: Int) -> Link? {
        guard let link = links.removeValue(forKey: place) else { return nil }
        return mayEnd(at: place) ? link : nil
    }

    private func mayEnd(at place: Int) -> Bool {
        guard place > base, place - base <= held.bytes.count else { return false }
        return rule.mayEnd(with: held.bytes[place - base - 1])
    }

    var room: Int { max(1, min(64, Self.window - held.bytes.count)) }

    /// Where as many bytes are held as may be, half of them have to go.
    var settled: Int { held.bytes.count >= Self.window ? Self.window / 2 : 0 }

    mutating func drop(first count: Int) {
        held.drop(first: count)
        base += count
        if next < base { next = base }
        links = links.filter { $0.key >= base && $0.value.origin >= base }
    }
}
