/// What the segments of a side show.
struct SideClues {
    enum LineEnd { case lineFeed, returnLineFeed }

    /// A bit for each of `LengthForm.all` that all segments have.
    private var forms: UInt16 = (1 << UInt16(LengthForm.all.count)) - 1
    /// Messages so far: segments, or a length alone and the segments that it counts.
    private var messages = 0
    /// A segment was a length alone.
    private var hasLengthAlone = false
    /// The beginning and the size of the last such one, whose message is under way, and the bytes of that so far.
    private var alone: (beginning: UInt64, count: UInt64, since: UInt64)?
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
    /// The same, within the time after which a program that waits gives up.
    private(set) var hasResponded = false
    private(set) var bytes: UInt64 = 0

    /// More messages say nothing more.
    private static let mostMessages = 64
    private static let leastLines = 3
    /// Two bytes are soon alike.
    private static let leastShortLengths = 3
    /// A program that understands what comes does what is next so soon; one that waits in vain does so at a time of its own.
    private static let responseTime: Int64 = 50_000_000
    static let longestResponse: Int64 = 5_000_000_000

    /// When its last segment came.
    var lastTime: Timestamp? { place?.time }

    /// - Parameter peerTime: when bytes of the other side came last.
    mutating func receive(_ bytes: RawSpan, at place: Place, after peerTime: Timestamp?) {
        if let peerTime, let now = place.time, case let waited = now.nanoseconds(since: peerTime), waited < Self.longestResponse {
            hasResponded = true
            if waited < Self.responseTime { hasGoneOn = true }
        }
        self.bytes &+= UInt64(bytes.byteCount)
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
        guard count > 0, messages < Self.mostMessages, forms != 0 else { return }
        if let length = alone { return endSegment(of: length) }
        let fitting = forms(where: { $0.fits(beginning, count) })
        let counting = fitting == 0 ? forms(where: { $0.rest(beginning, count) != nil }) : 0
        forms = fitting | counting
        if counting != 0 {
            (alone, hasLengthAlone) = ((beginning, count, 0), true)
        } else {
            messages += 1
        }
    }

    /// Of the forms that all messages have so far, those that have this too.
    private func forms(where holds: (LengthForm) -> Bool) -> UInt16 {
        LengthForm.all.indices.reduce(0) { found, index in
            let bit: UInt16 = 1 << UInt16(index)
            return forms & bit != 0 && holds(LengthForm.all[index]) ? found | bit : found
        }
    }

    /// A segment after a length alone has ended: the message is whole where it has as many bytes as one of the forms says.
    private mutating func endSegment(of length: (beginning: UInt64, count: UInt64, since: UInt64)) {
        let since = length.since &+ count
        alone = (length.beginning, length.count, since)
        let whole = forms(where: { $0.rest(length.beginning, length.count) == since })
        guard whole != 0 else {
            forms = forms(where: { $0.rest(length.beginning, length.count) ?? 0 > since })
            return
        }
        (forms, alone) = (whole, nil)
        messages += 1
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
        // A message that has not ended shows nothing.
        guard alone == nil, messages > 0 else { return nil }
        return LengthForm.all.indices.first { index in
            forms & 1 << UInt16(index) != 0 && messages >= (LengthForm.all[index].bytes == 2 ? Self.leastShortLengths : 1)
        }.map { LengthForm.all[$0] }
    }

    func words(_ form: LengthForm) -> String { form.words(messages, isAlone: hasLengthAlone) }

    /// What all lines end with.
    var lineEnd: LineEnd? {
        guard isText, lines >= Self.leastLines, !isInLine || left <= 0, !lastIsReturn else { return nil }
        return linesWithReturn == lines ? .returnLineFeed : linesWithReturn == 0 ? .lineFeed : nil
    }

    /// What there is of it is lines: whether they end with CR LF, or with LF alone.
    var endsLinesWithReturn: Bool? {
        guard isText, lines > 0, !isInLine, !lastIsReturn, left > 0 else { return nil }
        return linesWithReturn == lines ? true : linesWithReturn == 0 ? false : nil
    }

    /// What there is of it is text without a line end: how many bytes.
    var bytesWithoutLineEnd: UInt64? { isText && lines == 0 && isInLine && !lastIsReturn && left > 0 ? bytes : nil }
}
