/// Two conversations, or two messages, that the user has put beside each other: they are compared whatever their hosts, paths and sides are.
extension RecordingComparison {
    /// Lines as `unmask diff` writes them about the first conversation of each recording; nil where one has none.
    package static func ofConversations(_ old: Recording, _ new: Recording, _ settings: ComparisonSettings) -> [String]? {
        guard let left = old.talks.first, let right = new.talks.first else { return nil }
        let comparison = RecordingComparison(
            pair: ConversationComparison(left, right, settings), withoutContent: old.withoutContent + new.withoutContent,
            dropped: old.dropped + new.dropped)
        return String(decoding: comparison.text(width: nil), as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    /// What differs between the first messages of two recordings, with a line for each place; nil where one has none.
    package static func ofMessages(_ old: Recording, _ new: Recording, _ settings: ComparisonSettings) -> [String]? {
        guard let left = old.talks.first?.elements.first, let right = new.talks.first?.elements.first else { return nil }
        var lines = ContentDifference.all(left, right, settings).map { "\($0.path): \($0.old ?? "nothing") → \($0.new ?? "nothing")" }
        if left.length != right.length { lines.insert("length: \(left.length) B → \(right.length) B", at: 0) }
        return lines.isEmpty ? ["no differences"] : lines
    }
}
