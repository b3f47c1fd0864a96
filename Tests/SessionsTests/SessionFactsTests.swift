import Dissection
import Foundation
import Testing

@testable import Reports
@testable import Sessions

/// What records mean for the table of conversations.
@Suite struct SessionFactsTests {
    private let folder: URL
    private var path: String { folder.appendingPathComponent("chat.unmask").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-facts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private static let nowhere = SessionFact.End(address: [], port: 0, name: [])

    private static func opened() -> SessionFact { .opened(client: nowhere, server: nowhere, transport: "tcp") }

    private static func finding(_ severity: Severity) -> SessionFact {
        .finding(id: "tcp.late", severity: severity, reference: "", detail: [])
    }

    private static func closed(_ findings: UInt64, _ worst: Severity?) -> SessionFact {
        .closed(Closing(by: .client, how: .fin), spoken: [], worst: worst, findings: findings)
    }

    private static func batch(_ facts: [(conversation: UInt64, fact: SessionFact)]) -> SessionBatch {
        var batch = SessionBatch()
        for (conversation, fact) in facts {
            var row = SessionRow(
                kind: "finding", conversation: conversation, place: Place(time: Timestamp(nanoseconds: 1)), from: nil, offset: nil,
                channel: ByteChannel(depth: 0, stream: 0))
            row.json = batch.keep(Array("{}".utf8).rawBytes)
            row.fact = fact
            batch.append(row)
        }
        return batch
    }

    /// Number, findings and severity of the worst, of each conversation.
    private func conversations() throws -> [String] {
        try SQLiteConnection(path: path, isReadOnly: true).texts(
            "SELECT id || ' ' || ifnull(findings, '-') || ' ' || ifnull(worst, '-') FROM conversations ORDER BY id")
    }

    @Test func `what is found after the end of a conversation counts, in whatever batch it comes`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SessionFile(path: path, appends: false).makeStore()
        #expect(
            store.store(
                Self.batch([
                    (1, Self.opened()), (1, Self.finding(.note)), (1, Self.closed(1, .note)), (1, Self.finding(.warning)),
                    (2, Self.opened()), (2, Self.closed(0, nil)), (3, Self.opened()), (3, Self.finding(.warning)),
                ])) == nil)
        #expect(try conversations() == ["1 2 warning", "2 0 -", "3 - -"])
        #expect(
            store.store(
                Self.batch([
                    (1, Self.finding(.note)), (2, Self.finding(.note)), (3, Self.finding(.note)), (3, Self.closed(2, .warning)),
                ])) == nil)
        #expect(try conversations() == ["1 3 warning", "2 1 note", "3 2 warning"])
        #expect(store.store(Self.batch([(1, Self.finding(.violation)), (1, Self.finding(.note)), (0, Self.finding(.note))])) == nil)
        #expect(try conversations() == ["1 5 violation", "2 1 note", "3 2 warning"])
        store.finish()
    }

    @Test func `conversations are counted, whatever their numbers are`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let tail = SessionTail()
        let store = try SessionFile(path: path, appends: false).makeStore(tail: tail)
        func isCounted(_ wanted: Int64) throws -> Bool {
            var counts = SessionCounts()
            try SessionRows(path: path, isOwn: true).count(&counts)
            return tail.counts?.conversations == wanted && counts.conversations == wanted
        }
        #expect(store.store(Self.batch([(6, Self.opened()), (0, Self.finding(.note))])) == nil)
        #expect(try isCounted(1))
        // One without its opening, one whose number is lower, and the same again.
        #expect(store.store(Self.batch([(9, Self.finding(.note)), (4, Self.opened()), (6, Self.finding(.note))])) == nil)
        #expect(try isCounted(3))
        #expect(store.store(Self.batch([(6, Self.opened()), (9, Self.opened()), (4, Self.closed(0, nil))])) == nil)
        #expect(try isCounted(3))
        store.finish()
    }
}
