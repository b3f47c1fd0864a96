import CaptureFiles
import Dissection

/// A recording of packets as they were captured, in a pcapng file.
struct CapturedPackets: LineSink, ~Copyable {
    private var encoder = PcapNGEncoder(application: "")
    private var output: BlockOutput
    private var interfaceName = ""
    private var snapshotLength: UInt32 = 0
    /// The interfaces that were described, one for each link type.
    private var interfaces: [LinkType] = []
    /// Packets left out since writing failed.
    private var lostPackets: UInt64 = 0

    /// Bytes that are collected before they are written.
    private static let drainSize = 64 << 10

    init(_ output: consuming BlockOutput) { self.output = output }

    var takesFrames: Bool { false }
    var takesWire: Bool { true }
    var outputError: OutputError? { output.error }
    var isHeldUp: Bool { false }

    /// Packets that were not written: those left out, and those that wait.
    var unwrittenRecords: UInt64 { lostPackets &+ BlockOutput.packets(in: encoder.buffer) }

    mutating func begin(_ source: CaptureSource) {
        encoder = PcapNGEncoder(application: source.tool)
        interfaceName = source.name
        snapshotLength = source.snapshotLength
        interfaces = []
        if let linkType = source.linkType { _ = interface(for: linkType) }
    }

    mutating func witness(_ packet: borrowing CapturedPacket) {
        guard output.error == nil else {
            lostPackets &+= 1
            return
        }
        encoder.addPacket(
            packet.bytes, interface: interface(for: packet.linkType), time: packet.time, originalLength: packet.originalLength)
        if encoder.buffer.count > CapturedPackets.drainSize { flush() }
    }

    mutating func witness(_ statistics: InterfaceStatistics) {
        guard output.error == nil, statistics.interface < interfaces.count else { return }
        encoder.addStatistics(statistics, time: Timestamp(nanoseconds: 0))
    }

    private mutating func interface(for linkType: LinkType) -> Int {
        if let index = interfaces.firstIndex(of: linkType) { return index }
        interfaces.append(linkType)
        return encoder.addInterface(linkType: linkType, snapshotLength: snapshotLength, name: interfaceName)
    }

    /// What is made of the packets is for other outputs.
    mutating func receive(_ event: borrowing ConversationEvent) {}

    mutating func finish(_ totals: Totals) { flush() }

    /// Writes what was added, in whole blocks.
    mutating func flush() {
        if output.error == nil { output.write(&encoder.buffer) }
    }

    mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { nil }
}
