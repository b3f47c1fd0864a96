import Dissection

/// A comparison as a page: what is equal is counted, what changes again and again is one line.
extension RecordingComparison {
    /// Lines of one kind that a conversation has at most.
    private static let mostLines = 8
    /// Conversations that are shown one by one.
    private static let mostConversations = 20

    /// - Parameter width: the columns of the terminal; nil where nothing is cut.
    package func text(width: Int?) -> [UInt8] {
        var page = TextPage(width: width)
        let differing = talks.filter(\.differs)
        for talk in differing.prefix(Self.mostConversations) { Self.append(talk, to: &page) }
        if differing.count > Self.mostConversations {
            page.append(
                line:
                    "\(UInt64(differing.count - Self.mostConversations).counted("more conversation")) with differences; --format json has all"
            )
        }
        Self.append("only in the first", lost, to: &page)
        Self.append("only in the second", added, to: &page)
        let alike = talks.count - differing.count
        if differs {
            page.append(
                line:
                    "\(UInt64(differing.count).counted("conversation")) with differences, \(alike) alike, \(lost.count) lost, \(added.count) added"
            )
        } else {
            page.append(line: "no differences in \(UInt64(alike).counted("conversation"))")
        }
        if sealed > 0 { page.append(line: "\(sealed.counted("TLS record")) not decrypted, and not compared") }
        if withoutContent > 0 {
            page.append(
                line:
                    "the content of \(withoutContent.counted("message")) was not kept: \(withoutContent == 1 ? "it is" : "they are") compared as a whole; raise --memory"
            )
        }
        if dropped > 0 { page.append(line: "\(dropped.counted("message")) not compared; raise --memory") }
        return page.bytes
    }

    private static func append(_ title: String, _ talks: [(name: String, elements: UInt64)], to page: inout TextPage) {
        for talk in talks.prefix(mostLines) { page.append(line: "\(title): \(talk.name), \(talk.elements.counted("message"))") }
        if talks.count > mostLines { page.append(line: "\(title): \(UInt64(talks.count - mostLines).counted("more conversation"))") }
        if !talks.isEmpty { page.append(line: "") }
    }

    private static func append(_ talk: ConversationComparison, to page: inout TextPage) {
        page.append(line: talk.old.number == talk.new.number ? talk.old.name : "\(talk.old.name) → \(talk.new.number)")
        page.append(line: "  \(talk.equal) equal, \(talk.changed) changed")
        var lines: [(title: String, words: [String])] = []
        lines.append(
            (
                "changed",
                talk.changes.sorted { $0.count > $1.count }.map { change in
                    let (old, new) = (change.first.old ?? "nothing", change.first.new ?? "nothing")
                    let noun = "\(change.from) \(change.kind.rawValue)"
                    if change.count == 1 { return "changed in \(noun) \(places(change.position)): \(change.first.path): \(old) → \(new)" }
                    return "changed in \(change.count.counted(noun)): \(change.path) (first \(old) → \(new))"
                }
            ))
        lines.append(("lost", talk.lost.map { "lost \(words($0))" }))
        lines.append(("added", talk.added.map { "added \(words($0))" }))
        lines.append(
            (
                "reordered",
                talk.moved.map { "reordered \($0.from) \($0.kind.rawValue) \($0.position.old) → \($0.position.new): \($0.words)" }
            ))
        lines.append(("slower", talk.slower.map(words)))
        for (title, words) in lines {
            for words in words.prefix(mostLines) { page.append(line: "  \(words)") }
            if words.count > mostLines { page.append(line: "  \(title): \(words.count - mostLines) more") }
        }
        if talk.endsDifferently { page.append(line: "  ended: \(talk.old.ending) → \(talk.new.ending)") }
        if talk.isByPosition { page.append(line: "  too different to be aligned: compared by position") }
        page.append(line: "")
    }

    private static func places(_ position: (old: Int, new: Int)) -> String {
        position.old == position.new ? "\(position.old)" : "\(position.old) → \(position.new)"
    }

    private static func words(_ run: ConversationComparison.Run) -> String {
        guard run.positions.count > 1 else { return "\(run.from) \(run.kind.rawValue) \(run.positions.lowerBound): \(run.words)" }
        let noun = "\(run.from) \(run.kind.rawValue)s"
        return "\(noun) \(run.positions.lowerBound) to \(run.positions.upperBound) (\(run.positions.count)): \(run.words) …"
    }

    private static func words(_ slower: ConversationComparison.Slower) -> String {
        var line = TextLine(width: nil, usesColor: false)
        line.append("slower in \(slower.count.counted("\(slower.from) \(slower.kind.rawValue)")), most ")
        line.append(span: slower.latency.old)
        line.append(" → ", span: slower.latency.new)
        line.append(" (\(places(slower.position)))")
        return String(decoding: line.buffer.bytes.copy, as: UTF8.self)
    }
}
