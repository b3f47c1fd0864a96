import Dissection

// What the records of WebSocket have: `frame`, `message`, `pong`, `close`.

extension OutputBuffer {
    mutating func appendKeys(of frame: FrameHeader) {
        append(",\"opcode\":", decimal: UInt64(frame.opcode))
        append(",\"fin\":", frame.fin)
        append(",\"rsv\":", decimal: UInt64(frame.rsv))
        append(",\"masked\":", frame.masked)
        if frame.masked {
            append(",\"maskingKey\":\"")
            append(hex: UInt64(frame.maskingKey), width: 8)
            append(0x22)
        }
        append(",\"length\":", decimal: frame.length)
        append(",\"headerLength\":", decimal: UInt64(frame.headerLength))
    }

    @inline(__always)
    mutating func appendKeys(of message: Message, _ content: RecordContent) {
        switch message.opcode {
        case 1: append(",\"opcode\":\"text\"")
        case 2: append(",\"opcode\":\"binary\"")
        default: append(",\"opcode\":", decimal: UInt64(message.opcode))
        }
        append(",\"length\":", decimal: message.length)
        append(",\"wireLength\":", decimal: message.wireLength)
        append(",\"fragments\":", decimal: UInt64(message.fragments))
        append(",\"compressed\":", message.compressed)
        appendPayload(content.whole, of: content, length: message.length)
    }

    mutating func appendKeys(of pong: Pong, _ content: RecordContent) {
        appendPayload(content.whole, of: content, length: UInt64(content.bytes.count), lengthIsKnown: false)
        append(",\"roundTrip\":", secondsOf: pong.roundTrip)
        if pong.unsolicited { append(",\"unsolicited\":true") }
    }

    mutating func appendKeys(of close: CloseFrame, _ content: RecordContent) {
        if let code = close.code {
            append(",\"code\":", decimal: UInt64(code))
            if let name = CloseCodeNames.name(code) { appendWord(",\"name\":\"", name) }
        }
        guard !content.bytes.isEmpty else { return }
        appendPayload(content.whole, of: content, length: UInt64(content.bytes.count), lengthIsKnown: false)
    }
}
