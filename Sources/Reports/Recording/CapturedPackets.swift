import CaptureFiles
import Dissection

/// A recording of packets as they were captured, in a pcapng file (`-w` of `read` and `capture`).
///
/// The blocks of a pcapng file are copied as they stand there, with their options, names and secrets; each input is a section of its own. Packets of
/// other captures get a section that says of them what the capture said. Findings become comments on the packets that they name, where the inputs were
/// read before; otherwise on the packet that has shown them.
///
/// Where it is not known yet whether a conversation is picked, its packets are kept until it is, and come after others then.
struct CapturedPackets: LineSink, ~Copyable {
    private let settings: RecordingSettings
    private var encoder = PcapNGEncoder()
    private var output: BlockOutput
    private var picks: ConversationPicks
    /// What a first reading has found.
    private let found: PickedPackets.Contents?
    private var kept: KeptOutput
    /// Findings since the last packet.
    private var findings: [(conversation: UInt64, packet: UInt64?, finding: Finding, content: [UInt8])] = []
    private var tool = ""
    /// What sections that are written here say of their interfaces.
    private var interface = CaptureInterface(linkType: .ethernet)
    /// The interfaces that were described, one for each link type.
    private var interfaces: [LinkType] = []
    private var packets: UInt64 = 0
    /// Conversations that are over and were not picked: what still comes of them is not kept.
    private var over: ConversationSet
    /// Packets left out since writing failed.
    private var lostPackets: UInt64 = 0
    private(set) var keptLoss: UInt64 = 0

    /// Bytes that are collected before they are written.
    private static let drainSize = 64 << 10
    /// Findings of one packet that become comments at most.
    private static let mostFindings = 64

    init(_ output: consuming BlockOutput, _ settings: RecordingSettings, decoding: DecodingStage? = nil) {
        self.output = output
        self.settings = settings
        picks = ConversationPicks(settings, decoding: decoding)
        found = settings.found?.contents
        over = ConversationSet(mostBytes: settings.keptBytes.total / 8)
        kept = KeptOutput(messages: .max, conversationBytes: settings.keptBytes.ofConversation, totalBytes: settings.keptBytes.total)
    }

    var takesFrames: Bool { false }
    var takesWire: Bool { true }
    var outputError: OutputError? { output.error }
    var heldBytes: Int { picks.heldBytes + kept.heldBytes + (found?.heldBytes ?? 0) }
    var searchesGivenUp: UInt64 { picks.searchesGivenUp }

    /// Packets that were not written: those left out, and those that wait.
    var unwrittenRecords: UInt64 { lostPackets &+ BlockOutput.packets(in: encoder.buffer) }

    // MARK: - Sections

    mutating func begin(_ source: CaptureSource) {
        tool = source.tool
        guard source.kind == .interface else { return }
        interface = CaptureInterface(
            linkType: source.linkType ?? .ethernet, snapshotLength: source.snapshotLength, name: source.name, resolution: .nanoseconds)
        beginSection()
        if let linkType = source.linkType { _ = index(of: linkType) }
    }

    mutating func witness(_ interface: CaptureInterface) {
        self.interface = interface
        beginSection()
        _ = index(of: interface.linkType)
    }

    private mutating func beginSection() {
        dropKept()
        encoder.beginSection(application: tool)
        interfaces = []
    }

    mutating func witness(_ block: borrowing CaptureBlock) {
        if block.isSection { dropKept() }
        if output.error == nil { encoder.copy(block, keepsSecrets: settings.keepsSecrets) }
        drain()
    }

    /// What is kept names interfaces of a section that is over.
    private mutating func dropKept() {
        keptLoss &+= kept.takeAll()
    }

    // MARK: - Packets

    mutating func witness(_ packet: borrowing CapturedPacket, of owner: PacketOwner) {
        guard let place = place(of: owner) else { return }
        let index = index(of: packet.linkType)
        let mark = encoder.buffer.count
        encoder.addPacket(
            packet.bytes, interface: index, time: packet.time, originalLength: packet.originalLength, comments: place.comments)
        settle(from: mark, place.conversation)
    }

