/// How a live capture went, in one line.
package struct CapturedCount: Sendable, CustomStringConvertible {
    private let packets: UInt64
    private let droppedByKernel: UInt64
    private let droppedByInterface: UInt64

    package init(packets: UInt64, droppedByKernel: UInt64, droppedByInterface: UInt64) {
        self.packets = packets
        self.droppedByKernel = droppedByKernel
        self.droppedByInterface = droppedByInterface
    }

    /// Without a full stop.
    package var description: String {
        var line = "\(packets) \(packets == 1 ? "packet" : "packets") captured, \(droppedByKernel) dropped by the kernel"
        if droppedByInterface > 0 { line += ", \(droppedByInterface) dropped by the interface" }
        if droppedByKernel > 0 { line += "; narrow the capture with -f, or use --payload preview, to lose fewer packets" }
        return line
    }
}
