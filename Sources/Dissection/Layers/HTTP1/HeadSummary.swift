/// What the field lines of a head say about the message's body and the connection.
struct HeadSummary {
    struct Marks: OptionSet {
        let rawValue: UInt32
        /// `Connection` has `close`, `keep-alive`, `upgrade`.
        static let close = Marks(rawValue: 1)
        static let keepAlive = Marks(rawValue: 2)
        static let connectionUpgrade = Marks(rawValue: 4)
        static let host = Marks(rawValue: 8)
        static let contentLength = Marks(rawValue: 16)
        /// The lengths are no numbers, or differ.
        static let badLength = Marks(rawValue: 32)
        static let transferEncoding = Marks(rawValue: 64)
        /// `chunked` is among the transfer codings, and is the last one.
        static let chunked = Marks(rawValue: 128)
        static let chunkedLast = Marks(rawValue: 256)
        static let unknownTransferCoding = Marks(rawValue: 512)
        static let upgrade = Marks(rawValue: 1024)
        static let webSocket = Marks(rawValue: 2048)
        static let challenge = Marks(rawValue: 4096)
        static let proxyChallenge = Marks(rawValue: 8192)
        static let allow = Marks(rawValue: 16_384)
        static let partial = Marks(rawValue: 32_768)
        /// `Expect: 100-continue`.
        static let expectsContinue = Marks(rawValue: 65_536)
        /// A key of a WebSocket draft, which goes on after the head.
        static let draftKey = Marks(rawValue: 131_072)
        /// A request has the key of RFC 6455.
        static let webSocketKey = Marks(rawValue: 262_144)
        /// A request has `Accept: text/event-stream` and takes nothing else, as that of an EventSource does.
        static let acceptsEvents = Marks(rawValue: 524_288)
        static let accept = Marks(rawValue: 2_097_152)
        /// The body is a text, of a type in which lengths are often counted in characters.
        static let textBody = Marks(rawValue: 1_048_576)
    }

    var marks: Marks = []
    var contentLength: UInt64 = 0
    /// The value of the last `Upgrade`.
    var upgrade = ByteRange()
    /// The value of the first `Host`.
    var host = ByteRange()
    var contentCodings = ContentCodings()
    /// Without `chunked`.
    var transferCodings = ContentCodings()
    /// Where the last `Content-Encoding` or `Transfer-Encoding` stands, for findings.
    var codingOffset = 0
    /// Where `Transfer-Encoding` and `Content-Length` stand, for findings.
    var framingOffset = 0
    var fieldCount = 0
    /// What is streamed in the body, by its type.
    var streams: BodyPart.Element?

    /// All codings; those of the transfer were applied last.
    var codings: ContentCodings {
        var all = contentCodings
        if !transferCodings.isEmpty { all.append(transferCodings) }
        return all
    }
}

extension FramingFields {
    /// - Parameter isBefore11: HTTP/1.0.
    init(_ summary: HeadSummary, isBefore11: Bool) {
        let marks = summary.marks
        let isDraft = marks.contains(.draftKey) && !marks.contains(.webSocketKey) && !summary.upgrade.isEmpty
        self.init(
            hasTransferEncoding: marks.contains(.transferEncoding), isChunkedLast: marks.contains(.chunkedLast),
            hasBadLength: marks.contains(.badLength), contentLength: marks.contains(.contentLength) ? summary.contentLength : nil,
            isBefore11: isBefore11, unsaidBytes: isDraft ? WebSocketHandshake.draftKeyBytes : 0)
    }
}
