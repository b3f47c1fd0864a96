import Dissection

/// Composes one JSON document (RFC 8259): with indentation for reports that are made at the end of a run, without for what a program asks for.
///
/// Commas and line ends come by themselves. Whoever composes closes what was opened.
package struct JSONComposer {
    package private(set) var bytes: [UInt8] = []
    /// Whether each object or array that is open has something in it.
    private var filled: [Bool] = []
    private var followsKey = false
    private let isCompact: Bool

    package init(isCompact: Bool = false) { self.isCompact = isCompact }

    /// Opens an object, does what is in it, and closes it.
    package mutating func object(_ body: (inout JSONComposer) -> Void) { nest(UInt8(ascii: "{"), UInt8(ascii: "}"), body) }

    package mutating func array(_ body: (inout JSONComposer) -> Void) { nest(UInt8(ascii: "["), UInt8(ascii: "]"), body) }

    package mutating func object(_ key: String, _ body: (inout JSONComposer) -> Void) {
        self.key(key)
        object(body)
    }

    package mutating func array(_ key: String, _ body: (inout JSONComposer) -> Void) {
        self.key(key)
        array(body)
    }

    package mutating func value(_ text: String) {
        separate()
        append(quoted: text)
    }

    package mutating func value(_ number: UInt64) {
        separate()
        bytes += String(number).utf8
    }

    package mutating func value(_ number: Int64) {
        separate()
        bytes += String(number).utf8
    }

    /// A value that is JSON already.
    package mutating func value(json: [UInt8]) {
        separate()
        bytes += json
    }

    package mutating func member(_ key: String, _ text: String) {
        self.key(key)
        value(text)
    }

    /// Null where there is none.
    package mutating func member(_ key: String, _ text: String?) {
        guard let text else { return member(key, json: Array("null".utf8)) }
        member(key, text)
    }

    package mutating func member(_ key: String, _ number: Int64) {
        self.key(key)
        value(number)
    }

    /// Null where there is none.
    package mutating func member(_ key: String, _ number: Int64?) {
        guard let number else { return member(key, json: Array("null".utf8)) }
        member(key, number)
    }

    package mutating func member(_ key: String, json: [UInt8]) {
        self.key(key)
        value(json: json)
    }

    package mutating func member(_ key: String, _ number: UInt64) {
        self.key(key)
        value(number)
    }

    package mutating func member(_ key: String, _ truth: Bool) {
        self.key(key)
        separate()
        bytes += (truth ? "true" : "false").utf8
    }

    /// A number of seconds, as decimals of nine places at most.
    package mutating func member(_ key: String, seconds nanoseconds: Int64) {
        self.key(key)
        separate()
        var text = OutputBuffer(capacity: 64)
        text.append(secondsOf: nanoseconds)
        bytes.append(copying: text.bytes)
    }

    /// What was composed, with a line feed at its end.
    package consuming func finish() -> [UInt8] { bytes + [0x0A] }

    private mutating func nest(_ open: UInt8, _ close: UInt8, _ body: (inout JSONComposer) -> Void) {
        separate()
        bytes.append(open)
        filled.append(false)
        body(&self)
        if filled.popLast() ?? false { breakLine() }
        bytes.append(close)
    }

    private mutating func key(_ name: String) {
        separate()
        append(quoted: name)
        bytes += (isCompact ? ":" : ": ").utf8
        followsKey = true
    }

    private mutating func separate() {
        if followsKey {
            followsKey = false
            return
        }
        guard let isFilled = filled.popLast() else { return }
        if isFilled { bytes.append(UInt8(ascii: ",")) }
        filled.append(true)
        breakLine()
    }

    private mutating func breakLine() {
        guard !isCompact else { return }
        bytes.append(0x0A)
        bytes += [UInt8](repeating: 0x20, count: 2 * filled.count)
    }

    private mutating func append(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case ..<0x20, 0x7F: bytes += "\\u00".utf8 + [hexDigit(UInt64(byte >> 4)), hexDigit(UInt64(byte & 15))]
            case _: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
