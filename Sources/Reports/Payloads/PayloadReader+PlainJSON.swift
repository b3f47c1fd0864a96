import Dissection

extension PayloadReader {
    /// Whether an event is a text message that is an object of JSON and no more: most messages of apps are, and it shows at a look that they are of no other
    /// format. False where that has to be found out.
    mutating func isPlainJSON(_ event: borrowing ConversationEvent) -> Bool {
        guard event.kind == .message, let others = table.marksBesideJSON, event.channel.stream == 0, let from = event.from,
            case .message(let message) = event.fact, message.opcode == 1, message.frame == nil, !message.isUnfinished,
            UInt64(event.content.byteCount) >= event.shown(message.length),
            let slot = conversations.slot(of: event.conversation), conversations[slot].mayBePlainJSON(others),
            event.content.isInBraces,
            // Its line shows the message itself: that it is whole need not be known (`PlainJSON.decode`).
            isForLines
                ? PayloadMarks(ofObject: event.content).isDisjoint(with: others) : event.content.isPlainJSON(without: others)
        else { return false }
        uses += 1
        conversations[slot].lastUse = uses
        conversations[slot].memory.notePlainJSON(from: from)
        return true
    }
}
