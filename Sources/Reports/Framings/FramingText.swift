import Dissection

extension StreamFraming {
    /// As `--framing` takes it, after the port: the opposite of `init(argument:)`.
    package var argument: String {
        switch self {
        case .length(let prefix):
            var text = "length:\(prefix.width.word)"
            if prefix.countsItself { text += ",self" }
            if prefix.offset > 0 { text += ",offset=\(prefix.offset)" }
            if prefix.hasMore { text += ",header=\(prefix.header)" }
            return text + most(prefix.most)
        case .delimiter(let bytes, let most):
            let digits = String(decoding: bytes.array.rawBytes.hexadecimal, as: UTF8.self)
            return "delimiter:hex:\(digits)" + self.most(most)
        case .fixed(let count): return "fixed:\(count)"
        case .lines: return "lines"
        case .contentLength: return "content-length"
        case .json: return "json"
        case .tlv(let type, let length): return "tlv:\(type.word),\(length.word)"
        case .protocol(let name): return "\(name.word)"
        }
    }

    private func most(_ bytes: UInt64) -> String { bytes == StreamFraming.mostBytes ? "" : ",max=\(bytes)" }
}

extension LengthPrefix {
    /// Whether the header has more than the length.
    package var hasMore: Bool { Int(header) > Int(offset) + (width.bytes ?? 0) && width != .varint }
}
