/// A word as a shell takes it, for command lines that are shown to be typed.
package enum ShellWord {
    /// The text itself where the shell leaves it alone, else in single quotes.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "/._-+:,=@%".utf8.contains(byte)
            }
        }
        if isPlain, !text.isEmpty { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// A whole command line.
    package static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}
