/// Walks the records of one direction of TLS, however its bytes are cut: a header, the bytes of its fragment, the next header
/// (RFC 8446, section 5.1). Whoever reads records in this project reads them through it.
package struct TLSRecordCursor: Sendable {
    /// What comes next in the bytes.
    package enum Step {
        /// A header is whole; its fragment follows.
        case header(TLSRecordHeader)
        /// More of the fragment; the record ends with it where `fragmentLeft` is 0.
        case fragment(Range<Int>)
    }

    /// The record that is read, or was read last.
    package private(set) var header = TLSRecordHeader(bits: 0)
    /// Bytes of it that have not come.
    package private(set) var fragmentLeft = 0
    private var bits: UInt64 = 0
    /// Bytes of a header that is not whole.
    package private(set) var headerCount = 0

    package init() {}

    /// Takes the next step, and moves `position` behind it. Nil where the bytes end before a header does.
    package mutating func next(in bytes: RawSpan, at position: inout Int) -> Step? {
        if fragmentLeft > 0 {
            guard position < bytes.byteCount else { return nil }
            let start = position
            let count = min(fragmentLeft, bytes.byteCount - start)
            fragmentLeft -= count
            position += count
            return .fragment(start..<start + count)
        }
        while position < bytes.byteCount {
            bits = bits << 8 | UInt64(bytes[position])
            headerCount += 1
            position += 1
            guard headerCount == TLSRecordHeader.length else { continue }
            let header = TLSRecordHeader(bits: bits)
            begin(header)
            return .header(header)
        }
        return nil
    }

    /// Goes on in the fragment of a header that somebody else has found.
    package mutating func begin(_ header: TLSRecordHeader) {
        self.header = header
        fragmentLeft = header.fragmentLength
        forgetHeader()
    }

    /// Bytes are missing in the fragment. False, and in front of the next header, where more are missing than the fragment has left.
    package mutating func skip(_ length: UInt64) -> Bool {
        guard length <= UInt64(fragmentLeft) else {
            fragmentLeft = 0
            return false
        }
        fragmentLeft -= Int(length)
        return true
    }

    /// Expects a header here, whatever was expected.
    package mutating func restart() {
        fragmentLeft = 0
        forgetHeader()
    }

    private mutating func forgetHeader() {
        bits = 0
        headerCount = 0
    }

    /// The bytes of a header that is not whole.
    package var partOfHeader: [UInt8] { (0..<headerCount).reversed().map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) } }

    /// Whether the header that is not whole may become one of a type of content, and of a version that there is.
    package func mayBecome(contentType: UInt8) -> Bool {
        for (index, byte) in partOfHeader.enumerated() where index < 2 {
            if byte != (index == 0 ? contentType : 3) { return false }
        }
        return true
    }
}
