import Dissection

// What the record of a message has that was cut out of raw bytes.

extension OutputBuffer {
    mutating func appendKeys(of message: Message, _ frame: MessageFrame, _ content: RecordContent) {
        append(.messageLength, decimal: message.length)
        append(.messageWireLength, decimal: message.wireLength)
        append(.messageFraming)
        appendFraming(frame)
        if message.isUnfinished { appendUnfinished(message.announced) }
        appendPayload(content.bytes, content.policy, length: content.shown(message.length))
    }

    /// Appends the object that says how a message was cut out.
    mutating func appendFraming(_ frame: MessageFrame) {
        append(0x7b)
        append(first: .framingBy)
        append(0x22)
        append(FramingKind(frame.framing).word)
        append(0x22)
        appendParameters(of: frame)
        if let guess = frame.guess {
            append(.framingGuessed, true)
            append(.framingFit, secondsOf: guess.billionths)
        }
        append(0x7d)
    }

    private mutating func appendParameters(of frame: MessageFrame) {
        switch frame.framing {
        case .length(let prefix):
            append(.framingLength, word: prefix.width.word)
            append(.framingCountsItself, ifTrue: prefix.countsItself)
            if prefix.offset > 0 { append(.framingOffset, decimal: UInt64(prefix.offset)) }
            if prefix.hasMore { append(.framingHeader, decimal: UInt64(prefix.header)) }
            if frame.header.count > 0 { append(.framingHeaderBytes, hex: frame.header) }
        case .delimiter(let bytes, _): append(.framingDelimiter, hex: bytes)
        case .fixed(let size): append(.framingSize, decimal: UInt64(size))
        case .lines, .contentLength, .json: break
        case .tlv(let type, let length):
            append(.framingLength, word: length.word)
            append(.framingType, decimal: frame.type(type))
            append(.framingHeaderBytes, hex: frame.header)
        case .protocol(let name): append(.framingProtocol, word: name.word)
        }
    }

    private mutating func append(_ field: Field, hex bytes: ShortBytes) {
        append(field)
        append(0x22)
        for index in 0..<bytes.count { append(hex: UInt64(bytes[index]), width: 2) }
        append(0x22)
    }
}

extension MessageFrame {
    /// The type of type, length and value.
    package func type(_ width: LengthPrefix.Width) -> UInt64 {
        let bytes = header.array.prefix(width.bytes ?? 1)
        return (width.isLittleEndian ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension MessageFrame.Guess {
    /// The share that fitted, in billionths, cut to three places.
    package var billionths: Int64 { of > 0 ? Int64(Double(min(fits, of)) / Double(of) * 1_000) * 1_000_000 : 0 }
}
