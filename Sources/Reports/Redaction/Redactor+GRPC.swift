import Dissection

// Messages of gRPC (grpc/grpc, PROTOCOL-HTTP2.md and PROTOCOL-WEB.md), which those who show them undo: compression of each by itself, and base64.

extension Redactor {
    /// What bodies of a side are made of, as its last head says.
    enum BodyFraming {
        case none
        /// Messages of gRPC.
        case messages
        /// The same in base64: grpc-web-text.
        case encodedMessages
    }

    private static let types: [(StaticString, BodyFraming)] = [
        ("application/grpc-web-text", .encodedMessages), ("application/grpc", .messages),
    ]

    static func framing(ofType type: RawSpan) -> BodyFraming {
        for (name, framing) in types where type.prefix(name.utf8CodeUnitCount).isWord(name) { return framing }
        return .none
    }

    /// What is left of a payload that is whole messages: those with secrets are no longer compressed, and have the length that they come to. Nil where it
    /// is anything else.
    func piece(ofMessages payload: [UInt8], in framing: BodyFraming) -> RedactionRun.Piece? {
        switch framing {
        case .none: return nil
        case .messages:
            guard let left = left(ofMessages: payload) else { return nil }
            return RedactionRun.Piece(bytes: left.bytes, places: left.places, length: payload.count)
        case .encodedMessages:
            let undone = Base64.decodeJoined(payload.rawBytes)
            guard undone.problem == nil, let left = left(ofMessages: undone.bytes) else { return nil }
            let text = left.places == 0 ? payload : Base64.encode(left.bytes)
            return RedactionRun.Piece(bytes: text, places: left.places, length: payload.count)
        }
    }

    private func left(ofMessages payload: [UInt8]) -> (bytes: [UInt8], places: Int)? {
        var (left, places): ([UInt8], Int) = ([], 0)
        var (start, room) = (0, GRPC.mostInflated)
        while start < payload.count {
            guard payload.count - start >= 5 else { return nil }
            let (flags, length) = (payload[start], Int(payload.rawBytes.bigEndianUInt32(at: start + 1)))
            let content = start + 5
            guard flags & 0x7e == 0, length <= payload.count - content else { return nil }
            var plain = Array(payload[content..<content + length])
            if flags & 1 != 0, let undone = GRPC.inflated(plain.rawBytes, room: &room) { plain = undone }
            let message = flags & 0x80 == 0 ? leftOfMessage(plain) : leftOfTrailers(plain)
            if message.places > 0 {
                let count = UInt32(clamping: message.bytes.count)
                left.append(flags & ~1)
                for shift: UInt32 in [24, 16, 8, 0] { left.append(UInt8(truncatingIfNeeded: count >> shift)) }
                left += message.bytes
                places += message.places
            } else {
                left += payload[start..<content + length]
            }
            start = content + length
        }
        return payload.isEmpty ? nil : (left, places)
    }

    private func leftOfMessage(_ plain: [UInt8]) -> (bytes: [UInt8], places: Int) {
        let secrets = BinarySecrets(plain)
        var run = RedactionRun()
        let piece = run.take(secrets.bytes, as: .text, rules, isLast: true)
        steps += piece.steps
        return (piece.bytes, piece.places + secrets.places)
    }

    /// The trailers of gRPC-Web are lines of header fields.
    private func leftOfTrailers(_ plain: [UInt8]) -> (bytes: [UInt8], places: Int) {
        var work = HeadRedaction(plain, rules)
        work.takeFields(ByteRange(0..<plain.count))
        steps += plain.count
        return (work.found.apply(to: plain), work.found.count)
    }
}
