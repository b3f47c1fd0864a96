import Dissection

/// Messages as CSV (RFC 4180) for spreadsheets and data frames: a row for each message, ping, pong, close, request, response, part of a body, and run of
/// bytes of which nothing is known.
package struct MessageTable: LineSink, ~Copyable {
    /// Whom a conversation is with, and for what: as cells, which all of its rows repeat.
    private struct Talk {
        var server: [UInt8] = []
        /// What is asked for: in each stream of HTTP/2, or in a connection that has none.
        var asked = ByStream<Asked>(vacant: Asked())

        struct Asked {
            /// Empty where the request has no host of its own.
            var host: [UInt8] = []
            var path: [UInt8] = []
        }

        /// The last cells of rows that belong to no stream of HTTP/2.
        private(set) var tail: [UInt8] = []

        /// Bytes of memory beside its own.
        var heldBytes: Int { server.count + asked.heldBytes + tail.count }

        /// The cells at the end of a stream's rows, each with a comma before it. After an upgrade to HTTP/2 stream 1 answers the request before it.
        ///
        /// It changes nothing: what could be changed is not copied before.
        mutating func tail(of stream: UInt32) -> [UInt8] {
            if stream == 0 { return tail }
            let ofStream = asked[stream].path.isEmpty ? 0 : stream
            return tail(of: asked[ofStream])
        }

        private func tail(of asked: Asked) -> [UInt8] { [0x2c] + (asked.host.isEmpty ? server : asked.host) + [0x2c] + asked.path }

        /// What the rows of the connection repeat is known, or has changed.
        mutating func composeTail() { tail = tail(of: asked.connection) }
    }

    private var output: Output
    private let settings: TableSettings
    private let payloads: DecodingStage
    private let heartbeats: HeartbeatStage
    private var selection: OutputSelection?
    private var talks = ConversationSlots(vacant: Talk())
    private var talkBytes = 0
    private var hasHeading = false
    private var row = OutputBuffer(capacity: 1_024)
    private var memory = TableRow.Memory()

    /// Bytes of a path that a row repeats at most.
    private static let longestPath = 1_024

    package init(_ output: consuming Output, settings: TableSettings, decoding: DecodingStage? = nil) {
        self.output = output
        self.settings = settings
        payloads = .of(decoding, reads: !settings.payloads.rows.isEmpty, settings.payloads)
        heartbeats = payloads.heartbeats()
        selection = OutputSelection(settings.filter, decoding)
    }

    package var takesFrames: Bool { false }
    package var heldBytes: Int { payloads.heldBytes + heartbeats.heldBytes + (selection?.heldBytes ?? 0) + talks.heldBytes + talkBytes }
    package var outputError: OutputError? { output.error }
    package var unwrittenRecords: UInt64 { output.unwrittenRecords }
    package var isHeldUp: Bool { output.isHeldUp }
    package var keptLoss: UInt64 { selection?.lost ?? 0 }
    package var searchesGivenUp: UInt64 { selection?.filter.givenUp ?? 0 }
    package mutating func retry() -> (error: OutputError, lostRecords: UInt64)? { output.retry() }
    package mutating func flush() { output.flush() }

    /// What was written since the last call, for an output that stays in memory.
    package mutating func takeBytes() -> [UInt8] { output.take() }

    package mutating func begin(_ source: CaptureSource) { if !hasHeading { writeHeading() } }

    private mutating func writeHeading() {
        hasHeading = true
        output.buffer.append(utf8: TableRow.heading)
        output.endRecord()
    }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        let number = event.conversation
        guard number != 0 else { return }
        if let wanted = settings.conversations, !wanted.contains(number) { return }
        if output.isUseless { return output.leaveOut() }
        learn(event)
        let decoded = payloads.isIdle ? nil : payloads.read(event)
        let isHidden = settings.hidesHeartbeats && heartbeats.take(event, decoded)
        selection?.judge(event, decoded)
        if !isHidden { take(event, decoded) }
        if event.kind == .closed {
            selection?.forget(number)
            if let talk = talks.remove(number) { talkBytes -= talk.heldBytes }
        }
    }

    /// Writes the row of an event, or keeps it until it is known whether it is written.
    private mutating func take(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) {
        let verdict = selection?.verdict ?? .show
        guard verdict != .leaveOut else { return }
        let tail = talks.slot(of: event.conversation).map { talks[$0].tail(of: event.channel.stream) } ?? [0x2c, 0x2c]
        guard selection != nil else {
            if TableRow.append(event, decoded, tail: tail, settings, to: &output.buffer, with: &memory) { output.endRecord() }
            return
        }
        let hasRow = TableRow.append(event, decoded, tail: tail, settings, to: &row, with: &memory)
        defer { row.truncate(to: 0) }
        if verdict == .show {
            for unit in selection?.release(event.conversation).units ?? [] {
                output.buffer.append(unit.bytes.rawBytes)
                output.endRecord()
            }
            guard hasRow else { return }
            output.buffer.append(row)
            output.endRecord()
        } else if hasRow {
            let bytes = row.bytes.copy
            selection?.putAside(bytes, lines: 1, of: event.conversation)
        }
    }

    /// Learns whom a conversation is with.
    private mutating func learn(_ event: borrowing ConversationEvent) {
        if event.channel.stream != 0, let slot = talks.slot(of: event.conversation) { talks[slot].asked.touch(by: event) }
        guard event.kind == .opened || event.kind == .request, let slot = talks.slotAdding(event.conversation) else { return }
        talkBytes -= talks[slot].heldBytes
        defer {
            talks[slot].composeTail()
            talkBytes += talks[slot].heldBytes
        }
        switch event.fact {
        case .opened(let opening):
            var text = OutputBuffer(capacity: 64)
            if opening.serverName.isEmpty {
                text.append(opening.server)
            } else {
                text.append(event.bytes(opening.serverName))
                text.append(0x3a)
                text.append(decimal: UInt64(opening.server.port))
            }
            talks[slot].server = cell(text.bytes)
        case .request(let head):
            let stream = event.channel.stream
            talks[slot].asked[stream].path = cell(event.bytes(head.target).prefix(Self.longestPath))
            let host = event.host(of: head)
            if !host.isEmpty, host.byteCount < 300 { talks[slot].asked[stream].host = cell(host) }
            let asked = talks[slot].asked[stream]
            talks[slot].asked.note(heldBytes: asked.host.count + asked.path.count, of: stream)
        default: return
        }
    }

    private func cell(_ text: RawSpan) -> [UInt8] {
        var cell = OutputBuffer(capacity: 64)
        cell.append(cell: text, guardsFormulas: settings.guardsFormulas)
        return cell.bytes.copy
    }

    package mutating func finish(_ totals: Totals) {
        if !hasHeading { writeHeading() }
        output.flush()
    }

    package mutating func move(to outlet: Outlet) {
        output.move(to: outlet)
        writeHeading()
        output.tellMove()
    }
}
