import Dissection
import Foundation
import Libc
import Testing

@testable import Reports

/// An output of a stranger: it takes its settings and a sink, and no line elsewhere.
@Suite struct ToyOutputTests {
    /// How many messages of each conversation were picked, as `1: 3`.
    struct TallySettings: OutputForm {
        var filter: FilterPlan?

        var payloadDemand: Int { 0 }
        var unit: (one: String, several: String) { ("tally", "tallies") }

        func make(at place: OutputPlace, decoding: DecodingStage) -> LineOutput {
            HeldOutput(TallyReport(output: place.open(), filter: DecodingStage.filter(filter, decoding)))
        }
    }

    struct TallyReport: LineSink, ~Copyable {
        var output: Output
        let filter: (any EventFilter)?
        var messages: [UInt64: Int] = [:]

        init(output: consuming Output, filter: (any EventFilter)?) {
            self.output = output
            self.filter = filter
        }

        var takesFrames: Bool { false }
        var outputError: OutputError? { output.error }
        var unwrittenRecords: UInt64 { output.unwrittenRecords }
        var isHeldUp: Bool { output.isHeldUp }
        mutating func begin(_ source: CaptureSource) {}
        mutating func flush() { output.flush() }
        mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { output.retry() }

        mutating func receive(_ event: borrowing ConversationEvent) {
            let isPicked = filter?.accepts(event, nil) ?? true
            if event.isMessage, isPicked { messages[event.conversation, default: 0] += 1 }
        }

        mutating func finish(_ totals: Totals) {
            for (number, count) in messages.sorted(by: { $0.key < $1.key }) {
                output.buffer.append(utf8: "\(number): \(count)\n")
                output.endRecord()
            }
            output.flush()
        }
    }

    /// What a client has sent.
    private final class ClientsOnly: EventFilter {
        func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool { event.from == .client }
    }

