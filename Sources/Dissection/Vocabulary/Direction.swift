/// One of the two directions of a connection while nobody knows yet which of its ends is the client.
///
/// `first` is the direction of the packet that brought the connection into sight.
package enum Direction: UInt8, Sendable {
    case first
    case second

    package var other: Direction { self == .first ? .second : .first }
}
