import Dissection

// How a message was cut out of raw bytes, as its record says.

extension LoggedRecord {
    func frame(_ object: JSONValue) throws(Problem) -> MessageFrame {
        var frame = MessageFrame(try framing(object), header: bytes(object["headerBytes"]))
        if object["guessed"]?.boolean == true {
            frame.guess = MessageFrame.Guess(fits: UInt64(clamping: object["fit"]?.nanoseconds ?? 0), of: 1_000_000_000)
        }
        return frame
    }

    private func framing(_ object: JSONValue) throws(Problem) -> StreamFraming {
        switch try word("by", of: FramingKind.self, in: object, by: { $0.word }) {
        case .length:
            return .length(
                LengthPrefix(
                    try width(object), offset: short(object["offset"]) ?? 0, header: short(object["header"]),
                    countsItself: object["self"]?.boolean ?? false))
        case .delimiter: return .delimiter(bytes(object["delimiter"]), most: StreamFraming.mostBytes)
        case .fixed: return .fixed(object["size"]?.unsigned.flatMap(UInt32.init(exactly:)) ?? 1)
        case .lines: return .lines
        case .contentLength: return .contentLength
        case .json: return .json
        case .tlv:
            let length = try width(object)
            let typeBytes = bytes(object["headerBytes"]).count - (length.bytes ?? 1)
            let type = LengthPrefix.Width.allCases.first { $0.bytes == typeBytes } ?? .u8
            return .tlv(type: type, length: length)
        case .protocol: return .protocol(try word("protocol", among: FramedProtocol.known, in: object) { $0.word })
        }
    }

    private func width(_ object: JSONValue) throws(Problem) -> LengthPrefix.Width {
        try word("length", of: LengthPrefix.Width.self, in: object) { $0.word }
    }

    private func short(_ value: JSONValue?) -> UInt16? { value?.unsigned.flatMap(UInt16.init(exactly:)) }

    private func bytes(_ value: JSONValue?) -> ShortBytes {
        value?.string.flatMap { [UInt8](hexadecimal: $0.rawBytes) }.flatMap { ShortBytes($0) } ?? ShortBytes()
    }
}
