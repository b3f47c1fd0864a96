import Dissection

/// Collects the statistics of a run: by conversation, by host and of all.
///
/// A host is one row, whatever its ports and the case of its name are. Rows that do not fit into the memory are summed up as others.
package struct StatisticsReport: PickingSink, ~Copyable {
    private struct OpenConversation {
        var label = ConversationLabel()
        var statistics = TalkStatistics()
        var heldBytes = 0
        /// Something of it counts.
        var isPicked = false
    }

    private let mostBytes: Int
    private let keepsConversations: Bool
    private var open: [UInt64: OpenConversation] = [:]
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

    package var heldBytes: Int { bytesOfOpen + bytesOfRows }

    package mutating func receive(_ event: borrowing ConversationEvent, isPicked: Bool) {
        let number = event.conversation
        guard number > 0 else {
            result.input.note(event)
            return
        }
        var conversation = open.removeValue(forKey: number) ?? OpenConversation()
        conversation.label.note(event)
        // What a conversation comes to is told when it closes, whatever was picked of it.
        if isPicked || event.kind == .closed { conversation.statistics.note(event) }
        if isPicked { conversation.isPicked = true }
        bytesOfOpen -= conversation.heldBytes
        if case .closed = event.fact { return close(number, conversation) }
        conversation.heldBytes = conversation.label.heldBytes + conversation.statistics.heldBytes
        bytesOfOpen += conversation.heldBytes
        open[number] = conversation
    }

    private mutating func close(_ number: UInt64, _ conversation: OpenConversation) {
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
        let summed = String(decoding: conversation.label.summedHost, as: UTF8.self).visible
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
        for number in open.keys.sorted() { if let conversation = open.removeValue(forKey: number) { close(number, conversation) } }
        result.conversations.sort { $0.number < $1.number }
        return result
    }
}
