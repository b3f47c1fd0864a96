import Dissection

// Messages that the app has compressed itself: a secret in them would be found by everybody who undoes them.
extension Redactor {
    /// Hands on a compressed message with its secrets hidden: in the place of one that has secrets, or is a part of a stream, stands what it holds.
    /// One that is compressed and cannot be undone, because it is cut, damaged, too large, or of a stream of which something is missing, is hidden whole.
    ///
    /// - Returns: false where the message is not compressed.
    func handCompressed(_ message: Message, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) -> Bool {
        guard mayBeCompressed(message) else { return false }
        let key = RedactedConversation.Key(side: event.from ?? .client, channel: event.channel)
        let isUnderWay = talks[event.conversation]?.sides[key]?.compressed.isUnderWay ?? false
        guard isUnderWay || CompressedMessages.Coding(event.content) != nil else { return false }
        let isCut = message.isUnfinished || UInt64(event.content.byteCount) != event.shown(message.length)
        var outcome = CompressedMessages.Outcome.foreign
        let content = event.content.copy
        steps += content.count
        change(event, key) { talk, key in
            outcome = talk.sides[key, default: RedactedSide()].compressed.take(content.rawBytes, isCut: isCut)
        }
        switch outcome {
        case .foreign: return false
        case .closed:
            let hidden = [UInt8](repeating: BinarySecrets.filler, count: content.count)
            let piece = RedactionRun.Piece(bytes: hidden, places: hidden == content ? 0 : 1, length: content.count)
            handPiece(piece, .message(message), hidden, event, event.place, event.offset, hand)
            return true
        case .opened(let opened):
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
    }

    /// A binary message of a WebSocket, or one that was cut out of raw bytes by what is no protocol: those that `Compressed` opens.
    private func mayBeCompressed(_ message: Message) -> Bool {
        guard let frame = message.frame else { return message.opcode == 2 }
        if case .protocol = frame.framing { return false }
        return true
    }

    /// Bytes of a side are missing, with them what its stream goes on from.
    func loseCompressed(_ event: borrowing ConversationEvent) {
        guard let side = event.from else { return }
        let key = RedactedConversation.Key(side: side, channel: event.channel)
        guard talks[event.conversation]?.sides[key]?.compressed.isUnderWay == true else { return }
        change(event, key) { talk, key in talk.sides[key]?.compressed.lose() }
    }
}
