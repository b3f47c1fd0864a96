import Dissection

/// What is known of a payload beside its bytes.
package struct PayloadContext: Sendable {
    /// What carries a payload.
    package enum Carrier: UInt8, Sendable {
        /// A WebSocket message.
        case message
        /// A message that was cut out of raw TCP.
        case framed
        /// The body of a request or response, whole.
        case body
        /// Bytes of a protocol that has no layer, as they came.
        case data
        /// The head of a response that says all: it has no content, and its fields stand for trailers.
        case head
    }

    package var from: Side
    package var carrier = Carrier.message
    /// Of the WebSocket message (RFC 6455, section 11.8); 0 where it is none.
    package var opcode: UInt8
    /// Bytes of the payload are not at hand.
    package var isCut: Bool
    /// If so, because it is longer than what is kept of a payload: they did come.
    var cutIsLength = true
    /// Other parts of the body came before.
    package var isContinued = false
    /// When its last byte came, where there is a clock.
    package var time: Timestamp?
    /// The subprotocol that was agreed (RFC 6455, section 1.9), as on the wire; at most 256 bytes, like the others but the target.
    package var subprotocol: [UInt8] = []
    /// The target of the request that opened the WebSocket, or that the body belongs to; at most 1,024 bytes.
    package var target: [UInt8] = [] {
        didSet {
            hasParameters = target.contains(UInt8(ascii: "="))
            pathHead = Self.head(of: path)
            targetMarks = hasParameters ? .parameters : []
            if pathBegins("/connect") { targetMarks.insert(.connection) }
        }
    }
    /// Most targets have none: then nothing has to be looked for in them, which for each message would be far away.
    private var hasParameters = false
    /// The first eight bytes of the path, for the same reason; 0 for those that it does not have.
    private var pathHead: UInt64 = 0
    /// What of it formats ask about.
    private(set) var targetMarks: PayloadMarks = []
    /// The exchange that the body belongs to (`RequestHead.exchange`); 0 where none is known.
    package var exchange: UInt64 = 0
    /// The `Content-Type` of the body, with its parameters.
    package var contentType: [UInt8] = []
    /// The fields after the body, or those of the head that say all, a line each; at most 4 KiB.
    package var trailers: [UInt8] = []
    /// The protocol that framed the message on raw TCP, such as `mqtt`; empty where a length, a delimiter or the like did.
    package var framing: [UInt8] = []
    /// The name that the server goes by, or that was asked for; empty where none is known.
    package var host: [UInt8] = []
    /// The port of the server; 0 where none is known, and where no rule asks for it.
    package var port: UInt16 = 0
    /// What the rule that chose the format said beside its name, such as a message type; empty where it said nothing.
    package var argument: [UInt8] = []
    /// The format that the last payload of the conversation was read in, without an error; nil where there is none.
    package var spoken: StaticString?
    /// The message types that the user gave; nil where there are none.
    package var schema: ProtobufSchema?
    /// What the bytes in fields of messages are, as the user said.
    var bindings: [FieldBinding] = []
    /// The topic of the message that carries the payload (`InnerPayload`); nil where it is not inside of another.
    var topic: [UInt8]?
    /// The formats for payloads inside of payloads; nil where they are not read.
    var formats: PayloadTable?

    /// What is known of every payload.
    struct Common {
        var from: Side
        var isCut: Bool
        var time: Timestamp?
        var isForLine: Bool
    }

    /// Another payload comes: nothing is left of what was made known for the one before.
    mutating func begin(_ payload: Common) {
        (from, isCut, time, isForLine) = (payload.from, payload.isCut, payload.time, payload.isForLine)
        if !argument.isEmpty { argument = [] }
    }

    package init(from: Side, opcode: UInt8, isCut: Bool, time: Timestamp? = nil) {
        self.from = from
        self.opcode = opcode
        self.isCut = isCut
        self.time = time
    }

    /// What is read is for a line of text, which has no more than the summary, or the payload itself.
    var isForLine = false
    /// It was compressed inside of another payload.
    var isOpened = false
    /// Answers come elsewhere than what they answer: in the bodies of other requests.
    var isPolled = false

    /// Whether the conversation, and none beside it, has what answers this payload.
    var isAnsweredHere: Bool { (carrier == .message || carrier == .framed) && topic == nil && !isPolled }

    /// Whether a sender has called it text: a WebSocket text message, or a body.
    var isText: Bool { carrier == .message ? opcode == 1 : carrier == .body }

    /// Whether the subprotocol is this one, in any case.
    func speaks(_ name: StaticString) -> Bool { subprotocol.rawBytes.isWord(name) }

    /// Whether it is a binary message, whole, of a subprotocol that says how messages are encoded: `msgpack`, or a name that ends in it, such as
    /// `v1.msgpack` and `chat+msgpack`.
    func isEncoded(as encoding: StaticString) -> Bool {
        guard carrier == .message, opcode == 2, !isCut else { return false }
        let name = subprotocol.rawBytes
        let start = name.byteCount - encoding.utf8CodeUnitCount
        guard start >= 0, name.extracting(start..<name.byteCount).isWord(encoding) else { return false }
        // `notcbor` is another word.
        return start == 0 || !name[start - 1].isLetterOrDigit
    }

    /// Whether the protocol that framed the message is this one.
    func isFramed(by name: StaticString) -> Bool { carrier == .framed && framing.rawBytes.isEqual(name.bytes) }

    /// Whether the body has this media type, such as `application/json`, whatever its parameters (RFC 9110, section 8.3.1).
    func isOfType(_ mediaType: StaticString) -> Bool { mediaType.utf8CodeUnitCount > 0 && self.mediaType.isWord(mediaType) }

    /// Whether its media type ends like this, such as `+json` (RFC 6839).
    func isOfSuffix(_ suffix: StaticString) -> Bool {
        let type = mediaType
        let start = type.byteCount - suffix.utf8CodeUnitCount
        return start > 0 && type.extracting(start..<type.byteCount).isWord(suffix)
    }

    /// The media type without its parameters and blanks.
    var mediaType: RawSpan {
        @_lifetime(borrow self)
        get {
            let bytes = contentType.rawBytes
            var end = 0
            while end < bytes.byteCount, bytes[end] != UInt8(ascii: ";") { end += 1 }
            while end > 0, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
            return bytes.extracting(0..<end)
        }
    }

    /// The path of the target, without what names a server before it and without the query.
    var path: RawSpan {
        @_lifetime(borrow self)
        get {
            let bytes = target.rawBytes
            var start = 0
            if bytes.byteCount > 0, bytes[0] != UInt8(ascii: "/") {
                // The absolute form, as proxies are asked in: scheme://authority/path (RFC 9112, section 3.2.2).
                var slashes = 0
                while start < bytes.byteCount, slashes < 3 {
                    if bytes[start] == UInt8(ascii: "/") { slashes += 1 }
                    if slashes < 3 { start += 1 }
                }
            }
            var end = start
            while end < bytes.byteCount, bytes[end] != UInt8(ascii: "?"), bytes[end] != UInt8(ascii: "#") { end += 1 }
            return bytes.extracting(start..<end)
        }
    }

    /// Whether the path begins with words.
    func pathBegins(_ words: StaticString) -> Bool {
        let head = Self.head(of: words.bytes)
        let known = min(words.utf8CodeUnitCount, 8)
        let mask: UInt64 = known == 8 ? .max : (1 << UInt64(known * 8)) - 1
        return pathHead & mask == head && (known < 8 || path.begins(words))
    }

    private static func head(of bytes: RawSpan) -> UInt64 {
        var head: UInt64 = 0
        for index in 0..<min(bytes.byteCount, 8) { head |= UInt64(bytes[index]) << UInt64(index * 8) }
        return head
    }

    /// The name of the host, without a port and without the brackets of an IPv6 address.
    var hostName: RawSpan {
        @_lifetime(borrow self)
        get {
            let bytes = host.rawBytes
            if bytes.begins("[") {
                var end = 1
                while end < bytes.byteCount, bytes[end] != UInt8(ascii: "]") { end += 1 }
                return bytes.extracting(1..<end)
            }
            // An address with more than one colon is IPv6 without brackets.
            guard bytes.count(of: UInt8(ascii: ":")) == 1 else { return bytes }
            var end = 0
            while bytes[end] != UInt8(ascii: ":") { end += 1 }
            return bytes.extracting(0..<end)
        }
    }

    /// Whether the last payload of the conversation was of this format.
    func spoke(_ format: StaticString) -> Bool { spoken.map { $0.bytes.isEqual(format.bytes) } ?? false }

    /// Whether words stand in the target: a parameter, with its equals sign.
    func targetHas(_ words: StaticString) -> Bool { hasParameters && target.rawBytes.contains(words) }
}
