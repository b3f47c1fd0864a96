/// What goes into a table of messages.
package struct TableSettings: Sendable {
    /// How much of a payload is there.
    package var payload: PayloadPolicy
    /// The conversations to be shown; all where none are named.
    package var conversations: ConversationSelection?
    /// The formats that payloads are decoded by.
    package var payloads = PayloadTable.standard
    /// Whether heartbeats are left out.
    package var hidesHeartbeats = false
    /// Whether a cell that a spreadsheet would take for a formula is made text with an apostrophe.
    package var guardsFormulas = true
    /// What picks the rows; nil where all are written.
    package var filter: FilterPlan?

    package init(payload: PayloadPolicy = .full) { self.payload = payload }
}
