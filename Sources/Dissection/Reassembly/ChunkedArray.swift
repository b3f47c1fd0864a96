/// An array that never moves what it holds: it grows by a piece of 1,024 elements at a time.
///
/// A plain array that doubles has the old elements and the new ones in memory for a moment, which for a table of every
/// connection is as much again as the table. It only grows.
package struct ChunkedArray<Element> {
    @inlinable static var shift: Int { 10 }
    @inlinable static var mask: Int { (1 << shift) - 1 }

    @usableFromInline var chunks: [[Element]] = []
    /// How many elements there are.
    package private(set) var count = 0

    package init() {}

    /// Adds an element at the end.
    package mutating func append(_ element: Element) {
        if count & Self.mask == 0 {
            var chunk: [Element] = []
            chunk.reserveCapacity(1 << Self.shift)
            chunks.append(chunk)
        }
        chunks[count >> Self.shift].append(element)
        count += 1
    }

    /// The element at `index`, which is less than `count`.
    ///
    /// Inlinable, because another module would otherwise copy whole elements and look up their type with each access.
    @inlinable
    package subscript(index: Int) -> Element {
        @inline(__always)
        _read { yield chunks[index >> Self.shift][index & Self.mask] }
        @inline(__always)
        _modify { yield &chunks[index >> Self.shift][index & Self.mask] }
    }
}
