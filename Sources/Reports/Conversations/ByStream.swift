/// Values of the streams of one conversation: one for what has no streams, and of HTTP/2 those of the streams that were heard of last.
///
/// Streams run side by side (RFC 9113, section 5), so what is known of the last head of a connection says nothing of a body in another stream.
package struct ByStream<Value> {
    fileprivate struct Stream {
        var number: UInt32
        var lastUse: UInt64
        /// What the value holds elsewhere, in bytes.
        var held = 0
        var value: Value
    }

    /// As many as servers let run at once, and some that are over.
    private static var most: Int { 256 }

    private var connection: Value
    private var connectionHeld = 0
    private var streams: [Stream] = []
    private var uses: UInt64 = 0
    /// What values hold elsewhere, as far as it was noted.
    private var held = 0
    private let vacant: Value

    /// - Parameter vacant: what a stream begins with.
    package init(vacant: Value) { (connection, self.vacant) = (vacant, vacant) }

    /// The value of a stream; 0 is what has none. Of the streams beyond the most the one goes that was not heard of for longest.
    package subscript(stream: UInt32) -> Value {
        @inline(__always)
        _read {
            if stream == 0 {
                yield connection
            } else if let place = place(of: stream) {
                yield streams[place].value
            } else {
                yield vacant
            }
        }
        @inline(__always)
        _modify {
            if stream == 0 {
                yield &connection
            } else {
                let place = placeAdding(stream)
                yield &streams[place].value
            }
        }
    }

    /// Something came in a stream: one in which much is said stays, however many others begin and end meanwhile.
    package mutating func touch(_ stream: UInt32) {
        guard stream != 0, let place = place(of: stream) else { return }
        uses += 1
        streams[place].lastUse = uses
    }

    /// The stream that goes when this one is added; nil where there is room.
    package func leaving(for stream: UInt32) -> UInt32? {
        guard stream != 0, streams.count >= Self.most, place(of: stream) == nil else { return nil }
        return streams.min { $0.lastUse < $1.lastUse }?.number
    }

    /// Forgets a stream.
    package mutating func remove(_ stream: UInt32) {
        if stream == 0 {
            note(heldBytes: 0, of: 0)
            connection = vacant
        } else if let place = place(of: stream) {
            held -= streams.remove(at: place).held
        }
    }

    /// Streams that something is kept of, without what has none.
    package var count: Int { streams.count }

    /// All streams that something is kept of, 0 first.
    package var all: [(stream: UInt32, value: Value)] { [(0, connection)] + streams.map { ($0.number, $0.value) } }

    /// Bytes of memory beside its own, with those that were noted.
    package var heldBytes: Int { streams.capacity * MemoryLayout<Stream>.stride + held }

    /// Notes how many bytes the value of a stream holds elsewhere, so that they need not be added up for each event.
    package mutating func note(heldBytes: Int, of stream: UInt32) {
        if stream == 0 {
            held += heldBytes - connectionHeld
            connectionHeld = heldBytes
        } else if let place = place(of: stream) {
            held += heldBytes - streams[place].held
            streams[place].held = heldBytes
        }
    }

    /// Mostly it is one of the last.
    @inline(__always)
    private func place(of stream: UInt32) -> Int? { streams.lastIndex { $0.number == stream } }

    private mutating func placeAdding(_ stream: UInt32) -> Int {
        uses += 1
        if let place = place(of: stream) {
            streams[place].lastUse = uses
            return place
        }
        if let leaving = leaving(for: stream) { remove(leaving) }
        streams.append(Stream(number: stream, lastUse: uses, value: vacant))
        return streams.count - 1
    }
}

extension ByStream: Sendable where Value: Sendable {}
extension ByStream.Stream: Sendable where Value: Sendable {}
