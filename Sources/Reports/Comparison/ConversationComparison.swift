import Dissection

/// What differs between two conversations that are taken for the same one.
package struct ConversationComparison: Sendable {
    /// Where an element is among those of its kind that its side sent, from 1: the request that opens a WebSocket is not a message.
    package typealias Position = Int

    /// The same place changed in one or many elements.
    package struct Change: Sendable {
        package var from: Side
        package var kind: RecordedElement.Kind
        package var path: String
        package var count: UInt64
        /// Of the first of them.
        package var first: ContentDifference
        package var position: (old: Position, new: Position)
    }

    /// Elements one after another that only one of the two has.
    package struct Run: Sendable {
        package var from: Side
        package var kind: RecordedElement.Kind
        package var positions: ClosedRange<Position>
        /// The first of them in a few words.
        package var words: String
    }

    package struct Move: Sendable {
        package var from: Side
        package var kind: RecordedElement.Kind
        package var position: (old: Position, new: Position)
        package var words: String
    }

    package struct Slower: Sendable {
        package var from: Side
        package var kind: RecordedElement.Kind
        package var count: UInt64
        /// Of the one that has grown most, in nanoseconds.
        package var latency: (old: Int64, new: Int64)
        package var position: (old: Position, new: Position)
    }

    package var old: RecordedConversation
    package var new: RecordedConversation
    package internal(set) var equal: UInt64 = 0
    package internal(set) var changes: [Change] = []
    /// Pairs with any change.
    package internal(set) var changed: UInt64 = 0
    package internal(set) var lost: [Run] = []
    package internal(set) var added: [Run] = []
    package internal(set) var moved: [Move] = []
    package internal(set) var slower: [Slower] = []
    /// The two differ so much that a side was compared by position alone.
    package internal(set) var isByPosition = false

    package var endsDifferently: Bool { old.ending != new.ending }

    package var differs: Bool {
        !changes.isEmpty || !lost.isEmpty || !added.isEmpty || !moved.isEmpty || !slower.isEmpty || endsDifferently || changed > 0
    }

    /// Milliseconds that a latency has to grow at least: what is less is noise.
    private static let leastGrowth: Int64 = 10_000_000

    init(_ old: RecordedConversation, _ new: RecordedConversation, _ settings: ComparisonSettings) {
        (self.old, self.new) = (old, new)
        for side in Side.allCases {
            compare(old.elements.filter { $0.from == side }, new.elements.filter { $0.from == side }, side, settings)
        }
        // What was compared has done its service.
        (self.old.elements, self.new.elements) = ([], [])
    }

    private mutating func compare(_ old: [RecordedElement], _ new: [RecordedElement], _ side: Side, _ settings: ComparisonSettings) {
        var alignment = ElementAlignment(old.map(\.keys), new.map(\.keys))
        alignment.run()
        isByPosition = isByPosition || alignment.isByPosition
        let places = (old: Self.places(old), new: Self.places(new))
        func position(_ pair: (old: Int, new: Int)) -> (old: Position, new: Position) { (places.old[pair.old], places.new[pair.new]) }
        var groups: [String: Int] = [:]
        for pair in alignment.pairs {
            let (left, right) = (old[pair.old], new[pair.new])
            note(latencyOf: left, right, at: position((pair.old, pair.new)), settings)
            if left.keys.exact == right.keys.exact {
                equal += 1
                continue
            }
            let differences = ContentDifference.all(left, right, settings)
            if differences.isEmpty {
                // Such as another order of members in one that is too long to be compared.
                equal += 1
                continue
            }
            changed += 1
            var seen: Set<String> = []
            for difference in differences {
                let key = "\(side) \(left.kind) \(difference.group)"
                // Several elements of one list are one change of it.
                guard seen.insert(key).inserted else { continue }
                if let index = groups[key] {
                    changes[index].count += 1
                } else if groups.count < 1_000 {
                    groups[key] = changes.count
                    changes.append(
                        Change(
                            from: side, kind: left.kind, path: difference.group, count: 1, first: difference,
                            position: position((pair.old, pair.new))))
                }
            }
        }
        moved += alignment.moved.sorted { $0.old < $1.old }.map {
            Move(from: side, kind: old[$0.old].kind, position: position(($0.old, $0.new)), words: old[$0.old].words)
        }
        lost += Self.runs(alignment.lost, of: old, places.old, side)
        added += Self.runs(alignment.added, of: new, places.new, side)
    }

    private static func places(_ elements: [RecordedElement]) -> [Position] {
        var counts: [RecordedElement.Kind: Position] = [:]
        return elements.map { element in
            counts[element.kind, default: 0] += 1
            return counts[element.kind] ?? 1
        }
    }

    private static func runs(_ indices: [Int], of elements: [RecordedElement], _ places: [Position], _ side: Side) -> [Run] {
        var runs: [Run] = []
        var end = 0
        for index in indices.sorted() {
            let place = places[index]
            if let last = runs.last, end == index, last.kind == elements[index].kind {
                runs[runs.count - 1].positions = last.positions.lowerBound...place
            } else {
                runs.append(Run(from: side, kind: elements[index].kind, positions: place...place, words: elements[index].words))
            }
            end = index + 1
        }
        return runs
    }

    private mutating func note(
        latencyOf old: RecordedElement, _ new: RecordedElement, at position: (old: Position, new: Position), _ settings: ComparisonSettings
    ) {
        guard let factor = settings.slower, let before = old.latency, let after = new.latency, after - before >= Self.leastGrowth,
            Double(after) > Double(before) * factor
        else { return }
        guard let index = slower.firstIndex(where: { $0.from == old.from && $0.kind == old.kind }) else {
            slower.append(Slower(from: old.from, kind: old.kind, count: 1, latency: (before, after), position: position))
            return
        }
        slower[index].count += 1
        if after - before > slower[index].latency.new - slower[index].latency.old {
            (slower[index].latency, slower[index].position) = ((before, after), position)
        }
    }
}

extension RecordedElement {
    /// What it is, in a few words.
    fileprivate var words: String {
        var words = title
        if !content.isEmpty { words += (title.isEmpty ? "" : " ") + ContentDifference.words(content) }
        return words.isEmpty ? "\(length) B" : words
    }
}
