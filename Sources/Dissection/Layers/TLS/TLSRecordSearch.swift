/// The search for TLS records in bytes that may be anything, each of which is looked at once, however they are cut.
///
/// A hello is believed anywhere, where its lengths and versions fit each other (`TLSRecords.isHelloAmongOthers`). Other records are believed
/// for their order: where the header of one says that it ends, the next header of the same version begins. Those of SSL 3.0 are not looked
/// for, since numbers of 32 bits read as their headers. Those that a WebSocket carries in its frames are its content, and the connection is
/// none of TLS.
///
/// ```
/// 17 03 03 | 00 1a | 26 bytes | 17 03 03 | …
/// header a, its length ───────▶ header b: found
/// ```
package struct TLSRecordSearch {
    package enum Found: Equatable {
        case clientHello
        case serverHello
        /// Two records, one after the other; they do not say who sends them.
        case records
    }

    /// A header that may be one, until the place is reached where the next has to begin.
    private struct Candidate {
        var next: Int
        var version: UInt16
        var contentType: UInt8
        /// It began with the first byte.
        var isFirst: Bool
        /// Where the frame ends that it seems to be carried in.
        var frameEnd: Int?
    }

    /// Random bytes have a header every 2.5 million bytes; more than these are not remembered.
    private static let mostCandidates = 8

    /// Bytes that were looked at.
    package private(set) var taken = 0
    /// How often a byte was looked at, for tests of what the search costs.
    package private(set) var steps = 0
    /// The last seven bytes.
    private var window: UInt64 = 0
    /// Of these, how many there are since the beginning or a gap.
    private var count = 0
    private var candidates: [Candidate] = []
    /// Where hellos may begin of which not enough has come.
    private var hellos: [Int] = []

    package init() {}

    /// `length` bytes are missing here. A record may go on behind them.
    package mutating func skip(_ length: UInt64) {
        count = 0
        hellos = []
        // Only as far as a record reaches.
        let lost = Int(min(length, 1 << 17))
        for index in candidates.indices { candidates[index].next -= lost }
        candidates.removeAll { $0.next < taken }
    }

    /// Looks on, up to the end of `bytes` or to what is found. `bytes[0]` is the first byte of all.
    package mutating func advance(over bytes: RawSpan) -> Found? {
        while taken < bytes.byteCount {
            window = window << 8 | UInt64(bytes[taken])
            taken += 1
            steps += 1
            if count < 7 { count += 1 }
            if count == 7, isHelloInWindow, hellos.count < Self.mostCandidates { hellos.append(taken - 7) }
            if !hellos.isEmpty, let hello = takeHellos(bytes) { return hello }
            if count >= TLSRecordHeader.length, takeHeader(bytes) { return .records }
        }
        return nil
    }

    /// Whether the first bytes are a record and nothing speaks against it, when no more will come: it ends where they end, or
    /// is application data that goes on.
    package var beginsWithOneRecord: Bool {
        guard let first = candidates.first(where: \.isFirst) else { return false }
        return first.next == taken || first.next > taken && first.contentType == 23 && first.version != 0x0304
    }

    /// The first bytes may be a record, whose end has not come.
    var isInFirstRecord: Bool {
        if hellos.first == 0 { return true }
        guard let first = candidates.first(where: \.isFirst) else { return taken < TLSRecordHeader.length && isLikeRecord }
        return first.next > taken
    }

    /// The few bytes that came may be the beginning of a header.
    private var isLikeRecord: Bool { taken > 0 && (20...24).contains(window >> (8 * UInt64(taken - 1)) & 0xFF) }

    /// `16 03 0x`, a length, the type of a hello and the highest byte of its length, which is zero.
    private var isHelloInWindow: Bool {
        guard window >> 40 & 0xFFFF == 0x1603, window >> 32 & 0xFF <= 4, window & 0xFF == 0 else { return false }
        return (1...2).contains(window >> 8 & 0xFF)
    }

    /// Judges the hellos that may have begun, where enough has come of them.
    private mutating func takeHellos(_ bytes: RawSpan) -> Found? {
        var index = 0
        while index < hellos.count {
            steps += 1
            let start = hellos[index]
            let type = bytes[start + 5]
            switch TLSRecords.isHelloAmongOthers(bytes.extracting(start..<taken), type: type) {
            case .yes where frame(around: start, bytes) == nil: return type == 1 ? .clientHello : .serverHello
            case .undecided: index += 1
            case .yes, .no: hellos.remove(at: index)
            }
        }
        return nil
    }

    /// Where the frame of WebSocket ends that begins right before `start` and has no mask: a tunnel carries what begins there. Nil where no
    /// such header stands there, or it has no room for that of a record (RFC 6455, section 5.2).
    private func frame(around start: Int, _ bytes: RawSpan) -> Int? {
        // The longest form first: the length in it may look like a shorter header.
        for (length, form) in [(10, 127...127), (4, 126...126), (2, 0...125)] where start >= length {
            let header = start - length
            guard bytes[header] & 0x7F <= 2, form.contains(Int(bytes[header + 1])) else { continue }
            var count = length == 2 ? Int(bytes[header + 1]) : 0
            for index in header + 2..<start { count = min(count, 1 << 40) << 8 | Int(bytes[index]) }
            if count > TLSRecordHeader.length { return start + count }
        }
        return nil
    }

    private mutating func takeHeader(_ bytes: RawSpan) -> Bool {
        let header = TLSRecordHeader(bits: window & 0xFF_FFFF_FFFF)
        guard header.isKnown, (1...4).contains(header.version & 0xFF), header.fragmentLength > 0,
            header.fragmentLength <= TLSRecordHeader.longestOldFragment
        else { return false }
        let start = taken - TLSRecordHeader.length
        let end = taken + header.fragmentLength
        // Records that a tunnel carries in its frames follow each other inside of one frame, but not from one to the next.
        var frameEnd = frame(around: start, bytes).flatMap { $0 >= end ? $0 : nil }
        for candidate in candidates where candidate.next == start && candidate.version == header.version {
            guard let outer = candidate.frameEnd, end <= outer else { return true }
            frameEnd = outer
        }
        candidates.removeAll { $0.next < start }
        if candidates.count < Self.mostCandidates {
            candidates.append(
                Candidate(
                    next: end, version: header.version, contentType: header.contentType, isFirst: start == 0, frameEnd: frameEnd))
        }
        steps += candidates.count
        return false
    }
}
