import Dissection

extension PayloadReader {
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

    /// What is known of a conversation.
    struct Conversation: Sendable {
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

        var heldBytes: Int {
            MemoryLayout<Conversation>.stride + context.subprotocol.capacity + context.target.capacity + context.host.capacity
                + client.heldBytes + session.capacity + server.heldBytes + memory.heldBytes + 4 * streams.capacity
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
}
