import Dissection

/// What a filter lets through to one output: the verdict on each event, what waits for a later one, and what it came to.
struct OutputSelection {
    let filter: any EventFilter
    private var kept: KeptOutput
    /// What is done with the line or record that is being made.
    var verdict = EventVerdict.show
    /// The event that it is made of, counted.
    private var event: UInt64 = 0
    /// The event is a message that has not been counted as shown.
    private var isMessage = false
    /// Open conversations of which something was shown.
    private var shown = ByConversation<Void>(vacant: ())
    /// Whether groups of lines are told apart, and the conversation of the last line that was shown; 0 where something of it was left out since.
    private let separatesGroups: Bool
    private var lastShown: UInt64?

    private(set) var messages: UInt64 = 0
    private(set) var conversations: UInt64 = 0
    /// Lines or records that belong before a hit, and for which there was no room until it came.
    private(set) var lost: UInt64 = 0

    /// - Parameters:
    ///   - conversationBytes: what is kept of one conversation at most.
    ///   - totalBytes: what is kept of all of them at most.
    private init(_ filter: any EventFilter, conversationBytes: Int, totalBytes: Int) {
        self.filter = filter
        kept = KeptOutput(messages: filter.keptMessages, conversationBytes: conversationBytes, totalBytes: totalBytes)
        separatesGroups = filter.keptMessages > 0 && filter.keptMessages < .max
    }

    /// What a plan lets through; nil where there is none.
    ///
    /// - Parameter keptBytes: what is kept of one conversation, and of all of them, where the plan does not decide it.
    init?(_ plan: FilterPlan?, _ shared: DecodingStage?, keptBytes: (ofConversation: Int, total: Int)? = nil) {
        guard let plan, let filter = DecodingStage.filter(plan, shared) else { return nil }
        let kept = keptBytes ?? plan.keptBytes
        self.init(filter, conversationBytes: kept.ofConversation, totalBytes: kept.total)
    }

    var heldBytes: Int { filter.heldBytes + kept.heldBytes + shown.heldBytes }

    /// Takes the next event.
    mutating func judge(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) {
        self.event &+= 1
        isMessage = event.isMessage
        verdict = filter.verdict(event, decoded)
        if verdict == .show, event.kind == .opened { noteShown(event.conversation) }
    }

    /// Whether something of a conversation was shown.
    mutating func hasShown(_ number: UInt64) -> Bool { shown.place(of: number) != nil }

    /// Decides on the lines about the end of a conversation: they are shown where something of it is.
    mutating func judgeEnd(of number: UInt64) {
        if verdict == .show { return }
        // No hit comes any more.
        kept.drop(number)
        verdict = hasShown(number) ? .show : .leaveOut
    }

    /// A conversation has closed.
    mutating func forget(_ number: UInt64) {
        kept.drop(number)
        shown.remove(number)
    }

    /// Something of a conversation is left out.
    mutating func leaveOut(_ number: UInt64) { if lastShown == number { lastShown = 0 } }

    /// Keeps a line or record that may be shown later.
    mutating func putAside(_ bytes: [UInt8], lines: UInt64, of number: UInt64) {
        let unit = KeptOutput.Unit(bytes, lines: lines, of: event, messages: takeMessage(), counts: verdict == .keepAsMessage)
        if kept.keep(unit, of: number), lastShown == number { lastShown = 0 }
    }

    /// Takes the line that a conversation opened: it goes before the first one that is shown of it.
    mutating func putAsideOpening(_ bytes: [UInt8], lines: UInt64, of number: UInt64) {
        kept.keepOpening(KeptOutput.Unit(bytes, lines: lines, of: event, messages: 0, counts: false), of: number)
    }

    /// What is shown before a line that is shown.
    struct Before {
        var units: [KeptOutput.Unit]
        /// Lines that should be there too, and are not any more.
        var lost: UInt64
        /// Something stands between this group of lines and the one before it.
        var isNewGroup: Bool
    }

    /// A record of a conversation is shown now, before which nothing goes; it was counted then. False where something may, and `release` says what.
    @inline(__always)
    mutating func hasNothingBefore(_ number: UInt64) -> Bool {
        guard kept.isEmpty, !separatesGroups else { return false }
        noteShown(number)
        messages &+= takeMessage()
        return true
    }

    /// A line or record of a conversation is shown now. Returns what goes before it.
    mutating func release(_ number: UInt64) -> Before {
        noteShown(number)
        messages &+= takeMessage()
        let (units, lost) = kept.take(number)
        self.lost &+= lost
        for unit in units { messages &+= unit.messages }
        let isNewGroup = separatesGroups && lastShown != nil && lastShown != number
        lastShown = number
        return Before(units: units, lost: lost, isNewGroup: isNewGroup)
    }

    private mutating func noteShown(_ number: UInt64) {
        guard shown.place(of: number) == nil, shown.placeAdding(number) != nil else { return }
        conversations &+= 1
    }

    private mutating func takeMessage() -> UInt64 {
        defer { isMessage = false }
        return isMessage ? 1 : 0
    }
}
