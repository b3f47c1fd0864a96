import Dissection
import Reports

/// Gives the recordings of a line what went over connections (`-w --sealed`), which nothing dissects: what is said in them is told as conversations.
struct ConnectionWriter {
    private var places = NumberedPlaces()
    private var free: [Int32] = []
    private var next: Int32 = 0

    /// A connection has begun.
    mutating func begin(_ connection: RecordedConnection, number: UInt64, at time: Timestamp, _ line: inout OutputLine) {
        let place = free.popLast() ?? next
        if place == next { next += 1 }
        places.insert(number, place: place)
        line.witness(RelayedEvent(.began(connection.opening(number: number)), at: place, time, isOfConnection: true))
    }

    /// Something went over a connection, or it ended.
    func take(
        _ fact: RelayedEvent.Fact, _ bytes: RawSpan = RawSpan(), from side: Side = .client, over number: UInt64, at time: Timestamp,
        _ line: inout OutputLine
    ) {
        guard let place = places[number] else { return }
        line.witness(RelayedEvent(fact, from: side, at: place, time, bytes: bytes, isOfConnection: true))
    }

    /// Nothing more is told of a connection.
    mutating func leave(_ number: UInt64, at time: Timestamp, _ line: inout OutputLine) {
        guard let place = places[number] else { return }
        line.witness(RelayedEvent(.left, at: place, time, isOfConnection: true))
        places.remove(number)
        free.append(place)
    }

    /// Secrets of TLS sessions, for what comes after them.
    func take(secrets: RawSpan, at time: Timestamp, _ line: inout OutputLine) {
        line.witness(RelayedEvent(.secrets, at: 0, time, bytes: secrets, isOfConnection: true))
    }
}
