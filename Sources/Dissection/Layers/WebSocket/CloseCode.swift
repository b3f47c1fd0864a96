/// The codes of Close frames (RFC 6455, section 7.4, and the IANA registry that continues it).
enum CloseCode {
    /// What is wrong with a code that stands on the wire; nil for one that may.
    static func fault(_ code: UInt16, from side: Side) -> FindingRow? {
        switch code {
        case 1_005, 1_006, 1_015: .webSocketCloseCodeReserved
        case 1_010: side == .server ? .webSocketCloseCodeOfClient : nil
        case 1_004, 1_016...2_999: .webSocketCloseCodeUnassigned
        // 1012 to 1014 were registered after the RFC.
        case 1_000...1_014: nil
        case 3_000...4_999: nil
        default: .webSocketCloseCodeOutOfRange
        }
    }

    /// A code that a peer may send.
    static func isPlausible(_ code: UInt16) -> Bool { fault(code, from: .client) == nil }

    /// What the payload of a Close frame is, whose code is out of range: for the end of a sentence; empty where that is not known.
    static func clue(_ payload: RawSpan) -> FindingText {
        var text = FindingText()
        guard payload.byteCount >= 2 else { return text }
        var digits: UInt16 = 0
        for index in 0..<min(4, payload.byteCount) where payload[index] &- 0x30 <= 9 {
            digits = digits * 10 + UInt16(payload[index] - 0x30)
        }
        if payload.byteCount == 4, digits >= 1_000, isPlausible(digits) {
            text.append("; the payload is the text ")
            text.append(decimal: UInt64(digits))
        } else if case let turned = payload.bigEndianUInt16(at: 0).byteSwapped, (1_000...1_015).contains(turned), isPlausible(turned) {
            text.append("; in the other byte order it is ")
            text.append(decimal: UInt64(turned))
        }
        return text
    }
}
