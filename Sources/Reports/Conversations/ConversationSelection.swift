/// The conversations that a user wants to see: numbers and ranges of them, such as `3`, `3,5` or `1-4,10-`.
public struct ConversationSelection: Hashable, Sendable {
    /// The ranges as they were given; each begins at 1 or later.
    public private(set) var ranges: [ClosedRange<UInt64>]

    /// None of them.
    package static let nothing = ConversationSelection(ranges: [])

    private init(ranges: [ClosedRange<UInt64>]) { self.ranges = ranges }

    /// One conversation alone.
    public init(_ number: UInt64) { ranges = [number...number] }

    /// - Returns: nil where the text is not a list of numbers and ranges, or a range ends before it begins.
    public init?(_ text: some StringProtocol) {
        ranges = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = ConversationSelection.number(ends[0]) else { return nil }
            // Without an end it goes on to the last.
            let isOpen = ends.count == 2 && ends[1].isEmpty
            let last = ends.count == 1 ? first : isOpen ? .max : ConversationSelection.number(ends[1])
            guard let last, first <= last else { return nil }
            ranges.append(first...last)
        }
    }

    /// Digits alone; conversations are numbered from 1.
    private static func number(_ text: some StringProtocol) -> UInt64? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = UInt64(text) else { return nil }
        return number > 0 ? number : nil
    }

    public mutating func formUnion(_ other: ConversationSelection) { ranges += other.ranges }

    @inline(__always)
    public func contains(_ number: UInt64) -> Bool {
        for range in ranges where range.contains(number) { return true }
        return false
    }

    /// The ranges that begin after the last conversation there is, as they were given.
    public func missing(after last: UInt64) -> [String] {
        ranges.filter { $0.lowerBound > last }.map { range in
            if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
            return "\(range.lowerBound)-" + (range.upperBound == .max ? "" : "\(range.upperBound)")
        }
    }
}
