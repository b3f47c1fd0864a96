import Dissection

/// Undoes what an app has compressed itself before it sent it as binary messages: gzip (RFC 1952), zlib (RFC 1950) or Zstandard (RFC 8878), each
/// message by itself, as Huobi's and HTX's feeds, or all messages of a side as one stream that is flushed after each, as Discord's `zlib-stream` and
/// `zstd-stream`.
///
/// What a message begins with is not enough: only what can be undone up to its end, or up to a flush, is taken for compressed. Memory is that of one
/// inflater a side where there is a stream, and none otherwise.
struct CompressedMessages: Sendable {
    enum Coding: Sendable {
        case gzip, zlib, zstd

        var word: StaticString {
            switch self {
            case .gzip: "gzip"
            case .zlib: "zlib"
            case .zstd: "zstd"
            }
        }

        /// By the first bytes; nil where they are of none.
        init?(_ bytes: RawSpan) {
            guard bytes.byteCount >= 6 else { return nil }
            switch bytes[0] {
            // The method is deflate, and no flag is one of those that are reserved.
            case 0x1f where bytes[1] == 0x8b && bytes[2] == 8 && bytes[3] < 0x20: self = .gzip
            case 0x28 where bytes.bigEndianUInt32(at: 0) == 0x28b5_2ffd: self = .zstd
            // A window of 32 KiB, a check of both bytes, and no dictionary that was agreed beforehand.
            case 0x78 where (0x7800 | UInt16(bytes[1])) % 31 == 0 && bytes[1] & 0x20 == 0: self = .zlib
            case _: return nil
            }
        }

        fileprivate var stage: ContentStage {
            switch self {
            case .gzip: .deflate(ContentInflater(.gzip))
            case .zlib: .deflate(ContentInflater(.deflate))
            case .zstd: .zstd(ZstdInflater())
            }
        }
    }

    /// What a message holds.
    struct Opened {
        let coding: Coding
        let bytes: [UInt8]
        /// It is a part of a stream, which may go on in the next message.
        let isOfStream: Bool
    }

    /// A stream under way. Each is used by one conversation's reader alone, one message after the other.
    private final class Stream: @unchecked Sendable {
        let coding: Coding
        let stage: ContentStage

        init(_ coding: Coding, _ stage: ContentStage) { (self.coding, self.stage) = (coding, stage) }
    }

    /// Bytes that one message may become; what is larger is shown as it came.
    static let mostInflated = 1 << 20

    private enum State {
        case none
        /// Up to a flush all was opened, and the next message may go on from there.
        case followed(Stream)
        /// What came so far may be the beginning of a stream whose messages are cut elsewhere than at its flushes.
        case begun(Stream)
        /// A stream that nothing can be undone of any more.
        case lost
    }

    /// What becomes of a message.
    enum Outcome {
        case opened(Opened)
        /// It is compressed, or a part of a stream, and what it holds cannot be shown by itself.
        case closed
        /// It is no compressed data.
        case foreign
    }

    private var state = State.none

    /// A stream is followed, so that the next message need not begin as a coding does.
    var isInStream: Bool { if case .followed = state { true } else { false } }

    /// Whether a message that does not begin as a coding does may be compressed nevertheless.
    var isUnderWay: Bool { if case .none = state { false } else { true } }

    var heldBytes: Int {
        switch state {
        case .none, .lost: 0
        case .followed, .begun: ContentInflater.cost
        }
    }

    /// Bytes of the side did not come: nothing of its stream can be undone any more.
    mutating func lose() { if isUnderWay { state = .lost } }

    /// What a whole message holds; nil where it is not compressed, or cannot be undone.
    mutating func open(_ message: RawSpan) -> Opened? {
        if case .opened(let opened) = take(message) { opened } else { nil }
    }

