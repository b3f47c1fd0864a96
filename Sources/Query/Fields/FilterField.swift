import Reports

/// A field of the display filter.
struct FilterField: Sendable {
    /// Whose it is.
    enum Level: Sendable {
        /// The event that has it.
        case event
        /// The conversation: each of its events has it, from the one on that told it.
        case conversation

        var name: String {
            switch self {
            case .event: "event"
            case .conversation: "conversation"
            }
        }
    }

    var name: String
    var source: FieldSource
    var type: ValueType
    var level = Level.event
    /// What it says, in Markdown and without a full stop.
    var sentence: String
    /// Wireshark has a field of this name.
    var isWiresharks = false
    /// What Wireshark calls it, where that is another name.
    var wireshark: String?
    /// It is told by another name on the page.
    var isHidden = false

    init(
        _ name: String, _ source: FieldSource, _ type: ValueType, _ sentence: String, level: Level = .event, isWiresharks: Bool = false,
        isHidden: Bool = false
    ) {
        self.name = name
        self.source = source
        self.type = type
        self.sentence = sentence
        self.level = level
        self.isWiresharks = isWiresharks
        self.isHidden = isHidden
    }
}

extension FieldSource {
    /// Whether its value is the payload of an event.
    var isPayload: Bool {
        switch self {
        case .message(let field): [.payload, .text, .textPayload, .binaryPayload, .webSocketPayload].contains(field)
        case .body(let field): field == .payload || field == .text
        case .data(let field): field == .payload || field == .text
        case .ping(let field), .pongPayload(let field): field == .payload || field == .text
        case .close(let field): field == .reason || field == .text
        case .content: true
        case .within(_, let source): source.isPayload
        case .several(let sources): sources.allSatisfy(\.isPayload)
        case _: false
        }
    }
}
