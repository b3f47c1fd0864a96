import Dissection

// Compressed messages of gRPC (PROTOCOL-HTTP2.md, "Compressed-Flag"): gzip, deflate or Zstandard, each message by itself. Which it is stands in a
// header that a decoder of payloads is not given, and in the first two bytes.
extension GRPC {
    /// Bytes that the compressed messages of one payload may come to together; what is larger is shown as it came.
    static let mostInflated = 1 << 20

    private static func coding(of first: UInt8, _ second: UInt8) -> ContentStage? {
        switch (first, second) {
        case (0x1f, 0x8b): .deflate(ContentInflater(.gzip))
        case (0x28, 0xb5): .zstd(ZstdInflater())
        case _ where first & 0x0f == 8: .deflate(ContentInflater(.deflate))
        case _: nil
        }
    }

    /// What a compressed message says; nil where it is coded otherwise, damaged, or too large.
    ///
    /// - Parameter room: bytes that are left for what comes out.
    static func inflated(_ bytes: RawSpan, room: inout Int) -> [UInt8]? {
        guard bytes.byteCount >= 2, let inflater = coding(of: bytes[0], bytes[1]) else { return nil }
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

extension DecodedPayload.Value.Member {
    /// The same of bytes that are gone: no place is told.
    var placeless: Self { Self(name, value.placeless) }
}

extension DecodedPayload.Value {
    fileprivate var placeless: Self {
        switch self {
        case .list(let values): .list(values.map(\.placeless))
        case .items(let members): .items(members.map(\.placeless))
        case .object(let members): .object(members.map(\.placeless))
        case .text, .word, .number, .signed, .real, .flag, .nothing, .duration, .json, .binary, .fields: self
        }
    }
}
