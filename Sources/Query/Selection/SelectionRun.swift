import Dissection
import Reports

/// A `Selection` over the events of one run.
final class SelectionRun: EventFilter {
    /// What is known of an open conversation.
    private struct Conversation {
        var server = ServerMatch()
        var problems = ProblemWatch()
        /// Bytes of the bodies that are coming.
        var bodies = BodyLengths()
        /// Something was picked.
        var hasHit = false
        /// Something is kept that is picked once the conversation turns out to be one that is wanted.
        var hasPending = false
        /// Messages after the last hit that are still to be shown.
        var after = 0

        var heldBytes: Int { 2 * MemoryLayout<Conversation>.stride + server.heldBytes + bodies.heldBytes }
    }

    private let selection: Selection
    private let servers: ServerPatterns
    private let known: ConversationSet?
    private let found: FoundConversations?
    private let expression: FilterRun?
    private let search: SoughtText?
    /// Whether something has to be known of a conversation. Otherwise each event is judged by itself.
    private let keepsConversations: Bool
    private let hasTimes: Bool
    private var conversations = ByConversation<Conversation>(vacant: Conversation())
    private var bytesOfConversations = 0
    /// The moments between which events are shown, once the first event has come.
    private var window: ClosedRange<Int64>?
    let keptMessages: Int

    init(_ selection: Selection, knowing known: ConversationSet? = nil, finding found: FoundConversations? = nil) {
        self.selection = selection
        self.known = known
        self.found = found
        servers = ServerPatterns(hosts: selection.hosts, paths: selection.paths)
        expression = selection.expression?.makeFilter()
        hasTimes = selection.since != nil || selection.until != nil
        keepsConversations =
            !servers.isEmpty || selection.problems || selection.whole || selection.context > 0 || selection.leastBytes != nil
        search = selection.patterns.isEmpty ? nil : SoughtText(selection.patterns)
        if selection.whole, known != nil {
            keptMessages = 0
        } else if selection.context > 0, !selection.whole {
            keptMessages = selection.context
        } else {
            keptMessages = selection.whole || selection.problems || !servers.isEmpty ? .max : 0
        }
    }

    /// What payloads say is looked at by expressions, and by a search, unless a first reading has found all there is.
    var wantsDecoded: Bool { !(selection.whole && known != nil) && (search != nil || expression?.wantsDecoded == true) }

    /// Of most payloads a search needs no more than their bytes.
    func wantsDecoded(_ event: borrowing ConversationEvent) -> Bool {
        if selection.whole, known != nil { return false }
        return expression?.wantsDecoded == true || search?.wantsDecoded(event) == true
    }

    var heldBytes: Int { bytesOfConversations + conversations.heldBytes + (expression?.heldBytes ?? 0) + (search?.heldBytes ?? 0) }

    var givenUp: UInt64 { (search?.givenUp ?? 0) &+ (expression?.givenUp ?? 0) }

    func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool { verdict(event, decoded) == .show }

    func highlight(_ bytes: RawSpan) -> Range<Int>? {
        guard let found = search?.first(in: bytes) else { return expression?.highlight(bytes) }
        guard let other = expression?.highlight(bytes), other.lowerBound < found.lowerBound else { return found }
        return other
    }

