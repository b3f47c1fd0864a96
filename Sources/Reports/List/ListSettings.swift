/// How conversations are listed.
package struct ListSettings: Sendable {
    package enum Form: Sendable { case text, records, commaSeparated }

    /// What stands first. All but the time are the greatest first.
    package enum Order: String, Sendable, CaseIterable { case time, bytes, duration, messages }

    package var form: Form
    package var order: Order
    /// Columns of the terminal; none where lines are not cut.
    package var width: Int?
    package var usesColor = false
    /// The clock that times are shown by, in text.
    package var zone = TextClock.Zone.local
    /// The conversations to be listed; all where none are named.
    package var conversations: ConversationSelection?
    /// A conversation is listed where something of it is picked; nil where all are.
    package var filter: FilterPlan?
    /// The formats that payloads are decoded by, for the filter.
    package var payloads = PayloadTable.standard
    /// Bytes of rows that are kept until the end, to be sorted. Where there is no room for all, they are listed as the conversations end.
    package var keptBytes = 16 << 20
    /// CSV: whether a cell that a spreadsheet would take for a formula is made text with an apostrophe.
    package var guardsFormulas = true

    package init(form: Form = .text, order: Order = .time, width: Int? = nil) {
        self.form = form
        self.order = order
        self.width = width
    }
}
