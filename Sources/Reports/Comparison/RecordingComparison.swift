import Dissection

/// What differs between two recordings of the same talk.
package struct RecordingComparison: Sendable {
    /// Conversations of both, in the order of the first recording.
    package private(set) var talks: [ConversationComparison] = []
    /// Those that only one has; their elements are not kept.
    package private(set) var lost: [(name: String, elements: UInt64)] = []
    package private(set) var added: [(name: String, elements: UInt64)] = []
    package let withoutContent: UInt64
    package let dropped: UInt64
    package private(set) var sealed: UInt64 = 0

    package var differs: Bool { !lost.isEmpty || !added.isEmpty || talks.contains(where: \.differs) }

    /// Of two conversations that were compared.
    init(pair: ConversationComparison, withoutContent: UInt64, dropped: UInt64) {
        (talks, self.withoutContent, self.dropped) = ([pair], withoutContent, dropped)
        sealed = pair.old.sealed + pair.new.sealed
    }

    /// Aligns conversations by host and path and then by order; those that are left by host and the path without its numbers.
    package init(_ old: Recording, _ new: Recording, _ settings: ComparisonSettings) {
        withoutContent = old.withoutContent + new.withoutContent
        dropped = old.dropped + new.dropped
        sealed = (old.talks + new.talks).reduce(0) { $0 + $1.sealed }
        var partners = [Int?](repeating: nil, count: old.talks.count)
        var isTaken = [Bool](repeating: false, count: new.talks.count)
        for key in [{ "\($0.host) \($0.path)" }, { "\($0.host) \($0.path.replacing(/[0-9a-fA-F-]*[0-9][0-9a-fA-F-]*/, with: "#"))" }]
            as [(RecordedConversation) -> String]
        {
            var places: [String: [Int]] = [:]
            for index in new.talks.indices.reversed() where !isTaken[index] { places[key(new.talks[index]), default: []].append(index) }
            for index in old.talks.indices where partners[index] == nil {
                guard let partner = places[key(old.talks[index])]?.popLast() else { continue }
                partners[index] = partner
                isTaken[partner] = true
            }
        }
        for (index, talk) in old.talks.enumerated() {
            if let partner = partners[index] {
                talks.append(ConversationComparison(talk, new.talks[partner], settings))
            } else {
                lost.append((talk.name, talk.messages))
            }
        }
        for (index, talk) in new.talks.enumerated() where !isTaken[index] { added.append((talk.name, talk.messages)) }
    }
}
