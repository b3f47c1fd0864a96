import Dissection

/// The columns of the list for people: each as wide as its widest cell, and narrower where the terminal has no room for all of them.
struct ListColumns {
    /// The columns from the left. The path is the last one and takes what is left. The short heading stands where the long one would be wider than
    /// what is below it.
    private static let names: [(name: StaticString, short: StaticString, isNumber: Bool)] = [
        ("no", "no", true), ("time", "time", false), ("client", "client", false), ("server", "server", false), ("protocol", "proto", false),
        ("messages", "msgs", true), ("bytes", "bytes", true), ("duration", "took", true), ("ended", "ended", false),
        ("worst finding", "finding", false), ("path", "path", false),
    ]
    /// What is given up where width is short, in this order: a column, and the width that it keeps. Below that it is left out where `orNone` says so,
    /// for a few letters of an address say nothing.
    private static let yielding: [(column: Int, least: Int, orNone: Bool)] = [
        (10, 24, false), (9, 22, false), (3, 20, false), (2, 14, true), (10, 14, false), (9, 12, false), (3, 14, false), (10, 8, false),
        (9, 8, true), (3, 10, false), (4, 4, false), (8, 8, false),
    ]
    /// No cell but the last is wider.
    private static let widest = 40

    private var widths: [Int]
    private var clock: TextClock
    private let width: Int?
    private let usesColor: Bool
    /// Between two columns.
    private var gap = 2

    init(_ rows: [ListRow], _ settings: ListSettings) {
        clock = TextClock(settings.zone)
        width = settings.width
        usesColor = settings.usesColor
        widths = ListColumns.names.map { $0.short.utf8CodeUnitCount }
        for row in rows {
            for (index, cell) in cells(row).enumerated() { widths[index] = min(ListColumns.widest, max(widths[index], cell.text.columns)) }
        }
        guard let width else { return }
        // Where it is narrow, a space between columns is enough.
        if total > width { gap = 1 }
        for (column, least, orNone) in ListColumns.yielding where total > width {
            let kept = max(min(least, widths[column]), widths[column] - (total - width))
            widths[column] = orNone && total - widths[column] + kept > width ? 0 : kept
        }
    }

    /// Columns that a line takes.
    private var total: Int { widths.reduce(-gap) { $0 + ($1 > 0 ? $1 + gap : 0) } }

    func writeHeading(to buffer: inout OutputBuffer) {
        var line = TextLine(width: width, usesColor: usesColor)
        line.ink(.faint)
        let names = ListColumns.names.enumerated().map { index, column in
            (String(describing: column.name.utf8CodeUnitCount <= widths[index] ? column.name : column.short), Ink.faint)
        }
        append(names, to: &line)
        line.end()
        buffer.append(line.buffer)
    }

    mutating func write(_ row: ListRow, to buffer: inout OutputBuffer) {
        var line = TextLine(width: width, usesColor: usesColor)
        append(cells(row), to: &line)
        line.end()
        // The list does not end the lines of the output itself.
        buffer.append(line.buffer)
    }

    private func append(_ cells: [(text: String, ink: Ink)], to line: inout TextLine) {
        for (index, cell) in cells.enumerated() {
            let isLast = index == cells.count - 1
            // A number without its end would be another one.
            let text = isLast || ListColumns.names[index].isNumber ? cell.text : cell.text.cut(to: widths[index])
            guard !text.isEmpty, widths[index] > 0 else { continue }
            // Numbers end where their column does, the rest begins where it does.
            let start = end(of: index) - (ListColumns.names[index].isNumber ? min(widths[index], text.columns) : widths[index])
            // What came after the widths were settled may be wider than them.
            line.pad(to: start, least: line.reached > 0 ? 1 : 0)
            line.ink(cell.ink)
            line.append(text)
            line.ink(.plain)
        }
    }

    /// The column after a cell.
    private func end(of index: Int) -> Int { widths[..<index].reduce(widths[index]) { $0 + ($1 > 0 ? $1 + gap : 0) } }

    private mutating func cells(_ row: ListRow) -> [(text: String, ink: Ink)] {
        var time = OutputBuffer(capacity: 32)
        if let opened = row.openedAt {
            time.append(timeOfDay: clock.calendar(at: opened.parts.seconds))
            if width ?? .max >= 140 {
                time.append(0x2e)
                time.appendDigits(UInt64(bitPattern: opened.parts.nanoseconds) / 1_000_000, width: 3)
            }
        }
        var count = OutputBuffer(capacity: 32)
        var bytes = OutputBuffer(capacity: 32)
        var duration = OutputBuffer(capacity: 32)
        count.append(grouped: row.messages)
        if row.messages == 0, row.requests > 0 {
            count.dropFirst(count.count)
            count.append(grouped: row.requests)
            count.append(" req")
        }
        bytes.append(size: row.bytes)
        if let span = row.duration { duration.append(span: span) }
        let ink: Ink =
            switch row.worst?.severity {
            case .violation: .violation
            case .warning: .warning
            case .note: .note
            case nil: .plain
            }
        // A port says nothing that the name does not, where it is the usual one.
        let server = row.host.isEmpty ? row.server : row.host
        return [
            ("\(row.number)", .strong), (time.text, .faint), (row.client.text, .client), (server.text, .server), (row.spoken.text, .plain),
            (count.text, .plain), (bytes.text, .plain), (duration.text, .plain), (row.ending, row.isAbrupt ? .warning : .plain),
            (row.worst?.id ?? "", ink), (row.path.text, .plain),
        ]
    }
}

extension ListRow {
    /// How it ended, in a word or two.
    fileprivate var ending: String {
        switch how {
        case .closeFrame: code.map { "\($0) \(by.word)" } ?? "close \(by.word)"
        case .fin: "FIN \(by.word)"
        case .reset: "RST \(by.word)"
        case .endOfCapture: "open"
        case .timeout, .evicted, .connectFailed, .tlsFailed, .shutdown, .limit, .refused: how.word.description
        }
    }

    fileprivate var isAbrupt: Bool {
        switch how {
        case .reset, .timeout, .evicted, .connectFailed, .tlsFailed, .limit, .refused: true
        case .closeFrame, .fin, .endOfCapture, .shutdown: false
        }
    }
}

extension [UInt8] {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

extension OutputBuffer {
    fileprivate var text: String { bytes.copy.text }
}

extension String {
    /// Columns of a terminal that it takes.
    fileprivate var columns: Int { unicodeScalars.reduce(0) { $0 + ($1.isHarmless ? $1.columns : $1.value < 0x80 ? 1 : 10) } }

    /// As much of it as so many columns hold, with an ellipsis for the rest.
    fileprivate func cut(to width: Int) -> String {
        guard columns > width else { return self }
        var (kept, used) = ("", 0)
        for scalar in unicodeScalars {
            let next = String(scalar).columns
            guard used + next < width else { break }
            kept.unicodeScalars.append(scalar)
            used += next
        }
        return kept + "…"
    }
}
