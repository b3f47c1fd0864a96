import Dissection

/// Secrets in binary formats that are known by what stands before them: the passwords of MQTT's CONNECT, SOCKS and PostgreSQL, the response of SASL PLAIN and a
/// new secret in AMQP, the signature of WAMP's AUTHENTICATE, and values under a secret name in MessagePack, CBOR and BSON.
///
/// They are overwritten in place, because a mark would make the lengths before them wrong, and nothing could be decoded any more.
struct BinarySecrets {
    private(set) var bytes: [UInt8]
    private(set) var places = 0
    /// Bytes and values that were looked at.
    private(set) var steps = 0
    /// The map that was read last.
    private var map = 0..<0
    /// Values that were read to find maps. Where a sender makes many maps that turn out to be none, no more are looked for.
    private var values = 0

    /// What stands in the place of each byte.
    static let filler = UInt8(ascii: "x")
    /// A name of a member is no longer.
    private static let longestName = 64

    /// Looks whether bytes may be of a binary format: they have control characters or are no ASCII at their beginning.
    static func isBinary(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.prefix(64).contains(where: isOfBinary) || (bytes.first ?? 0) >= 0x80
    }

    /// Whether text has no such character: one that is neither white space nor an escape, nor RS, which ends messages of SignalR.
    static func isOfBinary(_ byte: UInt8) -> Bool { byte < 0x20 && !(0x09...0x0d ~= byte) && byte != 0x1b && byte != 0x1e }

    /// - Parameters:
    ///   - isWAMP: they are a message of WAMP, or several.
    ///   - parts: what they hold that may be binary by itself: the payload of a message of text.
    ///   - secrets: what is known to be one.
    init(_ bytes: [UInt8], isWAMP: Bool = false, parts: [Range<Int>], secrets: [Range<Int>] = []) {
        self.init(bytes, isWAMP: isWAMP)
        for secret in secrets { overwrite(secret) }
        for part in parts where part.count < bytes.count && Self.isBinary(self.bytes[part]) {
            let inside = BinarySecrets(Array(self.bytes[part]))
            guard inside.places > 0 else { continue }
            self.bytes.replaceSubrange(part, with: inside.bytes)
            places += inside.places
        }
    }

    /// - Parameters:
    ///   - isWAMP: they are a message of WAMP, or several.
    ///   - level: how many strings of bytes they stand in, one in another.
    init(_ bytes: [UInt8], isWAMP: Bool = false, level: Int = 0) {
        self.bytes = bytes
        if isWAMP { for signature in WAMPSignatures.places(in: bytes) { overwrite(signature) } }
        guard Self.isBinary(bytes) else { return }
        if let password = MQTT.password(in: bytes) ?? PasswordMessages.socks(in: bytes) { overwrite(password) }
        for password in PasswordMessages.postgres(in: bytes) { overwrite(password) }
        let heads = Self.heads
        var index = 0
        while index < bytes.count {
            steps += 1
            let head = heads[Int(bytes[index])]
            if head.contains(.map), !map.contains(index) { overwriteMap(at: index, level) }
            guard let secret = secret(at: index, head) else {
                index += 1
                continue
            }
            overwrite(secret)
            index = max(index + 1, secret.upperBound)
        }
        steps += values
    }

    /// What may begin with a byte: of most bytes nothing does.
    private struct Head: OptionSet {
        let rawValue: UInt8

        static let map = Head(rawValue: 1)
        static let field = Head(rawValue: 2)
        static let word = Head(rawValue: 4)
    }

    private static let heads: [Head] = (0...255 as ClosedRange<UInt8>).map { byte in
        var head: Head = byte.isLetterOrDigit ? .word : []
        if PackedMap.isHead(byte) { head.insert(.map) }
        switch byte {
        case 0x01, 0x02, 0x05, 0x08, 0x15, 0x26, 0xa2...0xbf, 0xd9: head.insert(.field)
        case _: break
        }
        return head
    }

    private func secret(at index: Int, _ head: Head) -> Range<Int>? {
        if head.contains(.field), let secret = AMQP.secret(in: bytes, at: index) ?? amqp1(at: index) ?? member(at: index) { return secret }
        return head.contains(.word) ? token(at: index) : nil
    }

    private mutating func overwrite(_ range: Range<Int>) {
        guard !range.isEmpty, !bytes[range].allSatisfy({ $0 == Self.filler }) else { return }
        for index in range { bytes[index] = Self.filler }
        places += 1
    }

    /// Overwrites the secrets of a map that begins at a byte, and what is secret in the strings of bytes in it.
    private mutating func overwriteMap(at index: Int, _ level: Int) {
        guard values <= 4 * bytes.count, let found = PackedMap(in: bytes, at: index, values: &values) else { return }
        map = found.range
        for place in found.secrets { overwrite(place) }
        for place in found.byteStrings where level < Self.mostLevels && Self.isBinary(bytes[place]) {
            let inside = BinarySecrets(Array(bytes[place]), level: level + 1)
            steps += inside.steps
            guard inside.places > 0 else { continue }
            bytes.replaceSubrange(place, with: inside.bytes)
            places += inside.places
        }
    }

