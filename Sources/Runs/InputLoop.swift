import CaptureFiles
import Decryption
import Dissection
import LiveCapture
import Reports
import Sessions

/// Reads captures and logs, one after another, as one run: packets and conversations are numbered on.
package struct InputLoop: ~Copyable {
    /// How it went.
    package struct Outcome {
        /// 0, or 1 where an input is damaged or no capture, or 2 where one cannot be opened.
        package var status: Int32 = 0
        /// Something could be read.
        package var hasBegun = false
        /// The next packet's number.
        package var next: UInt64 = 1
        /// The options do not go with an input; nothing more is to be done.
        package var isRefused = false
    }

    private let paths: [String]
    private let settings: InputSettings
    private let keys: CaptureKeys
    private var filter: PacketFilter?
    private var dissector: Dissector
    private var teller: LogTeller
    private var progress: Progress
    package private(set) var outcome = Outcome()

    /// - Parameter keys: of TLS sessions in captures.
    package init(
        _ paths: [String], _ settings: InputSettings, keys: CaptureKeys, filter: consuming PacketFilter? = nil,
        progress: Progress = Progress(isWanted: false)
    ) {
        self.paths = paths
        self.settings = settings
        self.keys = keys
        self.progress = progress
        self.filter = filter
        let seed = UInt64.random(in: .min ... .max)
        if let demand = settings.payloadDemand {
            dissector = Dissector(
                limits: settings.limits, payloadDemand: demand, layers: keys.layers, decodeAs: settings.rules, seed: seed)
        } else {
            dissector = Dissector(limits: settings.limits, layers: keys.layers, decodeAs: settings.rules, seed: seed)
        }
        teller = LogTeller(
            mostBytes: settings.limits.totalBytes, payloadBytes: min(settings.limits.messageBytes, settings.payloadDemand ?? .max))
    }

    /// Says which of the conversations that are wanted there are not.
    ///
    /// - Returns: Whether there are any of those.
    package func tellMissing() -> Bool {
        guard let missing = settings.conversations?.missing(after: conversations), !missing.isEmpty else { return false }
        settings.tell("unmask: there is no conversation \(missing.joined(separator: ", ")); the last is \(conversations)")
        return true
    }

    /// Conversations so far, and so the number of the last.
    package var conversations: UInt64 { dissector.totals.conversations }

    /// What all of it amounts to.
    package var totals: Totals { teller.totals(with: dissector.totals) }

    /// Reads all inputs, and tells how the conversations ended that are open then.
    ///
    /// - Parameter look: looks at the sink now and then, and says whether it takes more.
    package mutating func read<Sink: InputSink & ~Copyable>(into sink: inout Sink, look: (inout Sink) -> Bool) {
        for path in paths where !outcome.isRefused && !settings.stop.isStopped {
            guard look(&sink) else { break }
            read(path, into: &sink, look: look)
        }
        progress.end()
        guard !outcome.isRefused else { return }
        teller.closeOpen(into: &sink)
        dissector.finish(sink: &sink)
    }

    private mutating func read<Sink: InputSink & ~Copyable>(_ path: String, into sink: inout Sink, look: (inout Sink) -> Bool) {
        let source = CaptureSource(kind: .file, name: path, firstPacket: outcome.next, tool: settings.tool)
        do {
            if SessionReader.isSession(path) { return try readSession(path, source, into: &sink, look: look) }
            let input = try CaptureInput(
                path: path, firstPacketNumber: outcome.next, stop: settings.stop, windowBytes: settings.windowBytes,
                longestLine: settings.longestLine)
            switch consume input {
            case .capture(var reader):
                outcome.hasBegun = true
                sink.open(source)
                sink.begin(source, for: .all)
                if sink.takesWire {
                    (reader.keepsBlocks, dissector.notesSegments) = (true, true)
                    if !reader.hasBlocks, let interface = reader.interfaces.first { sink.witness(interface) }
                }
                progress.begin(path, size: reader.inputSize)
                let canLookAhead = CaptureReader.canLookAhead(in: path) && reader.hasBlocks && !reader.isCompressed
                keys.begin(path, canLookAhead: canLookAhead)
                read(&reader, canLookAhead: canLookAhead, into: &sink, look: look)
                outcome.next = reader.nextPacketNumber
            case .log(var log):
                if refusesPackets(path, sink) { return }
                outcome.hasBegun = true
                sink.open(source)
                progress.begin(path, size: log.inputSize)
                read(&log, source, into: &sink, look: look)
                outcome.next = dissector.totals.packets + 1
            }
        } catch {
            // A wait for a pipe to open that was interrupted is no error of the input.
            if settings.stop.isStopped { return }
            var error = error
            // The bytes of such an argument are lost before they come here.
            if error.kind == .unreadable, path.contains("\u{FFFD}") {
                error.advice = "a name that is not valid UTF-8 cannot be opened; rename the file, or give it as standard input with -"
            }
            // What was opened is an input, whatever is in it.
            if error.kind != .unreadable { sink.begin(source, for: .programs) }
            settings.tell("unmask: \(error)")
            sink.note(error)
            outcome.status = max(outcome.status, error.kind == .unreadable ? 2 : 1)
        }
    }

    /// What is said of a log whose packets are asked for.
    package static let hasNoPackets = "a log has no packets that -w could write; read the capture, or write a log with --log"

    /// Whether a log is read, or a session file, and packets are asked for.
    private mutating func refusesPackets<Sink: InputSink & ~Copyable>(_ path: String, _ sink: borrowing Sink) -> Bool {
        if filter != nil {
            settings.tell("unmask: \(path): a log has no packets that -f could choose from; choose conversations with --conversation")
        } else if sink.takesWire || sink.takesStreams {
            settings.tell("unmask: \(path): \(Self.hasNoPackets)")
        } else {
            return false
        }
        (outcome.status, outcome.isRefused) = (2, true)
        return true
    }

    /// Reads a session file, which tells what a log does.
    private mutating func readSession<Sink: InputSink & ~Copyable>(
        _ path: String, _ source: CaptureSource, into sink: inout Sink, look: (inout Sink) -> Bool
    ) throws(CaptureFileError) {
        if refusesPackets(path, sink) { return }
        // The numbers of a first input alone are those in it.
        let wanted = dissector.totals.conversations == 0 ? settings.conversations : nil
        var session = try SessionReader(path: path, wanted: wanted, window: settings.window, longestLine: settings.longestLine)
        outcome.hasBegun = true
        sink.open(source)
        progress.begin(path, size: session.inputSize)
        read(&session, source, into: &sink, look: look)
        outcome.next = dissector.totals.packets + 1
    }

    /// Reads a log to its end.
    private mutating func read<Lines: RecordLines & ~Copyable, Sink: InputSink & ~Copyable>(
        _ log: inout Lines, _ source: CaptureSource, into sink: inout Sink, look: (inout Sink) -> Bool
    ) {
        // The closures below may not look into what is changed meanwhile.
        var shown = progress
        let status = LogInput.read(
            &log, source, &teller, &dissector, into: &sink, begin: { $1.begin($0, for: .all) }, damaged: { $1.note($0) },
            clearLine: { shown.clear() }, settings
        ) { sink, packets, inputBytes in
            shown.show(bytes: inputBytes, packets: packets)
            return look(&sink)
        }
        progress = shown
        outcome.status = max(outcome.status, status)
    }

    /// Reads a capture to its end, or to where it cannot be read any more.
    ///
    /// - Parameter canLookAhead: it can be looked through for its keys while it is read.
    private mutating func read<Sink: InputSink & ~Copyable>(
        _ reader: inout CaptureReader, canLookAhead: Bool, into sink: inout Sink, look: (inout Sink) -> Bool
    ) {
        var untilLook = 0
        var damage = DamageLines(settings.tell)
        var notes = CaptureNotes()
        let hasBlocks = reader.hasBlocks
        while true {
            // The block is lent once the packet in it is given back.
            var ownerOfBlock: PacketOwner?
            do throws(CaptureFileError) {
                guard let item = try reader.next() else { break }
                guard case .packet(let packet) = item else {
                    if case .block(let block) = item { sink.witness(block) }
                    if !notes.namesConversations, case .name(let record) = item { sink.name(record.name, of: record.address) }
                    if case .secrets(let secrets) = item, secrets.type == .tlsKeyLog {
                        keys.receive(secrets.bytes, canLookAhead: canLookAhead)
                    }
                    notes.take(item, &dissector, sink: &sink)
                    continue
                }
                if filter != nil {
                    do {
                        guard try filter?.accepts(packet) ?? true else { continue }
                    } catch {
                        progress.clear()
                        settings.tell("unmask: \(error)")
                        outcome.status = 2
                        break
                    }
                }
                dissector.receive(packet, sink: &sink)
                if sink.takesWire {
                    let owner = dissector.owner(of: packet)
                    if hasBlocks { ownerOfBlock = owner } else { sink.witness(packet, of: owner) }
                }
            } catch {
                progress.clear()
                damage.tell(error)
                sink.note(error)
                outcome.status = max(outcome.status, 1)
                if !error.canGoOn { break }
            }
            if let ownerOfBlock { sink.witness(reader.packetBlock, of: ownerOfBlock) }
            if untilLook == 0 {
                untilLook = settings.pause
                if settings.stop.isStopped || !look(&sink) { break }
                // What the reader takes comes off the share of the conversations.
                dissector.reservedBytes = reader.heldBytes + keys.heldBytes
                progress.show(bytes: reader.inputBytes, packets: dissector.totals.packets)
            }
            untilLook -= 1
        }
        damage.finish()
        dissector.receive(packetsBeyondTime: reader.packetsBeyondTime, sink: &sink)
    }
}
