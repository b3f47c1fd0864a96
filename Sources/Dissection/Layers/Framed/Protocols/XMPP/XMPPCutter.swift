/// Depth is counted, names are not held against each other: enough to find the end, in one pass.
struct XMPPCutter: CuttingMachine {
    private enum Phase {
        case text
        /// After `<`.
        case open
        case name
        case attributes
        case quoted(UInt8)
        /// After `/` in a tag.
        case slash
        case closing
        /// `<? … ?>`, `<!-- … -->`, `<![CDATA[ … ]]>` and `<! … >`, up to the `>` before which these bytes stand.
        case declaration(Ending)
        /// After `<!`.
        case exclamation
    }

    private enum Ending { case question, dashes, brackets, none }

    private static let streamName = ShortBytes("stream:stream".utf8) ?? ShortBytes()

    private var phase = Phase.text
    /// Elements that are open; the stream is the first.
    private var depth: UInt32 = 0
    private var name = ShortBytes()
    private var came: UInt64 = 0
    /// The last two bytes.
    private var last: (UInt8, UInt8) = (0, 0)

    /// It knows how deep it is.
    mutating func restart() {
        phase = .text
        came = 0
        last = (0, 0)
    }

    mutating func advance(over bytes: RawSpan) -> Cut {
        for position in 0..<bytes.byteCount {
            let byte = bytes[position]
            came += 1
            guard came <= StreamFraming.mostBytes else { return .broken(.tooLong(came)) }
            switch take(byte) {
            case true?: return .ends(position + 1)
            case false?: break
            case nil: return .broken(.malformed)
            }
            last = (last.1, byte)
        }
        return .inside
    }

    /// Whether the message ends with the byte; nil where there is none.
    private mutating func take(_ byte: UInt8) -> Bool? {
        let isEnd = byte == UInt8(ascii: ">")
        switch phase {
        case .text:
            if byte == UInt8(ascii: "<") {
                phase = .open
            } else if depth <= 1 {
                let isSpace = byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
                // Behind a declaration it belongs to what follows.
                return isSpace ? came == 1 : nil
            }
        case .open:
            name = ShortBytes()
            switch byte {
            case UInt8(ascii: "/"): phase = .closing
            case UInt8(ascii: "?"): phase = .declaration(.question)
            case UInt8(ascii: "!"): phase = .exclamation
            case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...:
                name.append(byte)
                phase = .name
            case _: return nil
            }
        case .name:
            if isEnd { return endOpening() }
            if byte == UInt8(ascii: "/") {
                phase = .slash
            } else if byte <= 0x20 {
                phase = .attributes
            } else if !name.append(byte) {
                name = ShortBytes()
                name.append(0)
            }
        case .attributes:
            if isEnd { return endOpening() }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { phase = .quoted(byte) }
            if byte == UInt8(ascii: "/") { phase = .slash }
        case .quoted(let mark): if byte == mark { phase = .attributes }
        case .slash:
            guard isEnd else { return nil }
            phase = .text
            return depth <= 1
        case .closing:
            guard isEnd else { return false }
            guard depth > 0 else { return nil }
            phase = .text
            depth -= 1
            return depth <= 1
        case .exclamation:
            phase = .declaration(byte == UInt8(ascii: "-") ? .dashes : byte == UInt8(ascii: "[") ? .brackets : .none)
        case .declaration(let ending):
            let isOver =
                switch ending {
                case .question: last.1 == UInt8(ascii: "?")
                case .dashes: last == (UInt8(ascii: "-"), UInt8(ascii: "-"))
                case .brackets: last == (UInt8(ascii: "]"), UInt8(ascii: "]"))
                case .none: true
                }
            if isEnd, isOver { phase = .text }
        }
        return false
    }

    /// An opening tag ends. That of a stream is a message; after an authentication a new stream begins inside the first (section 6.4.6).
    private mutating func endOpening() -> Bool? {
        phase = .text
        if name == Self.streamName, depth <= 1 {
            depth = 1
            return true
        }
        guard depth > 0, depth < .max else { return nil }
        depth += 1
        return false
    }
}
