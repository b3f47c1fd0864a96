import Dissection
import Libc

/// One record of a log, and the content that an event with its fact has.
///
/// A key that a kind always has and that is missing, or that has another type, is the record's problem; keys that are not known are passed
/// over, as every reader of the format should.
struct LoggedRecord {
    /// Why a line is no record that can be told again.
    struct Problem: Error { var words: String }

    let value: JSONValue
    /// Strings that were not UTF-8 on the wire stand in it as Latin-1.
    let isLatin1: Bool
    private(set) var content: [UInt8] = []
    /// What `ConversationEvent.asked` is.
    var asked: [UInt8] = []

    init(_ value: JSONValue) throws(Problem) {
        guard case .object = value else { throw Problem(words: "it is not an object") }
        self.value = value
        isLatin1 = value["latin1"]?.boolean ?? false
    }

    // MARK: - Values

    func words(_ key: StaticString) throws(Problem) -> [UInt8] {
        guard let words = value[key]?.string else { throw missing(key, "text") }
        return words
    }

    func number(_ key: StaticString) throws(Problem) -> UInt64 {
        guard let number = value[key]?.unsigned else { throw missing(key, "number") }
        return number
    }

    func number<Number: FixedWidthInteger>(_ key: StaticString, as type: Number.Type) throws(Problem) -> Number {
        guard let number = Number(exactly: try number(key)) else { throw Problem(words: "its \"\(key)\" is too large") }
        return number
    }

    func boolean(_ key: StaticString) throws(Problem) -> Bool {
        guard let truth = value[key]?.boolean else { throw missing(key, "true or false") }
        return truth
    }

    func word<Value: CaseIterable>(
        _ key: StaticString, of type: Value.Type, in object: JSONValue? = nil, by spelling: (Value) -> StaticString
    ) throws(Problem) -> Value {
        guard let text = (object ?? value)[key]?.string else { throw missing(key, "text") }
        guard let found = Value.allCases.first(where: { spelling($0).bytes.isEqual(text.rawBytes) }) else {
            throw Problem(words: "its \"\(key)\" is \"\(String(decoding: text, as: UTF8.self))\", which is not a word of this format")
        }
        return found
    }

    func missing(_ key: StaticString, _ type: String) -> Problem {
        Problem(words: value[key] == nil ? "it has no \"\(key)\"" : "its \"\(key)\" is not a \(type)")
    }

    // MARK: - Content

    /// Adds bytes to the content. Returns where they lie in it.
    mutating func add(_ bytes: [UInt8]) -> ByteRange {
        let start = content.count
        content.append(contentsOf: bytes)
        return ByteRange(start..<content.count)
    }

    /// Adds what a text was on the wire; nothing where there is none.
    mutating func add(wire text: [UInt8]?) -> ByteRange { text.map { add(onWire($0)) } ?? ByteRange() }

    mutating func add(_ key: StaticString) -> ByteRange { add(wire: value[key]?.string) }

    /// The bytes that a text stands for. What was not UTF-8 was read as Latin-1, and what was UTF-8 was left as it is: so a text that is
    /// Latin-1 gives bytes that are not valid UTF-8.
    func onWire(_ text: [UInt8]) -> [UInt8] {
        guard isLatin1 else { return text }
        var bytes: [UInt8] = []
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            guard scalar.value < 0x100 else { return text }
            bytes.append(UInt8(scalar.value))
        }
        return String(validating: bytes, as: UTF8.self) == nil ? bytes : text
    }

    /// Adds field lines from `[[name, value], …]`.
    mutating func addFields(_ key: StaticString) throws(Problem) -> ByteRange {
        let start = content.count
        guard let fields = value[key]?.elements else { throw missing(key, "list of fields") }
        for field in fields {
            guard let pair = field.elements, pair.count == 2, let name = pair[0].string, let text = pair[1].string else {
                throw Problem(words: "its \"\(key)\" is not a list of names and values")
            }
            content.append(contentsOf: onWire(name))
            // A line without a colon is told with an empty value; so is one with nothing after it.
            content.append(contentsOf: [0x3a, 0x20])
            content.append(contentsOf: onWire(text))
            content.append(contentsOf: [0x0d, 0x0a])
        }
        return ByteRange(start..<content.count)
    }

    /// Adds the payload: `text` or `base64`.
    mutating func addPayload() throws(Problem) -> ByteRange {
        if let text = value["text"]?.string { return add(text) }
        guard let letters = value["base64"]?.string else { return ByteRange(start: content.count) }
        guard let bytes = [UInt8](base64: letters) else { throw Problem(words: "its \"base64\" is not valid Base64") }
        return add(bytes)
    }

    /// An endpoint, and the name that it goes by.
    mutating func endpoint(_ key: StaticString) throws(Problem) -> (Endpoint, ByteRange) {
        guard let object = value[key] else { throw missing(key, "object") }
        let name = add(wire: object["name"]?.string)
        guard let address = object["address"]?.string else { return (Endpoint(address: IPAddress(), port: 0), name) }
        guard let parsed = IPAddress(text: String(decoding: address, as: UTF8.self)),
            let port = object["port"]?.unsigned.flatMap(UInt16.init(exactly:))
        else { throw Problem(words: "its \"\(key)\" has an address or a port that is none") }
        return (Endpoint(address: parsed, port: port), name)
    }
}

