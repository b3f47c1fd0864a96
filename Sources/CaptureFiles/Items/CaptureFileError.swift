/// Why a capture could not be read, or not to its end.
///
/// Packets that were delivered before it stand. Where `canGoOn` is true the reader has stepped over the damage and
/// `next()` may be called again.
public struct CaptureFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is, for the choice of exit code and wording.
    public enum Kind: Hashable, Sendable {
        /// The system refused to open or read the input.
        case unreadable
        /// The first bytes are of no capture format that is read here.
        case notACapture
        /// A capture, in a version or variant that is not read here.
        case unsupported
        /// The input ends inside a record or inside compressed data.
        case cutShort
        /// The content contradicts itself.
        case damaged
    }

    public var kind: Kind
    /// The name of the input as the user gave it, or `standard input`.
    public var input: String
    /// Where it broke: bytes from the start of the stream, after decompression where the input is compressed.
    public var offset: UInt64
    /// Whether `offset` counts decompressed bytes.
    public var isDecompressed: Bool
    /// What broke, one sentence without a full stop.
    public var problem: String
    /// What the user can do about it; empty where there is nothing but to know.
    public var advice: String
    /// Whether reading continues after the damage.
    public var canGoOn: Bool

    public init(
        kind: Kind, input: String, offset: UInt64, isDecompressed: Bool = false, problem: String, advice: String = "",
        canGoOn: Bool = false
    ) {
        self.kind = kind
        self.input = input
        self.offset = offset
        self.isDecompressed = isDecompressed
        self.problem = problem
        self.advice = advice
        self.canGoOn = canGoOn
    }

    /// One line for a person: input, place, what broke, what to do.
    public var description: String {
        var line = input
        switch kind {
        case .unreadable, .notACapture: line += ": "
        case .unsupported, .cutShort, .damaged:
            line += isDecompressed ? ": at byte \(offset) of the decompressed data: " : ": at byte \(offset): "
        }
        line += problem
        if !advice.isEmpty { line += "; " + advice }
        return line
    }
}
