import Dissection

/// What a selection before a report works with.
package struct StageSettings: Sendable {
    /// Makes the filter; nil where everything is picked.
    package var makeFilter: (@Sendable () -> any EventFilter)?
    /// What knows the payloads that the filter asks about.
    package var payloads: PayloadTable
    /// Bytes of events that are kept until it is known whether they are picked.
    package var mostBytes: Int

    package init(makeFilter: (@Sendable () -> any EventFilter)? = nil, payloads: PayloadTable = .standard, mostBytes: Int = 16 << 20) {
        self.makeFilter = makeFilter
        self.payloads = payloads
        self.mostBytes = mostBytes
    }
}

/// Says of each event whether a filter picks it, before a report sees it.
///
/// Some are picked for what comes after them: the opening of a conversation whose host is told by its first request, messages before a hit. Events
/// wait for that, and those of the same conversation behind them, so that a report sees each conversation in order. What waits is bounded:
/// beyond that the conversation's events go on as not picked, and are counted as lost.
package struct SelectionStage<Sink: PickingSink & ~Copyable>: ConversationSink, ~Copyable {
    /// What waits of a conversation.
    private struct Waiting {
        struct Event {
            let event: HeldEvent
            /// It is picked once the conversation has a hit.
            let isCandidate: Bool
            /// It counts as one of the messages before a hit.
            let isMessage: Bool
        }

        var events: [Event] = []
        /// Those before it went on.
        var first = 0
        var messages = 0
        var bytes = 0

        mutating func append(_ event: borrowing ConversationEvent, isCandidate: Bool, isMessage: Bool) -> Int {
            let held = HeldEvent(event)
            events.append(Event(event: held, isCandidate: isCandidate, isMessage: isMessage))
            if isMessage { messages += 1 }
            bytes += held.heldBytes
            return held.heldBytes
        }

        mutating func removeFirst() -> Event? {
            guard first < events.count else { return nil }
            let event = events[first]
            first += 1
            bytes -= event.event.heldBytes
            if event.isMessage { messages -= 1 }
            if first > 64, first > events.count / 2 {
                events.removeFirst(first)
                first = 0
            }
            return event
        }
    }

    package var sink: Sink
    private let filter: (any EventFilter)?
    private let payloads: DecodingStage
    private let mostBytes: Int
    private var waiting: [UInt64: Waiting] = [:]
    private var waitingBytes = 0
    /// Events that might have been picked, and for which there was no room until that was known.
    package private(set) var lost: UInt64 = 0

    package init(_ sink: consuming Sink, _ settings: StageSettings) {
        self.sink = sink
        filter = settings.makeFilter?()
        payloads = .of(nil, reads: filter?.wantsDecoded == true, settings.payloads)
        mostBytes = settings.mostBytes
    }

    package var takesFrames: Bool { sink.takesFrames }

    package var heldBytes: Int { sink.heldBytes + waitingBytes + payloads.heldBytes + (filter?.heldBytes ?? 0) }

    /// Searches that were given up because they took too many steps.
    package var searchesGivenUp: UInt64 { filter?.givenUp ?? 0 }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        guard let filter, event.conversation != 0 else { return sink.receive(event, isPicked: true) }
        let number = event.conversation
        switch filter.verdict(event, payloads.read(event, for: filter)) {
        case .show:
            release(number, isHit: true)
            sink.receive(event, isPicked: true)
        case .leaveOut where waiting[number] == nil: sink.receive(event, isPicked: false)
        case .leaveOut: keep(event, isCandidate: false, isMessage: false, filter.keptMessages)
        case .keep: keep(event, isCandidate: true, isMessage: false, filter.keptMessages)
        case .keepAsMessage: keep(event, isCandidate: true, isMessage: true, filter.keptMessages)
        }
        if event.kind == .closed { release(number, isHit: false) }
    }

    private mutating func keep(_ event: borrowing ConversationEvent, isCandidate: Bool, isMessage: Bool, _ mostMessages: Int) {
        let number = event.conversation
        var conversation = waiting.removeValue(forKey: number) ?? Waiting()
        waitingBytes += conversation.append(event, isCandidate: isCandidate, isMessage: isMessage)
        // Those from before the messages that count are not picked any more.
        while conversation.messages > mostMessages { passFirst(&conversation) }
        while waitingBytes > mostBytes, conversation.first < conversation.events.count {
            if conversation.events[conversation.first].isCandidate { lost &+= 1 }
            passFirst(&conversation)
        }
        if conversation.first < conversation.events.count { waiting[number] = conversation }
    }

    /// Hands on the first event that waits, which is not picked.
    private mutating func passFirst(_ conversation: inout Waiting) {
        guard let first = conversation.removeFirst() else { return }
        waitingBytes -= first.event.heldBytes
        first.event.lend { sink.receive($0, isPicked: false) }
    }

    /// Hands on what waits of a conversation: because of a hit, or because there will be none.
    private mutating func release(_ number: UInt64, isHit: Bool) {
        guard !waiting.isEmpty, let conversation = waiting.removeValue(forKey: number) else { return }
        waitingBytes -= conversation.bytes
        for one in conversation.events[conversation.first...] {
            one.event.lend { sink.receive($0, isPicked: isHit && one.isCandidate) }
        }
    }

    /// Gives the report back. What still waits goes on as not picked.
    package consuming func taken() -> Sink {
        for number in waiting.keys.sorted() { release(number, isHit: false) }
        return sink
    }
}
