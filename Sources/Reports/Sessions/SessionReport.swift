import Dissection

/// Records for a session file. They are collected and stored in batches: when enough have come together, when told to flush a while after the last
/// time, and at the end.
package struct SessionReport: LineSink, ~Copyable {
    private let settings: SessionSettings
    private let store: any SessionStore
    private let keepsTrying: Bool
    private var hasBegun = false
    private let filter: (any EventFilter)?
    private let payloads: DecodingStage
    private var composer: SessionComposer
    private var batch = SessionBatch()
    private var lastStored = MonotonicTime.nanoseconds
    /// Why nothing more is stored.
    package private(set) var outputError: OutputError?
    /// Records that were left out since the last call of `retry` that succeeded, and over all.
    private var lost: (records: UInt64, all: UInt64) = (0, 0)

    /// Whether somebody may wait for what was read: it is stored soon.
    private let isLive: Bool

    /// Records and bytes that one batch has at most. Each writes the pages anew that list the records of a conversation.
    private static let most = (rows: 32_768, bytes: 8 << 20)
    /// Nanoseconds between two batches that are stored although they could have more: where somebody may wait, and where a file is read.
    private static let pause: (live: Int64, file: Int64) = (100_000_000, 1_000_000_000)

    package init(
        _ settings: SessionSettings, drain: Output.Drain = .whenFull, keepsTrying: Bool = false, decoding: DecodingStage? = nil
    ) {
        self.settings = settings
        if case .everyRecord = drain { isLive = true } else { isLive = false }
        self.keepsTrying = keepsTrying
        store = settings.makeStore()
        filter = DecodingStage.filter(settings.filter, decoding)
        payloads = .of(
            decoding, reads: filter?.wantsDecoded == true, settings.payloads.rows.isEmpty ? .standard : settings.payloads)
        composer = SessionComposer(settings.payload)
    }

    package var takesFrames: Bool { settings.showsFrames }
    package var heldBytes: Int { batch.heldBytes + composer.heldBytes + payloads.heldBytes + (filter?.heldBytes ?? 0) }
    package var unwrittenRecords: UInt64 { lost.all &+ UInt64(batch.rows.count) }
    package var searchesGivenUp: UInt64 { filter?.givenUp ?? 0 }
    /// Something waits to be stored: the thread that writes comes back soon.
    package var isHeldUp: Bool { !batch.isEmpty }

    package mutating func begin(_ source: CaptureSource) {
        composer.addCapture(source, isAppended: settings.isAppended && !hasBegun, to: &batch)
        hasBegun = true
    }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        if event.conversation != 0 {
            if let wanted = settings.conversations, !wanted.contains(event.conversation) { return }
        }
        if event.isFrame, !takesFrames { return }
        if let filter, event.conversation != 0 {
            let decoded = payloads.isIdle ? nil : payloads.read(event)
            guard filter.verdict(event, decoded) == .show else { return }
        }
        guard outputError == nil else { return leaveOut() }
        composer.add(event, to: &batch)
        if batch.rows.count >= Self.most.rows || batch.bytes.count >= Self.most.bytes { return storeBatch() }
        if isLive { return flush() }
        if batch.rows.count & 1_023 == 0, MonotonicTime.nanoseconds - lastStored >= Self.pause.file { storeBatch() }
    }

    package mutating func finish(_ totals: Totals) {
        if outputError == nil { composer.addEnd(totals, to: &batch) }
        storeBatch()
        if outputError == nil { store.finish() }
    }

    package mutating func flush() {
        guard !batch.isEmpty, MonotonicTime.nanoseconds - lastStored >= Self.pause.live else { return }
        storeBatch()
    }

    package mutating func retry() -> (error: OutputError, lostRecords: UInt64)? {
        guard keepsTrying, let before = outputError else { return nil }
        outputError = nil
        storeBatch()
        guard outputError == nil else { return nil }
        defer { lost.records = 0 }
        return (before, lost.records)
    }

    private mutating func storeBatch() {
        guard !batch.isEmpty, outputError == nil else { return }
        outputError = store.store(batch)
        lastStored = MonotonicTime.nanoseconds
        if outputError == nil { return batch.removeAll() }
        guard !keepsTrying else { return }
        lost.all &+= UInt64(batch.rows.count)
        batch.removeAll()
    }

    private mutating func leaveOut() {
        lost.records &+= 1
        lost.all &+= 1
    }
}
