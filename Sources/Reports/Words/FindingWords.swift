import Dissection

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
