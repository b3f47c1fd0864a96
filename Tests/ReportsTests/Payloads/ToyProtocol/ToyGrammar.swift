import Dissection

/// Messages of a toy: `ty`, a letter for the type, a byte for the length of what follows.
///
/// ```
/// t y s │ 02 │ h i
/// ```
enum ToyGrammar: ProtocolGrammar {
    static var name: StaticString { "toy" }
    static var title: StaticString { "Toy" }

    static let header = 4

    /// What a message is called by its letter.
    static func type(of letter: UInt8) -> String? {
        switch letter {
        case UInt8(ascii: "k"): "hello"
        case UInt8(ascii: "s"): "say"
        case UInt8(ascii: "p"): "ping"
        case UInt8(ascii: "o"): "pong"
        case UInt8(ascii: "b"): "bye"
        case _: nil
        }
    }

    static func begins(client: RawSpan, server: RawSpan) -> Recognized { begin(client, with: "tyk") }
    static func cutter() -> any CuttingMachine { ToyCutter() }
}

struct ToyCutter: CuttingMachine {
    private var head: [UInt8] = []
    private var left = 0

    mutating func restart() { self = ToyCutter() }

    mutating func advance(over bytes: RawSpan) -> Cut {
        var position = 0
        while head.count < ToyGrammar.header {
            guard position < bytes.byteCount else { return .inside }
            head.append(bytes[position])
            position += 1
            if head.count == 3, ToyGrammar.type(of: head[2]) == nil { return .broken(.malformed) }
            if head.count == ToyGrammar.header { left = Int(head[3]) }
        }
        guard bytes.byteCount - position >= left else {
            left -= bytes.byteCount - position
            return .inside
        }
        return .ends(position + left)
    }
}
