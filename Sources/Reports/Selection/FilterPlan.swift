import Dissection

/// A filter, and what an output keeps for it. Outputs of one line that have the same plan share what the filter says of an event.
package struct FilterPlan: Sendable {
    /// What is the same for all copies of a plan.
    private final class Identity: Sendable {}

    private let identity = Identity()
    package let makeFilter: @Sendable () -> any EventFilter
    /// Bytes of a payload that it looks at.
    package let soughtBytes: Int
    /// Bytes of records that are kept until it is known whether they are picked.
    package let keptBytes: (ofConversation: Int, total: Int)
    /// What knows the payloads that it asks about.
    package let payloads: PayloadTable

    package init(
        soughtBytes: Int = 0, keptBytes: (ofConversation: Int, total: Int) = (256 << 10, 16 << 20), payloads: PayloadTable = .standard,
        makeFilter: @escaping @Sendable () -> any EventFilter
    ) {
        self.makeFilter = makeFilter
        self.soughtBytes = soughtBytes
        self.keptBytes = keptBytes
        self.payloads = payloads
    }

    fileprivate var key: ObjectIdentifier { ObjectIdentifier(identity) }
}

extension DecodingStage {
    /// The filter of an output: one for all outputs of a line with the same plan, or one of its own.
    static func filter(_ plan: FilterPlan?, _ shared: DecodingStage?) -> (any EventFilter)? {
        guard let plan else { return nil }
        guard let shared, shared.isShared else { return plan.makeFilter() }
        let filter = shared.object(plan.key) { SharedFilter(plan.makeFilter(), shared) }
        filter.users += 1
        return filter
    }
}

/// A filter that several outputs ask about the same event: it looks at each event once.
private final class SharedFilter: EventFilter {
    private let filter: any EventFilter
    private let stage: DecodingStage
    /// The event that was judged last, counted, and the verdict on it.
    private var judged: UInt64 = 0
    private var last = EventVerdict.leaveOut
    /// Outputs that ask.
    var users = 0

    init(_ filter: any EventFilter, _ stage: DecodingStage) {
        self.filter = filter
        self.stage = stage
    }

    var wantsDecoded: Bool { filter.wantsDecoded }
    func wantsDecoded(_ event: borrowing ConversationEvent) -> Bool { judged != stage.event && filter.wantsDecoded(event) }
    func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool { verdict(event, decoded) == .show }

    func verdict(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> EventVerdict {
        if judged != stage.event {
            judged = stage.event
            last = filter.verdict(event, decoded)
        }
        return last
    }

    var keptMessages: Int { filter.keptMessages }
    func highlight(_ bytes: RawSpan) -> Range<Int>? { filter.highlight(bytes) }
    /// Its share: each of the outputs counts it.
    var heldBytes: Int { filter.heldBytes / max(1, users) }
    var givenUp: UInt64 { filter.givenUp }
}
