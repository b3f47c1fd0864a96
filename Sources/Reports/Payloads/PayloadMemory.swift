/// What a format keeps of a conversation, from payload to payload.
package protocol PayloadState: Sendable {
    /// At the beginning of the conversation.
    init()
    /// Bytes of memory that it takes beside itself. The format bounds it.
    var heldBytes: Int { get }
}

/// What is kept of one conversation, from payload to payload.
package struct PayloadMemory: Sendable {
    /// Calls that wait for their answer.
    package var calls = PendingCalls()
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

    /// Bytes of memory.
    var heldBytes: Int {
        states.reduce(calls.heldBytes + states.capacity * MemoryLayout<any PayloadState>.stride) { $0 + $1.heldBytes + 64 }
    }
}
