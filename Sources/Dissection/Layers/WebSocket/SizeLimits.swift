/// The longest message that a library or a service takes unless it is told otherwise.
struct SizeLimit: Sendable {
    enum Condition: Sendable {
        case none
        /// It is of text messages.
        case text
        /// It is of a frame, and the message has one.
        case oneFrame
        /// It is of Engine.IO, which the WebSocket carries, and whose server has not announced its own.
        case engineIO
    }

    let bytes: UInt64
    let words: StaticString
    let owner: StaticString
    /// Which side it may be; nil for either.
    var receiver: Side?
    var condition = Condition.none
    /// It may end the connection without a Close frame.
    var mayLackCode = false

    /// In the order of their size, the largest first.
    static let all: [SizeLimit] = [
        SizeLimit(bytes: 100 << 20, words: "100 MiB", owner: "ws for Node.js (maxPayload)", mayLackCode: true),
        SizeLimit(bytes: 4 << 20, words: "4 MiB", owner: "aiohttp (max_msg_size)", mayLackCode: true),
        SizeLimit(
            bytes: 1 << 20, words: "1 MiB", owner: "URLSessionWebSocketTask (maximumMessageSize)", receiver: .client, mayLackCode: true),
        SizeLimit(bytes: 1 << 20, words: "1 MiB", owner: "Python's websockets (max_size)", mayLackCode: true),
        SizeLimit(
            bytes: EngineIOLimit.usual, words: EngineIOLimit.usualWords, owner: EngineIOLimit.usualOwner, receiver: .server,
            condition: .engineIO, mayLackCode: true),
        SizeLimit(bytes: 128 << 10, words: "128 KiB", owner: "AWS API Gateway", receiver: .server),
        SizeLimit(bytes: 32 << 10, words: "32 KiB", owner: "AWS API Gateway for a frame", receiver: .server, condition: .oneFrame),
        SizeLimit(bytes: 8 << 10, words: "8 KiB", owner: "Tomcat and Spring for text", receiver: .server, condition: .text),
    ]

    /// Whether a message is beyond it that a side receives, and none before it was.
    ///
    /// - Parameter survived: bytes of the longest message before.
    fileprivate func isCrossed(
        by length: UInt64, after survived: UInt64, isText: Bool, isOneFrame: Bool, of side: Side, _ announced: AnnouncedLimit
    ) -> Bool {
        guard length > bytes, survived <= bytes, receiver == nil || receiver == side else { return false }
        return switch condition {
        case .none: true
        case .text: isText
        case .oneFrame: isOneFrame
        case .engineIO: announced == .usual
        }
    }
}

/// What the server of a session of Engine.IO has said of the length of messages.
enum AnnouncedLimit: Equatable, Sendable {
    /// It is not Engine.IO.
    case none
    /// It has announced nothing, or that was not captured.
    case usual
    /// It takes so many bytes.
    case bytes(UInt64)

    init(_ negotiation: WebSocketNegotiation, _ context: borrowing ConversationContext) {
        guard negotiation.isEngineIO else {
            self = .none
            return
        }
        self = context.maxPayload.map { .bytes($0) } ?? .usual
    }
}

/// The limits that a message is beyond and none before it was.
struct CrossedLimits: Sendable {
    /// The server has announced that it takes no more; no other limit has to be looked for.
    private var announced: UInt64?
    /// Those of libraries and services.
    private var usual: [SizeLimit] = []

    /// More of them say less.
    private static let mostNamed = 3

    var isEmpty: Bool { announced == nil && usual.isEmpty }

    fileprivate init(
        by length: UInt64, after survived: UInt64, isText: Bool, isOneFrame: Bool, of side: Side, _ announced: AnnouncedLimit
    ) {
        if side == .server, case .bytes(let most) = announced, length > most, survived <= most {
            self.announced = most
            return
        }
        usual = SizeLimit.all.filter {
            $0.isCrossed(by: length, after: survived, isText: isText, isOneFrame: isOneFrame, of: side, announced)
        }
    }

    /// Leaves those that may end a connection without a Close frame, after so many bytes of a message that has not come whole.
    mutating func keepSilent(came: UInt64?) {
        func isRead(_ bytes: UInt64) -> Bool { came.map { $0 <= bytes &* 2 } ?? true }
        // A side that reads a header which announces too much, or what is beyond the limit, does not read on.
        usual = usual.filter { $0.mayLackCode && isRead($0.bytes) }
        if let most = announced, !isRead(most) { announced = nil }
    }

    /// Appends whose limits they are.
    func append(to text: inout FindingText) {
        if let announced { return EngineIOLimit.append(beyond: announced, to: &text) }
        var last: UInt64 = 0
        for limit in usual.prefix(Self.mostNamed) {
            if limit.bytes == last {
                text.append(" and of ")
            } else {
                text.append("; ")
                text.append(limit.words)
                text.append(" is the limit of ")
            }
            last = limit.bytes
            text.append(limit.owner)
        }
    }
}

extension MessageSizes {
    /// Whether the message under way is the one that may have been too long.
    private var isOpenLongest: Bool { open.map { $0.length > longest } ?? false }

    /// The limits that its longest message is beyond and no message before it was.
    ///
    /// - Parameters:
    ///   - side: who receives.
    ///   - announced: what the server has said of it.
    func crossed(by side: Side, _ announced: AnnouncedLimit) -> CrossedLimits {
        if let open, isOpenLongest {
            return CrossedLimits(
                by: open.length, after: longest, isText: open.isText, isOneFrame: open.isOneFrame, of: side, announced)
        }
        return CrossedLimits(by: longest, after: survived, isText: isText, isOneFrame: isOneFrame, of: side, announced)
    }

    /// Which message it was, in words: `after the client's message 14 of 1,200,345 bytes`; nil where its side has sent none.
    ///
    /// - Parameters:
    ///   - side: who sent it.
    ///   - sent: messages of that side; nil where some may be missing, and their numbers say nothing.
    func words(of side: Side, sent: UInt64?) -> FindingText? {
        let name: StaticString = side == .client ? "the client's message" : "the server's message"
        var text = FindingText()
        if let open, isOpenLongest {
            text.append("in the middle of ")
            text.append(name)
            text.append(number: sent.map { $0 &+ 1 })
            text.append(open.isLastFrame ? " of " : " of at least ")
            text.append(grouped: open.length)
            text.append(open.isCompressed ? " compressed bytes" : open.length == 1 ? " byte" : " bytes")
            return text
        }
        text.append("after ")
        text.append(name)
        guard longest > 0 else {
            guard let sent, sent > 0 else { return nil }
            text.append(number: sent)
            text.append(", and none was longer than ")
            text.append(decimal: MessageSizes.leastNoted)
            text.append(" bytes")
            return text
        }
        if let sent, sent > number {
            text.append(number: sent)
            text.append(", of which the longest was message")
        }
        text.append(number: sent == nil ? nil : number)
        text.append(" of ")
        text.append(grouped: longest)
        text.append(longest == 1 ? " byte" : " bytes")
        return text
    }
}

extension FindingText {
    fileprivate mutating func append(number: UInt64?) {
        guard let number else { return }
        append(" ")
        append(decimal: number)
    }
}
