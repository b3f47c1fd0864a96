import Dissection

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
    /// The object whose keys are visited; nil between objects.
    var object: JSONValue?
    /// Why the keys that were visited are not those of a record.
    var problem: Problem?

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
    ) throws(Problem) -> Value { try word(key, among: Value.allCases, in: object, by: spelling) }

    func word<Values: Collection>(
        _ key: StaticString, among all: Values, in object: JSONValue? = nil, by spelling: (Values.Element) -> StaticString
    ) throws(Problem) -> Values.Element {
        guard let text = (object ?? value)[key]?.string else { throw missing(key, "text") }
        guard let found = all.first(where: { spelling($0).bytes.isEqual(text.rawBytes) }) else {
            throw Problem(words: "its \"\(key)\" is \"\(String(decoding: text, as: UTF8.self))\", which is not a word of this format")
        }
        return found
    }

    func missing(_ key: StaticString, _ type: String) -> Problem {
        Problem(words: value[key] == nil ? "it has no \"\(key)\"" : "its \"\(key)\" is not a \(type)")
    }

    /// What had been replaced in the event when the log was written. How much longer the payload became is told by its length.
    func redaction(of fact: Fact) -> Redaction {
        guard let places = value["redacted"]?.unsigned.flatMap(UInt32.init(exactly:)), places > 0 else { return Redaction() }
        let (length, shown): (UInt64, Int)
        switch fact {
        case .message(let message): (length, shown) = (message.length, content.count)
        case .data(let run): (length, shown) = (run.length, content.count)
        case .body(let part): (length, shown) = (part.length, part.payload.count)
        case _: return Redaction(places: places)
        }
        let growth = Int64(shown) - Int64(clamping: length) + (value["truncated"]?.boolean == true ? 1 : 0)
        return Redaction(places: places, growth: Int32(clamping: growth))
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
        guard let fields = value[key] else { throw missing(key, "list of fields") }
        return try addFields(fields, "\(key)")
    }

    /// - Parameter key: its name.
    mutating func addFields(_ list: JSONValue, _ key: String) throws(Problem) -> ByteRange {
        let start = content.count
        guard let fields = list.elements else { throw Problem(words: "its \"\(key)\" is not a list of fields") }
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
        guard let bytes = Base64.decode(letters.rawBytes) else { throw Problem(words: "its \"base64\" is not valid Base64") }
        return add(bytes)
    }
}
