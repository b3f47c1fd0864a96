import Dissection

/// A finding as a comment on a packet of a recording, such as `unmask warning tcp.retransmission: …`.
package enum FindingComment {
    private static let start = "unmask "

    /// - Parameters:
    ///   - content: what the finding's sentence names.
    ///   - packet: the packet that it is about, where the comment stands on another one.
    static func text(_ finding: Finding, _ content: RawSpan, about packet: UInt64? = nil) -> String {
        let row = finding.row
        let place = packet.map { "packet \($0): " } ?? ""
        let sentence = String(decoding: finding.sentence(about: content), as: UTF8.self)
        return "\(start)\(row.severity.word) \(row.id): \(place)\(sentence)"
    }

    /// Whether a finding is worth a comment: one about a comment stands there already.
    static func isWanted(_ finding: Finding) -> Bool { !finding.row.id.hasPrefix("capture.comment") }

    /// Whether a comment is one of these: whoever reads the packets finds the same again.
    static func isFinding(_ text: RawSpan) -> Bool {
        guard text.byteCount > start.utf8.count, text.prefix(start.utf8.count).isEqual(StaticString("unmask ").bytes) else { return false }
        let words = String(decoding: text.prefix(200).copy, as: UTF8.self).split(separator: " ", maxSplits: 3)
        guard words.count > 2, words[2].hasSuffix(":") else { return false }
        return ids[String(words[2].dropLast())] == String(words[1])
    }

    /// The severity of each finding, by id.
    private static let ids = Dictionary(
        FindingCatalogue.rows.map { ($0.id, $0.severity.word.description) }, uniquingKeysWith: { one, _ in one })
}
