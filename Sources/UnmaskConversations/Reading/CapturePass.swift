import CaptureFiles
import Dissection
import Reports

/// One reading of a capture, a step at a time: as many packets as bring the next events.
struct CapturePass: ~Copyable {
    private var reader: CaptureReader
    private var dissector: Dissector
    private var copies: EventCopies
    private var notes = CaptureNotes()
    private let keys: (any CaptureKeySource)?
    private let canLookAhead: Bool
    /// More packets may be read while events wait: a file does not make its reader wait.
    private let readsAhead: Bool
    private var isOver = false
    /// What ended the reading before the capture did; reported after the events that were read.
    private var failure: CaptureFileError?

    /// Events that may wait when another packet is read, and packets that are read while some do.
    private static let (mostEvents, mostPackets) = (64, 64)

    /// Opens a capture.
    init(_ input: CaptureReading.Input, _ options: ReadingOptions, stop: StopFlag) throws(CaptureFileError) {
        keys = options.keyLog?.make()
        var canLookAhead = false
        switch input {
        case .file(let path):
            reader = try CaptureReader(path: path, stop: stop, windowBytes: max(0, options.limits.windowBytes))
            canLookAhead = CaptureReader.canLookAhead(in: path) && reader.hasBlocks && !reader.isCompressed
            keys?.begin(path, canLookAhead: canLookAhead)
        case .memory(let bytes, let name):
            reader = try CaptureReader(bytes: bytes, name: name)
            keys?.begin(name, canLookAhead: false)
        }
        self.canLookAhead = canLookAhead
        readsAhead = reader.inputSize != nil
        dissector = Dissector(
            limits: options.limits.limits, layers: options.layers(keys), seed: UInt64.random(in: .min ... .max))
        copies = EventCopies(decodesPayloads: options.decodesPayloads)
    }

    /// Bytes that were taken of the input so far.
    var inputBytes: Int { Int(clamping: reader.inputBytes) }

    /// The next events; none at the end.
    ///
    /// - Throws: `CaptureError` where the capture could not be read to its end, after all events that could be read.
    mutating func next() throws(CaptureError) -> [ConversationEvent] {
        var packetsAhead = 0
        while !isOver {
            if !copies.waiting.isEmpty {
                packetsAhead += 1
                guard readsAhead, copies.waiting.count < CapturePass.mostEvents, packetsAhead < CapturePass.mostPackets else { break }
            }
            dissector.reservedBytes = reader.heldBytes + (keys?.heldBytes ?? 0)
            do {
                let isThere = try CapturePass.read(
                    &reader, &dissector, &notes, keys, canLookAhead: canLookAhead, into: &copies)
                if !isThere { finish() }
            } catch {
                if error.canGoOn {
                    copies.note(CaptureError(error))
                } else {
                    failure = error
                    finish()
                }
            }
        }
        if copies.waiting.isEmpty, let failure {
            self.failure = nil
            throw CaptureError(failure)
        }
        return copies.take()
    }

    private mutating func finish() {
        isOver = true
        dissector.receive(packetsBeyondTime: reader.packetsBeyondTime, sink: &copies)
        dissector.finish(sink: &copies)
        copies.end(dissector.totals)
    }

    /// Reads the next item of the capture.
    ///
    /// - Returns: Whether there was one.
    private static func read(
        _ reader: inout CaptureReader, _ dissector: inout Dissector, _ notes: inout CaptureNotes, _ keys: (any CaptureKeySource)?,
        canLookAhead: Bool, into copies: inout EventCopies
    ) throws(CaptureFileError) -> Bool {
        guard let item = try reader.next() else { return false }
        switch item {
        case .packet(let packet): dissector.receive(packet, sink: &copies)
        case .name(let record) where !notes.namesConversations: copies.name(record.name, of: record.address)
        case .secrets(let secrets) where secrets.type == .tlsKeyLog: keys?.receive(secrets.bytes, canLookAhead: canLookAhead)
        case .section, .comment, .process, .secrets, .name, .statistics, .block: notes.take(item, &dissector, sink: &copies)
        }
        return true
    }
}