    /// Takes the next message of the side.
    ///
    /// From where a stream cannot be followed, its messages are closed up to one that opens by itself.
    ///
    /// - Parameter isCut: not all of it is there.
    mutating func take(_ message: RawSpan, isCut: Bool = false) -> Outcome {
        if case .followed(let stream) = state {
            if !isCut, case .whole(let bytes, let hasEnded) = Self.inflate(message, stream.stage, stream.coding) {
                if hasEnded { state = .none }
                return .opened(Opened(coding: stream.coding, bytes: bytes, isOfStream: true))
            }
            state = .lost
        }
        let coding = Coding(message)
        if let coding, let outcome = begin(message, coding, isCut) { return outcome }
        // Two bytes are soon those of zlib: what cannot be undone is then other data.
        let alone: Outcome = coding == nil || coding == .zlib ? .foreign : .closed
        switch state {
        case .none: return alone
        case .followed, .lost: return .closed
        case .begun(let stream):
            switch Self.inflate(message, stream.stage, stream.coding) {
            case .whole(_, let hasEnded):
                // Its beginning was not shown, and so its rest is not; after it the stream is followed.
                state = isCut ? .lost : hasEnded ? .none : .followed(stream)
                return .closed
            case .unfinished:
                if isCut { state = .lost }
                return .closed
            case .tooLarge:
                state = .lost
                return .closed
            case .endsBefore, .corrupt:
                state = .none
                return alone
            }
        }
    }

    /// Takes a message that begins as a coding does; nil where what follows is no such data.
    private mutating func begin(_ message: RawSpan, _ coding: Coding, _ isCut: Bool) -> Outcome? {
        let stage = coding.stage
        switch Self.inflate(message, stage, coding) {
        case .whole(let bytes, let hasEnded) where !isCut:
            if !hasEnded {
                state = .followed(Stream(coding, stage))
            } else if case .begun = state {
                state = .none
            }
            return .opened(Opened(coding: coding, bytes: bytes, isOfStream: !hasEnded))
        case .whole, .tooLarge:
            state = .lost
            return .closed
        case .unfinished:
            if case .lost = state { return .closed }
            state = isCut ? .lost : .begun(Stream(coding, stage))
            return .closed
        case .endsBefore: return .closed
        case .corrupt: return nil
        }
    }

    private enum Inflation {
        /// All of it, and whether the coded data ended with it; otherwise it stopped at a flush.
        case whole([UInt8], hasEnded: Bool)
        /// It stopped elsewhere.
        case unfinished
        case tooLarge
        /// The coded data ended before the message did.
        case endsBefore
        case corrupt
    }

    /// All that a message becomes.
    private static func inflate(_ message: RawSpan, _ stage: ContentStage, _ coding: Coding) -> Inflation {
        var plain: [UInt8] = []
        var taken = 0
        while true {
            let step = stage.inflate(
                message.suffix(from: taken), room: mostInflated - plain.count + 1, into: &plain, capacity: mostInflated + 1)
            taken += step.consumed
            guard plain.count <= mostInflated else { return .tooLarge }
            switch step.status {
            case .ended: return taken == message.byteCount ? .whole(plain, hasEnded: true) : .endsBefore
            case .needsInput where step.produced > 0: continue
            case .needsInput where taken == message.byteCount:
                return isFlushed(message, coding, plain) ? .whole(plain, hasEnded: false) : .unfinished
            case .full, .exceeded: return .tooLarge
            case .needsInput, .notCoded, .corrupt: return .corrupt
            }
        }
    }

    /// Whether a message ends as a flush does: with an empty stored block (zlib's manual, Z_SYNC_FLUSH), or after a block of Zstandard.
    private static func isFlushed(_ message: RawSpan, _ coding: Coding, _ plain: [UInt8]) -> Bool {
        if coding == .zstd { return !plain.isEmpty }
        return message.byteCount >= 4 && message.bigEndianUInt32(at: message.byteCount - 4) == 0x0000_ffff
    }
}
