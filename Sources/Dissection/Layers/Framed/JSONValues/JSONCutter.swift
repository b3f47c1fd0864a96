/// Values of JSON one after another (RFC 8259): each ends where its brackets, its quotes or its word are over. Between them may be white space,
/// as in lines of JSON, or RS (RFC 7464); it counts for the value that follows.
///
/// ```
/// {"a":[1,"}"]} │ \n [2] │ "three" │ 4 │ \n
/// ```
///
/// What no value can have breaks it: a control character in a string, a bracket of the other kind, a byte that is neither. Commas and colons are
/// not checked.
struct JSONCutter: CuttingMachine {
    private enum Phase {
        /// Before a value.
        case between
        /// In an object or an array, outside of strings.
        case structure
        case string
        /// After a backslash in a string.
        case escape
        case number
        /// In one of the words, of which so many letters came.
        case word(Int, Int)
    }

    private static let words = ["true", "false", "null"].map { Array($0.utf8) }
    /// More white space is told by itself.
    private static let mostLead = 1_024
    /// Brackets within brackets whose kind is known; deeper ones are counted.
    private static let knownDepth = 64

    private var phase = Phase.between
    private var depth = 0
    /// A bit for each open bracket, the innermost last: set for an object.
    private var kinds: UInt64 = 0
    /// Bytes of the value so far.
    private var came: UInt64 = 0
    private(set) var lead = 0
    /// The byte before can be no part of a value.
    private var isBroken = false

    var header: Int { lead }

    /// No value has begun.
    var isBetween: Bool { came == 0 }

    /// A number, or a word that is whole, ends with what follows it, and so where nothing does.
    var mayEndHere: Bool {
        switch phase {
        case .number: true
        case .word(let word, let count): count == Self.words[word].count
        case .between, .structure, .string, .escape: false
        }
    }

    mutating func restart() { self = JSONCutter() }

    mutating func advance(over bytes: RawSpan) -> Cut {
        for index in 0..<bytes.byteCount {
            let byte = bytes[index]
            if case .between = phase, Self.isSpace(byte) || byte == 0x1E {
                lead += 1
                if lead == Self.mostLead { return .ends(index + 1) }
                continue
            }
            guard came < StreamFraming.mostBytes else { return .broken(.tooLong(came + 1)) }
            switch phase {
            case .between: begin(byte)
            case .structure: if takeStructure(byte) { return .ends(index + 1) }
            case .string:
                if byte == UInt8(ascii: "\"") {
                    if depth == 0 { return .ends(index + 1) }
                    phase = .structure
                } else if byte == UInt8(ascii: "\\") {
                    phase = .escape
                } else if byte < 0x20 {
                    return .broken(.malformed)
                }
            case .escape:
                guard byte >= 0x20 else { return .broken(.malformed) }
                phase = .string
            case .number:
                // What follows is looked at again.
                if !Self.isNumberByte(byte) { return .ends(index) }
            case .word(let word, let count):
                if count == Self.words[word].count { return .ends(index) }
                guard byte == Self.words[word][count] else { return .broken(.malformed) }
                phase = .word(word, count + 1)
            }
            if isBroken { return .broken(.malformed) }
            came += 1
        }
        return .inside
    }

    private mutating func begin(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte)
        case UInt8(ascii: "\""): phase = .string
        case UInt8(ascii: "-"), 0x30...0x39: phase = .number
        case UInt8(ascii: "t"): phase = .word(0, 1)
        case UInt8(ascii: "f"): phase = .word(1, 1)
        case UInt8(ascii: "n"): phase = .word(2, 1)
        case _: isBroken = true
        }
    }

    private mutating func open(_ byte: UInt8) {
        phase = .structure
        if depth < Self.knownDepth { kinds = kinds << 1 | (byte == UInt8(ascii: "{") ? 1 : 0) }
        depth += 1
    }

    /// Takes a byte between strings. Returns whether the value ends with it.
    private mutating func takeStructure(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""): phase = .string
        case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth <= Self.knownDepth {
                isBroken = (kinds & 1 == 1) != (byte == UInt8(ascii: "}"))
                kinds >>= 1
            }
            depth -= 1
            return depth == 0 && !isBroken
        case UInt8(ascii: ","), UInt8(ascii: ":"), 0x41...0x5A, 0x61...0x7A: break
        case _: isBroken = !Self.isSpace(byte) && !Self.isNumberByte(byte)
        }
        return false
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
            || byte | 0x20 == UInt8(ascii: "e")
    }
}
