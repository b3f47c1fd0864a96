import CWideJSON
import Dissection

/// The usual bytes of a JSON string in one call: sixteen printable ones a round, with a backslash before each quote and backslash
/// (RFC 8259, section 7); or those of a cell of CSV, with each quote doubled (RFC 4180). It needs the shuffling of bytes by a table, which not every processor has.
enum JSONWide {
    static let isThere = unmask_json_is_wide() != 0

    /// Takes as much as it can, and moves both places after it. Stops at the first sixteen bytes in which there is anything else, and
    /// where there are less than 64 bytes of room.
    @unsafe
    @inline(__always)
    static func take(
        _ source: inout UnsafeRawPointer, before end: UnsafeRawPointer, _ target: inout UnsafeMutableRawPointer,
        before limit: UnsafeMutableRawPointer
    ) {
        let progress = unsafe unmask_json_wide(source, end - source, target, limit - target, spread, 0x5c, 0x5c)
        unsafe source += progress.taken
        unsafe target += progress.written
    }

    /// Doubles the quotes in printable ASCII. Returns how many bytes that takes; nil where there is anything else, or less room than twice as much and
    /// 64 bytes.
    @unsafe
    static func quote(_ text: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int? {
        guard let from = text.baseAddress, let to = room.baseAddress, room.count >= 2 * text.count + 64 else { return nil }
        let progress = unsafe unmask_json_wide(from, text.count, to, room.count, spread, 0x22, 0x22)
        return progress.taken == text.count ? progress.written : nil
    }

    /// For each set of places among eight bytes that want a backslash: which of the bytes comes at each of sixteen places, 128 for a
    /// backslash or a quote. Made once, and never given back.
    private nonisolated(unsafe) static let spread: UnsafePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 256 * 16)
        unsafe table.initialize(repeating: 0, count: 256 * 16)
        for places in 0..<256 {
            var next = places * 16
            for byte in 0..<8 {
                if places >> byte & 1 == 1 {
                    unsafe table[next] = 128
                    next += 1
                }
                unsafe table[next] = UInt8(byte)
                next += 1
            }
        }
        return unsafe UnsafePointer(table)
    }()
}

extension RawSpan {
    /// How many printable characters of ASCII follow each other from a place on.
    func plainCount(from start: Int) -> Int {
        precondition(start >= 0)
        return unsafe withUnsafeBytes { unsafe unmask_printable_count($0.baseAddress, $0.count, start) }
    }

    /// What is somewhere in the bytes: 1 for a line feed, 2 for `"ph`, 4 for `"js`, 8 for anything that is not a printable character of ASCII.
    func jsonMarks() -> UInt32 { unsafe withUnsafeBytes { unsafe unmask_json_marks($0.baseAddress, $0.count) } }
}

/// The inside of a JSON string with the wide step and without it, for a test that holds the two against each other.
package enum JSONTextPath {
    /// What bytes are inside of a JSON string; nil where they are not valid UTF-8, or where the processor has no wide step.
    package static func escaped(_ bytes: RawSpan, isWide: Bool) -> [UInt8]? {
        guard !isWide || JSONWide.isThere else { return nil }
        var buffer = OutputBuffer()
        guard buffer.appendJSON(utf8: bytes, isWide: isWide) else { return nil }
        var copy: [UInt8] = []
        copy.append(copying: buffer.bytes)
        return copy
    }

    /// Whether the processor has the wide step.
    package static var hasWide: Bool { JSONWide.isThere }
}