    mutating func witness(_ block: borrowing CaptureBlock, of owner: PacketOwner) {
        guard let place = place(of: owner) else { return }
        let mark = encoder.buffer.count
        encoder.copy(packet: block, comments: place.comments)
        settle(from: mark, place.conversation)
    }

    /// Whether a packet may be recorded, and what is said of it.
    private mutating func place(of owner: PacketOwner) -> (conversation: UInt64, comments: [String])? {
        let packet = owner.packets.highest
        let findings = findings
        self.findings.removeAll(keepingCapacity: true)
        var comments: [String] = []
        guard let found else {
            if owner.conversation == 0, !picks.picksAll { return nil }
            for one in findings where one.conversation == owner.conversation || picks.has(one.conversation) {
                comments.append(FindingComment.text(one.finding, one.content.rawBytes, about: one.packet == packet ? nil : one.packet))
            }
            return passes() ? (owner.conversation, comments) : nil
        }
        let number = found.owners[packet] ?? owner.conversation
        guard picks.picksAll || found.conversations.contains(number), passes() else { return nil }
        for comment in found.comments[packet] ?? [] where picks.picksAll || found.conversations.contains(comment.conversation) {
            comments.append(comment.text)
        }
        return (number, comments)
    }

    /// Whether packets can be written.
    private mutating func passes() -> Bool {
        if output.error != nil { lostPackets &+= 1 }
        return output.error == nil
    }

    /// Keeps a packet that was encoded, where it is not known yet whether it is recorded.
    private mutating func settle(from mark: Int, _ conversation: UInt64) {
        if found == nil, !picks.has(conversation) {
            packets &+= 1
            let bytes = Array(encoder.buffer[mark...])
            encoder.buffer.removeLast(bytes.count)
            if over.contains(conversation) { return }
            _ = kept.keep(KeptOutput.Unit(bytes, lines: 1, of: packets, messages: 0, counts: false), of: conversation)
        }
        drain()
    }

    private mutating func index(of linkType: LinkType) -> Int {
        if let index = interfaces.firstIndex(of: linkType) { return index }
        interfaces.append(linkType)
        return encoder.addInterface(
            linkType: linkType, snapshotLength: interface.snapshotLength, name: interface.name, resolution: interface.resolution,
            frameCheckSequenceLength: interface.frameCheckSequenceLength)
    }

    /// Takes secrets of TLS sessions that come while packets are captured.
    mutating func witness(_ relayed: borrowing RelayedEvent) {
        guard case .secrets = relayed.fact, settings.keepsSecrets, output.error == nil else { return }
        encoder.addSecrets(.tlsKeyLog, relayed.bytes)
        drain()
    }

    mutating func witness(_ statistics: InterfaceStatistics) {
        guard output.error == nil, statistics.interface < interfaces.count else { return }
        encoder.addStatistics(statistics, time: Timestamp(nanoseconds: 0))
    }

    // MARK: - What is made of them

    mutating func receive(_ event: borrowing ConversationEvent) {
        if found != nil { return }
        if picks.take(event) {
            let (units, lost) = kept.take(event.conversation)
            keptLoss &+= lost
            for unit in units where output.error == nil { encoder.buffer += unit.bytes }
            drain()
        }
        switch event.fact {
        case .finding(let finding):
            guard findings.count < Self.mostFindings, FindingComment.isWanted(finding) else { return }
            findings.append((event.conversation, event.place.packets?.highest, finding, event.content.copy))
        case .closed:
            if picks.has(event.conversation) { return }
            kept.drop(event.conversation)
            over.insert(event.conversation)
        default: return
        }
    }

    mutating func finish(_ totals: Totals) { flush() }

    private mutating func drain() { if encoder.buffer.count > Self.drainSize { flush() } }

    /// Writes what was added, in whole blocks.
    mutating func flush() {
        if output.error == nil { output.write(&encoder.buffer) }
    }
}
