/// What goes into a log of records and how it is laid out.
public struct RecordSettings: Sendable {
    public enum Layout: Sendable {
        /// One record a line: NDJSON.
        case lines
        /// All records in one JSON array.
        case array
    }

    public var layout: Layout
    public var payload: PayloadPolicy
    /// Whether each WebSocket frame has a record of its own.
    public var showsFrames: Bool
    /// The conversations to be shown; all where none are named. What concerns the input itself always stays.
    public var conversations: ConversationSelection?
    /// Only the `capture` and `end` records and findings about the input itself.
    public var totalsAlone: Bool
    /// Whether records of heartbeats and of their answers are left out; `closed` has their number.
    package var hidesHeartbeats = false
    /// The formats that payloads are decoded by, into `decoded`.
    package var payloads = PayloadTable.none
    /// What picks the records of conversations; nil where all are written.
    package var filter: FilterPlan?
    /// The records come after those of another run, in the same file.
    package var isAppended = false

    public init(
        layout: Layout = .lines, payload: PayloadPolicy = .full, showsFrames: Bool = false, conversations: ConversationSelection? = nil,
        totalsAlone: Bool = false
    ) {
        self.layout = layout
        self.payload = payload
        self.showsFrames = showsFrames
        self.conversations = conversations
        self.totalsAlone = totalsAlone
    }
}
