/// The places of a table in order of use: a list of neighbours beside the table, small, so that it stays in the cache.
///
/// Each use changes the neighbours of two others, whose own places need not be touched for it.
struct UseOrder {
    private struct Link {
        var previous: Int32 = UseOrder.none
        var next: Int32 = UseOrder.none
    }

    /// No place.
    static let none: Int32 = -1

    private var links: [Link] = []
    /// The place that was not used for longest.
    private(set) var oldest: Int32 = UseOrder.none
    private var newest: Int32 = UseOrder.none

    /// The place that was used next after `index`.
    func newer(_ index: Int32) -> Int32 { links[Int(index)].next }

    /// Adds a place that is in use from now on, at most one behind those there are.
    mutating func insert(_ index: Int32) {
        if Int(index) == links.count { links.append(Link()) }
        links[Int(index)] = Link(previous: newest, next: UseOrder.none)
        if newest != UseOrder.none { links[Int(newest)].next = index }
        newest = index
        if oldest == UseOrder.none { oldest = index }
    }

    /// Takes a place out, which is in.
    mutating func remove(_ index: Int32) {
        let link = links[Int(index)]
        if link.previous != UseOrder.none { links[Int(link.previous)].next = link.next } else { oldest = link.next }
        if link.next != UseOrder.none { links[Int(link.next)].previous = link.previous } else { newest = link.previous }
    }

    /// Makes a place the most recently used one.
    @inline(__always)
    mutating func touch(_ index: Int32) {
        guard index != newest else { return }
        remove(index)
        insert(index)
    }
}
