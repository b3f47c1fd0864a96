import Dissection

// What the records of WebSocket have: `frame`, `pong`, `close`.

extension OutputBuffer {
    mutating func appendKeys(of frame: FrameHeader) {
        append(.opcode, decimal: UInt64(frame.opcode))
        append(.fin, frame.fin)
        append(.rsv, decimal: UInt64(frame.rsv))
        append(.masked, frame.masked)
        if frame.masked {
            append(.maskingKey)
            append(0x22)
            append(hex: UInt64(frame.maskingKey), width: 8)
            append(0x22)
        }
        append(.frameLength, decimal: frame.length)
        append(.headerLength, decimal: UInt64(frame.headerLength))
    }

    mutating func appendKeys(of pong: Pong, _ content: RecordContent) {
        appendPayload(content.bytes, content.policy, length: UInt64(content.bytes.byteCount), lengthIsKnown: false)
        append(.roundTrip, secondsOf: pong.roundTrip)
        append(.unsolicited, ifTrue: pong.unsolicited)
    }

    mutating func appendKeys(of close: CloseFrame, _ content: RecordContent) {
        if let code = close.code {
            append(.closeCode, decimal: UInt64(code))
            if let name = CloseCodeNames.name(code) { append(.closeName, word: name) }
        }
        guard !content.bytes.isEmpty else { return }
        appendPayload(content.bytes, content.policy, length: UInt64(content.bytes.byteCount), lengthIsKnown: false)
    }
}
