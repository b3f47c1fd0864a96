/// Values of the streams of one conversation: one for what has no streams, and of HTTP/2 those of the streams that were heard of last.
///
/// Streams run side by side (RFC 9113, section 5), so what is known of the last head of a connection says nothing of a body in another stream.
package struct ByStream<Value> {
    fileprivate struct Stream {
        var number: UInt32
        var lastUse: UInt64
        var value: Value
    }

    /// As many as servers let run at once, and some that are over.
    private static var most: Int { 256 }

    private var connection: Value
    private var streams: [Stream] = []
    private var uses: UInt64 = 0
    private let vacant: Value

    /// - Parameter vacant: what a stream begins with.
    package init(vacant: Value) { (connection, self.vacant) = (vacant, vacant) }

    /// The value of a stream; 0 is what has none. Of the streams beyond the most the one goes that was not heard of for longest.
    package subscript(stream: UInt32) -> Value {
        @inline(__always)
        _read {
            if stream == 0 {
                yield connection
            } else if let place = streams.lastIndex(where: { $0.number == stream }) {
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
        guard stream != 0, let place = streams.lastIndex(where: { $0.number == stream }) else { return }
        uses += 1
        streams[place].lastUse = uses
    }

    /// The stream that goes when this one is added; nil where there is room.
    package func leaving(for stream: UInt32) -> UInt32? {
        guard stream != 0, streams.count >= Self.most, !streams.contains(where: { $0.number == stream }) else { return nil }
        return streams.min { $0.lastUse < $1.lastUse }?.number
    }

    /// Forgets a stream.
    package mutating func remove(_ stream: UInt32) {
        if stream == 0 { connection = vacant } else { streams.removeAll { $0.number == stream } }
    }

    /// All streams that something is kept of, 0 first.
    package var all: [(stream: UInt32, value: Value)] { [(0, connection)] + streams.map { ($0.number, $0.value) } }

    /// Bytes of memory beside its own.
    ///
    /// - Parameter held: what a value holds elsewhere.
    package func heldBytes(_ held: (Value) -> Int = { _ in 0 }) -> Int {
        var bytes = streams.capacity * MemoryLayout<Stream>.stride + held(connection)
        for stream in streams { bytes += held(stream.value) }
        return bytes
    }

    private mutating func placeAdding(_ stream: UInt32) -> Int {
        uses += 1
        // Mostly it is one of the last.
        if let place = streams.lastIndex(where: { $0.number == stream }) {
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
