import Dissection
import NIOCore

/// Reads the ServerHello as it passes, for what the TLS library does not tell: the cipher suite as a number.
struct HelloWatch {
    /// From the ServerHello that decided.
    private(set) var hello: (version: UInt16, cipherSuite: UInt16)?
    private(set) var isDone = false
    private var header: UInt64 = 0
    private var headerCount = 0
    private var fragmentLeft = 0
    private var isHandshake = false
    private var message: [UInt8] = []

    /// A ServerHello has some hundred bytes; one with more than this is not looked at.
    private static let limit = 16 << 10

    /// Takes the next bytes of the server's direction.
    mutating func receive(_ buffer: ByteBuffer) {
        guard !isDone else { return }
        let bytes = buffer.readableBytesSpan
        var position = 0
        while position < bytes.byteCount, !isDone {
            if fragmentLeft == 0 {
                header = header << 8 | UInt64(bytes[position])
                headerCount += 1
                position += 1
                if headerCount == TLSRecordHeader.length { begin(TLSRecordHeader(bits: header)) }
            } else {
                let count = min(fragmentLeft, bytes.byteCount - position)
                if isHandshake { message.append(copying: bytes.extracting(position..<position + count)) }
                position += count
                fragmentLeft -= count
                if isHandshake { look() }
            }
        }
    }

    private mutating func begin(_ record: TLSRecordHeader) {
        header = 0
        headerCount = 0
        fragmentLeft = record.fragmentLength
        isHandshake = record.contentType == 22
        // Alerts and whatever is no TLS end the watch; a change_cipher_spec may stand between two hellos.
        if !isHandshake, record.contentType != 20 { finish() }
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
