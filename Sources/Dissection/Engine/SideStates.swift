/// Which side sends in which direction, and how far each side has come.
struct SideStates: Sendable {
    /// The side that sends in the first direction; a guess until the roles are decided.
    var sideOfFirst: Side = .client
    private var clientOffset: UInt64 = 0
    private var serverOffset: UInt64 = 0
    private(set) var clientEnd = Closing.End.open
    private(set) var serverEnd = Closing.End.open

    @inline(__always)
    func side(of direction: Direction) -> Side { direction == .first ? sideOfFirst : sideOfFirst.peer }

    @inline(__always)
    func direction(of side: Side) -> Direction { side == sideOfFirst ? .first : .second }

    /// The position of the next byte that no layer has seen.
    @inline(__always)
    func offset(of side: Side) -> UInt64 { side == .client ? clientOffset : serverOffset }

    @inline(__always)
    mutating func advance(_ side: Side, by length: UInt64) {
        if side == .client { clientOffset &+= length } else { serverOffset &+= length }
    }

    func end(of side: Side) -> Closing.End { side == .client ? clientEnd : serverEnd }

    mutating func setEnd(of side: Side, _ end: Closing.End) {
        if side == .client { clientEnd = end } else { serverEnd = end }
    }

    /// Both sides have ended, or one was reset.
    var areOver: Bool { clientEnd == .reset || serverEnd == .reset || (clientEnd == .fin && serverEnd == .fin) }

    /// Fixes who is who: as the content says, else the port of a rule of the user is the server's, else the lower port, else
    /// the first sender is the client.
    mutating func decide(client: Direction?, rulePort: UInt16?, first: Endpoint, second: Endpoint) -> Opening.Roles {
        if let client {
            sideOfFirst = client == .first ? .client : .server
            return .content
        }
        if let rulePort, (first.port == rulePort) != (second.port == rulePort) {
            sideOfFirst = first.port == rulePort ? .server : .client
            return .ports
        }
        sideOfFirst = first.port >= second.port ? .client : .server
        return first.port == second.port ? .guess : .ports
    }
}
