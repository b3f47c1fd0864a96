import CaptureFiles
import Dissection

/// One output of a line, whatever its form: what the line asks of all of them. `HeldOutput` is the only kind there is; this one does
/// nothing.
class LineOutput {
    var takesFrames: Bool { false }
    var takesWire: Bool { false }
    var heldBytes: Int { 0 }
    var error: OutputError? { nil }
    var unwritten: UInt64 { 0 }
    var isHeldUp: Bool { false }

    func begin(_ source: CaptureSource) {}
    func receive(_ event: borrowing ConversationEvent) {}
    func witness(_ packet: borrowing CapturedPacket) {}
    func witness(_ relayed: borrowing RelayedEvent) {}
    func witness(_ statistics: InterfaceStatistics) {}
    func finish(_ totals: Totals) {}
    func flush() {}
    func retry() -> (error: OutputError, lostRecords: UInt64)? { nil }
    func move(to outlet: Outlet) {}
}

/// A sink of one form, behind the calls that all of them have.
final class HeldOutput<Sink: LineSink & ~Copyable>: LineOutput {
    private var sink: Sink
    private let frames: Bool
    private let wire: Bool

    init(_ sink: consuming Sink) {
        frames = sink.takesFrames
        wire = sink.takesWire
        self.sink = sink
    }

    override var takesFrames: Bool { frames }
    override var takesWire: Bool { wire }
    override var heldBytes: Int { sink.heldBytes }
    override var error: OutputError? { sink.outputError }
    override var unwritten: UInt64 { sink.unwrittenRecords }
    override var isHeldUp: Bool { sink.isHeldUp }

    override func begin(_ source: CaptureSource) { sink.begin(source) }
    override func receive(_ event: borrowing ConversationEvent) { sink.receive(event) }
    override func witness(_ packet: borrowing CapturedPacket) { sink.witness(packet) }
    override func witness(_ relayed: borrowing RelayedEvent) { sink.witness(relayed) }
    override func witness(_ statistics: InterfaceStatistics) { sink.witness(statistics) }
    override func finish(_ totals: Totals) { sink.finish(totals) }
    override func flush() { sink.flush() }
    override func retry() -> (error: OutputError, lostRecords: UInt64)? { sink.retry() }
    override func move(to outlet: Outlet) { sink.move(to: outlet) }
}
