import Dissection
import NIOCore
import Reports
import Synchronization

/// What the recording thread does: takes events, has them dissected and reported, and writes them to the recording.
struct RecordWriter: ~Copyable {
    private var sink: WatchedLine
    private var dissector: LiveDissector
    private var places = NumberedPlaces()
    private var connections = ConnectionWriter()
    private var trouble: OutputTrouble
    private var lastTime = Timestamp(nanoseconds: 0)

    /// Traffic after which memory may lie about.
    private static var worthGivingBack: Int { 1 << 20 }

    /// What waits for its reader is tried again after so many nanoseconds, also where nothing more comes.
    private static var restlessness: Int64 { 100_000_000 }

    init(_ settings: RecorderSettings) {
        sink = WatchedLine(settings.outputs.makeLine())
        dissector = LiveDissector(limits: settings.limits, payloadDemand: sink.line.payloadDemand, decodeAs: settings.rules)
        trouble = OutputTrouble(settings.outputs, tell: settings.tell, readerGone: settings.readerGone)
        sink.line.begin(CaptureSource(kind: .proxy, name: settings.sourceName, tool: settings.tool))
        sink.line.flush()
    }

    /// Records until the queue is finished, then ends the report.
    ///
    /// - Returns: Whether something is missing that the user has not agreed to lose.
    mutating func run(_ queue: RecorderQueue) -> Bool {
        var batch = EventBatch()
        // What has passed since memory was given back; every event stands for the objects of its conversation.
        var passed = 0
        let giveBack = {
            guard passed > RecordWriter.worthGivingBack else { return }
            passed = 0
            Heap.giveBack()
        }
        while queue.take(&batch, within: sink.line.isHeldUp ? RecordWriter.restlessness : nil, whenQuiet: giveBack) {
            passed += batch.bytes + batch.events.count * 256
            dissector.reservedBytes = max(0, queue.reserved.load(ordering: .relaxed))
            record(batch) { queue.progress.wrappingAdd(1, ordering: .relaxed) }
            flush()
            batch.removeAll()
            queue.recorded()
        }
        return finish()
    }

    @inline(__always)
    private mutating func record(_ batch: borrowing EventBatch, each: () -> Void) {
        batch.small.withUnsafeBytes { small in
            for event in batch.events {
                lastTime = Timestamp(nanoseconds: event.time)
                each()
                if event.isOfConnection {
                    takeOfConnection(event, batch, small)
                    continue
                }
                switch event.kind {
                case .small:
                    take(UnsafeRawBufferPointer(rebasing: small[event.position..<event.position + Int(event.count)]), event)
                case .held:
                    batch.held[event.position].withUnsafeReadableBytes { take($0, event) }
                case .finished:
                    guard let place = places[event.conversation] else { continue }
                    sink.line.witness(RelayedEvent(.finished, from: event.side, at: place, lastTime))
                    end(event, at: place, dissector.receive(.finished, from: event.side, at: place, lastTime, sink: &sink))
                case .reset:
                    guard let place = places[event.conversation] else { continue }
                    sink.line.witness(RelayedEvent(.reset, from: event.side, at: place, lastTime))
                    end(event, at: place, dissector.receive(.reset, from: event.side, at: place, lastTime, sink: &sink))
                case .note:
                    take(batch.notes[event.position], event)
                }
            }
        }
    }

    @inline(__always)
    private mutating func take(_ run: UnsafeRawBufferPointer, _ event: EventBatch.Event) {
        guard !run.isEmpty, let place = places[event.conversation] else { return }
        sink.line.witness(RelayedEvent(.bytes, from: event.side, at: place, lastTime, bytes: run.bytes))
        let goesOn = dissector.receive(.bytes(run.bytes), from: event.side, at: place, lastTime, sink: &sink)
        if let refusal = sink.refusals.takeFound(of: event.conversation) { find(.proxyHostRefused, refusal, at: place) }
        end(event, at: place, goesOn)
    }

    private mutating func takeOfConnection(
        _ event: EventBatch.Event, _ batch: borrowing EventBatch, _ small: UnsafeRawBufferPointer
    ) {
        let (side, number) = (event.side, event.conversation)
        switch event.kind {
        case .small:
            let run = UnsafeRawBufferPointer(rebasing: small[event.position..<event.position + Int(event.count)])
            connections.take(.bytes, run.bytes, from: side, over: number, at: lastTime, &sink.line)
        case .held:
            batch.held[event.position].withUnsafeReadableBytes {
                connections.take(.bytes, $0.bytes, from: side, over: number, at: lastTime, &sink.line)
            }
        case .finished: connections.take(.finished, from: side, over: number, at: lastTime, &sink.line)
        case .reset: connections.take(.reset, from: side, over: number, at: lastTime, &sink.line)
        case .note: return
        }
    }

