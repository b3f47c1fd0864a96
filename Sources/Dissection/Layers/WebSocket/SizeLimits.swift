/// The longest message that a library or a service takes unless it is told otherwise.
struct SizeLimit: Sendable {
    enum Condition: Sendable {
        case none
        /// It is of text messages.
        case text
        /// It is of a frame, and the message has one.
        case oneFrame
        /// It is of Engine.IO, and the WebSocket carries it.
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
            bytes: 1_000_000, words: "1 MB", owner: "Socket.IO unless it is set (maxHttpBufferSize)", receiver: .server,
            condition: .engineIO, mayLackCode: true),
        SizeLimit(bytes: 128 << 10, words: "128 KiB", owner: "AWS API Gateway", receiver: .server),
        SizeLimit(bytes: 32 << 10, words: "32 KiB", owner: "AWS API Gateway for a frame", receiver: .server, condition: .oneFrame),
        SizeLimit(bytes: 8 << 10, words: "8 KiB", owner: "Tomcat and Spring for text", receiver: .server, condition: .text),
    ]

    /// More of them say less.
    private static let mostNamed = 3

    /// Whether a message is beyond it that a side receives, and none before it was.
    ///
    /// - Parameter survived: bytes of the longest message before.
    func isCrossed(
        by length: UInt64, after survived: UInt64, isText: Bool, isOneFrame: Bool, of side: Side, isEngineIO: Bool
    ) -> Bool {
        guard length > bytes, survived <= bytes, receiver == nil || receiver == side else { return false }
        return switch condition {
        case .none: true
        case .text: isText
        case .oneFrame: isOneFrame
        case .engineIO: isEngineIO
        }
    }

    /// Appends whose limits they are.
    static func append(_ limits: [SizeLimit], to text: inout FindingText) {
        var last: UInt64 = 0
        for limit in limits.prefix(mostNamed) {
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
    ///   - isEngineIO: whether the messages are packets of Engine.IO.
    func crossed(by side: Side, isEngineIO: Bool) -> [SizeLimit] {
        if let open, isOpenLongest {
            return SizeLimit.all.filter {
                $0.isCrossed(
                    by: open.length, after: longest, isText: open.isText, isOneFrame: open.isOneFrame, of: side,
                    isEngineIO: isEngineIO)
            }
        }
        return SizeLimit.all.filter {
            $0.isCrossed(by: longest, after: survived, isText: isText, isOneFrame: isOneFrame, of: side, isEngineIO: isEngineIO)
        }
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

    /// A number with a comma before each three digits.
    package mutating func append(grouped number: UInt64) {
        guard number >= 1_000 else { return append(decimal: number) }
        append(grouped: number / 1_000)
        let rest = number % 1_000
        append(rest < 10 ? ",00" : rest < 100 ? ",0" : ",")
        append(decimal: rest)
    }
}
