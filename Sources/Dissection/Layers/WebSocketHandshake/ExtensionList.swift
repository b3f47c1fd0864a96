/// One extension of a Sec-WebSocket-Extensions header (RFC 6455, section 9.1).
package struct WebSocketExtension: Equatable, Sendable {
    struct Parameter: Equatable, Sendable {
        var name: ArraySlice<UInt8>
        /// Without quotes and escapes; nil where there is no equals sign.
        var value: ArraySlice<UInt8>?
    }

    /// A part of the header's value, as are the names of the parameters: a list may be as long as a head.
    var name: ArraySlice<UInt8>
    var parameters: [Parameter] = []

    /// The extensions in a header's value; nil where it does not keep the grammar.
    ///
    /// ```
    /// extension-list  = 1#( token *( ";" extension-param ) )
    /// extension-param = token [ "=" ( token / quoted-string ) ]     a quoted value is a token as well
    /// ```
    ///
    /// A list without an element is none that anyone breaks a rule with: empty elements are ignored.
    static func list(_ text: [UInt8]) -> [WebSocketExtension]? {
        var steps = 0
        return list(text, steps: &steps)
    }

    /// As above; adds to `steps` how often a byte was looked at.
    package static func list(_ text: [UInt8], steps: inout Int) -> [WebSocketExtension]? {
        var reader = ListReader(text: text)
        defer { steps += reader.steps }
        var list: [WebSocketExtension] = []
        while true {
            reader.skipBlanks()
            // Empty elements of a list are allowed (RFC 9110, section 5.6.1).
            if reader.take(UInt8(ascii: ",")) { continue }
            if reader.isAtEnd { return list }
            guard let name = reader.token() else { return nil }
            var element = WebSocketExtension(name: name)
            reader.skipBlanks()
            while reader.take(UInt8(ascii: ";")) {
                reader.skipBlanks()
                guard let name = reader.token() else { return nil }
                var parameter = Parameter(name: name, value: nil)
                reader.skipBlanks()
                if reader.take(UInt8(ascii: "=")) {
                    reader.skipBlanks()
                    guard let value = reader.tokenOrQuoted() else { return nil }
                    parameter.value = value
                }
                element.parameters.append(parameter)
                reader.skipBlanks()
            }
            list.append(element)
            guard reader.isAtEnd || reader.take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private struct ListReader {
        let text: [UInt8]
        var position = 0
        var steps = 0

        init(text: [UInt8]) { self.text = text }

        var isAtEnd: Bool { position >= text.count }

        mutating func skipBlanks() {
            let start = position
            while position < text.count, text[position] == 0x20 || text[position] == 0x09 { position += 1 }
            steps += position - start + 1
        }

        mutating func take(_ byte: UInt8) -> Bool {
            steps += 1
            guard position < text.count, text[position] == byte else { return false }
            position += 1
            return true
        }

        mutating func token() -> ArraySlice<UInt8>? {
            let start = position
            while position < text.count, WebSocketExtension.isTokenByte(text[position]) { position += 1 }
            steps += position - start + 1
            return position > start ? text[start..<position] : nil
        }

        mutating func tokenOrQuoted() -> ArraySlice<UInt8>? {
            guard take(UInt8(ascii: "\"")) else { return token() }
            var value: [UInt8] = []
            while position < text.count {
                var byte = text[position]
                position += 1
                steps += 1
                if byte == UInt8(ascii: "\"") { return value.isEmpty ? nil : value[...] }
                if byte == UInt8(ascii: "\\") {
                    guard position < text.count else { return nil }
                    byte = text[position]
                    position += 1
                }
                guard WebSocketExtension.isTokenByte(byte) else { return nil }
                value.append(byte)
            }
            return nil
        }
    }

    /// tchar of RFC 9110, section 5.6.2.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    static func isToken(_ text: [UInt8]) -> Bool { !text.isEmpty && text.allSatisfy(isTokenByte) }
}
