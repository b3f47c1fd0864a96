import Dissection

// The bytes of a delimiter as a user writes them.

extension StreamFraming {
    /// Reads `"\r\n"` with the escapes of C, with or without quotes, or `hex:0d0a`; at most 16 bytes.
    static func delimiter(_ text: String) throws(FramingArgumentError) -> ShortBytes {
        let bytes = text.hasPrefix("hex:") ? try hexadecimal(text.dropFirst(4)) : try escaped(unquoted(text))
        guard !bytes.isEmpty, let delimiter = ShortBytes(bytes) else {
            throw FramingArgumentError(description: "a delimiter has 1 to 16 bytes")
        }
        return delimiter
    }

    private static func unquoted(_ text: String) -> Substring {
        text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"") ? text.dropFirst().dropLast() : text[...]
    }

    private static func hexadecimal(_ digits: Substring) throws(FramingArgumentError) -> [UInt8] {
        guard let bytes = [UInt8](hexadecimal: Array(digits.utf8).rawBytes) else {
            throw FramingArgumentError(description: "hex:\(digits) is not pairs of hexadecimal digits")
        }
        return bytes
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "0"): 0, UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10,
        UInt8(ascii: "v"): 11,
        UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13, UInt8(ascii: "e"): 27, UInt8(ascii: "\\"): 92, UInt8(ascii: "\""): 34,
        UInt8(ascii: "'"): 39,
    ]

    private static func escaped(_ text: Substring) throws(FramingArgumentError) -> [UInt8] {
        let characters = Array(text.utf8)
        var bytes: [UInt8] = []
        var index = 0
        while index < characters.count {
            guard characters[index] == UInt8(ascii: "\\") else {
                bytes.append(characters[index])
                index += 1
                continue
            }
            guard index + 1 < characters.count else { throw FramingArgumentError(description: "a delimiter ends with a lone backslash") }
            let name = characters[index + 1]
            if name == UInt8(ascii: "x") {
                guard index + 3 < characters.count,
                    let byte = UInt8(hexadecimal: characters.rawBytes.extracting(index + 2..<index + 4))
                else { throw FramingArgumentError(description: "\\x takes two hexadecimal digits") }
                bytes.append(byte)
                index += 4
                continue
            }
            guard let byte = escapes[name] else {
                throw FramingArgumentError(
                    description:
                        "\"\\\(String(decoding: [name], as: UTF8.self))\" is not an escape; expected one of C, or \\x and two digits")
            }
            bytes.append(byte)
            index += 2
        }
        return bytes
    }
}

extension String {
    /// The parts between such marks, of which those in quotes do not count, and those after a backslash.
    func unquotedParts(at mark: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in self {
            if character == mark, !isQuoted, !isEscaped {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts
    }
}
