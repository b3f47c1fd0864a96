import Dissection

/// Secrets in binary formats that are known by what stands before them: the password of MQTT's CONNECT, the response of SASL PLAIN and a
/// new secret in AMQP, the signature of WAMP's AUTHENTICATE, and values behind a secret name in MessagePack, CBOR and BSON.
///
/// They are overwritten in place, because a mark would make the lengths before them wrong, and nothing could be decoded any more.
struct BinarySecrets {
    private(set) var bytes: [UInt8]
    private(set) var places = 0

    /// What stands in the place of each byte.
    private static let filler = UInt8(ascii: "x")
    /// A name of a member is no longer.
    private static let longestName = 64

    /// Looks whether bytes may be of a binary format: they have control characters or are no ASCII at their beginning.
    static func isBinary(_ bytes: [UInt8]) -> Bool {
        bytes.prefix(64).contains { $0 < 0x09 } || (bytes.first ?? 0) >= 0x80
    }

    /// - Parameter isWAMP: they are a message of WAMP, or several.
    init(_ bytes: [UInt8], isWAMP: Bool = false) {
        self.bytes = bytes
        if isWAMP { for signature in WAMPSignatures.places(in: bytes) { overwrite(signature) } }
        guard Self.isBinary(bytes) else { return }
        if let password = mqttPassword { overwrite(password) }
        var index = 0
        while index < bytes.count {
            guard let secret = saslResponse(at: index) ?? newSecret(at: index) ?? member(at: index) else {
                index += 1
                continue
            }
            overwrite(secret)
            index = max(index + 1, secret.upperBound)
        }
    }

    private mutating func overwrite(_ range: Range<Int>) {
        guard !range.isEmpty, !bytes[range].allSatisfy({ $0 == Self.filler }) else { return }
        for index in range { bytes[index] = Self.filler }
        places += 1
    }

    /// A number in network order.
    private func number(_ start: Int, _ width: Int) -> Int? {
        guard start >= 0, start + width <= bytes.count else { return nil }
        return bytes[start..<start + width].reduce(0) { $0 << 8 | Int($1) }
    }

    /// So many bytes behind a place, if they are there.
    private func range(_ start: Int, _ count: Int?) -> Range<Int>? {
        guard let count, count >= 0, start <= bytes.count, count <= bytes.count - start else { return nil }
        return start..<start + count
    }

    // MARK: - MQTT

    /// The password of a CONNECT (MQTT 3.1.1, section 3.1; MQTT 5.0, section 3.1).
    private var mqttPassword: Range<Int>? {
        guard bytes.count > 12, bytes[0] == 0x10 else { return nil }
        guard var place = bytes.rawBytes.varint(at: 1, most: 4)?.end, let name = field(&place), place + 4 <= bytes.count else { return nil }
        guard bytes[name].elementsEqual("MQTT".utf8) || bytes[name].elementsEqual("MQIsdp".utf8) else { return nil }
        let (version, flags) = (bytes[place], bytes[place + 1])
        place += 4
        if version == 5 { guard skipProperties(&place) else { return nil } }
        guard flags & 0x40 != 0, field(&place) != nil else { return nil }
        if flags & 0x04 != 0 {
            if version == 5 { guard skipProperties(&place) else { return nil } }
            guard field(&place) != nil, field(&place) != nil else { return nil }
        }
        if flags & 0x80 != 0 { guard field(&place) != nil else { return nil } }
        return field(&place)
    }

    private func skipProperties(_ place: inout Int) -> Bool {
        guard let (length, behind) = bytes.rawBytes.varint(at: place, most: 4) else { return false }
        place = behind + Int(length)
        return place <= bytes.count
    }

    /// Bytes behind their length in two bytes.
    private func field(_ place: inout Int) -> Range<Int>? {
        guard let found = range(place + 2, number(place, 2)) else { return nil }
        place = found.upperBound
        return found
    }

    // MARK: - AMQP

    /// What stands behind the name of the mechanism in AMQP's connection.start-ok (AMQP 0-9-1, section 1.4.2.3).
    private func saslResponse(at index: Int) -> Range<Int>? {
        for mechanism in ["PLAIN", "AMQPLAIN"] as [StaticString] where Int(bytes[index]) == mechanism.utf8CodeUnitCount {
            let name = range(index + 1, mechanism.utf8CodeUnitCount)
            guard let name, bytes[name].elementsEqual(mechanism.bytes.copy) else { continue }
            return range(name.upperBound + 4, number(name.upperBound, 4))
        }
        return nil
    }

    /// What follows the numbers of connection.update-secret in a method frame of channel 0 (RabbitMQ).
    private func newSecret(at index: Int) -> Range<Int>? {
        guard bytes[index] == 1, number(index + 1, 2) == 0, number(index + 7, 4) == 0x000a_0046 else { return nil }
        return range(index + 15, number(index + 11, 4))
    }

    // MARK: - Members

    /// The value of a member with a secret name whose name begins at a byte, behind its header.
    private func member(at index: Int) -> Range<Int>? {
        switch bytes[index] {
        case 0xa2...0xbf: named(index + 1, Int(bytes[index] & 0x1f)).flatMap { messagePack($0) ?? cbor($0) }
        case 0xd9: named(index + 2, number(index + 1, 1)).flatMap { messagePack($0) }
        case 0x62...0x77: named(index + 1, Int(bytes[index] & 0x1f)).flatMap { cbor($0) }
        case 0x78: named(index + 2, number(index + 1, 1)).flatMap { cbor($0) }
        case 0x02, 0x05: bson(at: index)
        case _: nil
        }
    }

    /// The place behind a name, if it is secret.
    private func named(_ start: Int, _ count: Int?) -> Int? {
        guard let count, (2...Self.longestName).contains(count), let name = range(start, count) else { return nil }
        guard bytes[name].allSatisfy({ 0x20...0x7e ~= $0 }), SecretNames.isSecret(bytes[name]) else { return nil }
        return name.upperBound
    }

    private func messagePack(_ place: Int) -> Range<Int>? {
        guard place < bytes.count else { return nil }
        return switch bytes[place] {
        case 0xa0...0xbf: range(place + 1, Int(bytes[place] & 0x1f))
        case 0xd9, 0xc4: range(place + 2, number(place + 1, 1))
        case 0xda, 0xc5: range(place + 3, number(place + 1, 2))
        case 0xdb, 0xc6: range(place + 5, number(place + 1, 4))
        case _: nil
        }
    }

    private func cbor(_ place: Int) -> Range<Int>? {
        guard place < bytes.count else { return nil }
        return switch bytes[place] {
        case 0x40...0x57, 0x60...0x77: range(place + 1, Int(bytes[place] & 0x1f))
        case 0x58, 0x78: range(place + 2, number(place + 1, 1))
        case 0x59, 0x79: range(place + 3, number(place + 1, 2))
        case 0x5a, 0x7a: range(place + 5, number(place + 1, 4))
        case _: nil
        }
    }

    /// A string or bytes behind a name that ends with a zero.
    private func bson(at index: Int) -> Range<Int>? {
        let most = min(bytes.count, index + 2 + Self.longestName)
        guard index + 1 < most, let zero = bytes[index + 1..<most].firstIndex(of: 0), let place = named(index + 1, zero - index - 1) else {
            return nil
        }
        // The length is in the other order, and counts the zero behind a string.
        guard let length = range(place + 1, 4).map({ bytes[$0].reversed().reduce(0) { $0 << 8 | Int($1) } }) else { return nil }
        return bytes[index] == 0x02 ? range(place + 5, length - 1) : range(place + 6, length)
    }
}
