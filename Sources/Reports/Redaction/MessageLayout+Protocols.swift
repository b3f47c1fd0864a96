import Dissection

// The lengths of protocols that write them in digits. Each reads a message once, from left to right; what it cannot read is one part.

extension MessageLayout {
    /// RESP (redis.io, "Redis serialization protocol specification"): values inside of others follow them, so that one pass meets all of them.
    mutating func readRedis(_ bytes: [UInt8]) {
        var position = 0
        // The text just before.
        var name = 0..<0
        while position < bytes.count {
            let marker = bytes[position]
            guard let form = RedisGrammar.type(of: bytes[position])?.form, let feed = bytes[position...].firstIndex(of: 0x0a),
                bytes[feed - 1] == 0x0d
            else {
                // Such as a command with blanks between its words.
                return add(part: position..<bytes.count)
            }
            let line = position + 1..<feed - 1
            position = feed + 1
            switch form {
            case .line where Self.isNumber(marker):
                add(number: line)
                name = 0..<0
            case .line:
                add(part: line)
                name = line
            case .values, .pairs: name = 0..<0
            case .bytes:
                guard let length = Self.number(bytes, line) else {
                    name = 0..<0
                    break
                }
                let content = position..<min(bytes.count, position + length)
                // `txt:` stands before what a verbatim string says.
                if marker == UInt8(ascii: "="), content.count > 4, SecretNames.isSecret(bytes[name]) {
                    add(secret: content.dropFirst(4))
                }
                add(part: content)
                name = content
                if content.count == length { add(length: line, of: content) }
                position = min(bytes.count, content.upperBound + 2)
            }
        }
    }

    /// Whether a value of RESP is a number, true, false or null.
    private static func isNumber(_ marker: UInt8) -> Bool { ":,(#_".utf8.contains(marker) }

    /// A line, and a payload of which its last words tell the length (docs.nats.io, "Client Protocol").
    mutating func readNATS(_ bytes: [UInt8]) {
        guard let feed = bytes.firstIndex(of: 0x0a), feed > 0, bytes[feed - 1] == 0x0d else { return add(part: 0..<bytes.count) }
        let words = bytes[..<(feed - 1)].split { $0 == 0x20 || $0 == 0x09 }.map { $0.startIndex..<$0.endIndex }
        guard let first = words.first, words.count > 2,
            let verb = NATSGrammar.verbs.first(where: { bytes.rawBytes.extracting(first).isCaseInsensitively($0.name) }), verb.hasPayload,
            let length = Self.number(bytes, words[words.count - 1])
        else { return add(part: 0..<bytes.count) }
        let (start, digits) = (feed + 1, words[words.count - 1])
        let payload = start..<min(bytes.count, start + length)
        let headers = verb.hasHeaders ? Self.number(bytes, words[words.count - 2]) ?? 0 : 0
        let split = min(payload.upperBound, start + headers)
        add(part: 0..<(verb.hasHeaders ? words[words.count - 2] : digits).lowerBound)
        add(part: start..<split)
        add(part: split..<payload.upperBound)
        guard payload.count == length, headers <= length else { return }
        if headers > 0 { add(length: words[words.count - 2], of: start..<split) }
        add(length: digits, of: payload)
    }

    /// Whether bytes begin with a command of STOMP and the end of its line.
    static func beginsSTOMP(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, 0x41...0x5a ~= first else { return false }
        return (STOMPGrammar.clientCommands + STOMPGrammar.serverCommands).contains {
            let count = $0.utf8CodeUnitCount
            return bytes.count > count && (bytes[count] == 0x0a || bytes[count] == 0x0d) && bytes.rawBytes.begins($0)
        }
    }

    /// Frames one after the other (specification 1.2, "STOMP Frames"): header lines, an empty one, and a body.
    mutating func readSTOMP(_ bytes: [UInt8]) {
        var position = 0
        while position < bytes.count {
            let first = position
            var digits: Range<Int>?
            // Line breaks before a frame are heartbeats.
            while position < bytes.count, bytes[position] == 0x0a || bytes[position] == 0x0d { position += 1 }
            while let feed = bytes[position...].firstIndex(of: 0x0a) {
                let line = position..<(feed > position && bytes[feed - 1] == 0x0d ? feed - 1 : feed)
                position = feed + 1
                if line.isEmpty { break }
                let name = STOMPGrammar.lengthHeader.utf8CodeUnitCount
                // Of several headers with one name the first counts.
                if digits == nil, line.count > name, bytes[line.lowerBound + name] == 0x3a,
                    bytes.rawBytes.suffix(from: line.lowerBound).begins(STOMPGrammar.lengthHeader)
                {
                    digits = line.lowerBound + name + 1..<line.upperBound
                }
            }
            guard let digits, let length = Self.number(bytes, digits), length <= bytes.count - position else {
                let end = bytes[position...].firstIndex(of: 0) ?? bytes.count
                add(part: first..<end)
                position = end + 1
                continue
            }
            add(part: first..<digits.lowerBound)
            add(part: digits.upperBound..<position)
            add(part: position..<position + length)
            add(length: digits, of: position..<position + length)
            position += length + 1
        }
    }

    /// A number in digits, of no more than a gigabyte.
    private static func number(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
        guard (1...9).contains(range.count), bytes[range].allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
