import Dissection
import NIOCore

/// Finds an alert that a peer sends in the clear where it should be encrypted.
///
/// OpenSSL does so when it refuses the certificate of a TLS 1.3 server (it has no keys to write with by then), and so do servers that find nothing in
/// common only after their ServerHello. The library then only says that the record is too short to be deciphered. What is found here serves to name a reason, no more: anybody could have sent it.
struct PlainAlertWatch {
    /// The description of the fatal alert that came.
    private(set) var alert: TLSAlert?
    private var header: UInt64 = 0
    private var headerCount = 0
    private var fragmentLeft = 0
    private var isAlert = false
    private var content: UInt16 = 0

    /// Takes the next bytes of the peer's direction.
    mutating func receive(_ buffer: ByteBuffer) {
        let bytes = buffer.readableBytesSpan
        var position = 0
        while position < bytes.byteCount, alert == nil {
            if fragmentLeft == 0 {
                header = header << 8 | UInt64(bytes[position])
                headerCount += 1
                position += 1
                if headerCount == TLSRecordHeader.length { begin(TLSRecordHeader(bits: header)) }
            } else if isAlert {
                content = content << 8 | UInt16(bytes[position])
                position += 1
                fragmentLeft -= 1
                // Level and description; 2 is fatal (RFC 8446 6).
                if fragmentLeft == 0, content >> 8 == 2 { alert = TLSAlert(rawValue: UInt8(content & 0xFF)) }
            } else {
                let count = min(fragmentLeft, bytes.byteCount - position)
                position += count
                fragmentLeft -= count
            }
        }
    }

    private mutating func begin(_ record: TLSRecordHeader) {
        header = 0
        headerCount = 0
        fragmentLeft = record.fragmentLength
        isAlert = record.contentType == 21 && record.fragmentLength == 2
    }
}
