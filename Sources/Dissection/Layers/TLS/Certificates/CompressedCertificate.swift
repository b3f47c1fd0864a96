/// A Certificate message that is compressed (RFC 8879, section 4), as browsers offer.
struct CompressedCertificate {
    /// How it is compressed, where that is not undone here, for a sentence.
    private(set) var unread: String?
    /// The Certificate message, its header included; empty where it could not be had.
    private(set) var message: [UInt8] = []

    /// Longer messages are not undone, as longer ones that are not compressed are not read.
    private static var mostBytes: Int { 65_536 }

    /// Reads a whole handshake message, its header of type and 24-bit length included.
    init(_ bytes: RawSpan) {
        var fields = HandshakeFields(ByteRange(start: 4, count: max(0, bytes.byteCount - 4)))
        guard let algorithm = fields.uint16(bytes), let length = fields.take(3), let content = fields.vector24(bytes) else { return }
        let stage: ContentStage
        switch algorithm {
        case 1: stage = .deflate(ContentInflater(.deflate))
        case 2: stage = .brotli(BrotliInflater())
        case 3: stage = .zstd(ZstdInflater())
        default:
            unread = "algorithm \(algorithm)"
            return
        }
        inflate(bytes.extracting(content.start..<content.end), by: stage, to: Int(bytes.bigEndianUInt24(at: length.start)))
    }

    /// Undoes zlib (RFC 1950), brotli (RFC 7932) or Zstandard (RFC 8878), where as much comes out as was said.
    private mutating func inflate(_ content: RawSpan, by stage: ContentStage, to length: Int) {
        guard length > 0, length <= Self.mostBytes else { return }
        var plain: [UInt8] = []
        var input = content
        while plain.count < length {
            let step = stage.inflate(input, room: length - plain.count, into: &plain, capacity: length)
            input = input.suffix(from: step.consumed)
            guard step.status.goesOn, step.produced > 0 || step.consumed > 0 else { return }
        }
        message = [11, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)] + plain
    }
}
