import Dissection

/// Looks for bytes in bytes, in time that grows with the bytes searched, whatever both are.
struct ByteSearch: Sendable, Hashable {
    let needle: [UInt8]
    /// Of each beginning of the needle, the length of the longest one that is also its end (Knuth, Morris and Pratt).
    private let borders: [Int]

    init(_ needle: [UInt8]) {
        self.needle = needle
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
        // The places at which its first and its last byte stand, 32 at once.
        let (firsts, lasts) = (SIMD32<UInt8>(repeating: first), SIMD32<UInt8>(repeating: last))
        var position = 0
        // Comparing may cost as much as the bytes are many; then the slower search goes on, which never looks back.
        var budget = bytes.byteCount + 256
        while position + count - 1 + 32 <= bytes.byteCount {
            let matches = (bytes.nativeInteger32(at: position) .== firsts) .& (bytes.nativeInteger32(at: position + count - 1) .== lasts)
            if any(matches) {
                for lane in 0..<32 where matches[lane] {
                    if isHere(bytes, position + lane, &budget) { return position + lane }
                }
                guard budget > 0 else { return slowly(in: bytes, from: position) }
            }
            position += 32
        }
        return slowly(in: bytes, from: position)
    }

    private func isHere(_ bytes: RawSpan, _ place: Int, _ budget: inout Int) -> Bool {
        for index in needle.indices {
            budget -= 1
            if bytes[place + index] != needle[index] { return false }
        }
        return true
    }

    private func slowly(in bytes: RawSpan, from start: Int) -> Int? {
        var length = 0
        for index in start..<bytes.byteCount {
            let byte = bytes[index]
            while length > 0, byte != needle[length] { length = borders[length - 1] }
            if byte == needle[length] { length += 1 }
            if length == needle.count { return index + 1 - length }
        }
        return nil
    }
}
