import Dissection

/// Values of the streams of one conversation: one for what has no streams, and of HTTP/2 those of the streams that were heard of last.
///
/// Streams run side by side (RFC 9113, section 5), so what is known of the last head of a connection says nothing of a body in another stream.
package struct ByStream<Value> {
    /// As many as servers let run at once, and some that are over.
    private static var most: Int { 256 }

    /// The value of what has no streams.
    package private(set) var connection: Value
    private var connectionHeld = 0
    // Apart from the values, so that a look through all of them stays in few lines of the cache.
    private var numbers: [UInt32] = []
    private var lastUses: [UInt64] = []
    /// What each value holds elsewhere, in bytes.
    private var heldEach: [Int] = []
    private var values: [Value] = []
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
                yield values[place]
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
                yield &values[place]
            }
        }
    }

    /// Something came in a stream. One that is open stays, however many others begin and end meanwhile: those whose response is whole go first.
    package mutating func touch(by event: borrowing ConversationEvent) { touch(event.channel.stream, isOver: event.endsResponse) }

    mutating func touch(_ stream: UInt32, isOver: Bool = false) {
        guard stream != 0, let place = place(of: stream) else { return }
        uses += 1
        lastUses[place] = isOver ? 0 : uses
    }

    /// The stream that goes when this one is added; nil where there is room.
    package func leaving(for stream: UInt32) -> UInt32? {
        guard stream != 0, numbers.count >= Self.most, place(of: stream) == nil else { return nil }
        return numbers[oldest]
    }

    /// Forgets a stream.
    package mutating func remove(_ stream: UInt32) {
        note(heldBytes: 0, of: stream)
        if stream == 0 {
            connection = vacant
        } else if let place = place(of: stream) {
            numbers.remove(at: place)
            lastUses.remove(at: place)
            heldEach.remove(at: place)
            values.remove(at: place)
        }
    }

    /// Streams that something is kept of, without what has none.
    package var count: Int { numbers.count }

    /// All streams that something is kept of, 0 first.
    package var all: [(stream: UInt32, value: Value)] { [(0, connection)] + zip(numbers, values).map { ($0, $1) } }

    /// Bytes of memory beside its own, with those that were noted.
    package var heldBytes: Int { numbers.capacity * (MemoryLayout<Value>.stride + 20) + held }

    /// Notes how many bytes the value of a stream holds elsewhere, so that they need not be added up for each event.
    package mutating func note(heldBytes: Int, of stream: UInt32) {
        if stream == 0 {
            held += heldBytes - connectionHeld
            connectionHeld = heldBytes
        } else if let place = place(of: stream) {
            held += heldBytes - heldEach[place]
            heldEach[place] = heldBytes
        }
    }

    /// Mostly it is one of the last.
    private func place(of stream: UInt32) -> Int? { numbers.lastIndex(of: stream) }

    /// Where the stream is that was not heard of for longest.
    private var oldest: Int {
        var oldest = 0
        for place in lastUses.indices where lastUses[place] < lastUses[oldest] { oldest = place }
        return oldest
    }

    private mutating func placeAdding(_ stream: UInt32) -> Int {
        uses += 1
        if let place = place(of: stream) {
            lastUses[place] = uses
            return place
        }
        if numbers.count >= Self.most { remove(numbers[oldest]) }
        numbers.append(stream)
        lastUses.append(uses)
        heldEach.append(0)
        values.append(vacant)
        return numbers.count - 1
    }
}

extension ByStream: Sendable where Value: Sendable {}

extension ConversationEvent {
    /// The last of a response's body, after which little comes in its stream.
    fileprivate var endsResponse: Bool {
        guard kind == .body, from == .server, case .body(let part) = fact else { return false }
        return part.final
    }
}
