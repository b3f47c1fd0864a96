/// The line that one side of a conversation is about to finish, as far as commands and replies are read.
struct ConversationLine: Sendable {
    /// Commands and the codes of replies are shorter. CONNECT takes a name of 255.
    static let longest = 320

    private var bytes: [UInt8] = []

    /// Takes a byte; gives the line that it ends, without its line end and cut at `longest`.
    mutating func take(_ byte: UInt8) -> [UInt8]? {
        guard byte == 0x0A else {
            if bytes.count < ConversationLine.longest { bytes.append(byte) }
            return nil
        }
        var line = bytes
        bytes.removeAll(keepingCapacity: true)
        if line.last == 0x0D { line.removeLast() }
        return line
    }

    /// Whether a conversation in lines may begin with it.
    static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}

/// Looks for the beginning of an XML tag in a stream.
struct TagScan: Sendable {
    private let tag: [UInt8]
    private var matched = 0

    /// - Parameter tag: begins with the only `<` in it.
    init(_ tag: String) { self.tag = Array(tag.utf8) }

    /// Whether the tag is whole with this byte.
    mutating func take(_ byte: UInt8) -> Bool {
        matched = byte == tag[matched] ? matched + 1 : byte == tag[0] ? 1 : 0
        guard matched == tag.count else { return false }
        matched = 0
        return true
    }
}
