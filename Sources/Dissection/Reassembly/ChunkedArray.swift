/// An array that never moves what it holds: it grows by a piece of 1,024 elements at a time.
///
/// A plain array that doubles has the old elements and the new ones in memory for a moment, which for a table of every
/// connection is as much again as the table. It only grows.
///
/// Public, because nothing less is put into another module, and there a table is reached into for each line of text.
public struct ChunkedArray<Element> {
    @inlinable static var shift: Int { 10 }
    @inlinable static var mask: Int { (1 << shift) - 1 }

    @usableFromInline var chunks: [[Element]] = []
    /// How many elements there are.
    public private(set) var count = 0

    public init() {}

    /// Adds an element at the end.
    public mutating func append(_ element: Element) {
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
    /// Put into the caller: another module would otherwise copy whole elements, and look up their type with each access.
    @inlinable
    public subscript(index: Int) -> Element {
        @inline(__always)
        _read { yield chunks[index >> Self.shift][index & Self.mask] }
        @inline(__always)
        _modify { yield &chunks[index >> Self.shift][index & Self.mask] }
    }
}
