import Dissection

/// The signatures of WAMP's AUTHENTICATE (`[5, "signature", {}]`, wamp-proto.org, "Authentication"): in JSON, MessagePack and CBOR, and in several
/// messages that came together.
enum WAMPSignatures {
    /// Where they stand, without quotes and lengths. Each byte is looked at a few times at most.
    static func places(in bytes: [UInt8]) -> [Range<Int>] {
        guard let first = bytes.first else { return [] }
        if first == UInt8(ascii: "[") || first <= 0x20, let found = text(bytes) { return found }
        if let found = packed(bytes, at: 0) { return [found] }
        var (places, start): ([Range<Int>], Int) = ([], 0)
        // Each message with its length in four bytes before it.
        while start + 4 < bytes.count {
            let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, length <= bytes.count - start - 4 else { break }
            if let found = packed(bytes, at: start + 4) { places.append(found) }
            start += 4 + length
        }
        return places
    }

    /// In JSON: after the beginning, and after what ends a message of several. Nil where it does not begin like JSON.
    private static func text(_ bytes: [UInt8]) -> [Range<Int>]? {
        var places: [Range<Int>] = []
        var isFirst = true
        var index = 0
        func skipBlanks() { while index < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) { index += 1 } }
        func take(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
            return true
        }
        while index < bytes.count {
            let begins = take(UInt8(ascii: "["))
            if isFirst, !begins { return nil }
            isFirst = false
            if begins, take(UInt8(ascii: "5")), take(UInt8(ascii: ",")), take(UInt8(ascii: "\"")) {
                let start = index
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
                places.append(start..<min(index, bytes.count))
            }
            while index < bytes.count, bytes[index] != 0x1e, bytes[index] != 0x18 { index += 1 }
            index += 1
        }
        return places
    }

    /// In MessagePack or CBOR: an array of three, 5, and a text.
    private static func packed(_ bytes: [UInt8], at start: Int) -> Range<Int>? {
        guard start + 3 < bytes.count, bytes[start] == 0x93 || bytes[start] == 0x83, bytes[start + 1] == 5 else { return nil }
        let isCBOR = bytes[start] == 0x83
        let header = bytes[start + 2]
        let width: Int
        switch (isCBOR, header) {
        case (false, 0xa0...0xbf), (true, 0x60...0x77): return range(bytes, start + 3, Int(header & 0x1f))
        case (false, 0xd9), (true, 0x78): width = 1
        case (false, 0xda), (true, 0x79): width = 2
        case (false, 0xdb), (true, 0x7a): width = 4
        case _: return nil
        }
        guard start + 3 + width <= bytes.count else { return nil }
        return range(bytes, start + 3 + width, bytes[(start + 3)..<(start + 3 + width)].reduce(0) { $0 << 8 | Int($1) })
    }

    /// So many bytes, or those of them that are there.
    private static func range(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Range<Int> {
        start..<start + min(count, bytes.count - start)
    }
}
