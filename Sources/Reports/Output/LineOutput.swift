import CaptureFiles
import Dissection

/// One output of a line, whatever its form: what the line asks of all of them. `HeldOutput` is the only kind there is; this one does
/// nothing.
package class LineOutput {
    var takesFrames: Bool { false }
    var takesWire: Bool { false }
    var heldBytes: Int { 0 }
    var error: OutputError? { nil }
    var unwritten: UInt64 { 0 }
    var isHeldUp: Bool { false }
    var keptLoss: UInt64 { 0 }
    var searchesGivenUp: UInt64 { 0 }

    func begin(_ source: CaptureSource) {}
    func receive(_ event: borrowing ConversationEvent) {}
    var takesStreams: Bool { false }
    func receive(stream: borrowing StreamRun) {}
    func witness(_ packet: borrowing CapturedPacket, of owner: PacketOwner) {}
    func witness(_ block: borrowing CaptureBlock, of owner: PacketOwner) {}
    func witness(_ block: borrowing CaptureBlock) {}
    func witness(_ interface: CaptureInterface) {}
    func witness(_ relayed: borrowing RelayedEvent) {}
    func witness(_ statistics: InterfaceStatistics) {}
    func finish(_ totals: Totals) {}
    func flush() {}
    func retry() -> (error: OutputError, lostRecords: UInt64)? { nil }
    func move(to outlet: Outlet) {}
}

/// A sink of one form, behind the calls that all of them have.
package final class HeldOutput<Sink: LineSink & ~Copyable>: LineOutput {
    /// Each call below is one access, and a sink has no way back to the object that holds it: that the access is the only one needs no
    /// check at run time.
    @exclusivity(unchecked) private var sink: Sink
    private let frames: Bool
    private let wire: Bool
    private let streams: Bool

    package init(_ sink: consuming Sink) {
        frames = sink.takesFrames
        wire = sink.takesWire
        streams = sink.takesStreams
        unsafe self.sink = sink
    }

    override var takesFrames: Bool { frames }
    override var takesWire: Bool { wire }
    override var takesStreams: Bool { streams }
    override var heldBytes: Int { unsafe sink.heldBytes }
    override var error: OutputError? { unsafe sink.outputError }
    override var unwritten: UInt64 { unsafe sink.unwrittenRecords }
    override var isHeldUp: Bool { unsafe sink.isHeldUp }
    override var keptLoss: UInt64 { unsafe sink.keptLoss }
    override var searchesGivenUp: UInt64 { unsafe sink.searchesGivenUp }

    override func begin(_ source: CaptureSource) { unsafe sink.begin(source) }
    override func receive(_ event: borrowing ConversationEvent) { unsafe sink.receive(event) }
    override func receive(stream: borrowing StreamRun) { unsafe sink.receive(stream: stream) }
    override func witness(_ packet: borrowing CapturedPacket, of owner: PacketOwner) { unsafe sink.witness(packet, of: owner) }
    override func witness(_ block: borrowing CaptureBlock, of owner: PacketOwner) { unsafe sink.witness(block, of: owner) }
    override func witness(_ block: borrowing CaptureBlock) { unsafe sink.witness(block) }
    override func witness(_ interface: CaptureInterface) { unsafe sink.witness(interface) }
    override func witness(_ relayed: borrowing RelayedEvent) { unsafe sink.witness(relayed) }
    override func witness(_ statistics: InterfaceStatistics) { unsafe sink.witness(statistics) }
    override func finish(_ totals: Totals) { unsafe sink.finish(totals) }
    override func flush() { unsafe sink.flush() }
    override func retry() -> (error: OutputError, lostRecords: UInt64)? { unsafe sink.retry() }
    override func move(to outlet: Outlet) { unsafe sink.move(to: outlet) }
}
