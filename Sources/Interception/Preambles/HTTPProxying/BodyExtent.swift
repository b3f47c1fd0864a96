import Dissection

/// How far the body of an HTTP/1 message reaches (RFC 9112, section 6.3). It keeps none of it.
struct BodyExtent: Sendable {
    enum State: Hashable, Sendable {
        /// More of it has to come.
        case open
        case whole
        /// What should frame it is no framing: the end cannot be known any more.
        case lost
    }

    private enum Part { case data, framing, trailers }

    private(set) var state: State
    private var part: Part
    /// Of the body or of the chunk.
    private var remaining: UInt64 = 0
    private let isChunked: Bool
    private let takesTrailers: Bool
    private let checksTrailers: Bool
    /// In the name of a trailer field.
    private var isInName = false
    private var chunks = ChunkFraming()
    /// Bytes in the trailer line that is read, up to two; a lone CR is not counted.
    private var lineLength = 0

    /// - Parameter framing: not `untilClose`, which has no end here.
    /// - Parameter takesTrailers: whether trailer fields may follow the chunks; otherwise the first one makes the body lost.
    /// - Parameter checksTrailers: whether a line after the chunks that does not begin as a field does makes it lost: it may be the next
    ///   message, of a sender that has left the empty line out.
    init(_ framing: MessageFraming, takesTrailers: Bool = true, checksTrailers: Bool = false) {
        self.takesTrailers = takesTrailers
        self.checksTrailers = checksTrailers
        state = .open
        part = .data
        isChunked = framing == .chunked
        switch framing {
        case .none: state = .whole
        case .length(let length):
            remaining = length
            if length == 0 { state = .whole }
        case .chunked: part = .framing
        case .unknown, .untilClose: state = .lost
        }
    }

    /// The lines between the chunks are written in a way that readers take differently, so that they may see another end.
    var isAmbiguous: Bool { isChunked && !chunks.isPlain }

    /// Goes on at `start`; returns where the body ends in `bytes`, or stops making sense, or the end of `bytes`.
    mutating func take(_ bytes: RawSpan, from start: Int) -> Int {
        var position = start
        while state == .open, position < bytes.byteCount {
            switch part {
            case .data:
                let count = Int(min(UInt64(bytes.byteCount - position), remaining))
                remaining -= UInt64(count)
                position += count
                guard remaining == 0 else { continue }
                if isChunked {
                    chunks.dataEnded()
                    part = .framing
                } else {
                    state = .whole
                }
            case .framing:
                position = takeFraming(bytes, from: position)
            case .trailers:
                if !takesTrailers, bytes[position] != 0x0D, bytes[position] != 0x0A {
                    state = .lost
                    return position
                }
                if checksTrailers, !isOfTrailer(bytes[position]) {
                    state = .lost
                    return position
                }
                takeTrailer(bytes[position])
                position += 1
            }
        }
        return position
    }

    private mutating func takeFraming(_ bytes: RawSpan, from start: Int) -> Int {
        var position = start
        while position < bytes.byteCount {
            let meaning = chunks.take(bytes[position])
            position += 1
            switch meaning {
            case .goesOn: continue
            case .sizeLine:
                remaining = chunks.size
                part = remaining == 0 ? .trailers : .data
                return position
            case .badSize, .noTerminator:
                state = .lost
                return position - 1
            }
        }
        return position
    }

    /// Whether a byte can stand next in a trailer field: its name is a token, and a colon follows (RFC 9112, section 5).
    private mutating func isOfTrailer(_ byte: UInt8) -> Bool {
        if lineLength == 0 {
            isInName = byte.isTokenCharacter
            return isInName || byte == 0x0D || byte == 0x0A
        }
        guard isInName, !byte.isTokenCharacter else { return true }
        isInName = false
        return byte == UInt8(ascii: ":")
    }

    /// The trailer section ends with an empty line (RFC 9112, section 7.1.2).
    private mutating func takeTrailer(_ byte: UInt8) {
        switch byte {
        case 0x0A:
            if lineLength == 0 { state = .whole }
            lineLength = 0
        case 0x0D where lineLength == 0: lineLength = 0
        default: lineLength = 1
        }
    }
}
