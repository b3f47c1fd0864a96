/// Text from strangers in a form that may stand in a message, on a terminal and in a page: what a reader does not see, or sees at another
/// place than it stands, is written out.
enum PrintableText {
    /// The most characters of a name that are shown.
    static let longest = 256

    /// Whether a character shows as itself: no control or format character (those that turn the direction of text among them), no
    /// separator of lines, nothing that is unassigned or private.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    /// The text with each byte (in UTF-8) of a character that is not plain, or is in `alsoWritten`, as `\` and two hexadecimal digits, as
    /// RFC 4514 2.4 writes it in the names of certificates; at most `longest` characters of it.
    static func escaped(_ text: String, alsoWritten: String = "<>") -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(longest) {
            if isPlain(scalar), !alsoWritten.unicodeScalars.contains(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 { shown += "\\" + hexadecimal(byte) }
            }
        }
        return text.unicodeScalars.dropFirst(longest).isEmpty ? shown : shown + "…"
    }

    /// The same for whole sentences, whose lines stay lines and whose brackets stay.
    static func sentence(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            if scalar == "\n" || isPlain(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 { shown += "\\" + hexadecimal(byte) }
            }
        }
        return shown
    }

    /// Two hexadecimal digits.
    static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
}
