/// How the text for people looks.
public struct TextSettings: Sendable {
    /// Whether ANSI colours are used.
    public var usesColor: Bool
    /// Columns of the terminal, at which lines are cut, or folded where all `isFull`; not cut where there is none.
    public var width: Int?
    public var payload: PayloadPolicy
    /// Lines as they come, each with its conversation's number, instead of one block for each conversation.
    public var follows: Bool
    /// Whether each WebSocket frame has a line of its own.
    public var showsFrames: Bool
    /// Whether the header fields of requests and responses, and trailers, have a line each.
    public var showsHeaders: Bool
    /// Whether everything is shown (`--full`): no line is cut, those that are wider than the terminal are folded, and payloads that do not fit in
    /// their line have lines of their own.
    public var isFull: Bool
    /// The conversations to be shown; all where none are named.
    public var conversations: ConversationSelection?
    /// The clock that times are shown by.
    public var zone: TextClock.Zone
    /// The terminal that is written to, whose width may change; it goes before `width`.
    public var terminal: TerminalColumns?
    /// Bytes of lines that one conversation holds back for its block.
    public var blockBytes = 256 << 10
    /// Bytes of lines that are held back over all.
    public var totalBytes = 16 << 20

    /// Whether the first line says what is read, where it does; the proxy's address may be printed already.
    package var announcesSource = true
    /// Whether lines of heartbeats and of their answers are left out (`--hide heartbeats`); they are counted at the end.
    package var hidesHeartbeats = false
    /// What picks what is shown; nil where all is.
    package var filter: FilterPlan?
    /// Whether each line with those under it begins with a separator, for an output that goes on with them (`TextReport.unitSeparator`).
    var separatesUnits = false
    /// The formats that payloads are decoded by.
    package var payloads = PayloadTable.standard

    public init(
        usesColor: Bool = false, width: Int? = 120, payload: PayloadPolicy = .preview, follows: Bool = false, showsFrames: Bool = false,
        showsHeaders: Bool = false, isFull: Bool = false,
        conversations: ConversationSelection? = nil, zone: TextClock.Zone = .utc, terminal: TerminalColumns? = nil
    ) {
        self.usesColor = usesColor
        self.width = width
        self.payload = payload
        self.follows = follows
        self.showsFrames = showsFrames
        self.showsHeaders = showsHeaders
        self.isFull = isFull
        self.conversations = conversations
        self.zone = zone
        self.terminal = terminal
    }
}

/// What a colour stands for. The codes are those of ECMA-48, section 8.3.117, in the terminal's own palette.
enum Ink {
    case plain, strong, faint, client, server, note, warning, violation, found

    var code: StaticString {
        switch self {
        case .plain: "\u{1b}[0m"
        case .strong: "\u{1b}[1m"
        case .faint: "\u{1b}[2m"
        case .client: "\u{1b}[36m"
        case .server: "\u{1b}[35m"
        case .note: "\u{1b}[34m"
        case .warning: "\u{1b}[33m"
        case .violation: "\u{1b}[31m"
        case .found: "\u{1b}[1;31m"
        }
    }
}
