import Dissection

/// Collects the statistics of a run: by conversation, by host and of all.
///
/// A host is one row, whatever its ports and the case of its name are. Rows that do not fit into the memory are summed up as others.
package struct StatisticsReport: PickingSink, ~Copyable {
    private struct OpenConversation {
        var label = ConversationLabel()
        var statistics = ConversationStatistics()
        var heldBytes = 0
        /// Something of it counts.
        var isPicked = false

        /// Takes note of an event. Returns by how many bytes it has grown.
        mutating func note(_ event: borrowing ConversationEvent, isPicked: Bool) -> Int {
            label.note(event)
            // What a conversation comes to is told when it closes, whatever was picked of it.
            if isPicked || event.kind == .closed { statistics.note(event) }
            if isPicked { self.isPicked = true }
            let before = heldBytes
            heldBytes = label.heldBytes + statistics.heldBytes
            return heldBytes - before
        }
    }

    private let mostBytes: Int
    private let keepsConversations: Bool
    private var open = ConversationSlots(vacant: OpenConversation())
    private var bytesOfOpen = 0
    private var bytesOfRows = 0
    private var result = StatisticsResult()
    private var hosts: [String: Int] = [:]

    /// - Parameters:
    ///   - mostBytes: Bytes of memory for rows.
    ///   - keepsConversations: Whether conversations have rows.
    package init(mostBytes: Int = 64 << 20, keepsConversations: Bool = true) {
        self.mostBytes = mostBytes
        self.keepsConversations = keepsConversations
    }

    package var takesFrames: Bool { false }

    package var heldBytes: Int { bytesOfOpen + open.heldBytes + bytesOfRows }

    package mutating func receive(_ event: borrowing ConversationEvent, isPicked: Bool) {
        let number = event.conversation
        guard number > 0 else {
            result.input.note(event)
            return
        }
        if event.lateFinding != nil { return note(late: event, isPicked: isPicked) }
        guard let slot = open.slotAdding(number) else { return }
        bytesOfOpen += open[slot].note(event, isPicked: isPicked)
        if event.kind == .closed { close(number) }
    }

    /// Counts what was found of a conversation that has closed, in its row where that is one of the last.
    private mutating func note(late event: borrowing ConversationEvent, isPicked: Bool) {
        guard isPicked else { return }
        result.total.note(event)
        let number = event.conversation
        guard let row = result.conversations.suffix(LateFinding.mostRows).lastIndex(where: { $0.number == number }) else { return }
        result.conversations[row].statistics.note(event)
        guard let index = hosts[ConversationLabel.summed(Array(result.conversations[row].host.utf8))] else { return }
        result.hosts[index].statistics.note(event)
    }

    private mutating func close(_ number: UInt64) {
        guard let conversation = open.remove(number) else { return }
        bytesOfOpen -= conversation.heldBytes
        guard conversation.isPicked else { return }
        let statistics = conversation.statistics
        result.total.add(statistics)
        let host = String(decoding: conversation.label.firstHost, as: UTF8.self).visible
        if keepsConversations {
            let path = String(decoding: conversation.label.firstPath, as: UTF8.self).visible
            let bytes = statistics.heldBytes + host.utf8.count + path.utf8.count + 64
            if bytesOfRows + bytes <= mostBytes {
                bytesOfRows += bytes
                result.conversations.append(.init(number: number, host: host, path: path, statistics: statistics))
            } else {
                result.otherConversations.add(statistics)
            }
        }
        let summed = ConversationLabel.summed(conversation.label.firstHost)
        if let index = hosts[summed] {
            bytesOfRows -= result.hosts[index].statistics.heldBytes
            result.hosts[index].statistics.add(statistics)
            bytesOfRows += result.hosts[index].statistics.heldBytes
        } else {
            let bytes = statistics.heldBytes + 2 * summed.utf8.count + 128
            guard bytesOfRows + bytes <= mostBytes else { return result.otherHosts.add(statistics) }
            bytesOfRows += bytes
            hosts[summed] = result.hosts.count
            result.hosts.append(.init(number: 0, host: summed, path: "", statistics: statistics))
        }
    }

    /// What the run came to. Nothing may be told afterwards.
    package consuming func finish() -> StatisticsResult {
        for number in open.all.sorted() { close(number) }
        sortConversations()
        return result
    }

    /// Puts the rows of conversations in the order of their numbers. They are large, so each is moved once.
    private mutating func sortConversations() {
        let numbers = result.conversations.map(\.number)
        // Of each place, which row belongs there.
        var order = numbers.indices.sorted { numbers[$0] < numbers[$1] }
        for start in order.indices {
            var place = start
            while order[place] != start {
                let next = order[place]
                result.conversations.swapAt(place, next)
                order[place] = place
                place = next
            }
            order[place] = place
        }
    }
}
