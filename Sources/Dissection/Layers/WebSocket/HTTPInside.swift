// HTTP where a frame has to begin: a response of the server (ws 1122, 2183, 2282: "RSV1 must be clear"), its end of a chunked body
// (aiohttp 1829), or one more request of the client (Starscream 932).
//
// ```
// H  T   │ T P / 1 .      a Close frame without FIN, with RSV1 and 84 bytes of payload
// 0  \r  │ \n \r \n       a continuation with RSV2 and RSV3
// G  E   │ T ␠ /          of a client, which has to mask: opcode 7 with RSV1
// ```
//
// No frame may begin so, whatever was agreed on: a control frame has FIN, and the rest is reported as a fault of its header before it is
// looked at here.

/// What a side writes into a WebSocket that is no frame, and how far it has come.
struct HTTPInside {
    private enum Kind: UInt8 {
        case response
        case chunkEnd
        case request
    }

    private let kind: Kind
    private var matched: UInt8 = 0

    /// Nil for a header that begins nothing of the kind.
    ///
    /// - Parameter frame: has faults.
    init?(_ frame: FrameHeader, from side: Side) {
        guard !frame.fin, !frame.masked, frame.headerLength == 2 else { return nil }
        switch (side, frame.opcode, frame.rsv, frame.length) {
        case (.server, 8, 4, 0x54): kind = .response
        case (.server, 0, 3, 0x0D): kind = .chunkEnd
        case (.client, 7, 4, 0x45): kind = .request
        case _: return nil
        }
    }

    /// The two bytes that were read as a header, and what has to follow them.
    private var text: (header: StaticString, rest: StaticString) {
        switch kind {
        case .response: ("HT", "TP/1.")
        case .chunkEnd: ("0\r", "\n\r\n")
        case .request: ("GE", "T /")
        }
    }

    var words: StaticString {
        switch kind {
        case .response: "an HTTP response"
        case .chunkEnd: "the end of a chunked HTTP body"
        case .request: "an HTTP request"
        }
    }

    /// The header, and what came after it so far.
    var bytes: [UInt8] { Array(text.header.description.utf8) + compared }

    /// What came after the header so far.
    var compared: [UInt8] { Array(text.rest.description.utf8.prefix(Int(matched))) }

    enum Verdict {
        case undecided
        case found
        case other
    }

    /// Takes the next byte.
    mutating func take(_ byte: UInt8) -> Verdict {
        let rest = text.rest
        // A static string has as many bytes as it says.
        guard Int(matched) < rest.utf8CodeUnitCount, unsafe byte == rest.utf8Start[Int(matched)] else { return .other }
        matched += 1
        return Int(matched) == rest.utf8CodeUnitCount ? .found : .undecided
    }
}
