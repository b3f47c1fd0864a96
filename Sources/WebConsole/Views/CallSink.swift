import Dissection
import Reports

/// Takes the events of records in their order, and finds the messages that reply to calls, as their formats match them.
struct CallSink: ConversationSink {
    /// Messages of a live conversation of which none replied to a call: it is left out for a while, and some messages after that are looked at.
    private static let patience = (messages: 512, some: 64)
    /// Records for which it is left out.
    private static let pause: Int64 = 8_192

    private var reader = PayloadReader(.standard)
    /// By conversation: messages since the last reply, and up to which record it is left out.
    private var silent: [Int64: (messages: Int, until: Int64)] = [:]
    /// The record that is read.
    var record: Int64 = 0
    /// What was found since it was taken.
    var found: [Calls.Call] = []
    /// Conversations without calls are left out for a while.
    var skips = false
    /// Some were.
    private(set) var hasSkipped = false

    var heldBytes: Int { reader.heldBytes }

    mutating func receive(_ event: borrowing ConversationEvent) {
        let number = Int64(clamping: event.conversation)
        let decoded = reader.read(event)
        if event.kind == .closed { silent[number] = nil }
        guard event.kind == .message, let time = event.place.time?.nanoseconds else { return }
        let latencies = decoded?.latencies ?? []
        for took in latencies where took >= 0 { found.append(Calls.Call(record: record, end: time, took: took)) }
        guard skips else { return }
        guard latencies.isEmpty else { return silent[number] = nil }
        var state = silent[number] ?? (0, 0)
        state.messages += 1
        if state.messages >= Self.patience.messages { state = (Self.patience.messages - Self.patience.some, record + Self.pause) }
        silent[number] = state
    }

    /// The first record at which one that is left out comes again.
    var nextReturn: Int64? { silent.values.lazy.map(\.until).filter { $0 > 0 }.min() }

    /// The conversations that are left out up to the record `last`. Of those that come again it is not known which call is replied to.
    mutating func leftOut(through last: Int64) -> [Int64] {
        guard skips else { return [] }
        var list: [Int64] = []
        for (number, state) in silent where state.until > 0 {
            if state.until > last {
                list.append(number)
            } else {
                silent[number]?.until = 0
                reader.skip(in: UInt64(clamping: number))
            }
        }
        if !list.isEmpty { hasSkipped = true }
        return list.sorted()
    }
}
