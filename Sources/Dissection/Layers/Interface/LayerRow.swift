/// A layer that can be registered: what it is called, how it is recognised, how it is made.
package protocol RegisteredLayer: Layer {
    static var name: LayerName { get }

    /// Whether it comes before what the conversation is about, such as the header of a proxy: what the user says of a port holds for what
    /// follows it. False unless said otherwise.
    static var isPreamble: Bool { get }

    /// The layer in which it is agreed on, where there is one: a user who names this layer wants the other read as well.
    static var handshake: LayerName? { get }

    /// The layer of which it is another version, where there is one: a user who names that layer wants this one read where it is recognised.
    static var olderVersion: LayerName? { get }

    /// Whether it may begin in the middle of a conversation that nothing reads, once its server has agreed to it in words of its own
    /// (STARTTLS). False unless said otherwise.
    static var mayFollowConversation: Bool { get }

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

    /// Whether first bytes that nobody has claimed, and that nothing follows, are the beginning of it: all that there is in a capture which
    /// cuts packets short. No unless said otherwise.
    static func isBegun(client: RawSpan, server: RawSpan) -> Bool

    /// What finds it in one side of a channel whose beginning was not captured; none where that cannot be, or is not wanted.
    static func search() -> (any MidstreamSearch)?

    /// Whether it may begin with that byte, where a side speaks on after talk that was nothing known: only such runs are shown to its search
    /// then. No unless said otherwise.
    static func mayBegin(with first: UInt8, from side: Side) -> Bool

    init(_ start: LayerStart)
}

extension RegisteredLayer {
    package static var isPreamble: Bool { false }
    package static var handshake: LayerName? { nil }
    package static var olderVersion: LayerName? { nil }
    package static var mayFollowConversation: Bool { false }
    package static func follows(client: RawSpan) -> Recognized { .no }
    package static func isBegun(client: RawSpan, server: RawSpan) -> Bool { false }
    package static func search() -> (any MidstreamSearch)? { nil }
    package static func mayBegin(with first: UInt8, from side: Side) -> Bool { false }
}

/// One layer in the table: all that the engine knows of it.
package struct LayerRow: Sendable {
    package let name: LayerName
    let isPreamble: Bool
    let handshake: LayerName?
    let olderVersion: LayerName?
    let mayFollowConversation: Bool
    let follows: @Sendable (_ client: RawSpan) -> Recognized
    let begins: @Sendable (_ client: RawSpan, _ server: RawSpan, _ searched: inout Int) -> Recognized
    let isBegun: @Sendable (_ client: RawSpan, _ server: RawSpan) -> Bool
    let search: @Sendable () -> (any MidstreamSearch)?
    let mayBegin: @Sendable (_ first: UInt8, _ side: Side) -> Bool
    let make: @Sendable (LayerStart) -> RunningLayer

    package init<State: RegisteredLayer>(_ layer: State.Type) {
        name = State.name
        isPreamble = State.isPreamble
        handshake = State.handshake
        olderVersion = State.olderVersion
        mayFollowConversation = State.mayFollowConversation
        follows = { State.follows(client: $0) }
        begins = { State.begins(client: $0, server: $1, searched: &$2) }
        isBegun = { State.isBegun(client: $0, server: $1) }
        search = { State.search() }
        mayBegin = { State.mayBegin(with: $0, from: $1) }
        make = { HeldLayer(State($0)) }
    }
}
