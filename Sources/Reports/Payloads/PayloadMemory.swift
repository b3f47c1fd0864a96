import Dissection

/// What a format keeps of a conversation, from payload to payload.
package protocol PayloadState: Sendable {
    /// At the beginning of the conversation.
    init()
    /// Bytes of memory that it takes beside itself. The format bounds it.
    var heldBytes: Int { get }
    /// Bytes of this side did not come, or could not be read: what waits for them waits in vain.
    mutating func lose(bytesOf side: Side)
}

extension PayloadState {
    package mutating func lose(bytesOf side: Side) {}
}

/// What is kept of one conversation, from payload to payload.
package struct PayloadMemory: Sendable {
    /// Calls that wait for their answer.
    package var calls = PendingCalls()
    /// The name of the session that this is known of, where it goes on in other conversations: Engine.IO's `sid`. At most 128 bytes.
    package var session: [UInt8] = []
    /// The format of the last payload that was read without an error.
    var spoken: StaticString?
    /// One of each type at most, so a few.
    private var states: [any PayloadState] = []

    package init() {}

    /// What a format keeps of its own; made when it is first asked for.
    package subscript<State: PayloadState>(_ type: State.Type) -> State {
        get {
            for case let state as State in states { return state }
            return State()
        }
        set {
            if let index = states.firstIndex(where: { $0 is State }) {
                states[index] = newValue
            } else {
                states.append(newValue)
            }
        }
    }

    /// Takes what a format keeps of its own out, to be put back after it was changed: so changing it copies nothing.
    package mutating func take<State: PayloadState>(_ type: State.Type) -> State {
        for index in states.indices {
            guard let state = states[index] as? State else { continue }
            states[index] = State()
            return state
        }
        return State()
    }

    /// A side said JSON and no more.
    @inline(__always)
    mutating func notePlainJSON(from side: Side) {
        spoken = PlainJSON.name
        calls.hear(side)
    }

    /// Bytes of this side did not come.
    mutating func lose(bytesOf side: Side) {
        for index in states.indices { states[index].lose(bytesOf: side) }
        calls.doubtAnswers(of: side)
    }

    /// Forgets what waits for something, to free its memory.
    mutating func giveUp() {
        lose(bytesOf: .client)
        lose(bytesOf: .server)
        calls = PendingCalls()
    }

    /// Bytes of memory.
    var heldBytes: Int {
        states.reduce(session.capacity + calls.heldBytes + states.capacity * MemoryLayout<any PayloadState>.stride) {
            $0 + $1.heldBytes + 64
        }
    }
}