    func verdict(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> EventVerdict {
        let number = event.conversation
        if hasTimes, window == nil, let time = event.place.time { window = window(from: time) }
        if number == 0 { return .show }
        if !keepsConversations { return isPicked(event, decoded) ? .show : .leaveOut }
        if selection.whole, let known { return known.contains(number) ? .show : .leaveOut }
        guard let place = conversations.placeAdding(number) else { return .show }
        bytesOfConversations -= conversations[place].heldBytes
        let verdict = judge(event, decoded, &conversations[place])
        bytesOfConversations += conversations[place].heldBytes
        if event.kind == .closed {
            bytesOfConversations -= conversations[place].heldBytes
            conversations.remove(number)
        }
        return verdict
    }

    /// Whether an event is one that is wanted, whatever else there is in its conversation.
    @inline(__always)
    private func isPicked(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
        // Whoever keeps something of a conversation sees all of it.
        let isAccepted = expression?.accepts(event, decoded) ?? true
        let isMet = isAccepted && (selection.from == nil || event.from == selection.from) && (!hasTimes || isInTime(event))
        guard let search else { return isMet }
        if isMet { return search.finds(in: event, decoded) }
        search.pass(event)
        return false
    }

    private func judge(
        _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ conversation: inout Conversation
    ) -> EventVerdict {
        // Whoever keeps something of a conversation sees all of it.
        let isAccepted = expression?.accepts(event, decoded) ?? true
        let isFound = search?.finds(in: event, decoded) ?? true
        let isMet = meets(event, &conversation) && isAccepted && isFound
        var certainty = servers.isEmpty ? Certainty.yes : conversation.server.take(event, servers)
        let hadProblem = conversation.problems.hasProblem
        if selection.problems {
            conversation.problems.take(event)
            certainty = min(certainty, problemCertainty(event, conversation))
        }
        if isMet, certainty == .yes { return hit(event, &conversation) }
        let hasTurned =
            selection.problems && conversation.problems.hasProblem && !hadProblem
            && (servers.isEmpty || conversation.server.isWanted(servers))
        // What came before it is a hit now, and this is why.
        if hasTurned, conversation.hasPending { return hit(event, &conversation) }
        if selection.whole, conversation.hasHit { return .show }
        let isMessage = event.isStep
        if conversation.after > 0 {
            if isMessage { conversation.after -= 1 }
            return .show
        }
        if isMet, certainty == .unknown {
            conversation.hasPending = true
            return .keep
        }
        if selection.whole { return .keep }
        if selection.context > 0 { return isMessage ? .keepAsMessage : .keep }
        return .leaveOut
    }

    private func problemCertainty(_ event: borrowing ConversationEvent, _ conversation: Conversation) -> Certainty {
        if let known { return known.contains(event.conversation) ? .yes : .no }
        if conversation.problems.hasProblem {
            if !selection.whole { found?.insert(event.conversation) }
            return .yes
        }
        return .unknown
    }

    private func hit(_ event: borrowing ConversationEvent, _ conversation: inout Conversation) -> EventVerdict {
        if selection.whole, !conversation.hasHit { found?.insert(event.conversation) }
        conversation.hasHit = true
        conversation.hasPending = false
        conversation.after = selection.context
        return .show
    }

    /// Whether an event is of a kind, a side, a size and a time that are wanted.
    private func meets(_ event: borrowing ConversationEvent, _ conversation: inout Conversation) -> Bool {
        if let side = selection.from, event.from != side { return false }
        if let least = selection.leastBytes, length(of: event, &conversation) ?? 0 < least { return false }
        return !hasTimes || isInTime(event)
    }

    private func isInTime(_ event: borrowing ConversationEvent) -> Bool {
        event.place.time.map { window?.contains($0.nanoseconds) ?? true } ?? false
    }

    private func window(from beginning: Timestamp) -> ClosedRange<Int64> {
        let since = selection.since?.moment(from: beginning, selection.zone).nanoseconds ?? .min
        let until = selection.until?.moment(from: beginning, selection.zone).nanoseconds ?? .max
        // An end before the beginning leaves nothing but that moment.
        return since...max(since, until)
    }

    /// Bytes of a payload; of a body, those that have come so far.
    private func length(of event: borrowing ConversationEvent, _ conversation: inout Conversation) -> UInt64? {
        switch event.fact {
        case .message(let message): return message.length
        case .data(let run): return run.length
        case .ping, .pong, .close: return UInt64(event.content.byteCount)
        case .body(let part):
            let length = conversation.bodies.add(part, of: event, isEnd: part.final)
            return part.element != nil ? part.length : length
        case _: return nil
        }
    }
}

extension ConversationEvent {
    /// Whether it counts as one of the messages around a hit: what one side says, and not what is concluded from it. Of a body that comes in parts the
    /// first counts.
    fileprivate var isStep: Bool {
        switch fact {
        case .request, .response, .message, .ping, .pong, .close, .data: true
        case .body(let part): part.part == 1 || part.element == .event || part.element == .line || part.element == .message
        case .opened, .tls, .upgrade, .frame, .gap, .finding, .closed, .control: false
        }
    }
}
