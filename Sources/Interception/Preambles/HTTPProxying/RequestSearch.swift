import Dissection

/// Searches what a client sends for the beginning of a request to a proxy, wherever that stands: a method and a URL, or CONNECT, a name and
/// a port (RFC 9112, sections 3.2.2 and 3.2.3), in upper or lower case, with any number of blanks.
///
/// For a place where nobody can say what the bytes are: the server has answered before the body of the request was complete, and the client
/// may go on with that body, or with its next request. Each byte is looked at once, however the bytes are cut into runs.
struct RequestSearch: Hashable, Sendable {
    private enum State: Hashable {
        case outside
        /// In a word, whose last `matched` letters are the first of CONNECT; 7 for all of them.
        case word
        case afterWord
        /// In what may be the scheme of a URL.
        case scheme
        case colon
        case slash
        /// In what CONNECT asks for.
        case authority
        case colonOfPort
        case port
    }

    private static let connect = Array("connect".utf8)
    private static let mismatch = 8

    private var state = State.outside
    private var matched = 0
    private var isConnect = false

    /// Where in a run the bytes have become such a beginning; none while they have not.
    mutating func find(in bytes: RawSpan) -> Int? {
        for index in 0..<bytes.byteCount where take(bytes[index].lowercased) { return index }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        let isLetter = byte &- UInt8(ascii: "a") < 26
        // Some servers part the words of a request line at VT and FF too (RFC 9112, section 3).
        let isBlank = byte == 0x20 || byte == 0x09 || byte == 0x0B || byte == 0x0C
        switch state {
        case .outside: return begin(byte)
        case .word:
            if isBlank {
                isConnect = matched == Self.connect.count
                state = .afterWord
            } else if isLetter || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") {
                matched = Self.matched(byte, after: matched)
            } else {
                return begin(byte)
            }
        case .afterWord:
            if isBlank { return false }
            if isConnect, byte > 0x20, byte < 0x7F {
                state = .authority
            } else if isLetter {
                // It may be the method as well.
                matched = byte == Self.connect[0] ? 1 : Self.mismatch
                state = .scheme
            } else {
                return begin(byte)
            }
        case .scheme:
            if byte == UInt8(ascii: ":") {
                state = .colon
            } else if isBlank {
                isConnect = matched == Self.connect.count
                state = .afterWord
            } else if isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") {
                matched = Self.matched(byte, after: matched)
            } else {
                return begin(byte)
            }
        case .colon:
            guard byte == UInt8(ascii: "/") else { return begin(byte) }
            state = .slash
        case .slash:
            guard byte == UInt8(ascii: "/") else { return begin(byte) }
            return true
        case .authority:
            if byte == UInt8(ascii: ":") { state = .colonOfPort } else if byte <= 0x20 || byte >= 0x7F { return begin(byte) }
        case .colonOfPort, .port:
            // The version may be missing.
            if byte <= 0x20, state == .port { return true }
            if byte.isDigit {
                state = .port
            } else if byte > 0x20, byte < 0x7F {
                state = byte == UInt8(ascii: ":") ? .colonOfPort : .authority
            } else {
                return begin(byte)
            }
        }
        return false
    }

    /// How many letters of CONNECT a word ends with: what stands before them may be the end of something else.
    private static func matched(_ byte: UInt8, after matched: Int) -> Int {
        if matched < connect.count, byte == connect[matched] { return matched + 1 }
        // CONNEC may be CON, NEC, or the C that begins another one.
        if matched == connect.count - 1, byte == connect[1] { return 2 }
        return byte == connect[0] ? 1 : mismatch
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        let isLetter = byte &- UInt8(ascii: "a") < 26
        state = isLetter ? .word : .outside
        matched = byte == Self.connect[0] ? 1 : Self.mismatch
        return false
    }
}
