import Dissection

/// Whether a side took its leave by the word that its protocol has for it: nobody has to be missed for it to go, and it is not missed either.
enum HeartbeatGoodbye {
    /// A Close frame that says that all went well or that the side goes away (RFC 6455, section 7.4.1), unless its reason complains.
    static func isIn(_ close: CloseFrame, reason: RawSpan) -> Bool {
        guard let code = close.code, code == 1000 || code == 1001 else { return false }
        return !isComplaint(reason)
    }

    /// DISCONNECT of MQTT and STOMP, QUIT of IRC, the close packet of Engine.IO, the disconnect of all of Socket.IO.
    static func isIn(_ decoded: DecodedPayload, from side: Side, _ content: RawSpan) -> Bool {
        switch decoded.format.description {
        // That the keep-alive ran out is the one reason that complains of silence (MQTT 5, section 3.14.2.1).
        case "mqtt": decoded.says("type", "DISCONNECT") && decoded.heartbeatNumber("reason") != 141
        case "stomp": side == .client && decoded.says("command", "DISCONNECT")
        // Servers tell of others that left by the same word.
        case "irc": side == .client && decoded.says("command", "QUIT") && !isComplaint(content)
        case "engine.io": decoded.says("type", "close")
        // Who leaves one namespace may go on in others.
        case "socket.io": decoded.says("type", "disconnect") && decoded.says("namespace", "/")
        case _: false
        }
    }

    /// Whether words for a reason speak of signs of life that did not come.
    private static func isComplaint(_ reason: RawSpan) -> Bool {
        let words: [StaticString] = ["timeout", "timed out", "ping", "pong", "heartbeat", "alive"]
        return words.contains { word in
            let word = word.bytes
            guard reason.byteCount >= word.byteCount else { return false }
            return (0...reason.byteCount - word.byteCount).contains { start in
                (0..<word.byteCount).allSatisfy { reason[start + $0] | 0x20 == word[$0] | 0x20 }
            }
        }
    }
}

extension DecodedPayload {
    /// Whether the entry of a name is this word.
    fileprivate func says(_ key: StaticString, _ word: StaticString) -> Bool {
        switch entries.first(where: { $0.key.rawBytes.isEqual(key.bytes) })?.value {
        case .word(let said)?: return said.description == word.description
        case .text(let bytes)?: return bytes.elementsEqual(word.description.utf8)
        case .json(let bytes)? where bytes.count >= 2: return bytes.dropFirst().dropLast().elementsEqual(word.description.utf8)
        case _: return false
        }
    }
}
