/// A layer that can be registered: what it is called, how it is recognised, how it is made.
package protocol RegisteredLayer: Layer {
    static var name: LayerName { get }

    /// Whether it comes before what the conversation is about, such as the header of a proxy: what the user says of a port holds for what
    /// follows it. False unless said otherwise.
    static var isPreamble: Bool { get }

    /// The layer in which it is agreed on, where there is one: a user who names this layer wants the other read as well.
    static var handshake: LayerName? { get }

    /// Whether it may begin in the middle of a conversation that nothing reads, once its server has agreed to it in words of its own
    /// (STARTTLS). False unless said otherwise.
    static var mayFollowTalk: Bool { get }

    /// Whether it begins with a client's bytes in the middle of a conversation, where nothing else says so: more has to fit than at
    /// the start of one.
    static func follows(client: RawSpan) -> Recognized

    /// Whether the first bytes of a channel belong to it. Never `yes` or `no` for bytes that a longer run would turn into the other.
    ///
    /// - Parameters:
    ///   - client: what the client has sent so far; empty where it has not spoken.
    ///   - server: what the server has sent so far.
    ///   - searched: how far the client's bytes were searched for the end of a line, so that no byte is searched twice.
    static func begins(client: RawSpan, server: RawSpan, searched: inout Int) -> Recognized

    init(_ start: LayerStart)
}

extension RegisteredLayer {
    package static var isPreamble: Bool { false }
    package static var handshake: LayerName? { nil }
    package static var mayFollowTalk: Bool { false }
    package static func follows(client: RawSpan) -> Recognized { .no }
}

/// One layer in the table: all that the engine knows of it.
package struct LayerRow: Sendable {
    package let name: LayerName
    let isPreamble: Bool
    let handshake: LayerName?
    let mayFollowTalk: Bool
    let follows: @Sendable (_ client: RawSpan) -> Recognized
    let begins: @Sendable (_ client: RawSpan, _ server: RawSpan, _ searched: inout Int) -> Recognized
    let make: @Sendable (LayerStart) -> RunningLayer

    package init<State: RegisteredLayer>(_ layer: State.Type) {
        name = State.name
        isPreamble = State.isPreamble
        handshake = State.handshake
        mayFollowTalk = State.mayFollowTalk
        follows = { State.follows(client: $0) }
        begins = { State.begins(client: $0, server: $1, searched: &$2) }
        make = { HeldLayer(State($0)) }
    }
}

/// The layers that a dissector knows, in the order in which they are asked whether the first bytes are theirs.
public struct LayerTable: Sendable {
    package let rows: [LayerRow]

    package init(_ rows: [LayerRow]) { self.rows = rows }

    subscript(name: LayerName) -> LayerRow? { index(of: name).map { rows[$0] } }

    private func index(of name: LayerName) -> Int? {
        for index in rows.indices where rows[index].name == name { return index }
        return nil
    }

    /// Those that a user can say are spoken at a port.
    public var choices: [LayerName] { rows.filter { !$0.isPreamble }.map(\.name) }

    /// Makes the layer of a name; none where no row has it.
    func make(_ name: LayerName, _ start: LayerStart) -> RunningLayer? { index(of: name).map { rows[$0].make(start) } }

    /// Whose the first bytes of a channel are: `data` where nobody wants them, nil while somebody has to see more.
    func layer(client: RawSpan, server: RawSpan, searched: inout Int) -> LayerName? {
        // By their places: a row that is taken out is a copy with its closures counted, for each conversation.
        for index in rows.indices {
            switch rows[index].begins(client, server, &searched) {
            case .yes: return rows[index].name
            case .undecided: return nil
            case .no: continue
            }
        }
        return .data
    }

    /// Whether something begins with a client's bytes that may begin in the middle of a conversation.
    func isBegun(client: RawSpan) -> Recognized {
        var answer = Recognized.no
        for index in rows.indices where rows[index].mayFollowTalk {
            switch rows[index].follows(client) {
            case .yes: return .yes
            case .undecided: answer = .undecided
            case .no: continue
            }
        }
        return answer
    }
}
