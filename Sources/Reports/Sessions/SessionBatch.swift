import Dissection

/// Records that go into a session file together.
package struct SessionBatch: Sendable {
    package private(set) var rows: [SessionRow] = []
    /// What the ranges of the rows lie in.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { rows.isEmpty }

    /// Bytes of memory that it takes.
    package var heldBytes: Int { rows.capacity * MemoryLayout<SessionRow>.stride + bytes.capacity }

    package mutating func append(_ row: SessionRow) { rows.append(row) }

    /// Adds bytes that a row has.
    package mutating func keep(_ added: RawSpan) -> Range<Int> {
        let start = bytes.count
        bytes.append(copying: added)
        return start..<bytes.count
    }

    package mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.lasting)
    }

    /// Memory that is kept when it is emptied.
    private static let lasting = 16 << 20
}