    /// What a line of the toy and records writes of three messages in two conversations.
    private static func written(_ toy: TallySettings, _ plan: (inout OutputPlan) -> Void = { _ in }) throws -> (toy: String, records: Int) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-toy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try ["toy", "records"].map { try OutputFile(path: folder.appendingPathComponent($0).path, from: .empty) }
        var outputs = OutputPlan([
            .init(toy, as: .shown, to: Outlet(descriptor: files[0].descriptor)),
            .init(RecordSettings(), as: .log, to: Outlet(descriptor: files[1].descriptor)),
        ])
        plan(&outputs)
        var line = outputs.makeLine()
        line.begin(CaptureSource(kind: .file, name: "a", tool: "test"))
        for (number, side) in [(1, .client), (2, .server), (1, .server)] as [(UInt64, Side)] {
            let message = Message(opcode: 1, length: 2, wireLength: 2, fragments: 1, compressed: false)
            RecordScript.send(.message(message), Array("hi".utf8), conversation: number, from: side, to: &line)
        }
        line.finish(Totals())
        let texts = try ["toy", "records"].map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
        return (texts[0], texts[1].split(separator: "\n").count)
    }

    @Test("a toy output stands beside records in a line, and writes what it makes of the same events")
    func beside() throws {
        let (toy, records) = try Self.written(TallySettings())
        #expect(toy == "1: 2\n2: 1\n")
        #expect(records == 5)
    }

    @Test("filters reach it as they reach every output, and what it cannot write is counted in its words")
    func filters() throws {
        let filter = FilterPlan { ClientsOnly() }
        #expect(try Self.written(TallySettings().picking(filter)).toy == "1: 1\n")
        let full = try OutputFile(path: "/dev/full", from: .end)
        var line = OutputPlan([.init(TallySettings(), as: .log, to: Outlet(descriptor: full.descriptor, name: "full"))]).makeLine()
        RecordScript.send(
            .message(Message(opcode: 1, length: 1, wireLength: 1, fragments: 1, compressed: false)), [0x61], from: .client, to: &line)
        line.finish(Totals())
        #expect(line.losses.count == 1 && line.losses[0].contains("1 tally could not be written"), "\(line.losses)")
    }

    /// Counts how often it is asked.
    private final class CountingFilter: EventFilter {
        var asked = 0

        func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
            asked += 1
            return event.from == .client
        }
    }

    @Test("outputs of a line with the same plan look at an event once, and those with another for themselves")
    func selection() throws {
        nonisolated(unsafe) let (shared, other) = (CountingFilter(), CountingFilter())
        let plan = FilterPlan { shared }
        let null = try OutputFile(path: "/dev/null", from: .end)
        let outlet = Outlet(descriptor: null.descriptor, name: "null")
        var line = OutputPlan([
            .init(TallySettings().picking(plan), as: .shown, to: outlet), .init(RecordSettings().picking(plan), as: .log, to: outlet),
            .init(TextSettings().picking(plan), as: .log, to: outlet),
            .init(TallySettings().picking(FilterPlan { other }), as: .log, to: outlet),
        ]).makeLine()
        for side in [Side.client, .server, .client] {
            let message = Message(opcode: 1, length: 2, wireLength: 2, fragments: 1, compressed: false)
            RecordScript.send(.message(message), Array("hi".utf8), from: side, to: &line)
        }
        line.finish(Totals())
        #expect(shared.asked == 3 && other.asked == 3)
    }

    @Test("an output may come while a run goes on, and leave before its end")
    func subscribers() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-guest-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (stays, leaves) = (folder.appendingPathComponent("stays"), folder.appendingPathComponent("leaves"))
        let files = try [stays, leaves].map { try OutputFile(path: $0.path, from: .empty) }
        let subscribers = Subscribers()
        var plan = OutputPlan()
        plan.subscribers = subscribers
        var line = plan.makeLine()
        line.begin(CaptureSource(kind: .proxy, name: "a", tool: "test"))
        func send(_ text: String) {
            let message = Message(opcode: 1, length: UInt64(text.utf8.count), wireLength: 1, fragments: 1, compressed: false)
            RecordScript.send(.message(message), Array(text.utf8), from: .client, to: &line)
            line.flush()
        }
        send("before anybody")
        _ = subscribers.join(RecordSettings(), to: Outlet(descriptor: files[0].descriptor))
        let second = subscribers.join(RecordSettings(), to: Outlet(descriptor: files[1].descriptor, patience: .lossy))
        send("not yet")
        send("both")
        subscribers.leave(second)
        send("still both")
        send("one")
        let isOver = line.isOver
        #expect(!isOver)
        line.finish(Totals())
        func said(_ file: URL) throws -> [String] {
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap {
                $0.components(separatedBy: #""text":""#).dropFirst().first?.components(separatedBy: "\"").first
            }
        }
        #expect(try said(stays) == ["both", "still both", "one"])
        #expect(try said(leaves) == ["both", "still both"])
        #expect(try String(contentsOf: stays, encoding: .utf8).hasPrefix(#"{"kind":"capture""#))
    }

    @Test("a guest that may lose is told what it lost once its reader takes something again, and is let go once that is gone")
    func lossyGuest() throws {
        signal(SIGPIPE, SIG_IGN)
        var (shown, page): ([Int32], [Int32]) = ([0, 0], [0, 0])
        try #require(pipe(&shown) == 0 && pipe(&page) == 0)
        defer { for end in [shown[1], page[1]] { close(end) } }
        let subscribers = Subscribers()
        var plan = OutputPlan([.init(RecordSettings(), as: .shown, to: Outlet(descriptor: shown[1]), drain: .everyRecord)])
        plan.subscribers = subscribers
        var line = plan.makeLine()
        _ = subscribers.join(RecordSettings(), to: Outlet(descriptor: page[1], name: "page", patience: .lossy))
        line.flush()
        close(shown[0])
        let text = [UInt8](repeating: 0x61, count: 65_536)
        func send(_ bytes: [UInt8]) {
            let length = UInt64(bytes.count)
            let message = Message(opcode: 1, length: length, wireLength: length, fragments: 1, compressed: false)
            RecordScript.send(.message(message), bytes, from: .client, to: &line)
            line.flush()
        }
        // Far more than a pipe holds, and nobody reads it.
        for _ in 0..<512 { send(text) }
        var (held, isOver) = (line.heldBytes, line.isOver)
        #expect(held < 32 << 20 && !isOver, "\(held)")

        _ = fcntl(page[0], F_SETFL, O_NONBLOCK)
        var taken: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<2_000 where !String(decoding: taken.suffix(4_096), as: UTF8.self).contains("proxy.records-lost") {
            let count = read(page[0], &piece, piece.count)
            if count > 0 { taken += piece.prefix(count) } else { send([0x62]) }
        }
        #expect(String(decoding: taken, as: UTF8.self).contains(#""id":"proxy.records-lost""#))

        close(page[0])
        for _ in 0..<2 { send([0x63]) }
        isOver = line.isOver
        #expect(isOver)
        held = line.heldBytes
        #expect(held < 1 << 20, "\(held)")
    }
}
