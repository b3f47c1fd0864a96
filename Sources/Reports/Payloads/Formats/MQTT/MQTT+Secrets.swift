import Dissection

extension MQTT {
    /// The password of a CONNECT (MQTT 3.1.1, section 3.1; MQTT 5.0, section 3.1).
    static func password(in bytes: [UInt8]) -> Range<Int>? {
        guard bytes.count > 12, bytes[0] == 0x10 else { return nil }
        guard var place = Grammar.length(in: bytes.rawBytes)?.end, let name = field(bytes, &place), place + 4 <= bytes.count
        else { return nil }
        guard bytes[name].elementsEqual("MQTT".utf8) || bytes[name].elementsEqual("MQIsdp".utf8) else { return nil }
        let (version, flags) = (bytes[place], bytes[place + 1])
        place += 4
        if version == 5 { guard skipProperties(bytes, &place) else { return nil } }
        guard flags & 0x40 != 0, field(bytes, &place) != nil else { return nil }
        if flags & 0x04 != 0 {
            if version == 5 { guard skipProperties(bytes, &place) else { return nil } }
            guard field(bytes, &place) != nil, field(bytes, &place) != nil else { return nil }
        }
        if flags & 0x80 != 0 { guard field(bytes, &place) != nil else { return nil } }
        return field(bytes, &place)
    }

    private static func skipProperties(_ bytes: [UInt8], _ place: inout Int) -> Bool {
        guard let (length, end) = bytes.rawBytes.varint(at: place, most: 4) else { return false }
        place = end + Int(length)
        return place <= bytes.count
    }

    /// Bytes after their length in two bytes.
    private static func field(_ bytes: [UInt8], _ place: inout Int) -> Range<Int>? {
        guard let found = bytes.range(place + 2, bytes.number(place, 2)) else { return nil }
        place = found.upperBound
        return found
    }
}
