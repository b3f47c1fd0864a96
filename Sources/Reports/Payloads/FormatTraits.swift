import Dissection

/// What is known of a format beside how its bytes are read: its keys and its signs of life.
package protocol FormatTraits: SendableMetatype {
    /// In lower case, as `decoded.as` has it in a record.
    static var name: StaticString { get }

    /// The keys that what it says may have at the top, as filters name them.
    static var keys: [StaticString] { get }

    /// There are more keys: the fields of methods and the like.
    static var hasMoreKeys: Bool { get }

    /// Its protocol says that the peer answers a sign of life.
    static var beatsAreAnswered: Bool { get }

    /// What delays a sign of life.
    static var beatDelay: BeatDelay { get }

    /// The types of its messages are words of an app: no protocol says what answers a sign of life.
    static var typesAreOfApp: Bool { get }

    /// Its protocol has words for all signs of life: what says something else is none, whatever its times.
    static var hasAllBeats: Bool { get }

    /// Its protocol has a word for leaving: those of apps mean nothing in it.
    static var hasGoodbye: Bool { get }

    /// Whether a side takes its leave.
    static func isGoodbye(_ decoded: DecodedPayload, from side: Side, _ content: RawSpan) -> Bool

    /// Whether a sign of life is the answer to one, which has the same words.
    static func isReply(_ decoded: DecodedPayload) -> Bool

    /// Notes after which times a side is given up, where a payload says so.
    static func note(_ decoded: DecodedPayload, in timeouts: inout HeartbeatTimeouts)
}

/// What delays a sign of life: that its sender sent something else, that anything was sent, or nothing does.
package enum BeatDelay: Sendable { case nothing, ownBytes, anyBytes }

extension FormatTraits {
    package static var keys: [StaticString] { [] }
    package static var hasMoreKeys: Bool { false }
    package static var beatsAreAnswered: Bool { false }
    package static var beatDelay: BeatDelay { .nothing }
    package static var typesAreOfApp: Bool { false }
    package static var hasAllBeats: Bool { false }
    package static var hasGoodbye: Bool { false }
    package static func isGoodbye(_ decoded: DecodedPayload, from side: Side, _ content: RawSpan) -> Bool { false }
    package static func isReply(_ decoded: DecodedPayload) -> Bool { false }
    package static func note(_ decoded: DecodedPayload, in timeouts: inout HeartbeatTimeouts) {}
}

/// A format by its name, and what is known of it.
package struct FormatName: Equatable, Sendable, ExpressibleByStringLiteral {
    let name: StaticString
    let traits: (any FormatTraits.Type)?

    package init(_ name: StaticString, _ traits: (any FormatTraits.Type)? = nil) {
        self.name = name
        self.traits = traits
    }

    package init(stringLiteral name: StaticString) { self.init(name) }

    package static func == (one: Self, other: Self) -> Bool { one.name.bytes.isEqual(other.name.bytes) }
}

extension DecodedPayload {
    /// The value of a key; nil where it has none.
    package func value(of key: StaticString) -> Value? { entries.first { $0.key.rawBytes.isEqual(key.bytes) }?.value }

    /// The number of a key.
    package func number(of key: StaticString) -> UInt64? { if case .number(let number)? = value(of: key) { number } else { nil } }

    /// Whether the value of a key is this word.
    package func says(_ key: StaticString, _ word: StaticString) -> Bool {
        switch value(of: key) {
        case .word(let said)?: said == word.description
        case .text(let bytes)?: bytes.elementsEqual(word.description.utf8)
        case .json(let bytes)? where bytes.count >= 2: bytes.dropFirst().dropLast().elementsEqual(word.description.utf8)
        case _: false
        }
    }
}

extension RawSpan {
    /// Whether words for a reason speak of signs of life that did not come.
    var complainsOfSilence: Bool {
        let words: [StaticString] = ["timeout", "timed out", "ping", "pong", "heartbeat", "alive"]
        return words.contains { word in
            let word = word.bytes
            guard byteCount >= word.byteCount else { return false }
            return (0...byteCount - word.byteCount).contains { start in
                (0..<word.byteCount).allSatisfy { self[start + $0] | 0x20 == word[$0] | 0x20 }
            }
        }
    }
}
