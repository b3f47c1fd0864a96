import CaptureFiles
import Dissection

/// What one capture says beside its packets: comments, what was dropped while it was made, and in a recording of the proxy what went on there.
package struct CaptureNotes {
    /// Packets that were written by the proxy, and say in comments what went on there.
    private var isRelayRecording = false
    /// Each conversation in it says the names of its own sides. What the file says of addresses would give all servers behind one address the name
    /// of the first.
    package private(set) var namesConversations = false
    /// What was told of drops, by interface.
    private var toldDrops: [Int: (bySystem: UInt64, byInterface: UInt64)] = [:]

    package init() {}

    /// Takes what is no packet; names are for the line of outputs.
    package mutating func take<Sink: ConversationSink & ~Copyable>(
        _ item: borrowing CaptureItem, _ dissector: inout Dissector, sink: inout Sink
    ) {
        switch item {
        case .packet, .secrets, .name, .block: break
        // What was said of another section does not hold for this one.
        case .section: self = CaptureNotes()
        case .process(let process, let packet): dissector.note(process, ofPacket: packet)
        case .statistics(let statistics): take(statistics, &dissector, sink: &sink)
        case .comment(let comment):
            switch comment.subject {
            case .section where RelayComment.isSection(comment.text):
                isRelayRecording = true
                namesConversations = RelayComment.isSectionAsRelayed(comment.text)
            // What a recording of ours says of a packet is found again.
            case .packet where FindingComment.isFinding(comment.text): break
            case .packet(let number):
                guard isRelayRecording else { return dissector.receive(comment: comment.text, packet: number, sink: &sink) }
                switch RelayComment.read(comment.text) {
                case .annotation(.opened) where !namesConversations: break
                case .annotation(let annotation): dissector.annotate(annotation, packet: number)
                case .known: break
                case .foreign: dissector.receive(comment: comment.text, packet: number, sink: &sink)
                }
            case .section, .interface, .other: dissector.receive(comment: comment.text, packet: nil, sink: &sink)
            }
        }
    }

    /// Counters go on from block to block: what is new in one is told.
    private mutating func take<Sink: ConversationSink & ~Copyable>(
        _ statistics: InterfaceStatistics, _ dissector: inout Dissector, sink: inout Sink
    ) {
        // What a recorder could not write is no packet that anybody dropped; it says so in words.
        if isRelayRecording { return }
        guard toldDrops.count < 65_536 else { return }
        let told = toldDrops[statistics.interface] ?? (0, 0)
        let now = (
            bySystem: max(told.bySystem, CaptureNotes.known(statistics.droppedBySystem)),
            byInterface: max(told.byInterface, CaptureNotes.known(statistics.droppedByInterface))
        )
        toldDrops[statistics.interface] = now
        dissector.receive(droppedBySystem: now.bySystem - told.bySystem, byInterface: now.byInterface - told.byInterface, sink: &sink)
    }

    /// All ones stand for a number that is not known.
    private static func known(_ count: UInt64?) -> UInt64 {
        guard let count, count != .max else { return 0 }
        return count
    }
}
