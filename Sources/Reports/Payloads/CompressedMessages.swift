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

    private var stream: Stream?

    /// A stream is under way, so that the next message need not begin as a coding does.
    var isInStream: Bool { stream != nil }

    var heldBytes: Int { stream == nil ? 0 : ContentInflater.cost }

    /// Bytes of the side did not come: nothing of its stream can be undone any more.
    mutating func lose() { stream = nil }

    /// What a whole message holds; nil where it is not compressed, or cannot be undone.
    mutating func open(_ message: RawSpan) -> Opened? {
        if let current = stream {
            if let (bytes, hasEnded) = Self.inflate(message, current.stage, current.coding) {
                if hasEnded { stream = nil }
                return Opened(coding: current.coding, bytes: bytes, isOfStream: true)
            }
            stream = nil
        }
        guard let coding = Coding(message) else { return nil }
        let stage = coding.stage
        guard let (bytes, hasEnded) = Self.inflate(message, stage, coding) else { return nil }
        if !hasEnded { stream = Stream(coding, stage) }
        return Opened(coding: coding, bytes: bytes, isOfStream: !hasEnded)
    }

    /// All that a message becomes, and whether the coded data ended with it; nil where it stops elsewhere than at an end or a flush.
    private static func inflate(_ message: RawSpan, _ stage: ContentStage, _ coding: Coding) -> (bytes: [UInt8], hasEnded: Bool)? {
        var plain: [UInt8] = []
        var taken = 0
        while true {
            let step = stage.inflate(
                message.suffix(from: taken), room: mostInflated - plain.count + 1, into: &plain, capacity: mostInflated + 1)
            taken += step.consumed
            guard plain.count <= mostInflated else { return nil }
            switch step.status {
            case .ended where taken == message.byteCount: return (plain, true)
            case .needsInput where step.produced > 0: continue
            case .needsInput where taken == message.byteCount && isFlushed(message, coding, plain): return (plain, false)
            case .needsInput, .ended, .full, .notCoded, .corrupt, .exceeded: return nil
            }
        }
    }

    /// Whether a message ends as a flush does: with an empty stored block (zlib's manual, Z_SYNC_FLUSH), or after a block of Zstandard.
    private static func isFlushed(_ message: RawSpan, _ coding: Coding, _ plain: [UInt8]) -> Bool {
        if coding == .zstd { return !plain.isEmpty }
        return message.byteCount >= 4 && message.bigEndianUInt32(at: message.byteCount - 4) == 0x0000_ffff
    }
}
