import Dissection

/// Looks for bytes in bytes, in time that grows with the bytes searched, whatever both are; also with the letters of ASCII alike in both cases.
struct ByteSearch: Sendable, Hashable {
    /// In lower case where case does not count.
    let needle: [UInt8]
    private let ignoresCase: Bool
    /// Of each beginning of the needle, the length of the longest one that is also its end (Knuth, Morris and Pratt).
    private let borders: [Int]

    init(_ needle: [UInt8], ignoringCase ignoresCase: Bool = false) {
        let needle = ignoresCase ? needle.map { ByteSearch.lowered($0) } : needle
        self.needle = needle
        self.ignoresCase = ignoresCase
        var borders = Array(repeating: 0, count: needle.count)
        var length = 0
        for index in needle.indices.dropFirst() {
            while length > 0, needle[index] != needle[length] { length = borders[length - 1] }
            if needle[index] == needle[length] { length += 1 }
            borders[index] = length
        }
        self.borders = borders
    }

    /// Where it stands first; the beginning, where there is nothing to look for.
    func first(in bytes: RawSpan) -> Int? {
        guard let first = needle.first, let last = needle.last else { return 0 }
        let count = needle.count
        guard bytes.byteCount >= count else { return nil }
        // The places at which its first and its last byte stand, 32 at once. Comparisons alone are compiled into the processor's own, other operators of
        // vectors at times into a loop.
        let (firsts, lasts) = (SIMD32<UInt8>(repeating: first), SIMD32<UInt8>(repeating: last))
        let otherFirsts = SIMD32<UInt8>(repeating: ignoresCase ? ByteSearch.raised(first) : first)
        let otherLasts = SIMD32<UInt8>(repeating: ignoresCase ? ByteSearch.raised(last) : last)
        var position = 0
        // Comparing may cost as much as the bytes are many; then the slower search goes on, which never looks back.
        var budget = bytes.byteCount + 256
        // Where the last 32 begin.
        let final = bytes.byteCount - (count - 1) - 32
        guard final >= 0 else { return slowly(in: bytes, from: 0) }
        while true {
            let (ahead, behind) = (bytes.nativeInteger32(at: position), bytes.nativeInteger32(at: position + count - 1))
            let matches = ((ahead .== firsts) .| (ahead .== otherFirsts)) .& ((behind .== lasts) .| (behind .== otherLasts))
            // All bits of a byte are set where its lane is.
            let words = unsafe unsafeBitCast(matches, to: SIMD4<UInt64>.self)
            if words[0] | words[1] | words[2] | words[3] != 0 {
                if let place = place(among: words, in: bytes, from: position, &budget) { return place }
                guard budget > 0 else { return slowly(in: bytes, from: position) }
            }
            if position == final { return nil }
            // What is left of less than 32 is looked at together with what comes before it.
            position = min(position + 32, final)
        }
    }

    /// The first of 32 places at which the needle stands.
    private func place(among words: SIMD4<UInt64>, in bytes: RawSpan, from position: Int, _ budget: inout Int) -> Int? {
        for index in 0..<4 {
            var word = words[index]
            while word != 0 {
                let lane = word.trailingZeroBitCount / 8
                let place = position + index * 8 + lane
                if isHere(bytes, place, &budget) { return place }
                word &= ~(0xff << UInt64(lane * 8))
            }
        }
        return nil
    }

    private func isHere(_ bytes: RawSpan, _ place: Int, _ budget: inout Int) -> Bool {
        for index in needle.indices {
            budget -= 1
            let byte = bytes[place + index]
            if byte != needle[index], !ignoresCase || ByteSearch.lowered(byte) != needle[index] { return false }
        }
        return true
    }

    private func slowly(in bytes: RawSpan, from start: Int) -> Int? {
        var length = 0
        for index in start..<bytes.byteCount {
            let byte = ignoresCase ? ByteSearch.lowered(bytes[index]) : bytes[index]
            while length > 0, byte != needle[length] { length = borders[length - 1] }
            if byte == needle[length] { length += 1 }
            if length == needle.count { return index + 1 - length }
        }
        return nil
    }

    private static func raised(_ byte: UInt8) -> UInt8 { 0x61...0x7a ~= byte ? byte & ~0x20 : byte }

    private static func lowered(_ byte: UInt8) -> UInt8 { 0x41...0x5a ~= byte ? byte | 0x20 : byte }
}
