/// Watches bytes that are shown as they come for JSON values one after another, whose reads are not its messages.
///
/// Nothing is cut by it, since a sequence of values can be a part of something else; it says how the values lie in the segments, and which rule
/// would cut them.
///
/// ```
/// segments   │ {"a":1}{"b │ ":2} │       a value that came in two, and a segment that held two
/// ```
final class JSONValueWatch {
    private var client = Half()
    private var server = Half()

    /// What is known of one side.
    private struct Half {
        var cutter = JSONCutter()
        var counts = SegmentCounts()
        /// Bytes of the value under way.
        var length: UInt64 = 0
        /// Bytes that are still looked at.
        var left = JSONValueWatch.mostBytes
        /// What came is something else.
        var isOther = false
    }

    /// Bytes of a side that are looked at, and where it ends with less in the middle of a value it sends something else.
    private static let mostBytes = 64 << 10

    static let heldBytes = 256

    /// Whether a side may begin with a value that is watched: an object or an array.
    static func mayBegin(_ bytes: RawSpan) -> Bool {
        for index in 0..<bytes.byteCount where !bytes[index].isBlankOrLineEnd {
            return bytes[index] == UInt8(ascii: "{") || bytes[index] == UInt8(ascii: "[")
        }
        return false
    }

    /// Whether a line end comes before anything but blanks.
    private static func endsLine(_ bytes: RawSpan) -> Bool {
        for index in 0..<bytes.byteCount where !bytes[index].isSpaceOrTab { return bytes[index].isBlankOrLineEnd }
        return false
    }

    func receive(_ bytes: RawSpan, at arrival: Arrival) {
        if arrival.side == .client { Self.receive(bytes, at: arrival, of: &client) } else { Self.receive(bytes, at: arrival, of: &server) }
    }

    private static func receive(_ bytes: RawSpan, at arrival: Arrival, of side: inout Half) {
        guard !side.isOther, side.left > 0 else { return }
        side.left -= bytes.byteCount
        side.counts.receive(at: arrival.place, isInside: !side.cutter.isBetween)
        var position = 0
        while position < bytes.byteCount {
            let rest = bytes.suffix(from: position)
            let begins = side.cutter.isBetween
            // Values with a line end between them are lines, which have a framing.
            if begins, !mayBegin(rest) || side.counts.messages > 0 && endsLine(rest) {
                side.isOther = true
                return
            }
            if begins { side.counts.beginMessage() }
            switch side.cutter.advance(over: rest) {
            case .inside:
                side.length &+= UInt64(rest.byteCount)
                return
            case .ends(let count) where !side.cutter.isBetween:
                side.counts.endMessage(side.length &+ UInt64(count))
                side.length = 0
                side.cutter.restart()
                position += count
            case .ends, .broken:
                side.isOther = true
                return
            }
        }
    }

    /// A side has ended: how its values lie in the segments; nil where it sent something else, or each read was a value.
    func words(of side: Side) -> (values: UInt64, segments: UInt64, words: String)? {
        let half = side == .client ? client : server
        guard !half.isOther, half.cutter.isBetween || half.left <= 0, let words = half.counts.words else { return nil }
        return (half.counts.messages, half.counts.segments, half.left > 0 ? words : words + " (of the first 64 KiB)")
    }
}
