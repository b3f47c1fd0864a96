import CaptureFiles
import Dissection

/// A first reading of captures whose packets are recorded in the second: which conversations are picked, what is found at which packet, and to which
/// conversation packets belong that do not say so themselves.
struct PacketSurvey: LineSink, ~Copyable {
    private var picks: ConversationPicks
    private let found: PickedPackets
    /// Fragments that wait for the others of their datagrams.
    private var fragments: [UInt64] = []
    /// Conversations that have begun with the packet that is read, or with one before it.
    private var openings: [(packet: UInt64, conversation: UInt64)] = []

    /// As many as the decoder keeps of all datagrams, about.
    private static let mostFragments = 4_096

    init(_ settings: RecordingSettings, into found: PickedPackets, decoding: DecodingStage? = nil) {
        picks = ConversationPicks(settings, decoding: decoding)
        self.found = found
    }

    var takesFrames: Bool { false }
    var takesWire: Bool { true }
    var heldBytes: Int { picks.heldBytes + found.heldBytes }

    mutating func receive(_ event: borrowing ConversationEvent) {
        if picks.take(event) { found.pick(event.conversation) }
        switch event.fact {
        case .finding(let finding):
            guard FindingComment.isWanted(finding), let packet = event.place.packets?.highest else { return }
            found.add(FindingComment.text(finding, event.content), of: event.conversation, on: packet)
        case .opened: if let packet = event.place.packets?.lowest { openings.append((packet, event.conversation)) }
        default: return
        }
    }

    mutating func witness(_ packet: borrowing CapturedPacket, of owner: PacketOwner) { take(owner) }

    mutating func witness(_ block: borrowing CaptureBlock, of owner: PacketOwner) { take(owner) }

    private mutating func take(_ owner: PacketOwner) {
        let packet = owner.packets.highest
        // It was held until something bore out that it begins a connection.
        for opening in openings where opening.packet != packet { found.note(opening.conversation, of: opening.packet) }
        openings.removeAll(keepingCapacity: true)
        if owner.isFragment {
            if fragments.count == Self.mostFragments { fragments.removeFirst(Self.mostFragments / 2) }
            return fragments.append(packet)
        }
        guard owner.conversation != 0, owner.packets.lowest < packet else { return }
        for fragment in fragments where fragment >= owner.packets.lowest { found.note(owner.conversation, of: fragment) }
        fragments.removeAll { $0 >= owner.packets.lowest }
    }

    mutating func finish(_ totals: Totals) {}
    var outputError: OutputError? { nil }
}
