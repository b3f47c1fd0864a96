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
        var client = Direction()
        var server = Direction()

        subscript(side: Side) -> Direction {
            get { side == .client ? client : server }
            set { if side == .client { client = newValue } else { server = newValue } }
        }
    }

    private let folder: ContentFolder
    private var talks: [UInt64: Talk] = [:]
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

    /// A conversation's names take a kilobyte at most.
    package var heldBytes: Int { talks.count * 1_024 }

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
            for element in [talk.client.element, talk.server.element].compactMap(\.self) {
                folder.remove(element.name(isComplete: false), element.identity)
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
        let side = event.from ?? .client
        switch event.fact {
        case .request(let head):
            try settle(number, side)
            talks[number, default: Talk()][side].note(
                event, head.fields, "request \(event.text(head.method, 16)) \(event.text(head.target, 120))")
        case .response(let head):
            try settle(number, side)
            var source = "response \(head.status)"
            if let asked = head.asked {
                let (method, target) = (asked.method, asked.target)
                source += " to \(event.asked.text(method, 16)) \(event.asked.text(target, 120))"
            }
            talks[number, default: Talk()][side].note(event, head.fields, source)
        case .body(let part): try takeBody(part, event, number, side)
        case .message(let message):
            try settle(number, side)
            guard isPicked else { return pass(number) }
            let kind = message.opcode == 1 ? "text message" : message.frame == nil ? "binary message" : "message"
            try begin(event.content, number, side, source: kind, type: [], coding: "", isRaw: false)
            try end(number, side, isCut: UInt64(event.content.byteCount) < event.shown(message.length) || message.isUnfinished)
        case .data(let run):
            if let framing = run.framing {
                // Opened application data is told as what it carries; other records carry nothing that could be written.
                guard framing == .tlsRecord(contentType: 23) || framing == .ssl2Record else { return }
                if isPicked, lastSealed != number { sealed += 1 }
                if isPicked { lastSealed = number }
                return
            }
            if talks[number]?[side].element?.isRaw != true {
                try settle(number, side)
                try begin(event.content, number, side, source: "raw data", type: [], coding: "", isRaw: true)
            } else {
                try append(event.content, number, side)
            }
            if isPicked { talks[number]?[side].element?.isPicked = true }
            if UInt64(event.content.byteCount) < event.shown(run.length) { talks[number]?[side].element?.isCut = true }
        case .gap: talks[number]?[side].element?.isCut = true
        case .finding(let finding):
            // Told after what it is about.
            if finding.row.saysIncomplete { talks[number]?[side].element?.isCut = true }
        case .closed:
            try settle(number, .client)
            try settle(number, .server)
            talks[number] = nil
        case .opened, .tls, .upgrade, .frame, .ping, .pong, .close, .control: return
        }
    }

    private mutating func takeBody(
        _ part: BodyPart, _ event: borrowing ConversationEvent, _ number: UInt64, _ side: Side
    ) throws(OutputFileError) {
        let payload = event.bytes(part.payload)
        let element = talks[number]?[side].element
        if let element, !element.isFinal, !element.isRaw, part.part > 1 {
            try append(payload, number, side)
        } else {
            try settle(number, side)
            if payload.isEmpty, part.final { return }
            // Of a body that comes in parts a later one may be picked.
            if !isPicked, part.final, part.part == 1 { return pass(number) }
            let direction = talks[number]?[side] ?? Direction()
            let undone = part.encoding.isEmpty ? "" : ", \(event.text(part.encoding, 32)) undone"
            try begin(
                payload, number, side, source: (direction.source.isEmpty ? "body" : direction.source) + undone, type: direction.type,
                coding: part.encoding.isEmpty ? direction.coding : "", isRaw: false)
            if part.part > 1 { talks[number]?[side].element?.isCut = true }
        }
        if isPicked { talks[number]?[side].element?.isPicked = true }
        if UInt64(payload.byteCount) < event.shown(part.length) { talks[number]?[side].element?.isCut = true }
        if part.final { talks[number]?[side].element?.isFinal = true }
    }

    // MARK: - Files

    /// Counts what was not picked, so that a file has the same name whatever is picked beside it.
    private mutating func pass(_ number: UInt64) { talks[number, default: Talk()].elements += 1 }

    private mutating func begin(
        _ bytes: RawSpan, _ number: UInt64, _ side: Side, source: String, type: [UInt8], coding: String, isRaw: Bool
    ) throws(OutputFileError) {
        var talk = talks[number] ?? Talk()
        talk.elements += 1
        let stem = "\(Self.padded(number))-\(Self.padded(talk.elements))-\(side == .client ? "client" : "server")"
        let kind = ContentKind.fileExtension(type: type.rawBytes, bytes) + coding
        let name = "\(stem)-incomplete.\(kind)"
        let file: Int32
        do {
            file = try folder.make(name)
        } catch {
            guard error.isNameTaken else { throw error }
            talk[side].element = Element(stem: stem, kind: kind, identity: nil, source: source, isRaw: isRaw, isLeftOut: true)
            talks[number] = talk
            return leaveOut(error)
        }
        defer { _ = close(file) }
        talk[side].element = Element(
            stem: stem, kind: kind, identity: FileIdentity(file), source: source, isRaw: isRaw, isPicked: isPicked)
        talks[number] = talk
        try folder.write(bytes, to: file, name)
        talks[number]?[side].element?.bytes = UInt64(bytes.byteCount)
    }

    private mutating func append(_ bytes: RawSpan, _ number: UInt64, _ side: Side) throws(OutputFileError) {
        guard !bytes.isEmpty, let element = talks[number]?[side].element, !element.isLeftOut else { return }
        let name = element.name(isComplete: false)
        let file = try folder.goOn(name, element.identity)
        defer { _ = close(file) }
        try folder.write(bytes, to: file, name)
        talks[number]?[side].element?.bytes += UInt64(bytes.byteCount)
    }

    private mutating func end(_ number: UInt64, _ side: Side, isCut: Bool) throws(OutputFileError) {
        talks[number]?[side].element?.isFinal = true
        if isCut { talks[number]?[side].element?.isCut = true }
    }

    /// Gives what a side has sent its last name, because nothing more is told of it.
    private mutating func settle(_ number: UInt64, _ side: Side) throws(OutputFileError) {
        guard let element = talks[number]?[side].element else { return }
        if element.isLeftOut {
            talks[number]?[side].element = nil
            return
        }
        guard element.isPicked else {
            folder.remove(element.name(isComplete: false), element.identity)
            talks[number]?[side].element = nil
            return
        }
        let isComplete = !element.isCut && (element.isFinal || element.isRaw)
        let name = element.name(isComplete: isComplete)
        do {
            if isComplete { try folder.rename(element.name(isComplete: false), to: name) }
        } catch {
            guard error.isNameTaken else { throw error }
            folder.remove(element.name(isComplete: false), element.identity)
            talks[number]?[side].element = nil
            return leaveOut(error)
        }
        talks[number]?[side].element = nil
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
