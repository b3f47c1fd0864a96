import Dissection
import Libc

/// One file that was written, for the table.
package struct ExtractedFile: Sendable {
    package let name: String
    package let bytes: UInt64
    package let isComplete: Bool
    /// What it is, in words in which text from the wire may stand.
    package let source: String
}

/// Writes bodies, WebSocket messages and raw data into files, as they come: nothing is kept but what a name and a table need.
///
/// A file is called incomplete until its end has come, and for good where some of it is missing.
package struct ContentFiles: PickingSink {
    /// What one side sends at the moment.
    fileprivate struct Element {
        /// The name without its end.
        let stem: String
        let kind: String
        let identity: FileIdentity?
        let source: String
        /// Raw data: it goes on until something else comes.
        let isRaw: Bool
        /// There is no file: something else has its name.
        var isLeftOut = false
        /// It stays, since some of it was picked.
        var isPicked = false
        var bytes: UInt64 = 0
        var isFinal = false
        var isCut = false

        func name(isComplete: Bool) -> String { isComplete ? "\(stem).\(kind)" : "\(stem)-incomplete.\(kind)" }
    }

    fileprivate struct Direction {
        /// Of the head that came last.
        var type: [UInt8] = []
        var coding = ""
        var source = ""
        var element: Element?
    }

    private struct Talk {
        var elements: UInt64 = 0
        /// Of each stream of HTTP/2, or of a connection that has none.
        var streams = ByStream(vacant: (client: Direction(), server: Direction()))

        subscript(way: Way) -> Direction {
            get { way.side == .client ? streams[way.stream].client : streams[way.stream].server }
            set {
                if way.side == .client { streams[way.stream].client = newValue } else { streams[way.stream].server = newValue }
            }
        }
    }

    /// One side of a stream.
    private struct Way {
        var number: UInt64
        var stream: UInt32
        var side: Side
    }

    private let folder: ContentFolder
    private var talks: [UInt64: Talk] = [:]
    /// Streams of HTTP/2 in all of them.
    private var streams = 0
    private var rows: [ExtractedFile] = []
    private var leftOut: [String] = []
    /// Files that were not written, since something else has their name.
    package private(set) var leftOutFiles: UInt64 = 0
    /// So many of them are named.
    private static let mostNamed = 10
    /// Why nothing more is written.
    package private(set) var problem: String?
    /// Conversations with TLS that was not decrypted, of which nothing is written.
    package private(set) var sealed: UInt64 = 0
    private var lastSealed: UInt64 = 0
    /// The event that is taken was picked.
    private var isPicked = true

    package init(_ folder: ContentFolder) { self.folder = folder }

    package var takesFrames: Bool { false }

    /// The names of a conversation or stream take a kilobyte at most.
    package var heldBytes: Int { (talks.count + streams) * 1_024 }

    /// The files that were finished since the last call.
    package mutating func takeRows() -> [ExtractedFile] {
        defer { rows.removeAll(keepingCapacity: true) }
        return rows
    }

    /// Why files were not written, of the first ten in a run, as far as that was not taken yet.
    package mutating func takeLeftOut() -> [String] {
        defer { leftOut = [] }
        return leftOut
    }

    private mutating func leaveOut(_ error: OutputFileError) {
        leftOutFiles += 1
        if leftOutFiles <= Self.mostNamed { leftOut.append(error.description) }
    }

    /// Removes the files that are not finished, after a problem.
    package mutating func removeUnfinished() {
        for talk in talks.values {
            for (_, sides) in talk.streams.all {
                for element in [sides.client.element, sides.server.element].compactMap(\.self) {
                    folder.remove(element.name(isComplete: false), element.identity)
                }
            }
        }
        talks = [:]
    }

    package mutating func receive(_ event: borrowing ConversationEvent, isPicked: Bool) {
        let number = event.conversation
        self.isPicked = isPicked
        guard problem == nil, number != 0 else { return }
        do throws(OutputFileError) {
            try take(event, number)
        } catch {
            problem = error.description
        }
    }

    private mutating func take(_ event: borrowing ConversationEvent, _ number: UInt64) throws(OutputFileError) {
        let way = Way(number: number, stream: event.channel.stream, side: event.from ?? .client)
        let streamsBefore = way.stream == 0 && event.kind != .closed ? 0 : talks[number]?.streams.count ?? 0
        defer { if way.stream != 0 || event.kind == .closed { streams += (talks[number]?.streams.count ?? 0) - streamsBefore } }
        if let leaving = talks[number]?.streams.leaving(for: way.stream) { try settle(number, stream: leaving) }
        switch event.fact {
        case .request(let head):
            try settle(way)
            talks[number, default: Talk()][way].note(
                event, head.fields, "request \(event.text(head.method, 16)) \(event.text(head.target, 120))")
        case .response(let head):
            try settle(way)
            var source = "response \(head.status)"
            if let asked = head.asked {
                let (method, target) = (asked.method, asked.target)
                source += " to \(event.asked.text(method, 16)) \(event.asked.text(target, 120))"
            }
            talks[number, default: Talk()][way].note(event, head.fields, source)
        case .body(let part): try takeBody(part, event, way)
        case .message(let message):
            try settle(way)
            guard isPicked else { return pass(way.number) }
            let kind = message.opcode == 1 ? "text message" : message.frame == nil ? "binary message" : "message"
            try begin(event.content, way, source: kind, type: [], coding: "", isRaw: false)
            try end(way, isCut: UInt64(event.content.byteCount) < event.shown(message.length) || message.isUnfinished)
        case .data(let run):
            if let framing = run.framing {
                // Opened application data is told as what it carries; other records carry nothing that could be written.
                guard framing == .tlsRecord(contentType: 23) || framing == .ssl2Record else { return }
                if isPicked, lastSealed != number { sealed += 1 }
                if isPicked { lastSealed = number }
                return
            }
            if talks[way.number]?[way].element?.isRaw != true {
                try settle(way)
                try begin(event.content, way, source: "raw data", type: [], coding: "", isRaw: true)
            } else {
                try append(event.content, way)
            }
            if isPicked { talks[way.number]?[way].element?.isPicked = true }
            if UInt64(event.content.byteCount) < event.shown(run.length) { talks[way.number]?[way].element?.isCut = true }
        case .gap: talks[way.number]?[way].element?.isCut = true
        case .finding(let finding):
            // Told after what it is about.
            if finding.row.saysIncomplete { talks[way.number]?[way].element?.isCut = true }
        case .closed:
            for (stream, _) in talks[number]?.streams.all ?? [] { try settle(number, stream: stream) }
            talks[number] = nil
        case .opened, .tls, .upgrade, .frame, .ping, .pong, .close, .control: return
        }
    }

    private mutating func takeBody(
        _ part: BodyPart, _ event: borrowing ConversationEvent, _ way: Way
    ) throws(OutputFileError) {
        let payload = event.bytes(part.payload)
        let element = talks[way.number]?[way].element
        if let element, !element.isFinal, !element.isRaw, part.part > 1 {
            try append(payload, way)
        } else {
            try settle(way)
            if payload.isEmpty, part.final { return }
            // Of a body that comes in parts a later one may be picked.
            if !isPicked, part.final, part.part == 1 { return pass(way.number) }
            let direction = talks[way.number]?[way] ?? Direction()
            let undone = part.encoding.isEmpty ? "" : ", \(event.text(part.encoding, 32)) undone"
            try begin(
                payload, way, source: (direction.source.isEmpty ? "body" : direction.source) + undone, type: direction.type,
                coding: part.encoding.isEmpty ? direction.coding : "", isRaw: false)
            if part.part > 1 { talks[way.number]?[way].element?.isCut = true }
        }
        if isPicked { talks[way.number]?[way].element?.isPicked = true }
        if UInt64(payload.byteCount) < event.shown(part.length) { talks[way.number]?[way].element?.isCut = true }
        if part.final { talks[way.number]?[way].element?.isFinal = true }
    }

    // MARK: - Files

    /// Counts what was not picked, so that a file has the same name whatever is picked beside it.
    private mutating func pass(_ number: UInt64) { talks[number, default: Talk()].elements += 1 }

    private mutating func begin(
        _ bytes: RawSpan, _ way: Way, source: String, type: [UInt8], coding: String, isRaw: Bool
    ) throws(OutputFileError) {
        var talk = talks[way.number] ?? Talk()
        talk.elements += 1
        let stem = "\(Self.padded(way.number))-\(Self.padded(talk.elements))-\(way.side == .client ? "client" : "server")"
        let kind = ContentKind.fileExtension(type: type.rawBytes, bytes) + coding
        let name = "\(stem)-incomplete.\(kind)"
        let file: Int32
        do {
            file = try folder.make(name)
        } catch {
            guard error.isNameTaken else { throw error }
            talk[way].element = Element(stem: stem, kind: kind, identity: nil, source: source, isRaw: isRaw, isLeftOut: true)
            talks[way.number] = talk
            return leaveOut(error)
        }
        defer { _ = close(file) }
        talk[way].element = Element(
            stem: stem, kind: kind, identity: FileIdentity(file), source: source, isRaw: isRaw, isPicked: isPicked)
        talks[way.number] = talk
        try folder.write(bytes, to: file, name)
        talks[way.number]?[way].element?.bytes = UInt64(bytes.byteCount)
    }

    private mutating func append(_ bytes: RawSpan, _ way: Way) throws(OutputFileError) {
        guard !bytes.isEmpty, let element = talks[way.number]?[way].element, !element.isLeftOut else { return }
        let name = element.name(isComplete: false)
        let file = try folder.goOn(name, element.identity)
        defer { _ = close(file) }
        try folder.write(bytes, to: file, name)
        talks[way.number]?[way].element?.bytes += UInt64(bytes.byteCount)
    }

    private mutating func end(_ way: Way, isCut: Bool) throws(OutputFileError) {
        talks[way.number]?[way].element?.isFinal = true
        if isCut { talks[way.number]?[way].element?.isCut = true }
    }

    private mutating func settle(_ number: UInt64, stream: UInt32) throws(OutputFileError) {
        try settle(Way(number: number, stream: stream, side: .client))
        try settle(Way(number: number, stream: stream, side: .server))
    }

    /// Gives what a side has sent its last name, because nothing more is told of it.
    private mutating func settle(_ way: Way) throws(OutputFileError) {
        guard let element = talks[way.number]?[way].element else { return }
        if element.isLeftOut {
            talks[way.number]?[way].element = nil
            return
        }
        guard element.isPicked else {
            folder.remove(element.name(isComplete: false), element.identity)
            talks[way.number]?[way].element = nil
            return
        }
        let isComplete = !element.isCut && (element.isFinal || element.isRaw)
        let name = element.name(isComplete: isComplete)
        do {
            if isComplete { try folder.rename(element.name(isComplete: false), to: name) }
        } catch {
            guard error.isNameTaken else { throw error }
            folder.remove(element.name(isComplete: false), element.identity)
            talks[way.number]?[way].element = nil
            return leaveOut(error)
        }
        talks[way.number]?[way].element = nil
        rows.append(ExtractedFile(name: name, bytes: element.bytes, isComplete: isComplete, source: element.source))
    }

    /// At least four digits, so that names stand in order.
    private static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}

