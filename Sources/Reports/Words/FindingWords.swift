import Dissection

extension ConversationEvent {
    /// What it finds of a conversation that has closed, whose `closed` went before it; nil for every other event. Nothing that remembers open
    /// conversations begins one for it.
    var lateFinding: Finding? {
        guard kind == .finding, conversation != 0, case .finding(let finding) = fact else { return nil }
        return finding.row.isAfterClose ? finding : nil
    }
}

extension FindingRow {
    fileprivate var isAfterClose: Bool {
        let late = FindingRow.tcpDataAfterClose.idText
        return idText.utf8CodeUnitCount == late.utf8CodeUnitCount && id == late.description
    }
}

extension Finding {
    /// The sentence with what was seen put in, of its text at most 256 bytes, as one line that can do nothing to a terminal.
    ///
    /// - Parameter content: the content of the event.
    package func words(_ content: RawSpan) -> String {
        var words = OutputBuffer(capacity: 256)
        var sentence = FindingSentence(self)
        while let piece = sentence.next() {
            switch piece {
            case .literal(let literal): words.append(literal)
            case .number(let value): words.append(decimal: value)
            case .reservedBits(let value): words.append(reservedBits: value)
            case .hex(let value):
                words.append("0x")
                words.append(hex: value)
            case .text: words.append(content.prefix(256))
            }
        }
        return String(decoding: words.bytes.copy, as: UTF8.self).visible
    }
}
