import Dissection

/// A pattern of topics. With `+` or `#` for a level it is a topic filter of MQTT (MQTT 5, section 4.7.1): `+` is one level, `#` what follows;
/// otherwise `*` stands for any characters, and `>` at the end, behind a dot, for one token of NATS or more.
struct TopicPattern: Hashable, Sendable {
    private let levels: [[UInt8]]
    private let wildcard: WildcardPattern?

    init(_ text: some StringProtocol) {
        let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Array($0) }
        self.levels = levels
        if levels.contains([UInt8(ascii: "+")]) || levels.last == [UInt8(ascii: "#")] {
            wildcard = nil
        } else {
            wildcard = text.hasSuffix(".>") ? WildcardPattern(text.dropLast() + "*") : WildcardPattern(text)
        }
    }

    func matches(_ topic: RawSpan) -> Bool {
        if let wildcard { return wildcard.matches(topic) }
        // The topics of a server's own are not for those who ask for all (section 4.7.2).
        if let first = levels.first, first.count == 1, topic.byteCount > 0, topic[0] == UInt8(ascii: "$"),
            first[0] == UInt8(ascii: "+") || first[0] == UInt8(ascii: "#")
        {
            return false
        }
        var start = 0
        for (index, level) in levels.enumerated() {
            // What follows may be nothing: a/# fits a.
            if level == [UInt8(ascii: "#")], index == levels.count - 1 { return true }
            guard start <= topic.byteCount else { return false }
            let end = topic.position(of: UInt8(ascii: "/"), from: start) ?? topic.byteCount
            guard level == [UInt8(ascii: "+")] || topic.extracting(start..<end).isEqual(level.rawBytes) else { return false }
            start = end + 1
        }
        return start > topic.byteCount
    }
}
