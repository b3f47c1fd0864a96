/// Where a payload of a format may come: most formats are out of the question by what carries a payload, before its bytes are looked at.
package struct PayloadOccasions: OptionSet, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A text message of a WebSocket that has agreed on no subprotocol.
    package static let text = PayloadOccasions(rawValue: 1)
    /// A text message of one that has.
    package static let agreedText = PayloadOccasions(rawValue: 1 << 1)
    /// The same of binary messages.
    package static let binary = PayloadOccasions(rawValue: 1 << 2)
    package static let agreedBinary = PayloadOccasions(rawValue: 1 << 3)
    /// A message that was cut out of raw TCP.
    package static let framed = PayloadOccasions(rawValue: 1 << 4)
    package static let body = PayloadOccasions(rawValue: 1 << 5)
    /// Bytes of a protocol that has no layer.
    package static let data = PayloadOccasions(rawValue: 1 << 6)
    /// The head of a response that says all.
    package static let head = PayloadOccasions(rawValue: 1 << 7)

    package static let all = PayloadOccasions(rawValue: 0xff)
    /// How many occasions there are.
    static let count = 8
    static let messages: PayloadOccasions = [.text, .agreedText, .binary, .agreedBinary]
}

extension PayloadContext {
    /// What carries the payload.
    var occasion: PayloadOccasions {
        switch carrier {
        case .message where opcode == 1: subprotocol.isEmpty ? .text : .agreedText
        case .message: subprotocol.isEmpty ? .binary : .agreedBinary
        case .framed: .framed
        case .body: .body
        case .data: .data
        case .head: .head
        }
    }
}
