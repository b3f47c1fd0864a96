import Dissection

/// Collects what was said in a recording, as keys with the first bytes of each payload.
///
/// Runs of raw data are joined until the other side speaks, since TCP may cut them anywhere. Pings, pongs, frames and sealed TLS are left out. Over half of
/// the memory content is not kept any more, over all of it nothing; both are counted.
package struct ConversationRecorder: PickingSink, ~Copyable {
    private struct OpenExchange {
        var talk: RecordedConversation
        var label = ConversationLabel()
        /// Of each stream of HTTP/2, or of a connection that has none.
        var pending = ByStream<(client: PendingElement?, server: PendingElement?)>(vacant: (nil, nil))
        /// Who spoke last, and when.
        var last = ByStream<(from: Side, time: Timestamp)?>(vacant: nil)
        /// Something of it is compared.
        var isPicked = false
    }

    /// A head whose body comes, or a run of data that may go on.
    private struct PendingElement {
        var element: RecordedElement
        var payload: [UInt8] = []
        /// Of what is beyond `payload`.
        var rest = Hasher()
        /// It is compared, since some of it was picked.
        var isPicked = false
    }

    private let settings: ComparisonSettings
    private let mostBytes: Int
    private var open: [UInt64: OpenExchange] = [:]
    private var recording = Recording()
    private var bytesOfPending = 0
    private var bytesOfElements = 0
    /// The event that is taken was picked.
    private var isPicked = true
    /// Its stream.
    private var stream: UInt32 = 0

    /// Bytes of a body that are looked at as JSON.
    private static let mostPayload = 256 << 10

    package init(_ settings: ComparisonSettings, mostBytes: Int) {
        self.settings = settings
        self.mostBytes = mostBytes
    }

    package var takesFrames: Bool { false }

    package var heldBytes: Int { bytesOfElements + bytesOfPending }

    package mutating func receive(_ event: borrowing ConversationEvent, isPicked: Bool) {
        let number = event.conversation
        guard number > 0, event.lateFinding == nil else { return }
        (self.isPicked, stream) = (isPicked, event.channel.stream)
        var talk = open.removeValue(forKey: number) ?? OpenExchange(talk: RecordedConversation(number: number))
        talk.label.note(event)
        if isPicked { talk.isPicked = true }
        let from = event.from ?? .client
        if let leaving = talk.pending.leaving(for: stream) { finish(stream: leaving, &talk) }
        switch event.fact {
        case .request(let head):
            finish(.client, &talk)
            var element = RecordedElement(kind: .request, from: .client, keys: ContentKeys())
            element.title = "\(event.words(head.method)) \(event.words(head.target))"
            begin(&element, head.fields, event, &talk)
        case .response(let head):
            finish(.server, &talk)
            var element = RecordedElement(kind: .response, from: .server, keys: ContentKeys())
            element.title = "\(head.status)"
            element.latency = head.latency
            begin(&element, head.fields, event, &talk)
        case .body(let part):
            let payload = event.bytes(part.payload)
            if part.element == .event || part.element == .line || part.element == .message {
                finish(from, &talk)
                append(.message, payload, part.length, event, &talk)
            } else {
                extend(with: payload, part.length, event, &talk, isEnd: part.final)
            }
        case .message(let message):
            finish(from, &talk)
            append(.message, event.content, message.length, event, &talk)
        case .close(let close):
            finish(from, &talk)
            append(
                .close, event.content, UInt64(event.content.byteCount), event, &talk, title: close.code.map { "\($0)" } ?? "without a code")
        // How much was under way at a RST is chance.
        case .data(let run) where run.isAfterClose: break
        case .data(let run) where run.framing == nil:
            finish(from.peer, &talk)
            extend(with: event.content, run.length, event, &talk, isEnd: false)
        // A handshake, an alert and a change of the cipher have no content to compare, whether they were opened or not.
        case .data(let run): if isPicked, run.framing == .tlsRecord(contentType: 23) || run.framing == .ssl2Record { talk.talk.sealed += 1 }
        case .closed(let closing):
            talk.talk.ending = closing.words
            close(talk)
            return
        case .opened, .tls, .upgrade, .frame, .ping, .pong, .gap, .finding, .control: break
        }
        open[number] = talk
    }

    private mutating func begin(
        _ element: inout RecordedElement, _ fields: ByteRange, _ event: borrowing ConversationEvent, _ talk: inout OpenExchange
    ) {
        var walk = HeaderFields(in: event.content, at: fields)
        while let field = walk.next(), element.fields.count < 100 {
            let name = event.words(field.name).lowercased()
            if settings.ignoredFields.contains(name) { continue }
            element.fields.append((name, event.words(field.value)))
        }
        element.packet = event.place.packets?.lowest
        talk.last[stream] = event.place.time.map { (element.from, $0) }
        let pending = PendingElement(element: element, isPicked: isPicked)
        if element.from == .client { talk.pending[stream].client = pending } else { talk.pending[stream].server = pending }
    }

    /// Adds to the element that a side has begun, or begins one of raw data.
    private mutating func extend(
        with payload: RawSpan, _ length: UInt64, _ event: borrowing ConversationEvent, _ talk: inout OpenExchange, isEnd: Bool
    ) {
        let from = event.from ?? .client
        let known = take(from, &talk)
        // The end of a body whose elements were told one by one.
        if length == 0, known == nil { return }
        var pending = known ?? PendingElement(element: RecordedElement(kind: .data, from: from, keys: ContentKeys()))
        if isPicked { pending.isPicked = true }
        if pending.element.packet == nil { pending.element.packet = event.place.packets?.lowest }
        let kept = payload.prefix(max(0, Self.mostPayload - pending.payload.count))
        pending.payload.append(copying: kept)
        bytesOfPending += kept.byteCount
        if kept.byteCount < payload.byteCount { pending.rest.combine(payload.suffix(from: kept.byteCount)) }
        pending.element.length = pending.element.length.clampedSum(length)
        if from == .client { talk.pending[stream].client = pending } else { talk.pending[stream].server = pending }
        if isEnd { finish(from, &talk) }
    }

    /// Takes what a side has begun out of the table, so that adding to it copies nothing.
    private func take(_ side: Side, _ talk: inout OpenExchange) -> PendingElement? {
        let pending = side == .client ? talk.pending[stream].client : talk.pending[stream].server
        if side == .client { talk.pending[stream].client = nil } else { talk.pending[stream].server = nil }
        return pending
    }

    /// Ends what both sides have begun in a stream.
    private mutating func finish(stream number: UInt32, _ talk: inout OpenExchange) {
        let current = stream
        stream = number
        finish(.client, &talk)
        finish(.server, &talk)
        stream = current
    }

    /// Ends what a side has begun.
    private mutating func finish(_ side: Side, _ talk: inout OpenExchange) {
        guard let pending = take(side, &talk) else { return }
        bytesOfPending -= pending.payload.count
        guard pending.isPicked else { return }
        var element = pending.element
        let rest = pending.rest.key
        // A hasher in which nothing was put has a key as well, the same for all.
        var keys = ContentKeys(pending.payload.rawBytes, ignoring: settings.ignoredPaths)
        if element.length > UInt64(pending.payload.count) {
            keys.exact = contentKey {
                $0.combine(keys.exact); $0.combine(rest)
            }
        }
        let kind = element.kind
        let (title, fields) = (element.title, element.fields)
        let path = title.prefix { $0 != "?" }
        keys.exact = contentKey { hasher in
            hasher.combine(kind)
            hasher.combine(title)
            hasher.combine(keys.exact)
            for field in fields {
                hasher.combine(field.name)
                hasher.combine(field.value)
            }
        }
        keys.masked = contentKey { hasher in
            hasher.combine(kind)
            hasher.combine(kind == .request ? title.withBytes { ContentKeys.masked($0) } : contentKey { $0.combine(title) })
            hasher.combine(keys.masked)
        }
        keys.shape = contentKey { hasher in
            hasher.combine(kind)
            // A response may have another status; a request is the same one by its path.
            if kind == .request { hasher.combine(String(path).withBytes { ContentKeys.masked($0) }) }
        }
        keys.topic = keys.shape
        element.keys = keys
        element.content = Array(pending.payload.prefix(RecordedElement.keptBytes))
        keep(element, &talk)
    }

    private mutating func append(
        _ kind: RecordedElement.Kind, _ content: RawSpan, _ length: UInt64, _ event: borrowing ConversationEvent,
        _ talk: inout OpenExchange,
        title: String = ""
    ) {
        var keys = ContentKeys(content, ignoring: settings.ignoredPaths)
        for path in [\ContentKeys.exact, \.masked, \.shape, \.topic] {
            let inner = keys[keyPath: path]
            keys[keyPath: path] = contentKey { hasher in
                hasher.combine(kind)
                // A Close frame may have another code.
                if path == \.exact || path == \.masked { hasher.combine(title) }
                hasher.combine(inner)
            }
        }
        if length != UInt64(content.byteCount) {
            keys.exact = contentKey {
                $0.combine(keys.exact); $0.combine(length)
            }
        }
        var element = RecordedElement(kind: kind, from: event.from ?? .client, keys: keys)
        element.title = title
        element.length = length
        element.content = content.prefix(RecordedElement.keptBytes).copy
        element.packet = event.place.packets?.lowest
        if let time = event.place.time {
            if let last = talk.last[stream], last.from != element.from { element.latency = max(0, time.nanoseconds(since: last.time)) }
            talk.last[stream] = (element.from, time)
        }
        if isPicked { keep(element, &talk) }
    }

    private mutating func keep(_ element: RecordedElement, _ talk: inout OpenExchange) {
        var element = element
        element.stream = stream
        guard bytesOfElements < mostBytes else {
            talk.talk.dropped += 1
            recording.dropped += 1
            return
        }
        if bytesOfElements > mostBytes / 2, !element.content.isEmpty {
            (element.content, element.fields) = ([], [])
            recording.withoutContent += 1
        }
        bytesOfElements += element.heldBytes
        talk.talk.elements.append(element)
    }

    private mutating func close(_ talk: OpenExchange) {
        var talk = talk
        for (stream, _) in talk.pending.all { finish(stream: stream, &talk) }
        guard talk.isPicked else { return }
        var done = talk.talk
        // Which of several streams is served first is chance: they stand in the order in which they were opened.
        if done.elements.contains(where: { $0.stream != 0 }) {
            let order = done.elements.indices.sorted { (done.elements[$0].stream, $0) < (done.elements[$1].stream, $1) }
            done.elements = order.map { done.elements[$0] }
        }
        done.host = String(decoding: talk.label.firstBareHost, as: UTF8.self).visible
        done.path = String(decoding: talk.label.firstPath, as: UTF8.self).visible
        recording.talks.append(done)
    }

    /// What was recorded. Nothing may be told afterwards.
    package consuming func finish() -> Recording {
        for number in open.keys.sorted() { if let talk = open.removeValue(forKey: number) { close(talk) } }
        recording.talks.sort { $0.number < $1.number }
        return recording
    }
}

extension ConversationEvent {
    /// A part of the content as text, at most 1,024 bytes of it.
    fileprivate func words(_ range: ByteRange) -> String { String(decoding: bytes(range).prefix(1_024).copy, as: UTF8.self).visible }
}

extension Closing {
    /// Who ended it, and how.
    var words: String {
        var line = TextLine(width: nil, usesColor: false)
        line.appendManner(self)
        return String(decoding: line.buffer.bytes.copy, as: UTF8.self)
    }
}
