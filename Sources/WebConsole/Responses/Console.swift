import Libc
import Query
import Reports
import Sessions
import Synchronization

/// What a console responds with, whatever brings it the requests: the store, its views, and the threads that read them.
final class Console: Sendable {
    let store: ConsoleStore
    let views: Views
    let calls: Calls
    /// That of the pages' WebSockets.
    let ticks = LiveTicks()
    /// One thread each, as each has a connection of its own to the store.
    let quick, slow, scans: Worker
    /// Of the threads.
    let quickBeginnings = Beginnings(), slowBeginnings = Beginnings(), scansBeginnings = Beginnings()

    /// Rows that one request gets at most.
    static let mostRows: Int64 = 500
    /// Bytes of a payload that one request gets at most.
    static let mostBytes = 1 << 20

    init(_ store: ConsoleStore, thread: () -> Worker = Worker.thread) {
        self.store = store
        (quick, slow, scans) = (thread(), thread(), thread())
        views = Views(store, on: scans)
        calls = Calls(store, on: scans)
        // Where no page waits for it, nothing is looked through, and nothing is kept for it.
        store.growth.wait(self) { [weak views, tail = store.tail] in
            guard let views, views.growth.isAwaited else {
                tail?.isWatched = false
                return
            }
            tail?.isWatched = true
            views.scanAfterPause()
        }
    }

    deinit { store.growth.leave(self) }

    /// Gives the threads back. One that does not end what it is at is left to it: the program goes on to its own end.
    func shutDown() {
        views.closeAll()
        store.interrupt()
        let ended = ThreadsEnded()
        for worker in [quick, slow, scans] { worker.shutDown { ended.count.add(1, ordering: .relaxed) } }
        for _ in 0..<200 where ended.count.load(ordering: .relaxed) < 3 {
            var moment = timespec(tv_sec: 0, tv_nsec: 10_000_000)
            nanosleep(&moment, nil)
        }
    }

    // MARK: - What there is

    func state() throws -> ConsoleResponse {
        let counts = store.counts(through: store.quick)
        return .object { object in
            object.member("tool", store.origin.tool)
            object.array("inputs") { array in for name in store.origin.inputs { array.value(name.visible) } }
            object.member("live", store.origin.isLive)
            object.member("finished", store.isFinished)
            object.member("rows", counts.rows)
            object.member("messages", counts.messages)
            object.member("conversations", counts.conversations)
            object.member("first", moment: counts.earliest)
            object.member("last", moment: counts.latest)
            object.member("problem", store.problem?.visible)
            object.member("saved", store.origin.saved?.visible)
            object.member("notes", true)
        }
    }

    // MARK: - Views

    func makeView(_ body: [UInt8]) -> ConsoleResponse {
        guard let value = JSONValue(body, mostLevels: 8) else { return .error(400, "the body is not valid JSON") }
        do throws(ViewRequest.Problem) {
            let replaced = value["replaces"]?.string.map { String(decoding: $0, as: UTF8.self) }
            let view = views.make(try ViewRequest(value), replacing: replaced)
            return .object { $0.member("view", view.name) }
        } catch {
            return .error(400, error.words, column: error.column, length: error.length)
        }
    }

    func rows(of view: ConsoleView, from start: Int64, count: Int64) throws -> ConsoleResponse {
        _ = store.counts(through: store.quick)
        if !view.request.isEverything { views.scanAfterPause() }
        let rows = try ListedRows(store.quick, view, from: start, count: count, quickBeginnings)
        return .object { object in
            add(view, to: &object)
            add(rows, to: &object)
        }
    }

    /// The rows at the end of a view, for a page that follows them; on the thread that scans.
    func newestRows(of view: ConsoleView, from start: Int64, count: Int64) throws -> ListedRows {
        try ListedRows(store.scans, view, from: start, count: count, scansBeginnings)
    }

    func add(_ rows: ListedRows, to object: inout JSONComposer) {
        object.member("rows_at", rows.start)
        object.array("list") { array in
            var found = rows.rows[...]
            for id in rows.ids {
                if found.first?.id == id, let row = found.popFirst() {
                    array.row(row, words: rows.words[id])
                } else {
                    // The file lacks it.
                    array.row(StoredRow(id: id, kind: "missing"))
                }
            }
        }
    }

    /// How far a view has come.
    func add(_ view: ConsoleView, to object: inout JSONComposer) {
        let (progress, counts) = (view.progress, store.lastCounts)
        object.member("total", progress.total)
        object.member("scanned", progress.scanned)
        object.member("rows", counts.rows)
        object.member("complete", progress.scanned >= counts.rows && store.isFinished)
        object.object("hidden") { object in
            object.member("filter", progress.hidden.filter)
            object.member("search", progress.hidden.search)
            object.member("heartbeats", progress.hidden.heartbeats)
        }
        if progress.givenUp > 0 { object.member("given_up", progress.givenUp) }
    }

    func position(in view: ConsoleView, of id: Int64) -> ConsoleResponse {
        .object { $0.member("position", view.place(of: id)) }
    }

    // MARK: - Conversations

