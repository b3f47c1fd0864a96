import Dissection

/// A map of MessagePack or CBOR, wherever it stands in a payload, and what is secret in it.
///
/// It is read item by item from its head on: a text by itself does not say whether it is the name of a member or a value, and in any text a letter may be the
/// head of a text of CBOR (`w` is that of one with 23 bytes).
struct PackedMap {
    /// From its head to its last byte, as far as it could be read.
    let range: Range<Int>
    /// Texts and bytes directly under a secret name, or chunks of them.
    private(set) var secrets: [Range<Int>] = []
    /// Strings of bytes in it, which may be of any format themselves.
    private(set) var byteStrings: [Range<Int>] = []

    private enum Format { case messagePack, cbor }
    private let format: Format

    /// Reads the map that may begin at a byte; nil where none does.
    ///
    /// - Parameter values: how many values were read, to which those read here are added.
    init?(in bytes: [UInt8], at start: Int, values: inout Int) {
        guard let read = Self.read(bytes, start, &values) else { return nil }
        (range, format) = (start..<read.end, read.format)
        take(read.map, bytes)
    }

    private static func read(_ bytes: [UInt8], _ start: Int, _ values: inout Int) -> (map: DecodedPayload.Value, end: Int, format: Format)?
    {
        if mayBeMessagePack(bytes, start) {
            var reader = MessagePackReader(bytes.rawBytes, at: start)
            let map = reader.value()
            values += reader.values
            if let map, isMap(map, isWhole: reader.problem == nil) { return (map, reader.position, .messagePack) }
        }
        guard mayBeCBOR(bytes, start) else { return nil }
        var reader = CBORReader(bytes.rawBytes, at: start)
        let map = reader.value()
        values += reader.values
        guard let map, isMap(map, isWhole: reader.problem == nil) else { return nil }
        return (map, reader.position, .cbor)
    }

    // MARK: - Whether it is one

    /// Whether a map may begin with a byte.
    static func isHead(_ byte: UInt8) -> Bool { headOfMessagePack(byte) != nil || headOfCBOR(byte) != nil }

    /// How many bytes the head of a map has that begins with this one.
    private static func headOfMessagePack(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x81...0x8f: 1
        case 0xde: 3
        case 0xdf: 5
        case _: nil
        }
    }

    private static func headOfCBOR(_ byte: UInt8) -> Int? {
        switch byte {
        case 0xa1...0xb7, 0xbf: 1
        case 0xb8: 2
        case 0xb9: 3
        case 0xba: 5
        case _: nil
        }
    }

    /// Whether the head of a map stands there, and that of a text after it.
    private static func mayBeMessagePack(_ bytes: [UInt8], _ start: Int) -> Bool {
        guard let head = headOfMessagePack(bytes[start]), start + head < bytes.count else { return false }
        let name = bytes[start + head]
        return 0xa1...0xbf ~= name || name == 0xd9 || name == 0xda
    }

    private static func mayBeCBOR(_ bytes: [UInt8], _ start: Int) -> Bool {
        guard let head = headOfCBOR(bytes[start]), start + head < bytes.count, 0x61...0x79 ~= bytes[start + head] else { return false }
        // In UTF-8 it would be the last byte of a letter such as `á`; no map comes after a tag or simple value of these numbers.
        guard start > 0 else { return true }
        if 0xc2...0xcf ~= bytes[start - 1] { return false }
        return start == 1 || !(0xe0...0xef ~= bytes[start - 2] && 0x80...0xbf ~= bytes[start - 1])
    }

    /// Whether what was read is a map. One that could not be read to its end is, where its names are such as programs have.
    private static func isMap(_ value: DecodedPayload.Value, isWhole: Bool) -> Bool {
        guard case .object(let members) = value, !members.isEmpty else { return false }
        return isWhole || hasPlainNames(value)
    }

    private static func hasPlainNames(_ value: DecodedPayload.Value) -> Bool {
        switch value {
        case .object(let members):
            members.allSatisfy { $0.name.allSatisfy { $0.isOfWord || $0 == 0x24 || $0 == 0x2e } && hasPlainNames($0.value) }
        case .items(let items): items.allSatisfy { hasPlainNames($0.value) }
        case _: true
        }
    }

    // MARK: - What is in it

    private mutating func take(_ value: DecodedPayload.Value, _ bytes: [UInt8]) {
        switch value {
        case .object(let members):
            for member in members {
                if BinarySecrets.isSecret(member.name[...]), let place = member.range { takeSecret(place.start, bytes) }
                take(member, bytes)
            }
        case .items(let items): for item in items { take(item, bytes) }
        case _: return
        }
    }

    private mutating func take(_ member: DecodedPayload.Value.Member, _ bytes: [UInt8]) {
        guard case .binary = member.value, let place = member.range else { return take(member.value, bytes) }
        if let string = string(at: place.start, bytes) { byteStrings.append(string) }
    }

    private mutating func takeSecret(_ place: Int, _ bytes: [UInt8]) {
        if let string = string(at: place, bytes) {
            secrets.append(string)
        } else if format == .cbor, let chunks = CBORChunks(in: bytes, at: place) {
            secrets += chunks.places
        }
    }

    /// The text or bytes at a place, without their head and the tags before it.
    private func string(at place: Int, _ bytes: [UInt8]) -> Range<Int>? {
        format == .messagePack ? Self.string(bytes, place) : CBORChunks.string(bytes, CBORChunks.afterTags(bytes, place))
    }

    /// A text or bytes of MessagePack, without their head.
    static func string(_ bytes: [UInt8], _ place: Int) -> Range<Int>? {
        guard place < bytes.count else { return nil }
        return switch bytes[place] {
        case 0xa0...0xbf: bytes.range(place + 1, Int(bytes[place] & 0x1f))
        case 0xd9, 0xc4: bytes.range(place + 2, bytes.number(place + 1, 1))
        case 0xda, 0xc5: bytes.range(place + 3, bytes.number(place + 1, 2))
        case 0xdb, 0xc6: bytes.range(place + 5, bytes.number(place + 1, 4))
        case _: nil
        }
    }
}
