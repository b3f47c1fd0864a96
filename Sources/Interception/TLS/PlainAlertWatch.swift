import Dissection
import NIOCore

/// Finds an alert that a peer sends in the clear where it should be encrypted.
///
/// OpenSSL does so when it refuses the certificate of a TLS 1.3 server (it has no keys to write with by then), and so do servers that find nothing in
/// common only after their ServerHello. The library then only says that the record is too short to be deciphered. What is found here serves to name a reason, no more: anybody could have sent it.
struct PlainAlertWatch {
    /// The description of the fatal alert that came.
    private(set) var alert: TLSAlert?
    private var cursor = TLSRecordCursor()
    private var content: UInt16 = 0

    /// Takes the next bytes of the peer's direction.
    mutating func receive(_ buffer: ByteBuffer) {
        let bytes = buffer.readableBytesSpan
        var position = 0
        while alert == nil, let step = cursor.next(in: bytes, at: &position) {
            guard case .fragment(let part) = step, cursor.header.contentType == 21, cursor.header.fragmentLength == 2 else { continue }
            for index in part { content = content << 8 | UInt16(bytes[index]) }
            // Level and description; 2 is fatal (RFC 8446 6).
            if cursor.fragmentLeft == 0, content >> 8 == 2 { alert = TLSAlert(rawValue: UInt8(content & 0xFF)) }
        }
    }
}
