import Dissection

/// Where the responses of a server end, so that the proxy knows when a client of plain HTTP may go on to another server, and what the
/// server sent without having been asked.
///
/// It is told of each request, and fed with what the server sends, in any order of the two that is possible; it changes nothing and holds
/// nothing up. Where it cannot follow it says so, and the connection belongs to its server for good.
package struct ResponseBoundaries: Sendable {
    package enum State: Hashable, Sendable {
        /// Heads and bodies are followed.
        case following
        /// After a 101 that was asked for, the bytes are not HTTP any more.
        case opaque
        /// The response ends with the connection.
        case untilClose
        /// What came is not a response.
        case lost
        /// A response says where it ends in a way that is not valid, and that clients read differently (RFC 9112, section 6.3).
        case faulty(String)
        /// A 101 came for a request that had not offered an upgrade (RFC 9110, section 15.2.2).
        case unaskedUpgrade
        /// Something followed the response to the last request.
        case excess
    }

    /// A request, as far as its response depends on it.
    struct Expectation: Sendable {
        var isToHead = false
        var offersUpgrade = false
    }

    /// No more requests than this may wait for their responses.
    static let mostOutstanding = 256

    package private(set) var state = State.following
    /// Why clients may have seen another end of a response than we: both Transfer-Encoding and Content-Length (RFC 9112, section 6.3,
    /// item 3), an interim response other than 100, which some clients take for the final one, or a byte in the head at which some
    /// clients end a line. None where all agree.
    package private(set) var ambiguity: String?
    /// Requests whose response is not complete.
    package var outstanding: Int { expected.count }
    /// The client has had the beginning of a response that has not ended.
    package private(set) var isBegun = false
    private var expected: [Expectation] = []
    private var head = HeadBuffer()
    private var body: BodyExtent?

    package init() {}

    /// A request goes to the server.
    mutating func expect(_ request: Expectation) { expected.append(request) }

    /// Takes what the server sent.
    ///
    /// - Returns: How many final responses were completed by it, and how many of its bytes belong to responses that were asked for: all
    ///   but those that follow an unasked 101, or the response to the last request, and those of a faulty one. Empty lines between responses
    ///   count as asked for.
    package mutating func take(_ bytes: RawSpan) -> (completed: Int, asked: Int) {
        var position = 0
        var completed = 0
        // Where the response begins that is read.
        var start = 0
        while position < bytes.byteCount, state == .following {
            if var current = body {
                position = current.take(bytes, from: position)
                body = current
                if current.isAmbiguous { ambiguity = "the lines between its chunks are malformed" }
                if settle(current.state) {
                    completed += 1
                    start = position
                }
                continue
            }
            if expected.isEmpty {
                if bytes[position] == 0x0D || bytes[position] == 0x0A { position += 1 } else { state = .excess }
                continue
            }
            position += head.take(bytes.extracting(position..<bytes.byteCount))
            switch head.state {
            case .partial: continue
            case .tooLong: lose()
            case .whole:
                if takeHead() { completed += 1 }
                if case .faulty = state { return (completed, start) }
                isBegun = body != nil
                start = position
            }
        }
        isBegun = isBegun || !head.isEmpty
        let isAsked =
            switch state {
            case .excess, .unaskedUpgrade, .faulty: false
            case .following, .opaque, .untilClose, .lost: true
            }
        return (completed, isAsked ? bytes.byteCount : position)
    }

    /// A response's head is whole. Whether the response is complete with it.
    private mutating func takeHead() -> Bool {
        let bytes = head.bytes
        let start = head.start
        head = HeadBuffer()
        guard let lineFeed = bytes[start...].firstIndex(of: 0x0A), bytes.rawBytes.hasPrefix("http/", at: start),
            let status = StatusLine(bytes.rawBytes, from: start, lineFeed: lineFeed).status, let request = expected.first
        else {
            lose()
            return false
        }
        if status == 101 {
            state = request.offersUpgrade ? .opaque : .unaskedUpgrade
            return false
        }
        // An interim response comes before the final one (RFC 9110, section 15.2).
        if status / 100 == 1 {
            if status != 100 { ambiguity = "an interim response \(status) came before it" }
            return false
        }
        let fields = MessageFields(bytes, at: lineFeed + 1..<max(lineFeed + 1, bytes.count - 1))
        if fields.hasTransferEncoding, !fields.contentLengths.isEmpty { ambiguity = "it has two lengths" }
        if Self.hasLoneControls(bytes[start...]) { ambiguity = "its head has a CR or NUL inside a line" }
        let framing = MessageFraming(response: fields.framing(isBefore11: false), status: status, isToHead: request.isToHead)
        guard framing != .untilClose else {
            state = fields.fault.map(State.faulty) ?? .untilClose
            return false
        }
        let extent = BodyExtent(framing)
        body = extent
        return settle(extent.state)
    }

    /// Whether a CR stands elsewhere than before a LF, or a NUL anywhere: parsers differ about where such a line ends.
    static func hasLoneControls(_ head: ArraySlice<UInt8>) -> Bool {
        var isAfterCR = false
        for byte in head {
            if byte == 0 || isAfterCR && byte != 0x0A { return true }
            isAfterCR = byte == 0x0D
        }
        return isAfterCR
    }

    /// Whether a response ended.
    private mutating func settle(_ extent: BodyExtent.State) -> Bool {
        switch extent {
        case .open: return false
        case .lost:
            lose()
            state = .faulty("the size of a chunk is not valid")
            return false
        case .whole:
            body = nil
            isBegun = false
            expected.removeFirst()
            return true
        }
    }

    private mutating func lose() {
        state = .lost
        head = HeadBuffer()
        body = nil
    }
}
