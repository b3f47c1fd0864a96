import Dissection
import NIOCore

/// What a peer sends in the place of TLS records: a server that speaks plain HTTP at a port for TLS answers a ClientHello with
/// `HTTP/1.1 400`. The TLS library drops it, and only says that it is wrong.
///
/// It takes all that comes during a handshake, record by record, and keeps what follows from the first five bytes that are the header
/// of no record.
struct ForeignBytes {
    /// More of them is counted, and not kept.
    static let limit = 64 << 10

    /// They are in the clear, as they came; empty where all was TLS.
    private(set) var bytes = ByteBuffer()
    /// How many came beyond the limit.
    private(set) var unkept = 0
    private var cursor = TLSRecordCursor()
    /// How many of them were read before the handshake began: whoever had read them has them already.
    private var replayed = 0

    /// Those that came during the handshake.
    var fresh: ByteBuffer { bytes.getSlice(at: bytes.readerIndex + replayed, length: bytes.readableBytes - replayed) ?? bytes }

    /// What has come so far was read before.
    mutating func noteReplay() { replayed = bytes.readableBytes }

    /// Takes the next bytes of the peer's direction.
    mutating func receive(_ buffer: ByteBuffer) {
        guard bytes.readableBytes == 0 else { return keep(buffer.readableBytesView[...]) }
        let span = buffer.readableBytesSpan
        var position = 0
        var start = cursor.partOfHeader
        while let step = cursor.next(in: span, at: &position) {
            switch step {
            case .fragment: start = []
            case .header(let header):
                // A header begins at the bytes that were left of the read before, or five bytes back.
                if !header.isKnown {
                    let own = TLSRecordHeader.length - start.count
                    bytes.writeBytes(start)
                    keep(buffer.readableBytesView.dropFirst(position - own))
                    return
                }
                start = []
            }
        }
    }

    /// No more comes: what might have become a header, and cannot be one of TLS, is none.
    mutating func end() {
        let part = cursor.partOfHeader
        guard bytes.readableBytes == 0, let first = part.first else { return }
        guard !(20...24).contains(first) || part.count > 1 && part[1] != 3 else { return }
        bytes.writeBytes(part)
    }

    private mutating func keep(_ more: ByteBufferView) {
        let kept = more.prefix(max(0, ForeignBytes.limit - bytes.readableBytes))
        bytes.writeBytes(kept)
        unkept += more.count - kept.count
    }

    /// What they look like, for a person: a first line of text, else how many they are.
    static func description(_ bytes: ByteBuffer) -> String {
        let line = bytes.readableBytesView.prefix { $0 != 0x0D && $0 != 0x0A }
        let isText = !line.isEmpty && line.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && String(validating: line, as: UTF8.self) != nil
        guard isText else {
            let count = bytes.readableBytes
            return count == 1 ? "1 byte that is not TLS" : "\(count) bytes that are not TLS"
        }
        let text = String(decoding: line.prefix(80), as: UTF8.self)
        return "“\(PrintableText.escaped(text, alsoWritten: "“”"))\(line.count > 80 ? "…" : "")” in clear text"
    }
}
