import Dissection

/// Binary messages that the app has compressed itself (`CompressedMessages`), and what is in them in its own format.
enum Compressed: PayloadFormat {
    static var name: StaticString { "compression" }
    static var keys: [StaticString] { ["coding", "stream", "size", "content"] }
    static var occasions: PayloadOccasions { [.binary, .agreedBinary, .framed] }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard !context.isOpened, context.carrier == .message ? context.opcode == 2 : context.framing.isEmpty else { return .no }
        switch CompressedMessages.Coding(bytes) {
        case .gzip, .zstd: return .certain
        // Two bytes are soon alike, and within a stream there are none: what cannot be undone is none, and nothing is said of it.
        case .zlib: return .possible
        case nil: return context.carrier == .message ? .possible : .no
        }
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        let opened = memory.open(bytes, isCut: context.isCut, from: context.from)
        guard let opened else { return decoded.stop("it cannot be decompressed to an end or a flush", at: 0) }
        let whole = 0..<bytes.byteCount
        decoded.note("coding", .word(opened.coding.word.description))
        if opened.isOfStream { decoded.note("stream", .flag(true)) }
        decoded.note("size", .number(UInt64(opened.bytes.count)))
        decoded.say(opened.coding.word)
        decoded.say(" \(opened.bytes.count) B  ".utf8)
        let content = opened.bytes.rawBytes
        let plain = content.asContent
        var inside = context
        inside.isOpened = true
        (inside.carrier, inside.isCut) = (.message, false)
        inside.opcode = if case .binary = plain { 2 } else { 1 }
        if let told = context.formats?.decode(content, in: inside, memory: &memory), !told.hasStopped {
            decoded.add("content", told.asValue.placed(at: ByteRange(whole)), at: whole)
            if !told.summary.isEmpty {
                decoded.say(told.format)
                decoded.say(" ")
                return decoded.say(told.summary)
            }
        } else {
            decoded.note("content", plain)
        }
        if case .binary(let count) = plain { decoded.say("\(count) bytes".utf8) } else { decoded.say(content) }
    }
}

/// The streams of both sides.
private struct CompressedStreams: PayloadState {
    private var client = CompressedMessages()
    private var server = CompressedMessages()

    var heldBytes: Int { client.heldBytes + server.heldBytes }

    mutating func lose(bytesOf side: Side) {
        if side == .client { client.lose() } else { server.lose() }
    }

    mutating func open(_ bytes: RawSpan, from side: Side) -> CompressedMessages.Opened? {
        side == .client ? client.open(bytes) : server.open(bytes)
    }
}

extension PayloadMemory {
    /// What a message holds that is compressed; one that is cut ends its side's stream.
    fileprivate mutating func open(_ bytes: RawSpan, isCut: Bool, from side: Side) -> CompressedMessages.Opened? {
        var streams = take(CompressedStreams.self)
        defer { self[CompressedStreams.self] = streams }
        guard isCut else { return streams.open(bytes, from: side) }
        streams.lose(bytesOf: side)
        return nil
    }
}
