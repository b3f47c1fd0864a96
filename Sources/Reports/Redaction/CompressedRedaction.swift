import Dissection

// Binary messages that the app has compressed itself: a secret in them would be found by everybody who undoes them.
extension Redactor {
    /// Hands on a compressed message with its secrets hidden: in the place of one that has secrets, or is a part of a stream, stands what it holds.
    /// One that begins as compressed data does and cannot be undone, because it is cut, damaged or too large, is hidden whole.
    ///
    /// - Returns: false where the message is not compressed.
    func handCompressed(_ message: Message, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) -> Bool {
        guard message.frame == nil, message.opcode == 2 else { return false }
        let key = RedactedConversation.Key(side: event.from ?? .client, channel: event.channel)
        let isInStream = talks[event.conversation]?.sides[key]?.compressed.isInStream ?? false
        guard isInStream || CompressedMessages.Coding(event.content) != nil else { return false }
        let isWhole = !message.isUnfinished && UInt64(event.content.byteCount) == event.shown(message.length)
        var opened: CompressedMessages.Opened?
        let content = event.content.copy
        steps += content.count
        change(event, key) { talk, key in
            if isWhole {
                opened = talk.sides[key, default: RedactedSide()].compressed.open(content.rawBytes)
            } else {
                talk.sides[key]?.compressed.lose()
            }
        }
        guard let opened else {
            // Two bytes are soon those of zlib: what was not cut is then other data.
            guard isInStream || !isWhole || CompressedMessages.Coding(content.rawBytes) != .zlib else { return false }
            let hidden = [UInt8](repeating: UInt8(ascii: "x"), count: content.count)
            let piece = RedactionRun.Piece(bytes: hidden, places: 1, length: content.count)
            handPiece(piece, .message(message), hidden, event, event.place, event.offset, hand)
            return true
        }
        let secrets = BinarySecrets(opened.bytes)
        var run = RedactionRun()
        var piece = run.take(secrets.bytes, as: .text, rules, isLast: true)
        steps += piece.steps
        piece.places += secrets.places
        guard piece.places > 0 || opened.isOfStream else { return false }
        piece.length = content.count
        handPiece(piece, .message(message), piece.bytes, event, event.place, event.offset, hand)
        return true
    }

    /// Bytes of a side are missing, with them what its stream goes on from.
    func loseCompressed(_ event: borrowing ConversationEvent) {
        guard let side = event.from else { return }
        let key = RedactedConversation.Key(side: side, channel: event.channel)
        guard talks[event.conversation]?.sides[key]?.compressed.isInStream == true else { return }
        change(event, key) { talk, key in talk.sides[key]?.compressed.lose() }
    }
}
