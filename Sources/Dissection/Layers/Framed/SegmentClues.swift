/// What the segments of a conversation of which nothing is cut show about its messages: a length at their beginning, and how their lines end. A program
/// that waits for the wrong of these waits for ever, or for the wrong number of bytes.
///
/// ```
/// >  00 00 00 1e {"type":"say",…       30 bytes follow: a length of the rest
/// <  00 00 00 1d {"ack":0,…            29 bytes in all: a length that counts itself
/// ```
///
/// Only what every segment of a side shows is believed; messages that are joined or cut in segments show nothing.
struct SegmentClues {
    private var client = SideClues()
    private var server = SideClues()

    static let heldBytes = 160

    mutating func receive(_ bytes: RawSpan, at arrival: Arrival) {
        if arrival.side == .client {
            client.receive(bytes, at: arrival.place, after: server.lastTime)
        } else {
            server.receive(bytes, at: arrival.place, after: client.lastTime)
        }
    }

    /// Both sides have ended.
    mutating func end() {
        client.endSegment()
        server.endSegment()
    }

    /// Both sides have ended: the forms of their lengths, where they differ.
    var lengths: String? {
        guard let ours = client.lengths, let theirs = server.lengths, ours != theirs else { return nil }
        return "the client \(ours.words(client.segments)), the server \(theirs.words(server.segments))"
    }

    /// Both sides have ended: which of them ends its lines with CR LF, where the other one ends its lines with LF alone, and how many those are.
    ///
    /// A side that goes on right after lines with LF alone takes them.
    var lineEnds: (withReturn: Side, without: Int)? {
        switch (client.lineEnd, server.lineEnd) {
        case (.returnLineFeed?, .lineFeed?) where !client.hasGoneOn: (.client, server.lines)
        case (.lineFeed?, .returnLineFeed?) where !server.hasGoneOn: (.server, client.lines)
        case _: nil
        }
    }

    /// Both sides have ended: the length at the beginning of the segments of the only side that sent something.
    var length: (side: Side, words: String)? {
        if server.segments == 0, let form = client.lengths { return (.client, form.words(client.segments)) }
        if client.segments == 0, let form = server.lengths { return (.server, form.words(server.segments)) }
        return nil
    }
}

/// A length at the beginning of a segment.
private struct LengthForm: Equatable {
    let bytes: Int
    let isLittleEndian: Bool
    let countsItself: Bool

    static let all: [LengthForm] = [2, 4, 8].flatMap { bytes in
        [false, true].flatMap { order in [false, true].map { LengthForm(bytes: bytes, isLittleEndian: order, countsItself: $0) } }
    }

    /// Whether a segment is one message that begins so.
    ///
    /// - Parameters:
    ///   - beginning: its first eight bytes, the first one highest.
    ///   - count: the bytes that it has.
    func fits(_ beginning: UInt64, _ count: UInt64) -> Bool {
        guard count > UInt64(bytes) else { return false }
        let field = beginning >> UInt64(64 - 8 * bytes)
        let value = isLittleEndian ? field.byteSwapped >> UInt64(64 - 8 * bytes) : field
        return value == count - (countsItself ? 0 : UInt64(bytes))
    }

    func words(_ segments: Int) -> String {
        let order = isLittleEndian ? "little-endian" : "big-endian"
        let counting = countsItself ? "that counts itself" : "that does not count itself"
        return "\(bytes) bytes, \(order), \(counting) (\(segments) of \(segments))"
    }
}

/// What the segments of a side show.
private struct SideClues {
    enum LineEnd { case lineFeed, returnLineFeed }

    /// A bit for each of `LengthForm.all` that all segments have.
    private var forms: UInt16 = (1 << UInt16(LengthForm.all.count)) - 1
    private(set) var segments = 0
    /// The segment under way: where it came, its first eight bytes, and how many it has.
    private var place: Place?
    private var beginning: UInt64 = 0
    private var count: UInt64 = 0
    private(set) var lines = 0
    private var linesWithReturn = 0
    /// Bytes that are still looked at for lines.
    private var left = 4_096
    private var lastIsReturn = false
    private var isInLine = false
    private var isText = true
    /// It has sent something right after bytes of the other side.
    private(set) var hasGoneOn = false

    /// More segments say nothing more.
    private static let mostSegments = 64
    private static let leastLines = 3
    /// Two bytes are soon alike.
    private static let leastShortLengths = 3
    /// A program that understands what comes does what is next so soon; one that waits in vain does so at a time of its own.
    private static let responseTime: Int64 = 50_000_000

    /// When its last segment came.
    var lastTime: Timestamp? { place?.time }

    /// - Parameter peerTime: when bytes of the other side came last.
    mutating func receive(_ bytes: RawSpan, at place: Place, after peerTime: Timestamp?) {
        if let peerTime, let now = place.time, now.nanoseconds(since: peerTime) < Self.responseTime { hasGoneOn = true }
        if self.place?.time != place.time || self.place?.packets != place.packets {
            endSegment()
            self.place = place
        }
        for index in 0..<bytes.byteCount where count &+ UInt64(index) < 8 {
            beginning |= UInt64(bytes[index]) << (56 - 8 * (count &+ UInt64(index)))
        }
        count &+= UInt64(bytes.byteCount)
        guard isText, left > 0 else { return }
        for index in 0..<min(left, bytes.byteCount) { take(bytes[index]) }
        left -= bytes.byteCount
    }

    /// The segment under way has ended.
    mutating func endSegment() {
        defer { (beginning, count) = (0, 0) }
        guard count > 0, segments < Self.mostSegments, forms != 0 else { return }
        segments += 1
        for (index, form) in LengthForm.all.enumerated() where forms & 1 << UInt16(index) != 0 && !form.fits(beginning, count) {
            forms &= ~(1 << UInt16(index))
        }
    }

    private mutating func take(_ byte: UInt8) {
        switch byte {
        case 0x0A:
            lines += 1
            if lastIsReturn { linesWithReturn += 1 }
            isInLine = false
        case 0x0D where !lastIsReturn: break
        case 0x09, 0x20...0x7E, 0x80...0xFF: isInLine = true
        case _: isText = false
        }
        // CR has LF after it.
        if lastIsReturn, byte != 0x0A { isText = false }
        lastIsReturn = byte == 0x0D
    }

    var lengths: LengthForm? {
        LengthForm.all.indices.first { index in
            forms & 1 << UInt16(index) != 0 && segments > 0 && segments >= (LengthForm.all[index].bytes == 2 ? Self.leastShortLengths : 1)
        }.map { LengthForm.all[$0] }
    }

    /// What all lines end with.
    var lineEnd: LineEnd? {
        guard isText, lines >= Self.leastLines, !isInLine || left <= 0, !lastIsReturn else { return nil }
        return linesWithReturn == lines ? .returnLineFeed : linesWithReturn == 0 ? .lineFeed : nil
    }
}
