/// What the two sides agreed to in the opening handshake, as far as it changes how frames are read.
package struct WebSocketNegotiation: Sendable {
    /// permessage-deflate, if it was agreed.
    package var compression: Upgrade.Compression?
    /// An extension that we do not know was agreed; it may use RSV bits and reserved opcodes.
    package var hasUnknownExtension: Bool
    /// Bytes of the request's head, or after it, were lost: the rest of it, or of a frame, may come before the client's first frame.
    package var requestWasCut = false
    /// The request was not seen: it may be missing together with what the client sent after it.
    package var requestWasUnseen = false
    /// Only a part of the request had come: the rest of it may come before the client's first frame.
    package var requestMayFollow = false
    /// What was agreed on is a draft with other frames.
    package var isDraft = false
    /// It carries Engine.IO 4 (Socket.IO 3 and 4), by the target of its request.
    package var isEngineIO = false
    /// As before, and its first message opens the session.
    package var opensSession = false
    /// It carries the channels of Phoenix, by the target of its request.
    package var isPhoenix = false
    /// The server chose a subprotocol.
    package var hasSubprotocol = false
    /// What cuts and checks the packets that its messages carry, where the subprotocol says that they are a stream of such.
    package var carried: FramedProtocol?
    /// No request was seen that asked for it: the answer may stand in a recording that another protocol carries.
    package var isGuessed = false
    /// The handshake was seen. Without it the extensions are unknown, and RSV1 is taken as permessage-deflate.
    package var isKnown: Bool

    package init(compression: Upgrade.Compression? = nil, hasUnknownExtension: Bool = false, isKnown: Bool = true) {
        self.compression = compression
        self.hasUnknownExtension = hasUnknownExtension
        self.isKnown = isKnown
    }
}
