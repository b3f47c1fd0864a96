import Dissection

extension DecodedPayload {
    /// Adds a value to the line for people, much as JSON has it: no more than its beginning where it is long.
    mutating func say(value: Value) {
        var words = ValueWords()
        words.add(value, level: 0)
        say(words.text)
        if words.isFull { say("…".utf8) }
    }
}

/// A value in one line, of 512 bytes at most.
struct ValueWords {
    private(set) var text: [UInt8] = []
    private static let most = 512

    /// No more is added.
    var isFull: Bool { text.count >= Self.most }

    mutating func add(_ value: DecodedPayload.Value, level: Int) {
        guard !isFull else { return }
        switch value {
        case .text(let bytes):
            add("\"")
            add(bytes)
            add("\"")
        case .word(let word): add(word)
        case .number(let number): add(String(number))
        case .signed(let number): add(String(number))
        case .real(let number): add("\(number)")
        case .flag(let flag): add(flag ? "true" : "false")
        case .nothing: add("null")
        case .duration(let nanoseconds): add("\(Double(nanoseconds) / 1e9)")
        case .json(let bytes): add(bytes)
        case .binary(let count): add("<\(count) \(count == 1 ? "byte" : "bytes")>")
        case .items(let members): add(members.lazy.map { ([], $0.value) }, "[", "]", level)
        case .object(let members) where members.count == 2 && members[0].name.elementsEqual("$binary".utf8):
            // Bytes of BSON with what they are: 0 for anything.
            add(.binary(members[0].value.count ?? 0), level: level)
            if let type = members[1].value.count, type > 0 { add(" of type \(type)") }
        case .object(let members): add(members.lazy.map { ($0.name, $0.value) }, "{", "}", level)
        case .fields(let fields): add(fields.lazy.map { ($0.name, .text($0.value)) }, "{", "}", level)
        }
    }

    private mutating func add(
        _ parts: some Sequence<(name: [UInt8], value: DecodedPayload.Value)>, _ open: String, _ close: String, _ level: Int
    ) {
        add(open)
        var isFirst = true
        for part in parts {
            if isFull { return }
            if !isFirst { add(", ") }
            isFirst = false
            if !part.name.isEmpty {
                add(part.name)
                add(": ")
            }
            add(part.value, level: level + 1)
        }
        add(close)
    }

    private mutating func add(_ word: String) { text += word.utf8 }

    /// Text is cut between two characters.
    private mutating func add(_ bytes: [UInt8]) {
        guard bytes.count > Self.most - text.count else { return text += bytes }
        var end = max(0, Self.most - text.count)
        while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
        text += bytes[..<end]
        // Full, although the last character may not have fitted.
        text += Array(repeating: 0x20, count: max(0, Self.most - text.count))
    }
}

extension DecodedPayload.Value {
    /// A number that is not negative.
    fileprivate var count: UInt64? { if case .number(let number) = self { number } else { nil } }
}