    private mutating func take(_ note: Note, _ event: EventBatch.Event) {
        if case .begin(let beginning) = note {
            let text = OpeningText(beginning, number: event.conversation)
            let place = dissector.begin(
                text.opening, content: text.content.rawBytes, number: event.conversation, at: lastTime, sink: &sink)
            places.insert(event.conversation, place: place)
            if let names = beginning.reverse { sink.refusals.begin(event.conversation, names) }
            let opening = RelayedOpening(
                number: event.conversation, client: text.opening.client, server: text.opening.server,
                comment: beginning.comment(number: event.conversation), serverHostName: beginning.serverHostName)
            sink.line.witness(RelayedEvent(.began(opening), at: place, lastTime))
            for connection in beginning.connections {
                let comment = beginning.connectionComment(number: event.conversation)
                connections.take(.comment(comment), over: connection, at: lastTime, &sink.line)
            }
            return
        }
        switch note {
        case .move(let moves): return move(moves)
        case .connected(let connection): return connections.begin(connection, number: event.conversation, at: lastTime, &sink.line)
        case .left: return connections.leave(event.conversation, at: lastTime, &sink.line)
        case .secrets(let lines): return lines.withUnsafeReadableBytes { connections.take(secrets: $0.bytes, at: lastTime, &sink.line) }
        default: break
        }
        guard let place = places[event.conversation] else {
            // What concerns the proxy as a whole.
            if case .finding(let row, let detail) = note, event.conversation == 0 { tell(row, detail) }
            return
        }
        switch note {
        case .begin, .move, .connected, .left, .secrets: return
        case .secured(let summary):
            let text = TLSText(summary)
            sink.line.witness(RelayedEvent(.comment(RelayComment.tls(text.facts, content: text.content)), at: place, lastTime))
            tell(.secured(text.facts, names: text.content.rawBytes), at: place)
        case .finding(let row, let detail):
            find(row, detail, at: place)
        case .aside(let side):
            sink.line.witness(RelayedEvent(.comment(RelayComment.setAside(side)), at: place, lastTime))
            _ = dissector.receive(.aside, from: side, at: place, lastTime, sink: &sink)
        case .unkept(let side, let count):
            sink.line.witness(RelayedEvent(.comment(RelayComment.unkept(count, of: side)), at: place, lastTime))
            _ = dissector.receive(.gap(length: count, cause: .limit), from: side, at: place, lastTime, sink: &sink)
        case .close(let how, let closer, let ends, let reason):
            if let reason, let row = how.proxyRow {
                tell(.found(Finding(row), offset: nil, detail: Array(reason.utf8).rawBytes), at: place)
            }
            sink.line.witness(RelayedEvent(.closed(how, closer, ends: ends, reason: reason), at: place, lastTime))
            dissector.close(how, by: closer, ends: ends, at: place, lastTime, sink: &sink)
            places.remove(event.conversation)
        }
    }

    /// Forgets a conversation that goes on no more.
    @inline(__always)
    private mutating func end(_ event: EventBatch.Event, at place: Int32, _ goesOn: Bool) {
        if !goesOn { places.remove(event.conversation) }
    }

    /// Tells what the proxy knows of a conversation; it goes on after that.
    private mutating func tell(_ event: borrowing StreamEvent, at place: Int32) {
        _ = dissector.receive(event, from: .client, at: place, lastTime, sink: &sink)
    }

    /// Reports a finding of the proxy about a conversation.
    private mutating func find(_ row: FindingRow, _ detail: String, at place: Int32) {
        sink.line.witness(RelayedEvent(.comment(RelayComment.finding(row, detail: detail)), at: place, lastTime))
        tell(.found(Finding(row), offset: nil, detail: Array(detail.utf8).rawBytes), at: place)
    }

    /// Tells a finding about the proxy itself.
    private mutating func tell(_ row: FindingRow, a: UInt64 = 0, _ detail: String) {
        dissector.tell(Finding(row, a: a), content: Array(detail.utf8).rawBytes, at: lastTime, sink: &sink)
    }

    // MARK: - Writing

    private mutating func move(_ moves: [OutputMove]) {
        for move in moves { trouble.move(move.index, to: move.outlet) }
        sink.line.move(moves)
    }

    /// Writes what the batch has come to; where something could not be written before, tries again now and then.
    private mutating func flush() {
        let leftOut = trouble.isDue ? retry() : nil
        sink.line.flush()
        trouble.look(at: sink.line, leftOut: leftOut)
    }

    /// Tries once more to write what could not be written, and says in each what is missing there; what is missing in a recording is
    /// said in the others.
    ///
    /// - Returns: What was left out of those that can be written again.
    private mutating func retry() -> [UInt64] {
        var leftOut: [UInt64] = []
        for index in 0..<sink.line.count {
            let told = sink.line.retry(index)
            let lost = told?.lostRecords ?? 0
            leftOut.append(lost)
            guard let told, lost > 0 else { continue }
            if sink.line.target(index).role == .recording {
                tell(.proxyPacketsLost, a: lost, told.error.message)
            } else {
                // What the others have is whole.
                let words = Array(told.error.message.utf8)
                sink.line.tell(Finding(.proxyRecordsLost, a: lost), content: words.rawBytes, at: lastTime, to: index)
            }
        }
        return leftOut
    }

    private mutating func finish() -> Bool {
        // In the recording they stay open: nothing on the wire ended them.
        dissector.finish(sink: &sink)
        trouble.retryNow()
        flush()
        sink.line.finish(dissector.totals)
        trouble.look(at: sink.line)
        return trouble.tellLoss(sink.line)
    }
}
