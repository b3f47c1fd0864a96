/// The grammar of a protocol that frames itself and has no layer: how a conversation in it begins, where its messages end, and how one is
/// found again after a loss. What decodes its messages reads them by the same grammar.
///
/// A new one is a folder under `Layers/Framed/Protocols` and a row in `KnownProtocols`.
package protocol ProtocolGrammar: FramedProtocolName {
    /// Whether both sides have begun so, whose bytes so far these are. Taking something else for the protocol is worse than not knowing it,
    /// so that it needs more than a word. Never another answer for more bytes than for fewer, but for `undecided`.
    static func begins(client: RawSpan, server: RawSpan) -> Recognized

    /// What finds the ends of the messages of a side.
    static func cutter() -> any CuttingMachine

    /// What looks for a message of a side after a loss, or after what was none; nil where nothing does.
    static func search(from side: Side, after loss: FramingLoss) -> (any MessageSearch)?

    /// What is wrong with a message that has come whole; nil where nothing is.
    ///
    /// - Parameters:
    ///   - message: its first 1,024 bytes at least.
    ///   - length: bytes that all of it has.
    static func fault(in message: RawSpan, length: UInt64, from side: Side) -> PacketFault?

    /// Whether a message that has come whole is the last of the connection: after it both sides have agreed on other bytes, such as compressed ones.
    ///
    /// - Parameter message: its first 1,024 bytes at least.
    static func isLast(_ message: RawSpan, from side: Side) -> Bool

    /// The subprotocols of a WebSocket whose messages carry a stream of its messages, which are checked there as well.
    static var subprotocols: [StaticString] { get }

    /// After this byte a message may begin.
    static var boundary: UInt8 { get }
}

/// What is wrong with a message of a protocol: the row, its number, and what its sentence names.
package struct PacketFault {
    package var row: FindingRow
    package var a: UInt64 = 0
    package var words: FindingText
}

/// What is known where messages have to be found again.
package struct FramingLoss {
    /// A message may begin with the next byte.
    package var isAtBoundary = true
    /// Bytes that were told as data since messages ended.
    package var skipped: UInt64 = 0
}

/// Looks for the next message of one side, in small steps, so that little lies after what is found: it is read again.
package protocol MessageSearch {
    /// What may still belong to a message.
    var held: HeldRuns { get }
    var heldBytes: Int { get }
    /// How many places were looked at, for tests of what it costs.
    var steps: Int { get }
    /// Bytes that were told as data, and count with those before what is found.
    var skipped: UInt64 { get }
    /// Bytes to give it next at most.
    var room: Int { get }
    /// Bytes at the beginning that no message will be found in.
    var settled: Int { get }

    /// Takes the next bytes. Returns where in those that are held a message begins, once that is clear.
    mutating func receive(_ bytes: RawSpan, at arrival: Arrival) -> Int?

    /// The other side has spoken.
    mutating func beginTurn()

    /// Takes out bytes that were told.
    mutating func drop(first count: Int)
}

extension MessageSearch {
    package mutating func beginTurn() {}
    package var skipped: UInt64 { 0 }
}

extension ProtocolGrammar {
    package static func isLast(_ message: RawSpan, from side: Side) -> Bool { false }

    package static func search(from side: Side, after loss: FramingLoss) -> (any MessageSearch)? { nil }
    package static var boundary: UInt8 { 0x0A }
    package static func fault(in message: RawSpan, length: UInt64, from side: Side) -> PacketFault? { nil }
    package static var subprotocols: [StaticString] { [] }

    /// More is not waited for.
    package static var mostOpeningBytes: Int { 2_048 }

    /// Whether bytes begin so. A side that has not spoken does not.
    package static func begin(_ bytes: RawSpan, with words: [UInt8]) -> Recognized {
        guard bytes.byteCount > 0 else { return .no }
        for index in 0..<min(bytes.byteCount, words.count) where bytes[index] != words[index] { return .no }
        return bytes.byteCount >= words.count ? .yes : .undecided
    }

    package static func begin(_ bytes: RawSpan, with words: String) -> Recognized { begin(bytes, with: Array(words.utf8)) }

    /// Whether bytes begin in one of these ways.
    package static func begin(_ bytes: RawSpan, withOneOf all: [String]) -> Recognized {
        var answer = Recognized.no
        for words in all {
            switch begin(bytes, with: words) {
            case .yes: return .yes
            case .undecided: answer = .undecided
            case .no: continue
            }
        }
        return answer
    }
}
