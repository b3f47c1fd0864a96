import Dissection
import Reports

/// Copies the events that a dissector lends, for a consumer that takes them later.
struct EventCopies: ConversationSink {
    /// Those that were not taken, in their order.
    private(set) var waiting: [ConversationEvent] = []
    private var waitingBytes = 0
    /// Nil where no payload is decoded.
    private var payloads: PayloadReader?
    /// Names that the capture gives for addresses.
    private var names = AddressNames()

    init(decodesPayloads: Bool) { payloads = decodesPayloads ? PayloadReader(.standard) : nil }

    var takesFrames: Bool { false }

    var heldBytes: Int { waitingBytes + (payloads?.heldBytes ?? 0) + names.heldBytes }

    /// Takes a name that the capture gives for an address.
    mutating func name(_ name: RawSpan, of address: RawSpan) { names.add(name, of: address) }

    /// Takes a damaged place of the capture.
    mutating func note(_ damage: CaptureError) { append(ConversationEvent(about: .damage(damage))) }

    /// Takes the end of the reading.
    mutating func end(_ totals: Dissection.Totals) { append(ConversationEvent(about: .ended(ConversationEvent.Totals(totals)))) }

    /// Gives those that wait, and forgets them.
    mutating func take() -> [ConversationEvent] {
        defer { (waiting, waitingBytes) = ([], 0) }
        return waiting
    }

    mutating func receive(_ event: borrowing Dissection.ConversationEvent) {
        guard !names.isEmpty, case .opened(let opening) = event.fact else { return copy(event) }
        let names = names
        names.name(event, opening) { copy($0) }
    }

    private mutating func copy(_ event: borrowing Dissection.ConversationEvent) {
        let decoded = payloads?.read(event).map { DecodedPayload($0, of: event.payload) }
        guard let content = ConversationEvent.Content(event, decoded) else { return }
        append(ConversationEvent(event, content))
        waitingBytes += event.content.byteCount + (decoded?.json.utf8.count ?? 0)
    }

    private mutating func append(_ event: ConversationEvent) {
        waiting.append(event)
        // Its place in the array, and the box of its content.
        waitingBytes += MemoryLayout<ConversationEvent>.stride + 256
    }
}

extension Dissection.ConversationEvent {
    /// What a decoder reads of the content.
    fileprivate var payload: RawSpan {
        @_lifetime(copy self)
        get {
            if case .body(let part) = fact { return content.part(part.payload) }
            return content
        }
    }
}

extension ConversationEvent {
    /// An event that is about the input as a whole.
    init(about content: Content) {
        self.init(conversation: 0, sender: nil, time: nil, packets: nil, offset: nil, stream: 0, depth: 0, content: content)
    }

    init(_ event: borrowing Dissection.ConversationEvent, _ content: Content) {
        conversation = Int(clamping: event.conversation)
        sender = event.from.map { Side($0) }
        time = event.place.time.map { CaptureTime($0) }
        packets = event.place.packets.map { Int(clamping: $0.lowest)...Int(clamping: max($0.lowest, $0.highest)) }
        offset = event.offset.map { Int(clamping: $0) }
        stream = Int(event.channel.stream)
        depth = Int(event.channel.depth)
        self.content = content
    }
}

extension ConversationEvent.Content {
    /// Nil for a frame, which is not copied.
    fileprivate init?(_ event: borrowing Dissection.ConversationEvent, _ decoded: DecodedPayload?) {
        let content = event.content
        switch event.fact {
        case .opened(let opening): self = .opened(.init(opening, content))
        case .tls(let facts): self = .tls(.init(facts, content))
        case .request(let head): self = .request(.init(head, event))
        case .response(let head): self = .response(.init(head, content))
        case .body(let part): self = .body(.init(part, content, decoded))
        case .upgrade(let upgrade): self = .upgrade(.init(upgrade, content))
        case .frame: return nil
        case .message(let message): self = .message(.init(message, content, decoded))
        case .ping: self = .ping(content.copy)
        case .pong(let pong):
            self = .pong(.init(payload: content.copy, roundTrip: Duration(pong.roundTrip), isUnsolicited: pong.unsolicited))
        case .close(let close): self = .closeFrame(.init(code: close.code.map { Int($0) }, reason: content.text))
        case .control(let control): self = .control(.init(control, content))
        case .data(let run):
            self = .data(
                .init(bytes: content.copy, length: Int(clamping: run.length), isEncrypted: run.framing != nil, decoded: decoded))
        case .gap(let gap): self = .gap(.init(gap))
        case .finding(let finding): self = .finding(ConversationFinding(finding, event))
        case .closed(let closing): self = .closed(.init(closing))
        }
    }
}

extension ConversationFinding {
    fileprivate init(_ finding: Finding, _ event: borrowing Dissection.ConversationEvent) {
        rule = Rule(finding.row)
        sentence = finding.words(event.content)
        conversation = Int(clamping: event.conversation)
        sender = event.from.map { ConversationEvent.Side($0) }
        time = event.place.time.map { CaptureTime($0) }
        packets = event.place.packets.map { Int(clamping: $0.lowest)...Int(clamping: max($0.lowest, $0.highest)) }
        offset = event.offset.map { Int(clamping: $0) }
    }
}
