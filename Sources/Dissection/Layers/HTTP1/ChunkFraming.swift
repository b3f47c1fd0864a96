/// The lines between the chunks of a body, byte by byte (RFC 9112, section 7.1).
///
/// ```
/// chunk-size [ chunk-ext ] CRLF  chunk-data CRLF  …  "0" [ chunk-ext ] CRLF  trailer section  CRLF
/// ```
package struct ChunkFraming: Sendable {
    enum State: UInt8 {
        case size
        /// Behind the size, before the extension's semicolon.
        case space
        /// A semicolon was seen: the name of an extension is due.
        case extensionName
        case extensionText
        case quoted
        case escaped
        /// CR at the end of the size line.
        case sizeReturn
        /// The line end behind the data.
        case dataEnd
        case dataReturn
    }

    /// What a byte meant.
    package enum Meaning: Sendable {
        case goesOn
        /// The size line is whole; the size is in `size`.
        case sizeLine
        /// The size is none, or does not fit into 64 bits.
        case badSize
        /// Something else stands where the data's line end has to be.
        case noTerminator
    }

    struct Oddities: OptionSet, Sendable {
        let rawValue: UInt8
        static let bareLineFeed = Oddities(rawValue: 1)
        static let space = Oddities(rawValue: 2)
        static let hasExtension = Oddities(rawValue: 4)
        static let badExtension = Oddities(rawValue: 8)
        static let longExtension = Oddities(rawValue: 16)
    }

    /// An extension that is longer serves no one but who wants a reader to be busy.
    static let longestExtension: UInt32 = 4_096

    private(set) var state = State.size
    /// Of the chunk whose size line was whole last, in bytes.
    package private(set) var size: UInt64 = 0
    private var hasDigit = false
    private var extensionLength: UInt32 = 0
    /// What was odd in this body so far; each is told once.
    private(set) var oddities: Oddities = []

    /// Whether all lines so far were as RFC 9112, section 7.1 has them, extensions included.
    package var isPlain: Bool { oddities.isDisjoint(with: [.bareLineFeed, .space, .badExtension]) }

    package init() {}

    /// Nothing of the next line has come.
    var isBetweenLines: Bool { state == .dataEnd || state == .size && !hasDigit }

    /// A chunked body begins.
    mutating func begin() { self = ChunkFraming() }

    /// The data of a chunk is whole.
    package mutating func dataEnded() { state = .dataEnd }

    /// Takes one byte. New oddities are in `oddities` afterwards.
    @inline(__always)
    package mutating func take(_ byte: UInt8) -> Meaning {
        switch state {
        case .size:
            if let digit = byte.hexValue {
                guard size >> 60 == 0 else { return .badSize }
                size = size << 4 | UInt64(digit)
                hasDigit = true
                return .goesOn
            }
            guard hasDigit else { return .badSize }
            return afterSize(byte)
        case .space: return afterSize(byte)
        case .extensionName, .extensionText, .quoted, .escaped: return inExtension(byte)
        case .sizeReturn:
            if byte == 0x0A { return endLine() }
            guard oddities.contains(.hasExtension) else { return .badSize }
            oddities.insert(.badExtension)
            state = .extensionText
            return inExtension(byte)
        case .dataEnd:
            if byte == 0x0D {
                state = .dataReturn
                return .goesOn
            }
            guard byte == 0x0A else { return .noTerminator }
            oddities.insert(.bareLineFeed)
            beginSize()
            return .goesOn
        case .dataReturn:
            guard byte == 0x0A else { return .noTerminator }
            beginSize()
            return .goesOn
        }
    }

    private mutating func afterSize(_ byte: UInt8) -> Meaning {
        switch byte {
        case 0x0D: state = .sizeReturn
        case 0x0A:
            oddities.insert(.bareLineFeed)
            return endLine()
        case UInt8(ascii: ";"):
            oddities.insert(.hasExtension)
            extensionLength = 0
            state = .extensionName
        case 0x20, 0x09:
            oddities.insert(.space)
            state = .space
        default: return .badSize
        }
        return .goesOn
    }

    /// chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ) (RFC 9112, section 7.1.1), as far as it
    /// matters where the line ends and whether there is a name.
    private mutating func inExtension(_ byte: UInt8) -> Meaning {
        if extensionLength < .max { extensionLength += 1 }
        if extensionLength > ChunkFraming.longestExtension { oddities.insert(.longExtension) }
        if byte == 0x0D || byte == 0x0A {
            if state != .extensionText { oddities.insert(.badExtension) }
            if byte == 0x0D {
                state = .sizeReturn
                return .goesOn
            }
            oddities.insert(.bareLineFeed)
            return endLine()
        }
        if byte < 0x20 && byte != 0x09 || byte == 0x7F { oddities.insert(.badExtension) }
        switch state {
        case .extensionName:
            if byte.isSpaceOrTab { return .goesOn }
            if !byte.isTokenCharacter { oddities.insert(.badExtension) }
            state = .extensionText
        case .quoted: state = byte == UInt8(ascii: "\"") ? .extensionText : byte == UInt8(ascii: "\\") ? .escaped : .quoted
        case .escaped: state = .quoted
        default:
            if byte == UInt8(ascii: "\"") { state = .quoted }
            if byte == UInt8(ascii: ";") { state = .extensionName }
        }
        return .goesOn
    }

    private mutating func endLine() -> Meaning {
        state = .size
        return .sizeLine
    }

    private mutating func beginSize() {
        state = .size
        size = 0
        hasDigit = false
    }
}
