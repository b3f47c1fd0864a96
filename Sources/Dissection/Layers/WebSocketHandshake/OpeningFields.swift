/// The fields of one side's opening handshake (RFC 6455, section 4).
struct OpeningFields {
    /// One field that may stand several times: the first of them, and the values of all, joined with commas.
    struct Field {
        private(set) var count = 0
        /// Where the first value lies in the head.
        private(set) var range = ByteRange()
        /// The value, where it is not what lies in `range`: there are several, or its line ends have become blanks.
        private var joined: [UInt8] = []

        var isEmpty: Bool { count == 0 }

        /// The value; `head` is the one that the field was found in.
        @_lifetime(borrow self, copy head)
        borrowing func value(in head: RawSpan) -> RawSpan {
            joined.isEmpty ? head.extracting(range.start..<range.end) : joined.rawBytes
        }

        /// A copy of the value.
        func copy(in head: RawSpan) -> [UInt8] {
            if !joined.isEmpty { return joined }
            var copy: [UInt8] = []
            copy.append(copying: head.extracting(range.start..<range.end))
            return copy
        }

        /// The elements of a list, without the blanks around them.
        func elements(in head: RawSpan) -> [[UInt8]] {
            if isEmpty { return [] }
            return copy(in: head).split(separator: UInt8(ascii: ",")).compactMap { part in
                let trimmed = part.drop { $0 == 0x20 || $0 == 0x09 }
                guard let last = trimmed.lastIndex(where: { $0 != 0x20 && $0 != 0x09 }) else { return nil }
                return Array(trimmed[trimmed.startIndex...last])
            }
        }

        mutating func add(_ head: RawSpan, _ field: HeaderField) {
            count += 1
            if count == 1 {
                range = field.value
                if !field.isFolded, head.firstIndex(of: 0x0D, from: range.start, to: range.end) == nil { return }
            } else {
                if joined.isEmpty { joined = copy(in: head) }
                joined.append(UInt8(ascii: ","))
            }
            let start = joined.count
            joined.append(copying: head.extracting(field.value.start..<field.value.end))
            // The line ends of a fold are blanks (RFC 9112, section 5.2), and so is a CR that ends no line (section 2.2).
            for index in start..<joined.count where joined[index] == 0x0D || joined[index] == 0x0A { joined[index] = 0x20 }
        }
    }

    var host = Field()
    var connection = Field()
    var key = Field()
    var version = Field()
    var accept = Field()
    var protocols = Field()
    var extensions = Field()
    /// What only drafts from before RFC 6455 have: `Sec-WebSocket-Key1` and its like of a client, `Sec-WebSocket-Location`
    /// and its like of a server.
    var draft = Field()

    private var hasOrigin = false
    /// The value of the first `Upgrade`.
    private var upgrade = ByteRange()
    /// It is the only one, and reads `WebSocket`, in just these letters.
    private var isOldUpgrade = false

    /// A client's or a server's handshake of a draft whose frames are not those of RFC 6455: bytes 00 and FF around text
    /// (draft-ietf-hybi-thewebsocketprotocol-00 and draft-hixie-thewebsocketprotocol-75).
    var isDraft: Bool { (!draft.isEmpty || isOldestRequest) && key.isEmpty && accept.isEmpty }

    /// A request as draft-hixie-thewebsocketprotocol-75, section 4.1 has it: nothing but the upgrade, in just these letters, and an origin.
    private var isOldestRequest: Bool {
        hasOrigin && isOldUpgrade && version.isEmpty && protocols.isEmpty && extensions.isEmpty
    }

    /// What shows that it is one.
    var draftMark: ByteRange { draft.isEmpty ? upgrade : draft.range }

    /// A version of the drafts -04 to -06, which have other opcodes than RFC 6455, and another mask.
    func hasDraftVersion(in head: RawSpan) -> Bool {
        let value = version.value(in: head)
        guard version.count == 1, value.byteCount == 1 else { return false }
        return (UInt8(ascii: "4")...UInt8(ascii: "6")).contains(value[0])
    }

    init(_ head: RawSpan, _ fields: ByteRange) {
        var walk = HeaderFields(in: head, at: fields)
        while let field = walk.next() {
            guard field.hasColon else { continue }
            let name = head.extracting(field.name.start..<field.name.end)
            // Lengths first: few of these names are equally long.
            switch name.byteCount {
            case 4: if OpeningFields.equal(name, "host") { host.add(head, field) }
            case 6: if OpeningFields.equal(name, "origin") { hasOrigin = true }
            case 7: if OpeningFields.equal(name, "upgrade") { noteUpgrade(head, field.value) }
            case 10:
                if OpeningFields.equal(name, "connection") { connection.add(head, field) }
                // What HTTP/2 has in its place.
                if OpeningFields.equal(name, ":authority") { host.add(head, field) }
            case 17: if OpeningFields.equal(name, "sec-websocket-key") { key.add(head, field) }
            case 18:
                if OpeningFields.equal(name, "sec-websocket-key1") || OpeningFields.equal(name, "websocket-location")
                    || OpeningFields.equal(name, "websocket-protocol")
                {
                    draft.add(head, field)
                }
            case 20: if OpeningFields.equal(name, "sec-websocket-accept") { accept.add(head, field) }
            case 21: if OpeningFields.equal(name, "sec-websocket-version") { version.add(head, field) }
            case 22:
                if OpeningFields.equal(name, "sec-websocket-protocol") { protocols.add(head, field) }
                if OpeningFields.equal(name, "sec-websocket-location") { draft.add(head, field) }
            case 24: if OpeningFields.equal(name, "sec-websocket-extensions") { extensions.add(head, field) }
            default: continue  // No other field belongs to the handshake of a WebSocket.
            }
        }
    }

    private mutating func noteUpgrade(_ head: RawSpan, _ value: ByteRange) {
        let bytes = head.extracting(value.start..<value.end)
        isOldUpgrade = upgrade.isEmpty && OpeningFields.equal(bytes, "websocket")
        // Capitals are the first letter and the fourth.
        for index in 0..<bytes.byteCount where (bytes[index] & 0x20 == 0) != (index == 0 || index == 3) { isOldUpgrade = false }
        if upgrade.isEmpty { upgrade = value }
    }

    /// Whether `bytes` are `text`, which is in lower case, whatever their case.
    @inline(__always)
    static func equal(_ bytes: RawSpan, _ text: StaticString) -> Bool {
        bytes.equals(text, in: 0..<bytes.byteCount)
    }
}
