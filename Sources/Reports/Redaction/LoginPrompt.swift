import Dissection

/// A server on raw TCP that asks for a secret in a line that it does not end, and the client's line after it.
///
/// ```
/// <  Password:␣
/// >  hunter2␍␊       hidden up to the end of the line
/// <  ok␍␊            not
/// ```
struct LoginPrompt {
    /// The server's line that is not ended, as far as it may be a prompt.
    private var line: [UInt8] = []
    /// What the client sends next is the secret.
    private(set) var isAsked = false
    /// Bytes of it that came.
    private var came = 0

    /// A line that is longer is no prompt.
    static let longest = 128
    /// A line that has no end after so many bytes is not a secret.
    private static let longestSecret = 4_096

    mutating func take(fromServer bytes: [UInt8]) {
        // It says something else before the client sent anything. After that, it may be an echo.
        if isAsked, came == 0, bytes.contains(where: { $0 > 0x20 && $0 < 0x7f }) { isAsked = false }
        guard !isAsked else { return }
        if let lineEnd = bytes.lastIndex(where: { $0 == 0x0a || $0 == 0x0d }) {
            line = Array(bytes[(lineEnd + 1)...].suffix(Self.longest + 1))
        } else {
            line = Array((line + bytes.suffix(Self.longest + 1)).suffix(Self.longest + 1))
        }
        isAsked = Self.asks(line)
        came = 0
    }

    /// How many bytes of what a client sends are the secret.
    mutating func take(fromClient bytes: [UInt8]) -> Int {
        guard isAsked else {
            if !bytes.isEmpty { line = [] }
            return 0
        }
        let end = bytes.firstIndex { $0 == 0x0a || $0 == 0x0d }
        came += end ?? bytes.count
        if end != nil || came > Self.longestSecret { self = LoginPrompt() }
        return end ?? bytes.count
    }

    /// Whether a line ends with a colon and has a word that names a secret: `Password: `, `[sudo] password for bob:`.
    private static func asks(_ line: [UInt8]) -> Bool {
        guard line.count <= longest, let last = line.lastIndex(where: { $0 != 0x20 && $0 != 0x09 }), line[last] == 0x3a else {
            return false
        }
        // A quote is one of JSON.
        guard !line.contains(0x22) else { return false }
        return line[..<last].split(whereSeparator: { !$0.isOfWord }).contains { SecretNames.isSecret($0) }
    }
}
