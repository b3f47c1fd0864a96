import Dissection
import NIOCore

/// Reads the ServerHello as it passes, for what the TLS library does not tell: the cipher suite as a number.
struct HelloWatch {
    /// From the ServerHello that decided.
    private(set) var hello: (version: UInt16, cipherSuite: UInt16)?
    private(set) var isDone = false
    private var cursor = TLSRecordCursor()
    private var message: [UInt8] = []

    /// A ServerHello has some hundred bytes; one with more than this is not looked at.
    private static let limit = 16 << 10

    /// Takes the next bytes of the server's direction.
    mutating func receive(_ buffer: ByteBuffer) {
        guard !isDone else { return }
        let bytes = buffer.readableBytesSpan
        var position = 0
        while !isDone, let step = cursor.next(in: bytes, at: &position) {
            switch step {
            case .header(let record):
                // Alerts and whatever is no TLS end the watch; a change_cipher_spec may stand between two hellos.
                if record.contentType != 22, record.contentType != 20 { finish() }
            case .fragment(let part):
                guard cursor.header.contentType == 22 else { continue }
                message.append(copying: bytes.extracting(part))
                look()
            }
        }
    }

    private mutating func look() {
        guard message.count >= 4 else { return }
        let length = 4 + Int(message.rawBytes.bigEndianUInt24(at: 1))
        guard length <= Self.limit else { return finish() }
        guard message.count >= length else { return }
        guard let parsed = ServerHello.parse(message.rawBytes) else { return finish() }
        if parsed.isRetryRequest {
            message = []
        } else {
            hello = (parsed.version, parsed.cipherSuite)
            finish()
        }
    }

    private mutating func finish() {
        isDone = true
        message = []
    }
}
