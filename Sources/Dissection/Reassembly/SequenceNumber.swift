/// A TCP sequence number: 32 bits that wrap (RFC 9293, section 3.4).
package struct SequenceNumber: Hashable, Sendable {
    package var value: UInt32

    @inline(__always)
    package init(_ value: UInt32) { self.value = value }

    /// How far this number lies ahead of `other`; negative when it lies behind. Right while the two are less than
    /// 2 GiB apart.
    @inline(__always)
    package func distance(from other: SequenceNumber) -> Int { Int(Int32(bitPattern: value &- other.value)) }

    @inline(__always)
    package func advanced(by count: Int) -> SequenceNumber { SequenceNumber(value &+ UInt32(truncatingIfNeeded: count)) }
}
