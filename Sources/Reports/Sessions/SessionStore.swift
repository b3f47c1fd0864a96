import Dissection

/// A session file that is open for writing. It belongs to the thread that writes.
package protocol SessionStore: AnyObject {
    /// Writes records, all of them or none.
    ///
    /// - Returns: Why none was written; nil where they are in the file, as far as the system is concerned: a process that is killed loses none of them.
    func store(_ batch: SessionBatch) -> OutputError?
    /// No more records come: makes the file one that stands for itself.
    func finish()
}

/// What goes into a session file.
package struct SessionSettings: Sendable {
    package var payload: PayloadPolicy
    package var showsFrames = false
    /// The conversations that are kept; all where none are named.
    package var conversations: ConversationSelection?
    package var payloads = PayloadTable.none
    /// What picks the records of conversations; nil where all are kept.
    package var filter: FilterPlan?
    /// The records come after those of another run, in the same file.
    package var isAppended = false
    /// Opens the store, on the thread that writes; who opens the file sets it.
    package var makeStore: @Sendable () -> any SessionStore = { NoStore() }

    package init(payload: PayloadPolicy) { self.payload = payload }
}

/// Where nothing can be stored.
private final class NoStore: SessionStore {
    func store(_ batch: SessionBatch) -> OutputError? { .readerGone }
    func finish() {}
}