    func conversations(
        from start: Int64, count: Int64, by order: ConversationOrder, isDescending: Bool, match: String
    ) throws -> ConsoleResponse {
        let (total, list) = try store.quick.conversations(
            from: start, count: min(count, Self.mostRows), by: order, isDescending: isDescending, match: match)
        return .object { object in
            object.member("total", total)
            object.array("list") { array in for conversation in list { array.conversation(conversation) } }
        }
    }

    func conversation(_ number: Int64) throws -> ConsoleResponse {
        guard let conversation = try store.quick.conversation(number) else { return .noSuchThing }
        let first = try store.quick.records(of: number, kinds: ["opened", "tls", "request", "response", "upgrade"], most: 6)
        let last = try store.quick.context(of: number, before: .max, kinds: ["close", "finding", "closed"], most: 12)
        let ids = first + last.filter { $0 > first.last ?? 0 }
        let text = try RecordText(store.quick, ids, isFull: true, payload: .preview)
        let findings = try store.quick.findings(of: number, most: 500)
        var composer = JSONComposer(isCompact: true)
        composer.conversation(conversation) { object in
            object.array("text") { array in for line in text.lines { array.value(line) } }
            object.array("findings_list") { array in for finding in findings { array.finding(finding) } }
        }
        return ConsoleResponse(body: composer.finish())
    }

    // MARK: - Records

    func record(_ id: Int64) throws -> ConsoleResponse {
        guard let row = try store.quick.rows([id]).first else { return .noSuchThing }
        var context: [Int64] = []
        if row.conversation > 0 {
            context = try store.quick.context(
                of: row.conversation, before: id, kinds: ["opened", "tls", "request", "response", "upgrade"], most: 16)
        }
        let called = try calls(before: row)
        let text = try RecordText(store.quick, context: context + called, [id], isFull: false, payload: .preview(limit: 4_096))
        let parts = RecordParts(text.record)
        let findings = row.conversation > 0 ? try findings(about: row) : []
        let details = RowText(row)
        return .object { object in
            object.member("id", id)
            object.member("n", row.conversation)
            object.member("call", called.count == 1 ? called.first : nil)
            object.member("record", json: parts?.record ?? Array("null".utf8))
            object.array("text") { array in
                for line in text.lines { array.value(line) }
                // What the text says only with what follows, such as that a conversation opened.
                if text.lines.isEmpty { array.value(details.text) }
            }
            object.object("payload") { object in
                object.member("kind", row.form == .absent ? nil : row.form == .text ? "text" : "binary")
                object.member("length", details.length.map { Int64(clamping: $0) } ?? Int64(row.stored))
                object.member("stored", Int64(row.stored))
            }
            object.member("decoded", json: parts?.decoded ?? Array("null".utf8))
            object.array("findings") { array in for finding in findings { array.finding(finding) } }
        }
    }

    /// The messages of the moment at which the call was made that a message replies to: those of the other side, or, of a side that goes on with
    /// its own, of that. Which one it is, the text finds.
    private func calls(before row: StoredRow) throws -> [Int64] {
        guard row.kind == "message", let side = row.side, let reply = calls.reply(row.id) else { return [] }
        let (time, isTooEarly) = reply.end.subtractingReportingOverflow(reply.took)
        guard !isTooEarly else { return [] }
        let found = try store.quick.messages(of: row.conversation, at: time, before: row.id, most: 32)
        let (own, others) = side == 0 ? (found.client, found.server) : (found.server, found.client)
        return others.isEmpty ? own : others
    }

    /// What is found about a record stands right after it.
    private func findings(about row: StoredRow) throws -> [StoredFinding] {
        guard row.id < .max else { return [] }
        let (end, isTooGreat) = row.id.addingReportingOverflow(64)
        let following = try store.quick.rows(from: row.id + 1, through: isTooGreat ? .max : end).filter {
            $0.conversation == row.conversation
        }
        let found = following.prefix { $0.kind == "finding" }.map(\.id)
        guard let last = found.last, last > row.id else { return [] }
        return try store.quick.findings(of: row.conversation, in: row.id...last, most: 64).filter {
            found.contains($0.record) || $0.record == row.id
        }
    }

    func payload(_ id: Int64, from start: Int64, count: Int64) throws -> ConsoleResponse {
        let found = store.quick.payload(of: id, from: Int(clamping: start), count: min(Int(clamping: count), Self.mostBytes))
        guard let found else { return .noSuchThing }
        var response = ConsoleResponse(type: "application/octet-stream", body: found.bytes)
        response.fields = [
            ("Content-Disposition", "attachment; filename=\"message-\(id).bin\""), ("X-Total-Bytes", String(found.stored)),
        ]
        response.isSandboxed = true
        return response
    }

    // MARK: - Words

    func complete(_ body: [UInt8]) -> ConsoleResponse {
        guard let value = JSONValue(body, mostLevels: 4), let text = value["text"]?.string else {
            return .error(400, "the body has to be an object with a text")
        }
        let candidates = ExpressionCompletion.candidates(for: String(decoding: text.prefix(4_096), as: UTF8.self))
        return .object { object in
            object.array("candidates") { array in for candidate in candidates.prefix(500) { array.value(candidate) } }
        }
    }
}

/// How many threads have ended.
private final class ThreadsEnded: Sendable { let count = Atomic<Int>(0) }
