import CaptureFiles
import Dissection
import Reports

/// What takes the events of inputs.
package protocol InputSink: ConversationSink, ~Copyable {
    /// An input was opened under the name that the user gave it.
    mutating func open(_ source: CaptureSource)
    /// An input begins; that of a log is what the log was made of.
    mutating func begin(_ source: CaptureSource, for readers: OutputLine.Readers)
    /// The capture has a name for an address: that of the conversations there that begin from now on (`AddressNames`).
    mutating func name(_ name: RawSpan, of address: RawSpan)
    /// An input could not be opened, or has a damaged place. The user has been told.
    mutating func note(_ trouble: CaptureFileError)

    /// Whether packets themselves are taken as well.
    var takesWire: Bool { get }
    /// Takes a packet, after the events that are made of it.
    mutating func witness(_ packet: borrowing CapturedPacket, of owner: PacketOwner)
    /// Takes the block of a packet instead, where the capture has blocks.
    mutating func witness(_ block: borrowing CaptureBlock, of owner: PacketOwner)
    /// Takes a block that is no packet.
    mutating func witness(_ block: borrowing CaptureBlock)
    /// A capture without blocks begins, with packets of this interface.
    mutating func witness(_ interface: CaptureInterface)
}

extension InputSink where Self: ~Copyable {
    package mutating func open(_ source: CaptureSource) {}
    package mutating func begin(_ source: CaptureSource, for readers: OutputLine.Readers) {}
    package mutating func note(_ trouble: CaptureFileError) {}
    package var takesWire: Bool { false }
    package mutating func witness(_ packet: borrowing CapturedPacket, of owner: PacketOwner) {}
    package mutating func witness(_ block: borrowing CaptureBlock, of owner: PacketOwner) {}
    package mutating func witness(_ block: borrowing CaptureBlock) {}
    package mutating func witness(_ interface: CaptureInterface) {}
}

extension OutputLine: InputSink {
    package mutating func open(_ source: CaptureSource) {}
    package mutating func note(_ trouble: CaptureFileError) {}
}
