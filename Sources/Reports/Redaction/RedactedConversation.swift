import Dissection

/// What the redaction knows of a conversation.
struct RedactedConversation {
    /// A side of a channel.
    struct Key: Hashable {
        let side: Side
        let channel: ByteChannel
    }

    var sides: [Key: RedactedSide] = [:]
    /// The client has begun to log in, and what it sends next is a password or the like.
    var login: LoginChallenge?
    /// Its WebSocket has agreed on a subprotocol of WAMP.
    var speaksWAMP = false
    /// Or on MQTT.
    var speaksMQTT = false
    /// The protocol level of a CONNECT of MQTT; 0 where it was not seen.
    var levelOfMQTT: UInt8 = 0
    /// The server's line that may ask for a password.
    var prompt = LoginPrompt()

    /// Sides of channels that are kept in mind: HTTP/2 has as many as streams whose bodies are coming.
    static let mostSides = 256

    static let ownBytes = MemoryLayout<RedactedConversation>.stride + LoginPrompt.longest + 1

    /// Bytes of memory that it takes; as much work as there are sides.
    var heldBytes: Int { sides.values.reduce(RedactedConversation.ownBytes) { $0 + $1.heldBytes } }

    func heldBytes(of key: Key) -> Int { sides[key]?.heldBytes ?? 0 }
}

/// What one side sends through one channel.
struct RedactedSide {
    /// Where what is held back came.
    struct Last {
        var place: Place
        /// The first byte behind it, of data.
        var offset: UInt64?
        /// The last part, of a body.
        var part: BodyPart?
    }

    /// Its body, or its data.
    var run = RedactionRun()
    /// Its messages that were cut out of raw bytes: a key may go on in the next.
    var lines = RedactionRun()
    /// The last head says that its body is a form.
    var isForm = false
    /// Or that it is made of messages.
    var framing = Redactor.BodyFraming.none
    /// Its body in base64, from the first part on that is not whole messages.
    var encoded: EncodedBody?
    var last: Last?
    /// Its messages that the app has compressed.
    var compressed = CompressedMessages()
    /// Its packets of MQTT, where they may go on in the next message.
    var packets: MQTTPackets?
    /// Its contents of AMQP that go on in further frames, by their channels.
    var contents: [UInt16: AMQPContent] = [:]
    /// Parts of the body that were told beside those that came: what was held back when something was missing.
    var addedParts: UInt32 = 0

    /// What a side takes in the table of its conversation, which has at least two places.
    private static let ownBytes = 2 * MemoryLayout<RedactedSide>.stride

    var heldBytes: Int {
        run.heldBytes + lines.heldBytes + (encoded?.heldBytes ?? 0) + compressed.heldBytes + Self.ownBytes + (packets?.heldBytes ?? 0)
            + contents.values.reduce(0) { $0 + $1.text.heldBytes + MemoryLayout<AMQPContent>.stride }
    }

    /// Bytes are missing of its body, which is in base64.
    mutating func lose() {
        if encoded == nil { encoded = EncodedBody() }
        encoded?.lose()
    }
}
