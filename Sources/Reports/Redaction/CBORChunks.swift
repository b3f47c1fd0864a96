import Dissection

/// A text or bytes of indefinite length, in CBOR (RFC 8949, section 3.2.3), tagged or not.
struct CBORChunks {
    let places: [Range<Int>]

    /// Tags of tags that are passed over.
    private static let mostTags = 4

    /// Nil where none begins at a byte; chunks that are cut end with the bytes.
    init?(in bytes: [UInt8], at index: Int) {
        var place = Self.afterTags(bytes, index)
        guard place < bytes.count, bytes[place] == 0x5f || bytes[place] == 0x7f else { return nil }
        let isText = bytes[place] == 0x7f
        place += 1
        var places: [Range<Int>] = []
        while place < bytes.count, bytes[place] != 0xff, (bytes[place] >> 5 == 3) == isText, let chunk = Self.string(bytes, place) {
            places.append(chunk)
            place = chunk.upperBound
        }
        guard !places.isEmpty else { return nil }
        self.places = places
    }

    /// Where a value begins after its tags.
    static func afterTags(_ bytes: [UInt8], _ start: Int) -> Int {
        var place = start
        for _ in 0..<mostTags {
            guard place < bytes.count else { return place }
            switch bytes[place] {
            case 0xc0...0xd7: place += 1
            case 0xd8: place += 2
            case 0xd9: place += 3
            case 0xda: place += 5
            case 0xdb: place += 9
            case _: return place
            }
        }
        return place
    }

    /// A text, or bytes, with a length.
    static func string(_ bytes: [UInt8], _ place: Int) -> Range<Int>? {
        guard place < bytes.count else { return nil }
        return switch bytes[place] {
        case 0x40...0x57, 0x60...0x77: bytes.range(place + 1, Int(bytes[place] & 0x1f))
        case 0x58, 0x78: bytes.range(place + 2, bytes.number(place + 1, 1))
        case 0x59, 0x79: bytes.range(place + 3, bytes.number(place + 1, 2))
        case 0x5a, 0x7a: bytes.range(place + 5, bytes.number(place + 1, 4))
        case _: nil
        }
    }
}
