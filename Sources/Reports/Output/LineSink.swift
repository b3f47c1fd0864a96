import CaptureFiles
import Dissection

/// An output of a line: a report that, where it wants to, sees the wire itself beside what is made of it, and can go on in another place.
///
/// What concerns the wire does nothing unless an output says otherwise; recordings of packets do.
package protocol LineSink: ReportSink, ~Copyable {
    /// Takes a packet as it was captured, after the events that are made of it, and to which conversation it belongs.
    mutating func witness(_ packet: borrowing CapturedPacket, of owner: PacketOwner)
    /// Takes the block of a packet instead, where the capture has blocks.
    mutating func witness(_ block: borrowing CaptureBlock, of owner: PacketOwner)
    /// Takes a block of a capture that is no packet.
    mutating func witness(_ block: borrowing CaptureBlock)
    /// A capture without blocks begins, with packets of this interface.
    mutating func witness(_ interface: CaptureInterface)
    /// Takes what the proxy relays, before the events that are made of it.
    mutating func witness(_ relayed: borrowing RelayedEvent)
    /// Takes what an interface says of its packets, at the end.
    mutating func witness(_ statistics: InterfaceStatistics)

    /// Whether `witness` does anything.
    var takesWire: Bool { get }

    /// Lines or records that belong before something that a filter has picked, and for which there was no room until it came.
    var keptLoss: UInt64 { get }
    /// Searches of the filter that were given up because they took too many steps.
    var searchesGivenUp: UInt64 { get }

    /// Writes what was collected, ends what has been written so that it is whole by itself, and goes on at another outlet with a beginning
    /// of its own: for logs whose file was moved away.
    mutating func move(to outlet: Outlet)
}

extension LineSink where Self: ~Copyable {
    package mutating func witness(_ packet: borrowing CapturedPacket, of owner: PacketOwner) {}
    package mutating func witness(_ block: borrowing CaptureBlock, of owner: PacketOwner) {}
    package mutating func witness(_ block: borrowing CaptureBlock) {}
    package mutating func witness(_ interface: CaptureInterface) {}
    package mutating func witness(_ relayed: borrowing RelayedEvent) {}
    package mutating func witness(_ statistics: InterfaceStatistics) {}
    package var takesWire: Bool { false }
    package var keptLoss: UInt64 { 0 }
    package var searchesGivenUp: UInt64 { 0 }
    package mutating func move(to outlet: Outlet) {}
}

/// Something that went through the proxy, as it is on the wire.
package struct RelayedEvent: ~Escapable {
    package enum Fact: Sendable {
        case began(RelayedOpening)
        /// `bytes` were relayed.
        case bytes
        /// The side will send no more.
        case finished
        /// The side reset the connection.
        case reset
        /// What a packet cannot say itself.
        case comment(String)
        /// The proxy ended it.
        case closed(Closing.Manner, Closing.Closer, ends: Closing.Ends, reason: String?)
        /// `bytes` are secrets of TLS sessions, as lines of a key log (RFC 9850), of no connection in particular.
        case secrets
        /// Nothing more is told of the connection, however it ended.
        case left
    }

    package let fact: Fact
    /// Who; only where somebody did it.
    package let side: Side
    /// Where the dissector keeps the conversation: small numbers that are used again. Connections have numbers of their own.
    package let place: Int32
    /// It is about one of the two connections of a conversation and what goes over its wire, which may be TLS; else about the conversation and what is
    /// said in it.
    package let isOfConnection: Bool
    package let time: Timestamp
    /// Valid for the call.
    package let bytes: RawSpan

    /// Whether something is said that is not on the wire.
    @inline(__always)
    var hasWords: Bool {
        switch fact {
        case .bytes, .finished, .reset, .secrets, .left: false
        case .began, .comment, .closed: true
        }
    }

    @_lifetime(copy bytes)
    package init(
        _ fact: Fact, from side: Side = .client, at place: Int32, _ time: Timestamp, bytes: RawSpan = RawSpan(),
        isOfConnection: Bool = false
    ) {
        self.fact = fact
        self.side = side
        self.place = place
        self.time = time
        self.bytes = bytes
        self.isOfConnection = isOfConnection
    }
}

/// Between whom a relayed conversation began, or one of its two connections.
package struct RelayedOpening: Sendable {
    package var number: UInt64
    package var client: Endpoint
    package var server: Endpoint
    /// What its first packet says.
    package var comment: String
    /// The name that the server's address goes by.
    package var serverHostName: String?
    /// Of a connection, whom the proxy has it with.
    package var peer: Side

    package init(
        number: UInt64, client: Endpoint, server: Endpoint, comment: String, serverHostName: String?, peer: Side = .client
    ) {
        self.peer = peer
        self.number = number
        self.client = client
        self.server = server
        self.comment = comment
        self.serverHostName = serverHostName
    }
}