extension [UInt8] {
    /// What Base64 with padding stands for (RFC 4648, section 4); nil where it is none.
    init?(base64 letters: [UInt8]) {
        guard letters.count % 4 == 0 else { return nil }
        self = []
        reserveCapacity(letters.count / 4 * 3)
        var (bits, count, padding): (UInt32, Int, Int) = (0, 0, 0)
        for letter in letters {
            let value: UInt8
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - 0x41
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - 0x61 + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter - 0x30 + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="):
                padding += 1
                continue
            default: return nil
            }
            guard padding == 0 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard padding <= 2 else { return nil }
    }
}

extension IPAddress {
    /// An address as it is written (RFC 5952, or with four numbers).
    init?(text: String) {
        var four = in_addr()
        var six = in6_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            self.init(ipv4: UInt32(bigEndian: four.s_addr))
        } else if unsafe inet_pton(AF_INET6, text, &six) == 1 {
            let words = unsafe withUnsafeBytes(of: &six) { bytes in
                unsafe (0..<2).map { UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
            }
            self.init(ipv6High: words[0], low: words[1])
        } else {
            return nil
        }
    }
}

extension Timestamp {
    /// A moment as RFC 3339 writes it, with up to nine places; the offset is `Z` or such as `+01:00`.
    init?(rfc3339 text: [UInt8]) {
        func digits(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= text.count else { return nil }
            var value: Int64 = 0
            for byte in text[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard text.count >= 20, let year = digits(0..<4), let month = digits(5..<7), let day = digits(8..<10), let hour = digits(11..<13),
            let minute = digits(14..<16), let second = digits(17..<19), (1...12).contains(month), (1...31).contains(day), hour < 24,
            minute < 60, second < 61
        else { return nil }
        var position = 19
        var fraction: Int64 = 0
        if text[position] == UInt8(ascii: ".") {
            position += 1
            var places = 0
            while position < text.count, (0x30...0x39).contains(text[position]) {
                if places < 9 {
                    fraction = fraction * 10 + Int64(text[position] - 0x30)
                    places += 1
                }
                position += 1
            }
            while places < 9 {
                fraction *= 10
                places += 1
            }
        }
        var offset: Int64 = 0
        guard position < text.count else { return nil }
        if text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") {
            guard let hours = digits(position + 1..<position + 3), let minutes = digits(position + 4..<position + 6) else { return nil }
            offset = (hours * 3_600 + minutes * 60) * (text[position] == UInt8(ascii: "-") ? -1 : 1)
        } else if text[position] | 0x20 != UInt8(ascii: "z") {
            return nil
        }
        // Days since 1970, in eras of 400 years that begin in March; see `Calendar`.
        let fromMarch = (month + 9) % 12
        let marchYear = month <= 2 ? year - 1 : year
        let era = marchYear.flooredQuotientAndRemainder(dividingBy: 400)
        let dayOfEra = era.1 * 365 + era.1 / 4 - era.1 / 100 + (153 * fromMarch + 2) / 5 + day - 1
        let seconds = (era.0 * 146_097 + dayOfEra - 719_468) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        guard let nanoseconds = Int64(exactly: Int128(seconds) * 1_000_000_000 + Int128(fraction)) else { return nil }
        self.init(nanoseconds: nanoseconds)
    }
}
