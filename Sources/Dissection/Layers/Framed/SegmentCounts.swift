/// How the messages of a side lie in the segments, or in the reads of the proxy, that brought them: TCP joins what is written separately and cuts what
/// is written at once, which a program that takes each read for a message does not expect.
///
/// ```
/// segments   │ one two │ thr │ ee four │      3 segments, 2 of which hold several, and 1 message that came in several
/// ```
///
/// A message that fits into no segment comes in several of course, and is not counted.
struct SegmentCounts {
    /// A longer message may not fit into one segment.
    private static let shortMessage: UInt64 = 1_200

    private(set) var segments: UInt64 = 0
    private(set) var messages: UInt64 = 0
    /// Segments with bytes of several messages, the one under way left out.
    private var joined: UInt64 = 0
    /// Short messages that came in several segments.
    private(set) var split: UInt64 = 0
    /// When, and in which packets, the last bytes came.
    private var place: Place?
    /// Messages that have bytes in the segment under way.
    private var inSegment = 0
    /// The open message has bytes in an earlier segment.
    private var isSplit = false
    /// Bytes were lost, or not understood: what is counted says nothing.
    var isVoid = false

    /// The next bytes come.
    mutating func receive(at place: Place, isInside: Bool) {
        guard self.place?.time != place.time || self.place?.packets != place.packets else { return }
        self.place = place
        joined = severals
        segments &+= 1
        inSegment = isInside ? 1 : 0
        if isInside { isSplit = true }
    }

    mutating func beginMessage() {
        inSegment += 1
        isSplit = false
    }

    mutating func endMessage(_ length: UInt64) {
        messages &+= 1
        if isSplit, length <= Self.shortMessage { split &+= 1 }
        isSplit = false
    }

    private var severals: UInt64 { joined &+ (inSegment > 1 ? 1 : 0) }

    /// What is remarkable; nil where nothing is.
    var words: String? {
        let severals = severals
        guard !isVoid, messages > 1, segments > 1, severals > 0 || split > 0 else { return nil }
        var parts: [String] = []
        if severals > 0 { parts.append("\(severals) held several messages") }
        if split > 0 { parts.append("\(split) short \(split == 1 ? "message" : "messages") came in several") }
        return parts.joined(separator: ", ")
    }
}
