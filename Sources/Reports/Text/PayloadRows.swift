import Dissection

// Payloads in full that do not fit in the line of their event: in lines of their own under it. They are written line by line, so that no copy of a
// payload is made.

extension TextReport {
    /// Bytes in one line of a hex dump.
    private static let rowBytes = 16
    /// Bytes of a line of text that are composed at once; a longer one goes on in the next line.
    private static let mostComposed = 8 << 10

    /// Ends the composed line, and shows a payload under it.
    ///
    /// - Parameter came: bytes of the payload that came; all of its length where nothing is said.
    mutating func commit(at place: Int, payload: RawSpan, length: UInt64, came: UInt64? = nil, form: PayloadForm) {
        // What is long does not wait for its block, since the heading of the rest would stand in the middle of it.
        let isLeftOut = selection.map { $0.verdict == .leaveOut } ?? false
        if isLeftOut { return commit(at: place) }
        // What may be shown later is kept with its block.
        let isKept = selection.map { $0.verdict != .show } ?? false
        let waits = !settings.follows && (isKept || payload.byteCount * 8 <= settings.blockBytes)
        if waits || settings.follows { commit(at: place) } else { commitAtOnce(at: place) }
        if form == .bytes {
            showBytes(payload, at: place, waits: waits)
        } else if form == .text, UInt64(payload.byteCount) == length, JSONTokens.isDocument(payload) {
            showJSON(payload, at: place, waits: waits)
        } else {
            showText(payload, at: place, waits: waits)
        }
        let shown = UInt64(payload.byteCount)
        let came = max(shown, min(came ?? length, length))
        for (left, words) in [(came - shown, " more not shown"), (length > came ? length - came : 0, " announced, not received")]
            as [(UInt64, StaticString)] where shown < length && left > 0
        {
            beginRow(at: place)
            line.ink(.faint)
            line.append("… ", size: left)
            line.append(words)
            commitRow(at: place, waits: waits)
        }
    }

    /// Shows what a payload says, whole, with a line for each value, under the payload.
    mutating func show(_ decoded: DecodedPayload, at place: Int) {
        if let selection, selection.verdict == .leaveOut { return }
        var tree = OutputBuffer(capacity: 256)
        tree.append(tree: decoded)
        let isKept = selection.map { $0.verdict != .show } ?? false
        let waits = !settings.follows && (isKept || tree.count * 8 <= settings.blockBytes)
        beginRow(at: place)
        line.ink(.faint)
        line.append("decoded")
        line.ink(.plain)
        if waits || settings.follows { commit(at: place) } else { commitAtOnce(at: place) }
        showJSON(tree.bytes, at: place, waits: waits)
    }

    /// Begins a line under an event.
    private mutating func beginRow(at place: Int, indent: Int = 0) {
        if settings.follows { line.appendNumber(table[place].number) }
        let sign = settings.follows ? TextReport.followedSign : TextReport.blockSign
        // On 80 columns there is room for a hex dump only at the left.
        let left = line.isSlim ? (settings.follows ? 5 : 4) : sign + 3
        line.pad(to: left)
        line.origin = left
        line.space(max(0, left - line.columns) + indent)
    }

    private mutating func commitRow(at place: Int, waits: Bool) {
        if waits || settings.follows { commit(at: place) } else { printLine() }
    }

    /// Offset, bytes in hexadecimal, and as characters.
    private mutating func showBytes(_ bytes: RawSpan, at place: Int, waits: Bool) {
        for start in stride(from: 0, to: bytes.byteCount, by: Self.rowBytes) {
            let row = bytes.extracting(start..<min(start + Self.rowBytes, bytes.byteCount))
            beginRow(at: place)
            line.ink(.faint)
            line.append(hex: UInt32(truncatingIfNeeded: start), least: 6)
            line.ink(.plain)
            for index in 0..<row.byteCount {
                line.space(index % (Self.rowBytes / 2) == 0 ? 2 : 1)
                line.append(hex: UInt32(row[index]), least: 2)
            }
            line.pad(to: 6 + 2 + 3 * Self.rowBytes + 2, least: 2)
            line.ink(.faint)
            for index in 0..<row.byteCount { line.append(0x20..<0x7f ~= row[index] ? row[index] : 0x2e) }
            line.ink(.plain)
            commitRow(at: place, waits: waits)
        }
    }

    /// Text with its line breaks.
    private mutating func showText(_ text: RawSpan, at place: Int, waits: Bool) {
        var start = 0
        while start < text.byteCount {
            var feed = start
            while feed < text.byteCount, text[feed] != 0x0a { feed += 1 }
            let end = feed < text.byteCount && feed > start && text[feed - 1] == 0x0d ? feed - 1 : feed
            beginRow(at: place)
            compose(text.extracting(start..<end), at: place, waits: waits)
            commitRow(at: place, waits: waits)
            start = feed + 1
        }
    }

    /// Appends text of any length to the line, which is ended where it becomes too long, and goes on in another.
    private mutating func compose(_ text: RawSpan, at place: Int, waits: Bool) {
        var start = 0
        while text.byteCount - start > Self.mostComposed {
            var end = start + Self.mostComposed
            // Not between the bytes of a character.
            while end > start + Self.mostComposed - 4, text[end] & 0xc0 == 0x80 { end -= 1 }
            line.append(said: text.extracting(start..<end))
            commitRow(at: place, waits: waits)
            beginRow(at: place, indent: 2)
            start = end
        }
        line.append(said: text.extracting(start..<text.byteCount))
    }

    /// A JSON text with a line for each value, indented.
    private mutating func showJSON(_ text: RawSpan, at place: Int, waits: Bool) {
        var tokens = JSONTokens(text)
        var (depth, isAtStart) = (0, true)
        var last = JSONTokens.Kind.comma
        while let token = tokens.next() {
            if token.closes {
                depth -= 1
                // Empty ones stay in one line.
                if last != .openObject, last != .openArray, !isAtStart {
                    commitRow(at: place, waits: waits)
                    isAtStart = true
                }
            } else if last == .openObject || last == .openArray {
                commitRow(at: place, waits: waits)
                isAtStart = true
            }
            if isAtStart { beginRow(at: place, indent: min(40, 2 * max(0, depth))) }
            isAtStart = false
            compose(text.extracting(token.range), at: place, waits: waits)
            if token.kind == .colon { line.space() }
            if token.opens { depth += 1 }
            if token.kind == .comma {
                commitRow(at: place, waits: waits)
                isAtStart = true
            }
            last = token.kind
        }
        if !isAtStart { commitRow(at: place, waits: waits) }
    }
}

extension TextLine {
    /// Whether a payload can stand in its line in full: text without line breaks but at its end, or a few bytes.
    func fits(_ payload: RawSpan, _ form: PayloadForm) -> Bool {
        if form == .bytes { return payload.byteCount <= 16 && payload.byteCount * 4 + 7 <= roomBeforeFold }
        guard payload.byteCount <= max(0, roomBeforeFold) * 4 else { return false }
        var (place, taken) = (0, 0)
        while place < payload.byteCount {
            let sequence = UTF8Sequence(payload, at: place)
            let isBreak = payload[place] == 0x0a
            if isBreak, place + 1 < payload.byteCount { return false }
            let scalar = sequence.kind == .whole ? Unicode.Scalar(sequence.scalar) : nil
            // What cannot be shown as it is takes up to ten columns.
            taken += scalar.map { $0.isHarmless ? $0.columns : $0.value < 0x80 ? 1 : 10 } ?? 4
            if taken > roomBeforeFold { return false }
            place += sequence.length
        }
        return true
    }
}
