import Dissection
import Foundation
import Reports
import Testing

@testable import Sessions

/// What a writer of a session file hands on of what it has stored last.
@Suite struct SessionTailTests {
    private let folder: URL
    private var path: String { folder.appendingPathComponent("talk.unmask").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-tail-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Messages of some conversations, one after another, a second apart; of conversation 0 a record of another kind.
    private static func batch(_ conversations: [UInt64], from second: Int64) -> SessionBatch {
        var batch = SessionBatch()
        for (index, number) in conversations.enumerated() {
            let place = Place(time: Timestamp(nanoseconds: (second + Int64(index)) * 1_000_000_000))
            var row = SessionRow(
                kind: number == 0 ? "capture" : "message", conversation: number, place: place, from: number == 0 ? nil : .server,
                offset: nil,
                channel: ByteChannel(depth: 0, stream: 0))
            if number == 0 {
                row.json = batch.keep(Array("{\"kind\":\"capture\"}".utf8).rawBytes)
            } else {
                row.message = SessionRow.OfMessage(
                    opcode: 1, length: UInt64(index), wireLength: UInt64(index) + 2, fragments: 1, isCompressed: false, isFramed: false)
            }
            batch.append(row)
        }
        return batch
    }

    private func isAsCounted(_ tail: SessionTail) throws -> Bool {
        let rows = try SessionRows(path: path, isOwn: true)
        var counts = SessionCounts()
        try rows.count(&counts)
        guard let known = tail.counts else { return false }
        return known.first == counts.first && known.last == counts.last && known.messages == counts.messages
            && known.conversations == counts.conversations && known.earliest == counts.earliest && known.latest == counts.latest
            && known.hasEnd == counts.hasEnd
    }

    @Test func `the counts of a new file are those that its tables give`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let tail = SessionTail()
        let store = try SessionFile(path: path, appends: false).makeStore(tail: tail)
        #expect(tail.counts == nil)
        #expect(store.store(Self.batch([0, 1, 2, 1], from: 100)) == nil)
        #expect(try isAsCounted(tail))
        #expect(store.store(Self.batch([3, 1], from: 50)) == nil)
        #expect(try isAsCounted(tail))
        #expect(tail.counts?.messages == 5 && tail.counts?.last == 6 && tail.counts?.conversations == 3)
        store.finish()
    }

    @Test func `a file that is appended to has no counts of its own`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try SessionFile(path: path, appends: false).makeStore()
        #expect(first.store(Self.batch([0, 1], from: 100)) == nil)
        first.finish()
        let tail = SessionTail()
        tail.isWatched = true
        let second = try SessionFile(path: path, appends: true).makeStore(tail: tail)
        #expect(second.store(Self.batch([0, 1], from: 200)) == nil)
        #expect(tail.counts == nil)
        var conversations: [Int64] = []
        #expect(
            tail.lend(from: 3, through: 4) { _, moment in
                conversations.append(moment.conversation)
                return true
            })
        #expect(conversations == [0, 2])
        second.finish()
    }

    @Test func `moments are those of the records that were stored while they are watched`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let tail = SessionTail()
        let store = try SessionFile(path: path, appends: false).makeStore(tail: tail)
        #expect(store.store(Self.batch([0, 1], from: 100)) == nil)
        tail.isWatched = true
        #expect(store.store(Self.batch([1, 0, 2], from: 200)) == nil)
        #expect(store.store(Self.batch([2], from: 300)) == nil)
        var list: [(Int64, SessionTail.Moment)] = []
        func lend(_ first: Int64, _ last: Int64) -> Bool {
            list = []
            return tail.lend(from: first, through: last) { id, moment in
                list.append((id, moment))
                return true
            }
        }
        #expect(!lend(2, 4) && list.isEmpty && !tail.has(from: 2))
        #expect(!lend(4, 7) && list.isEmpty)
        #expect(lend(4, 6) && tail.has(from: 3))
        #expect(list.map(\.0) == [4, 5, 6])
        #expect(list.map(\.1.isMessage) == [false, true, true])
        #expect(list.map(\.1.time) == [201_000_000_000, 202_000_000_000, 300_000_000_000])
        #expect(list.map(\.1.length) == [0, 2, 0] && list.map(\.1.side) == [nil, 1, 1])
        tail.isWatched = false
        #expect(store.store(Self.batch([1], from: 400)) == nil)
        #expect(!lend(4, 6) && tail.counts?.last == 7)
        store.finish()
    }

    @Test func `of many batches the last are kept`() {
        let tail = SessionTail()
        let moment = SessionTail.Moment(kind: "message", isMessage: true, side: 0, conversation: 1, time: 1, length: 1)
        for number in 0..<40 {
            tail.take(nil, from: Int64(number) * 1_024 + 1, Array(repeating: moment, count: 1_024))
        }
        #expect(!tail.has(from: 8 * 1_024) && tail.has(from: 8 * 1_024 + 1))
        #expect(tail.lend(from: 8 * 1_024 + 1, through: 40 * 1_024) { _, _ in true })
        // One that does not follow the others begins anew.
        tail.take(nil, from: 50_000, [moment])
        #expect(!tail.has(from: 49_999) && tail.lend(from: 50_000, through: 50_000) { _, _ in true })
    }
}
