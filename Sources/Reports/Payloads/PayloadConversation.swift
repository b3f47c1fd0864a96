import Dissection

/// What is known of a conversation.
struct PayloadConversation: Sendable {
    /// What the last head of a side says of the body that follows it.
    struct Head: Sendable {
        var contentType: [UInt8] = []
        var target: [UInt8] = []
        var exchange: UInt64 = 0
        /// What has come of that body, where it comes in parts.
        var body = BodyInParts()
        /// It says how a call of gRPC has ended, which nothing follows.
        var hasCallStatus = false

        var heldBytes: Int { contentType.capacity + target.capacity + body.heldBytes }
    }

    // What each payload asks for comes first, and so lies together.
    /// What is known of its messages. It stays, so that reading one copies nothing.
    var context = PayloadContext(from: .client, opcode: 0, isCut: false)
    /// That of the WebSocket, in which it ends.
    var session: [UInt8] = []
    /// The greater, the later a payload of it was read.
    var lastUse: UInt64 = 0
    var memory = PayloadMemory()
    var client = Head()
    var server = Head()
    /// The streams of HTTP/2 of which something is known, of the conversation itself.
    var streams: [UInt32] = []

    /// Whether a message without these marks may be JSON and no more.
    @inline(__always)
    func mayBePlainJSON(_ marks: PayloadMarks) -> Bool {
        context.targetMarks.isDisjoint(with: marks) && context.subprotocol.isEmpty && memory.calls.isEmpty
    }

    var heldBytes: Int {
        MemoryLayout<PayloadConversation>.stride + context.subprotocol.capacity + context.target.capacity + context.host.capacity
            + client.heldBytes + session.capacity + server.heldBytes + memory.heldBytes + 4 * streams.capacity
    }

    /// Bytes that it takes: all, those of what formats keep, and those of bodies.
    struct Held {
        var all: Int
        var memory: Int
        var bodies: Int
    }

    var held: Held { Held(all: heldBytes, memory: memory.heldBytes, bodies: bodyBytes) }

    /// What was agreed on goes for the messages after it.
    mutating func note(_ upgrade: Upgrade, of event: borrowing ConversationEvent) {
        memory = PayloadMemory()
        memory.calls.hear(.client)
        memory.calls.hear(.server)
        context.subprotocol = PayloadReader.name(event.bytes(upgrade.subprotocol))
        context.target = event.bytes(upgrade.target).prefix(PayloadReader.longestTarget).copy
        if !upgrade.host.isEmpty { context.host = PayloadReader.name(event.bytes(upgrade.host)) }
    }

    /// Remembers what a head says of its body.
    mutating func note(_ head: Head, _ fields: ByteRange, of event: borrowing ConversationEvent, isRequest: Bool) {
        var head = head
        var lines = HeaderFields(in: event.content, at: fields)
        var host = ByteRange()
        while let line = lines.next() {
            let name = event.bytes(line.name)
            switch name.byteCount {
            case 12 where name.isWord("content-type"): head.contentType = PayloadReader.name(event.bytes(line.value))
            case 11 where !isRequest && name.isWord("grpc-status"): head.hasCallStatus = true
            // The first that says something (`HeaderFields.host`).
            case 4 where isRequest && host.isEmpty && name.isWord("host"): host = line.value
            case 10 where isRequest && host.isEmpty && name.isWord(":authority"): host = line.value
            case _: break
            }
        }
        if !host.isEmpty { context.host = PayloadReader.name(event.bytes(host)) }
        if isRequest { client = head } else { server = head }
    }

    /// Bytes of bodies that come in parts.
    var bodyBytes: Int { client.body.heldBytes + server.body.heldBytes }

    /// Forgets what has come of bodies.
    mutating func giveUpBodies() {
        client.body.giveUp()
        server.body.giveUp()
    }

    /// Forgets what waits for something.
    mutating func giveUp() {
        memory.giveUp()
        giveUpBodies()
    }

    subscript(side: Side) -> Head {
        _read { if side == .client { yield client } else { yield server } }
        _modify { if side == .client { yield &client } else { yield &server } }
    }
}
