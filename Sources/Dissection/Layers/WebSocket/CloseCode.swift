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
}
