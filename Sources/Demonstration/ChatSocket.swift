import NIOCore
import NIOWebSocket

/// One end of a WebSocket, in whole messages.
struct ChatSocket {
    /// What the other end sent.
    enum Heard: Equatable {
        case text(String)
        /// A text message whose bytes are not UTF-8.
        case malformedText
        case binary(ByteBuffer)
        case ping(ByteBuffer)
        case pong
        case close(WebSocketErrorCode?)
    }

    typealias Channel = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    private var incoming: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator
    private let outgoing: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    private var masks: MaskingKeys?
    /// The message whose last fragment has not come.
    private var unfinished: (opcode: WebSocketOpcode, bytes: ByteBuffer)?

    /// The longest message that is taken, in bytes; whoever reaches the port could send one.
    static let longestMessage = 64 << 10

    /// - Parameter masks: of a client, which masks what it sends (RFC 6455, section 5.3); nil for a server.
    init(
        _ incoming: NIOAsyncChannelInboundStream<WebSocketFrame>, _ outgoing: NIOAsyncChannelOutboundWriter<WebSocketFrame>,
        masks: MaskingKeys?
    ) {
        self.incoming = incoming.makeAsyncIterator()
        self.outgoing = outgoing
        self.masks = masks
    }

    // MARK: - Hearing

    /// The next message or control frame; nil at the end of the connection.
    mutating func hear() async throws -> Heard? {
        while let frame = try await incoming.next() {
            let payload = frame.unmaskedData
            switch frame.opcode {
            case .ping: return .ping(payload)
            case .pong: return .pong
            case .connectionClose:
                var code = payload
                return .close(code.readWebSocketErrorCode())
            default: if let message = try take(frame, payload) { return message }
            }
        }
        return nil
    }

    /// Adds a frame to the message that it belongs to; gives that when it is whole.
    private mutating func take(_ frame: WebSocketFrame, _ payload: ByteBuffer) throws -> Heard? {
        var message = unfinished ?? (frame.opcode, ByteBuffer())
        message.bytes.writeImmutableBuffer(payload)
        guard message.bytes.readableBytes <= Self.longestMessage else { throw ChatFailure.tooLong }
        guard frame.fin else {
            unfinished = message
            return nil
        }
        unfinished = nil
        guard message.opcode == .text else { return .binary(message.bytes) }
        return String(validating: message.bytes.readableBytesView, as: UTF8.self).map(Heard.text) ?? .malformedText
    }

    // MARK: - Saying

    /// Sends a text message in so many frames of about one length.
    mutating func say(_ text: String, fragments: Int = 1) async throws {
        let bytes = ByteBuffer(string: text)
        let length = (bytes.readableBytes + fragments - 1) / fragments
        for number in 0..<fragments {
            let part = bytes.getSlice(at: number * length, length: min(length, bytes.readableBytes - number * length))
            try await send(number == 0 ? .text : .continuation, part ?? ByteBuffer(), isLast: number == fragments - 1)
        }
    }

    /// Sends bytes that claim to be text.
    mutating func say(bytes: some Sequence<UInt8>) async throws { try await send(.text, ByteBuffer(bytes: bytes)) }

    mutating func send(binary bytes: [UInt8]) async throws { try await send(.binary, ByteBuffer(bytes: bytes)) }
    mutating func ping(_ payload: String) async throws { try await send(.ping, ByteBuffer(string: payload)) }
    mutating func pong(_ payload: ByteBuffer) async throws { try await send(.pong, payload) }

    mutating func close(_ code: WebSocketErrorCode?, _ reason: String = "") async throws {
        var payload = ByteBuffer()
        if let code {
            payload.write(webSocketErrorCode: code)
            payload.writeString(reason)
        }
        try await send(.connectionClose, payload)
    }

    private mutating func send(_ opcode: WebSocketOpcode, _ payload: ByteBuffer, isLast: Bool = true) async throws {
        try await outgoing.write(WebSocketFrame(fin: isLast, opcode: opcode, maskKey: masks?.next(), data: payload))
    }
}
