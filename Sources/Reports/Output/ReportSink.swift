import Dissection

/// An output: takes the events of a run and makes them into something to read.
///
/// The order of calls: `begin` for each input before its first event, `receive` for each event, `finish` once at the
/// end, also when the run was interrupted. Errors of writing are kept, not thrown: the caller looks at `outputError`
/// now and then and stops when there is one. After an error nothing more is written.
public protocol ReportSink: ConversationSink, ~Copyable {
    /// Takes note that a new input begins.
    mutating func begin(_ source: CaptureSource)
    /// Ends the output with what the run amounted to, and writes out everything.
    mutating func finish(_ totals: Totals)
    /// Writes out whatever has been collected so far, so that a reader sees it.
    mutating func flush()
    /// Why nothing more can be written; none while all is well.
    var outputError: OutputError? { get }
    /// Tries once more to write, where the output keeps trying.
    ///
    /// - Returns: What was wrong, and how many records were left out because of it; nil where all was well, or still is not.
    mutating func retry() -> (error: OutputError, lostRecords: UInt64)?
    /// Records, or lines of text, that were not written so far: those left out because writing failed, and those that wait.
    var unwrittenRecords: UInt64 { get }
    /// Whether something could not be written when it was tried, and would be on another try.
    var isHeldUp: Bool { get }
}

/// What has nothing to begin with and keeps nothing back.
extension ReportSink where Self: ~Copyable {
    public mutating func begin(_ source: CaptureSource) {}
    public mutating func flush() {}
    public mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { nil }
    public var unwrittenRecords: UInt64 { 0 }
    public var isHeldUp: Bool { false }
}

/// Where the packets or bytes of a run come from: the log's `capture` record.
public struct CaptureSource: Sendable {
    /// The raw value is `source.type` of the log.
    public enum Kind: String, Sendable, CaseIterable {
        case file
        case interface
        case proxy
    }

    public var kind: Kind
    /// The file's path as the user gave it, the interface's name, or the address that the proxy listens at.
    public var name: String
    /// The number that the first packet of this input has or will have; none for a proxy.
    public var firstPacket: UInt64?
    /// The name and version of the program that writes, such as `unmask 0.1.0`.
    public var tool: String
    /// The link type of an interface, for a recording of its packets.
    public var linkType: LinkType?
    /// Bytes of a packet that are kept at most; 0 where there is no limit.
    public var snapshotLength: UInt32

    public init(
        kind: Kind, name: String, firstPacket: UInt64? = nil, tool: String, linkType: LinkType? = nil, snapshotLength: UInt32 = 0
    ) {
        self.kind = kind
        self.name = name
        self.firstPacket = firstPacket
        self.tool = tool
        self.linkType = linkType
        self.snapshotLength = snapshotLength
    }
}

/// How much of a payload an output shows.
public enum PayloadPolicy: Hashable, Sendable {
    /// At most this many bytes of each message, body part, ping, close reason or data run.
    case full(limit: Int)
    /// At most this many bytes, cut at a character boundary.
    case preview(limit: Int)
    /// No payload at all.
    case none

    /// 1 MiB each: what the records have when nothing else is asked for.
    public static let full = PayloadPolicy.full(limit: 1 << 20)
    /// 256 bytes each: what text has when nothing else is asked for.
    public static let preview = PayloadPolicy.preview(limit: 256)

    /// The most bytes shown of one payload.
    package var limit: Int {
        switch self {
        case .full(let limit), .preview(let limit): max(0, limit)
        case .none: 0
        }
    }
}
