import Dissection

/// Whether a side took its leave by the word that its protocol has for it: nobody has to be missed for it to go, and it is not missed either.
enum HeartbeatGoodbye {
    /// A Close frame that says that all went well or that the side goes away (RFC 6455, section 7.4.1), unless its reason complains.
    static func isIn(_ close: CloseFrame, reason: RawSpan) -> Bool {
        guard let code = close.code, code == 1000 || code == 1001 else { return false }
        return !reason.complainsOfSilence
    }

    /// By the word that the protocol of a format has for it. Namespaces of Socket.IO: see `HeartbeatNamespaces`.
    static func isIn(_ decoded: DecodedPayload, from side: Side, _ content: RawSpan) -> Bool {
        decoded.traits?.isGoodbye(decoded, from: side, content) ?? false
    }

    /// Longer messages say something else.
    private static let longestMessage = 128

    /// Whether a client signs off by a word of the app's own, such as `{"type":"logout"}` or `QUIT`: alone in its line, the member of a JSON object
    /// that says what it is, or the type or event of a message that was decoded. It means nothing where the client goes on: people say such words, too.
    static func signsOff(_ decoded: DecodedPayload?, _ content: RawSpan) -> Bool {
        if let decoded, decoded.signsOff { return true }
        guard (3...longestMessage).contains(content.byteCount) else { return false }
        guard content[0] == UInt8(ascii: "{") else {
            var end = content.byteCount
            while end > 0, content[end - 1] == 0x0a || content[end - 1] == 0x0d { end -= 1 }
            return content.extracting(0..<end).signsOff
        }
        guard let members = JSONParts(content), members.isAll(of: content) else { return false }
        return members.parts.contains { part in
            content[part.value.lowerBound] == UInt8(ascii: "\"") && content.extracting(part.name).isNameOfKind
                && content.extracting(part.value.lowerBound + 1..<part.value.upperBound - 1).signsOff
        }
    }
}

extension DecodedPayload {
    /// Whether its type, event or the like is a word by which an app signs off.
    fileprivate var signsOff: Bool {
        guard !hasStopped, (1...6).contains(entries.count), traits?.hasGoodbye != true else { return false }
        // The packet that leaves a namespace is no word of the app's own, as an event `disconnect` is: the client may go on in other namespaces.
        let isSocketIO = format.description == "socket.io"
        return entries.contains { entry in
            if isSocketIO, entry.key.rawBytes.isWord("type") { return false }
            if case .object(let members) = entry.value, entry.key.rawBytes.isWord("fields") {
                return members.prefix(8).contains { $0.name.rawBytes.isNameOfKind && $0.value.signsOff }
            }
            return entry.key.rawBytes.isNameOfKind && entry.value.signsOff
        }
    }
}

extension DecodedPayload.Value {
    fileprivate var signsOff: Bool {
        switch self {
        case .word(let word): return Array(word.utf8).rawBytes.signsOff
        case .text(let bytes): return bytes.rawBytes.signsOff
        case .json(let bytes) where bytes.count > 2 && bytes.first == UInt8(ascii: "\""):
            return bytes.rawBytes.extracting(1..<bytes.count - 1).signsOff
        case _: return false
        }
    }
}

extension RawSpan {
    fileprivate var signsOff: Bool {
        let words: [StaticString] = [
            "logout", "log_out", "log-out", "logoff", "signout", "sign_out", "sign-out", "disconnect", "quit", "bye", "goodbye",
        ]
        return words.contains { isWord($0) }
    }
}