    /// Strings of bytes that are looked into, one in another.
    private static let mostLevels = 4

    /// The value of a member with a secret name whose name begins at a byte, after its header. In MessagePack it may be of a map whose beginning was lost;
    /// in CBOR, where any letter may be the head of a text, it is not looked for.
    private func member(at index: Int) -> Range<Int>? {
        switch bytes[index] {
        case 0xa2...0xbf where !map.contains(index): named(index + 1, Int(bytes[index] & 0x1f)).flatMap { PackedMap.string(bytes, $0) }
        case 0xd9 where !map.contains(index): named(index + 2, bytes.number(index + 1, 1)).flatMap { PackedMap.string(bytes, $0) }
        case 0x02, 0x05: bson(at: index)
        case 0x26: named(index + 3, bytes.number(index + 1, 2)).flatMap { bytes.range($0 + 2, bytes.number($0, 2)) }
        case 0x15: authenticationData(at: index)
        case _: nil
        }
    }

    /// A token of a known form, or the credentials after the name of their scheme, where the byte before is a letter or a digit: a length before them
    /// often is one, and `SecretScan` takes both for one word.
    private func token(at index: Int) -> Range<Int>? {
        guard index > 0, bytes[index - 1].isLetterOrDigit || followsLongName(index), index + 3 <= bytes.count,
            SecretWords.mayBegin(bytes[index], bytes[index + 1], bytes[index + 2])
        else { return nil }
        for (opening, least) in SecretWords.tokens where begins(opening, at: index) {
            let end = tokenEnd(from: index + opening.utf8CodeUnitCount)
            if end - index >= least + opening.utf8CodeUnitCount { return index..<end }
        }
        for scheme in SecretWords.schemes where begins(scheme, at: index, inAnyCase: true) {
            let start = index + scheme.utf8CodeUnitCount + 1
            guard start <= bytes.count, bytes[start - 1] == 0x20 else { continue }
            let end = tokenEnd(from: start)
            if end - start >= 6 { return start..<end }
        }
        return nil
    }

    /// Whether `authorization: ` is before it, after a letter or a digit that makes it another name.
    private func followsLongName(_ index: Int) -> Bool {
        let name: StaticString = "authorization: "
        let start = index - name.utf8CodeUnitCount
        return start > 0 && bytes[index - 1] == 0x20 && bytes[start - 1].isLetterOrDigit && begins(name, at: start, inAnyCase: true)
    }

    private func begins(_ word: StaticString, at index: Int, inAnyCase: Bool = false) -> Bool {
        let word = word.bytes
        guard index + word.byteCount <= bytes.count else { return false }
        return (0..<word.byteCount).allSatisfy {
            inAnyCase ? bytes[index + $0].lowercased == word[$0].lowercased : bytes[index + $0] == word[$0]
        }
    }

    private func tokenEnd(from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end].isLetterOrDigit || "-._~+/=:".utf8.contains(bytes[end]) { end += 1 }
        return end
    }

    /// The place after a name, if it is secret.
    private func named(_ start: Int, _ count: Int?) -> Int? {
        guard let name = bytes.range(start, count), Self.isSecret(bytes[name]) else { return nil }
        return name.upperBound
    }

    /// Whether it is a secret name of printable characters.
    static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        (2...longestName).contains(name.count) && name.allSatisfy { 0x20...0x7e ~= $0 } && SecretNames.isSecret(name)
    }

    /// The data of MQTT's enhanced authentication, behind the name of its method (MQTT 5.0, sections 3.1.2.11.9 and 3.1.2.11.10).
    private func authenticationData(at index: Int) -> Range<Int>? {
        guard let method = bytes.range(index + 3, bytes.number(index + 1, 2)), (1...Self.longestName).contains(method.count),
            bytes[method].allSatisfy({ 0x20...0x7e ~= $0 }), method.upperBound < bytes.count, bytes[method.upperBound] == 0x16
        else { return nil }
        return bytes.range(method.upperBound + 3, bytes.number(method.upperBound + 1, 2))
    }

    /// What SASL PLAIN says in AMQP 1.0 (part 5, section 5.3.3): behind the mechanism of a sasl-init.
    private func amqp1(at index: Int) -> Range<Int>? {
        guard bytes[index] == 0xa3, bytes.count - index > 8, bytes[index + 1..<index + 7].elementsEqual("\u{5}PLAIN".utf8) else {
            return nil
        }
        return switch bytes[index + 7] {
        case 0xa0: bytes.range(index + 9, bytes.number(index + 8, 1))
        case 0xb0: bytes.range(index + 12, bytes.number(index + 8, 4))
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
        guard let length = bytes.range(place + 1, 4).map({ bytes[$0].reversed().reduce(0) { $0 << 8 | Int($1) } }) else { return nil }
        return bytes[index] == 0x02 ? bytes.range(place + 5, length - 1) : bytes.range(place + 6, length)
    }
}
