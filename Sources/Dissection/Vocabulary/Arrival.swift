/// From whom, from which byte of its direction on, when and in which packets something came.
package struct Arrival: Sendable {
    package var side: Side
    /// Position of the first byte in the direction; 0 is the byte after SYN, or the first byte seen.
    package var offset: UInt64
    package var place: Place

    package init(side: Side, offset: UInt64, place: Place) {
        self.side = side
        self.offset = offset
        self.place = place
    }

    /// The arrival of what lies `count` bytes further on in the same run.
    @inline(__always)
    package func advanced(by count: Int) -> Arrival {
        Arrival(side: side, offset: offset &+ UInt64(count), place: place)
    }
}
