/// The two ends of a conversation, and which of them is the client.
package struct Parties: Sendable {
    package let first: Endpoint
    package let second: Endpoint
    package private(set) var start: Opening.Start
    /// The port that the user's rule names, where there is one: the server's.
    let rulePort: UInt16?
    /// The side that sends in the first direction; a guess until the roles are decided.
    package private(set) var sideOfFirst: Side
    /// Where it came into sight.
    package var openedPlace: Place
    /// It was told that it has come into sight.
    package var isOpened = false
    /// The process that its first packet belongs to, where the source says so.
    package var process: PacketProcess?

    /// - Parameters:
    ///   - first: who sends in the first direction.
    ///   - sideOfFirst: its side, or a guess where that is not known.
    package init(
        first: Endpoint, second: Endpoint, sideOfFirst: Side, start: Opening.Start, rulePort: UInt16?, openedPlace: Place
    ) {
        self.first = first
        self.second = second
        self.sideOfFirst = sideOfFirst
        self.start = start
        self.rulePort = rulePort
        self.openedPlace = openedPlace
    }

    /// The server, as far as the roles are known.
    var server: Endpoint { sideOfFirst == .client ? second : first }

    @inline(__always)
    package func side(of direction: Direction) -> Side { direction == .first ? sideOfFirst : sideOfFirst.peer }

    /// Fixes who is who: as the content says, else the port of a rule of the user is the server's, else the lower port, else
    /// the first sender is the client.
    ///
    /// - Parameter client: the side that shows itself as the client, named as it was guessed.
    mutating func decide(client: Side?) -> Opening.Roles {
        if let client {
            if client == .server { sideOfFirst = sideOfFirst.peer }
            return .content
        }
        if let rulePort, (first.port == rulePort) != (second.port == rulePort) {
            sideOfFirst = first.port == rulePort ? .server : .client
            return .ports
        }
        sideOfFirst = first.port >= second.port ? .client : .server
        return first.port == second.port ? .guess : .ports
    }

    /// A SYN says who is who: the beginning is in sight after all.
    mutating func learn(sideOfFirst side: Side) {
        sideOfFirst = side
        start = .handshake
    }

    func opening(roles: Opening.Roles) -> Opening {
        let (client, server) = sideOfFirst == .client ? (first, second) : (second, first)
        return Opening(client: client, server: server, start: start, roles: roles)
    }
}

extension Opening {
    /// Tells that a conversation has come into sight.
    ///
    /// - Parameter names: what its names point to.
    func tell<Sink: ConversationSink & ~Copyable>(number: UInt64, place: Place, names: RawSpan = RawSpan(), sink: inout Sink) {
        sink.receive(
            ConversationEvent(conversation: number, from: nil, place: place, offset: nil, fact: .opened(self), content: names))
    }
}
