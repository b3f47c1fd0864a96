import Dissection

/// `unmask list`: a line or record for each conversation.
///
/// Rows are kept until the end, to be sorted and set in columns, within `ListSettings.keptBytes`. Beyond that they are listed as the conversations
/// end, and that they are not sorted is said.
package struct ListReport: LineSink, ~Copyable {
    private var output: Output
    private let settings: ListSettings
    private let filter: (any EventFilter)?
    private let payloads: DecodingStage
    private var open = OpenRows()
    private var picked: Set<UInt64> = []
    private var rows: [ListRow] = []
    private var keptBytes = 0
    private var isUnsorted = false
    /// The columns, once a line was written.
    private var columns: ListColumns?
    private var listed: UInt64 = 0

    package init(_ output: consuming Output, settings: ListSettings, decoding: DecodingStage? = nil) {
        self.output = output
        self.settings = settings
        filter = DecodingStage.filter(settings.filter, decoding)
        payloads = .of(decoding, reads: filter?.wantsDecoded == true, settings.payloads)
    }

    package var takesFrames: Bool { false }
    package var heldBytes: Int {
        keptBytes + open.heldBytes + picked.capacity * 16 + payloads.heldBytes + (filter?.heldBytes ?? 0)
    }
    package var outputError: OutputError? { output.error }
    package var unwrittenRecords: UInt64 { output.unwrittenRecords }
    package var searchesGivenUp: UInt64 { filter?.givenUp ?? 0 }
    package var isHeldUp: Bool { output.isHeldUp }
    package mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { output.retry() }
    package mutating func flush() { output.flush() }

    /// What was written since the last call, for an output that stays in memory.
    package mutating func takeBytes() -> [UInt8] { output.take() }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        let number = event.conversation
        guard number != 0 else { return }
        if let wanted = settings.conversations, !wanted.contains(number) { return }
        if let filter {
            let decoded = payloads.read(event, for: filter)
            if filter.verdict(event, decoded) == .show { picked.insert(number) }
        }
        if let finding = event.lateFinding { return note(late: finding, of: number) }
        if !open.take(event) {
            open.begin(number)
            open.take(event)
        }
        if event.kind == .closed { close(number) }
    }

    /// Adds to the row of a conversation that has closed, where that is not written yet.
    private mutating func note(late finding: Finding, of number: UInt64) {
        // Mostly it closed a short while ago.
        guard let row = rows.suffix(LateFinding.mostRows).lastIndex(where: { $0.number == number }) else { return }
        rows[row].note(finding)
    }

    private mutating func close(_ number: UInt64) {
        guard let row = open.remove(number) else { return }
        let isPicked = filter == nil || picked.remove(row.number) != nil
        guard isPicked else { return }
        listed &+= 1
        if isUnsorted { return write(row) }
        rows.append(row)
        keptBytes += row.heldBytes
        if keptBytes > settings.keptBytes {
            isUnsorted = true
            writeRows()
        }
    }

    package mutating func finish(_ totals: Totals) {
        for number in open.numbers { close(number) }
        writeRows()
        if settings.form == .text { writeSummary(totals) }
        output.flush()
    }

    private mutating func writeRows() {
        let order = settings.order
        for row in rows.sorted(by: { $0.stands(before: $1, in: order) }) { write(row) }
        rows = []
        keptBytes = 0
    }

    private mutating func write(_ row: ListRow) {
        switch settings.form {
        case .records: output.buffer.append(record: row)
        case .commaSeparated:
            if columns == nil {
                columns = ListColumns([], settings)
                output.buffer.append(utf8: ListReport.heading)
                output.endRecord()
            }
            output.buffer.append(commaSeparated: row, guardsFormulas: settings.guardsFormulas)
        case .text:
            if columns == nil {
                let columns = ListColumns(rows.isEmpty ? [row] : rows, settings)
                self.columns = columns
                columns.writeHeading(to: &output.buffer)
                output.endRecord()
            }
            columns?.write(row, to: &output.buffer)
        }
        output.endRecord()
    }

    /// The last line: how many there were, and what a reader has to know of the order.
    private mutating func writeSummary(_ totals: Totals) {
        var line = TextLine(width: nil, usesColor: false)
        if listed > 0 { line.append(0x0a) }
        let all = totals.conversations - min(totals.ignored, totals.conversations)
        if filter != nil, listed == 0 {
            line.append("nothing matched")
            line.append(0x0a)
        }
        if listed < all {
            line.append(grouped: listed)
            line.append(" of ")
        }
        line.append(all, "conversation")
        if isUnsorted { line.append(", not sorted: there was no room for all of them; more --memory sorts more") }
        line.append(0x0a)
        output.buffer.append(line.buffer)
        output.endRecord(lines: UInt64(line.buffer.bytes.count(of: 0x0a)))
    }

    package mutating func move(to outlet: Outlet) {
        output.move(to: outlet)
        output.tellMove()
    }
}
