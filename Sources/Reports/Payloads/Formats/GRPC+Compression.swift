import Dissection

// Compressed messages of gRPC (PROTOCOL-HTTP2.md, "Compressed-Flag"): gzip or deflate, each message by itself. Which it is stands in a header
// that a decoder of payloads is not given, and in the first two bytes.
extension GRPC {
    /// Bytes that the compressed messages of one payload may come to together; what is larger is shown as it came.
    static let mostInflated = 1 << 20

    /// What a compressed message says; nil where it is coded otherwise, damaged, or too large.
    ///
    /// - Parameter room: bytes that are left for what comes out.
    static func inflated(_ bytes: RawSpan, room: inout Int) -> [UInt8]? {
        guard bytes.byteCount >= 2, bytes[0] == 0x1f && bytes[1] == 0x8b || bytes[0] & 0x0f == 8 else { return nil }
        let inflater = ContentInflater(bytes[0] == 0x1f ? .gzip : .deflate)
        var plain: [UInt8] = []
        var taken = 0
        while true {
            let step = inflater.inflate(bytes.suffix(from: taken), room: room - plain.count + 1, into: &plain, capacity: room + 1)
            taken += step.consumed
            switch step.status {
            case .ended where taken == bytes.byteCount:
                room -= plain.count
                return plain
            case .needsInput where step.produced > 0 && plain.count <= room: continue
            case .needsInput, .ended, .full, .notCoded, .corrupt, .exceeded: return nil
            }
        }
    }
}
