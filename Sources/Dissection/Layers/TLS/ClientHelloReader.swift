/// Finds the ClientHello at the beginning of a stream, for whoever has to know it before anything is answered.
///
/// The bytes are given as they come. The handshake message may lie in several records, so it is joined here; the ranges
/// of the hello point into `message`.
package struct ClientHelloReader: Sendable {
    package enum State: Sendable, Equatable {
        case needsMore
        /// The stream does not begin with a ClientHello in TLS records, or the hello contradicts itself.
        case notTLS
        /// It is longer than the limit.
        case tooLong
        case hello(ClientHello)
    }

    /// The handshake message so far.
    package private(set) var message: [UInt8] = []
    /// What has come of it.
    package private(set) var state = State.needsMore
    private var cursor = TLSRecordCursor()

    /// Bytes of a message came that is one of a ClientHello.
    package var hasBegun: Bool { !message.isEmpty }
    private let limit: Int

    /// - Parameter limit: Bytes of the message that are kept; 64 KiB unless told.
    package init(limit: Int = Limits().helloBytes) { self.limit = limit }

    /// Takes the next bytes of the stream; once the state is decided, further ones change nothing.
    package mutating func receive(_ bytes: RawSpan) -> State {
        var position = 0
        while position < bytes.byteCount, state == .needsMore {
            switch cursor.next(in: bytes, at: &position) {
            case nil:
                if !cursor.mayBecome(contentType: 22) { state = .notTLS }
            case .header(let header):
                let isFit = header.fragmentLength > 0 && header.fragmentLength <= TLSRecordHeader.longestFragment
                if header.contentType != 22 || header.version >> 8 != 3 || !isFit { state = .notTLS }
            case .fragment(let part):
                message.append(copying: bytes.extracting(part))
                checkMessage()
            }
        }
        return state
    }

    private mutating func checkMessage() {
        guard let first = message.first else { return }
        guard first == 1 else {
            state = .notTLS
            return
        }
        guard message.count >= 4 else { return }
        let length = 4 + Int(message.rawBytes.bigEndianUInt24(at: 1))
        if length > limit {
            state = .tooLong
            message = []
        } else if message.count >= length {
            state = ClientHello.parse(message.rawBytes).map(State.hello) ?? .notTLS
        }
    }
}
