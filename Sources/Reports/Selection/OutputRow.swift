/// A kind of output that a run can have: what `--log` and `--format` call it, what is known of a file of it, and how it is made. Each stands in the
/// folder of its output; `OutputRow.all` has them.
package struct OutputRow: Sendable {
    /// `har` of `har:FILE`.
    package let name: String
    /// What the name of a file of it ends in: `.har`.
    package let ending: String
    /// What a whole file of it is, to which nothing can be added: `one HTTP archive`. Nil where a run can go on after the last line of another.
    package var whole: String?
    /// Lines of a file that are none of its units, such as the brackets of an array. Called only where a file is counted: every command makes the rows.
    package var frameLines: @Sendable () -> UInt64 = { 0 }
    /// What stands in a line is for people, and need be no record.
    package var isText = false
    /// It is made to be handed on: in a file it has what is shown, where it has no filter of its own.
    package var isHandedOn = false
    /// Payloads are cut to a preview, where nothing else is said.
    package var previews = false
    package let make: @Sendable (OutputWish) -> any OutputForm

    package init(_ name: String, ending: String, make: @escaping @Sendable (OutputWish) -> any OutputForm) {
        self.name = name
        self.ending = ending
        self.make = make
    }

    /// Such as `1 record` or `the log`, of a file with so many lines; nil where they cannot be counted.
    package func counted(lines: UInt64?) -> String {
        guard let lines else { return "the log" }
        let unit = make(OutputWish()).unit
        let count = lines - min(lines, frameLines())
        return "\(count) \(count == 1 ? unit.one : unit.several)"
    }
}

/// What a user asks of all outputs of a run alike; each takes what is about it.
package struct OutputWish: Sendable {
    package var payload: PayloadPolicy = .full(limit: 1 << 20)
    /// Bytes of one body that is shown whole.
    package var bodyBytes = 16 << 20
    /// WebSocket frames are shown one by one.
    package var showsFrames = false
    package var conversations: ConversationSelection?
    /// The formats that payloads are read by.
    package var payloads = PayloadTable.standard
    /// What payloads say is shown where that is not usual.
    package var decodes = false
    /// Header fields are shown where that is not usual.
    package var showsHeaders = false
    /// Nothing is cut at the width of a line.
    package var isFull = false
    /// Text comes line by line, rather than in a block for each conversation.
    package var follows = false
    /// Times of day are UTC, where they need not be.
    package var isUTC = false
    /// Heartbeats are left out.
    package var hidesHeartbeats = false
    /// The totals alone are shown.
    package var totalsAlone = false
    /// Cells that a spreadsheet would take for a formula are made text.
    package var guardsFormulas = true
    /// Bytes of what waits until more is known: of text and rows, and of the exchanges of an archive.
    package var keptBytes = (lines: 16 << 20, archive: 64 << 20)

    package init() {}
}