extension ContentFiles.Direction {
    /// Keeps what the head says of the body after it.
    fileprivate mutating func note(_ event: borrowing ConversationEvent, _ range: ByteRange, _ source: String) {
        (type, coding, self.source) = ([], "", source)
        var fields = HeaderFields(in: event.content, at: range)
        while let field = fields.next() {
            let name = event.bytes(field.name)
            if name.isWord("content-type") { type = event.bytes(field.value).prefix(128).copy }
            guard name.isWord("content-encoding") else { continue }
            let value = event.bytes(field.value)
            coding = value.isWord("br") ? ".br" : value.isWord("zstd") ? ".zst" : value.isWord("compress") ? ".Z" : ""
        }
    }
}

extension FindingRow {
    /// The message before it, in the same direction, is not whole.
    fileprivate var saysIncomplete: Bool {
        switch id {
        case "http.message-incomplete", "http.message-unfinished", "http.content-coding-cut", "http.content-coding-corrupt",
            "websocket.message-unfinished", "websocket.message-incomplete":
            true
        default: false
        }
    }
}

extension ConversationEvent {
    /// A part of the content as text, of so many bytes at most.
    fileprivate func text(_ range: ByteRange, _ most: Int) -> String { content.text(range, most) }
}

extension RawSpan {
    fileprivate func text(_ range: ByteRange, _ most: Int) -> String {
        let part = RecordContent(bytes: self, policy: .none).part(range)
        return String(decoding: part.prefix(most).copy, as: UTF8.self) + (part.byteCount > most ? "…" : "")
    }
}
