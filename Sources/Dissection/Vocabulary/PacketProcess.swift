/// The process whose socket sent or received a packet, as the system that captured it noted.
///
/// A plain value without memory of its own, since there may be one beside each packet.
public struct PacketProcess: Hashable, Sendable {
    /// Bytes of a name at most: as many as macOS has (MAXCOMLEN).
    public static let longestName = 16

    /// The first and the next eight bytes of the name, from the lowest bits on; zeros follow it.
    private let low: UInt64
    private let high: UInt64
    private let number: UInt32

    /// - Parameters:
    ///   - identifier: its number; UInt32.max stands for none, as −1 does on macOS.
    ///   - name: UTF-8, up to the first zero byte or the end. A longer one than `longestName` is cut, not in the middle of a character.
    /// - Returns: nil where neither says anything.
    public init?(identifier: UInt32, name: RawSpan) {
        var length = 0
        while length < name.byteCount, length <= Self.longestName, name[length] != 0 { length += 1 }
        if length > Self.longestName {
            length = Self.longestName
            while length > 0, name[length] & 0xC0 == 0x80 { length -= 1 }
        }
        // The kernel has the number 0, and a name.
        guard length > 0 || identifier != 0 && identifier != .max else { return nil }
        var words: (low: UInt64, high: UInt64) = (0, 0)
        for index in 0..<length {
            let byte = UInt64(name[index]) << UInt64(index % 8 * 8)
            if index < 8 { words.low |= byte } else { words.high |= byte }
        }
        (low, high, number) = (words.low, words.high, identifier)
    }

    /// Its number; nil where the source has none.
    public var identifier: UInt32? { number == .max ? nil : number }

    /// Its name; empty where the source has none.
    public var name: [UInt8] {
        (0..<Self.longestName).map { UInt8(truncatingIfNeeded: ($0 < 8 ? low : high) >> UInt64($0 % 8 * 8)) }.filter { $0 != 0 }
    }

    /// Adds it to an opening.
    ///
    /// - Parameter content: what the names of the opening point to; its own is appended.
    package func add(to opening: inout Opening, _ content: inout [UInt8]) {
        let name = name
        opening.processIdentifier = identifier
        opening.processName = ByteRange(start: content.count, count: name.count)
        content += name
    }
}
