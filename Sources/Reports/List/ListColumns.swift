import Dissection

/// The columns of the list for people: each as wide as its widest cell, and narrower where the terminal has no room for all of them.
struct ListColumns {
    /// The columns from the left. The path is the last one and takes what is left.
    private static let names: [(name: StaticString, isNumber: Bool, least: Int)] = [
        ("no", true, 2), ("time", false, 8), ("client", false, 9), ("server", false, 12), ("protocol", false, 4), ("messages", true, 3),
        ("bytes", true, 5), ("duration", true, 6), ("ended", false, 7), ("worst finding", false, 8), ("path", false, 8),
    ]
    /// Columns that lose width where it is short, in the order in which they lose it.
    private static let yielding = [2, 9, 3, 8, 4, 5, 7]
    private static let gap = 2
    /// No cell but the last is wider.
    private static let widest = 40

    private var widths: [Int]
    private var clock: TextClock
    private let width: Int?
    private let usesColor: Bool

    init(_ rows: [ListRow], _ settings: ListSettings) {
        clock = TextClock(settings.zone)
        width = settings.width
        usesColor = settings.usesColor
        widths = ListColumns.names.map { $0.name.utf8CodeUnitCount }
        for row in rows {
            for (index, cell) in cells(row).enumerated() { widths[index] = min(ListColumns.widest, max(widths[index], cell.text.columns)) }
        }
        guard let width else { return }
        let last = widths.count - 1
        // The path takes what is left, and is not left without a place.
        var surplus = widths[..<last].reduce(0) { $0 + $1 + ListColumns.gap } + min(widths[last], 24) - width
        for index in ListColumns.yielding where surplus > 0 {
            let given = min(surplus, max(0, widths[index] - ListColumns.names[index].least))
            widths[index] -= given
            surplus -= given
        }
    }

    func writeHeading(to buffer: inout OutputBuffer) {
        var line = TextLine(width: width, usesColor: usesColor)
        line.ink(.faint)
        append(ListColumns.names.map { String(describing: $0.name) }.map { ($0, Ink.faint) }, to: &line)
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
            guard !text.isEmpty else { continue }
            // Numbers end where their column does, the rest begins where it does.
            line.pad(to: end(of: index) - (ListColumns.names[index].isNumber ? min(widths[index], text.columns) : widths[index]))
            line.ink(cell.ink)
            line.append(text)
            line.ink(.plain)
        }
    }

    /// The column after a cell.
    private func end(of index: Int) -> Int { widths[...index].reduce(0, +) + index * ListColumns.gap }

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
