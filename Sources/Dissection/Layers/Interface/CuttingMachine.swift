/// What the next bytes are to the message that is open.
package enum Cut: Equatable {
    /// All of them belong to it, and it goes on.
    case inside
    /// It ends after so many of them: at least one, unless some came before.
    case ends(Int)
    /// What was taken for a message is none.
    case broken(CutFault)
}

/// Why bytes are not a message.
package enum CutFault: Equatable {
    /// The length, or what came without a delimiter, is more than a message may have.
    case tooLong(UInt64)
    /// The length counts its header, and is less than that.
    case tooShort(UInt64)
    /// No message of the protocol.
    case malformed
}

/// Finds where messages end in the bytes of one direction, whatever cuts them: a state machine that looks at each byte at most once and
/// keeps none. It is called for each run of bytes, and looks at the bytes by itself.
package protocol CuttingMachine {
    /// Takes the next bytes, at least one; those after the end of the message are not looked at.
    mutating func advance(over bytes: RawSpan) -> Cut

    /// Begins the next message.
    mutating func restart()

    /// The next bytes that it takes came at this time.
    mutating func note(_ time: Timestamp?)

    /// Bytes before and after the payload of the message so far.
    var header: Int { get }
    var trailer: Int { get }

    /// Bytes of the header that only separate the message from the one before, such as white space: alone they are no message.
    var lead: Int { get }

    /// What the header says beside the length.
    var headerBytes: ShortBytes { get }

    /// Bytes that the open message lacks, where its length is known.
    var remaining: UInt64? { get }

    /// Bytes of the run that were looked at when a message of a protocol broke, so that they are not looked at again.
    var lookedAt: Int { get }

    /// What came so far is a message, where nothing follows.
    var mayEndHere: Bool { get }
}

extension CuttingMachine {
    package mutating func note(_ time: Timestamp?) {}
    package var header: Int { 0 }
    package var trailer: Int { 0 }
    package var lead: Int { 0 }
    package var headerBytes: ShortBytes { ShortBytes() }
    package var remaining: UInt64? { nil }
    package var lookedAt: Int { 0 }
    package var mayEndHere: Bool { false }
}
