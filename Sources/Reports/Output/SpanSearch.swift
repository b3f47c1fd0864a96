import Dissection

// Looking for bytes, sixteen places a step.

extension RawSpan {
    /// Where the byte stands next, from `start` on.
    package func position(of byte: UInt8, from start: Int = 0) -> Int? {
        let wanted = SIMD16<UInt8>(repeating: byte)
        var index = start
        while index + 16 <= byteCount {
            if let lane = (block(at: index) .== wanted).first { return index + lane }
            index += 16
        }
        while index < byteCount {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// Where words stand first in the bytes.
    func position(of words: StaticString) -> Int? {
        let words = words.bytes
        guard words.byteCount > 1, byteCount >= words.byteCount else { return words.byteCount == 1 ? position(of: words[0]) : nil }
        let (first, second) = (SIMD16<UInt8>(repeating: words[0]), SIMD16<UInt8>(repeating: words[1]))
        let final = byteCount - 17
        var start = 0
        while start <= final {
            // Places where the first two bytes stand are looked at.
            let found = ((block(at: start) .== first) .& (block(at: start + 1) .== second)).words
            if found.low | found.high != 0 {
                if let place = place(of: words, among: found.low, from: start) ?? place(of: words, among: found.high, from: start + 8) {
                    return place
                }
            }
            // What is left of less than sixteen is looked at together with what comes before it.
            if start == final { return nil }
            start = min(start + 16, final)
        }
        while start <= byteCount - words.byteCount {
            if extracting(start..<start + words.byteCount).isEqual(words) { return start }
            start += 1
        }
        return nil
    }

    /// The first of eight places at which words stand, of those whose byte is set.
    private func place(of words: RawSpan, among places: UInt64, from start: Int) -> Int? {
        var places = places
        while places != 0 {
            let place = start + places.trailingZeroBitCount / 8
            guard byteCount - place >= words.byteCount else { return nil }
            if extracting(place..<place + words.byteCount).isEqual(words) { return place }
            places &= ~(0xff << UInt64((place - start) * 8))
        }
        return nil
    }

    /// Whether words stand somewhere in the bytes.
    func contains(_ words: StaticString) -> Bool { position(of: words) != nil }
}
