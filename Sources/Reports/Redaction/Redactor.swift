import Dissection

/// Hides secrets in events before any output sees them: a stage of the line of outputs (docs/redaction.md).
///
/// Bodies and data without a layer come in pieces, of which the end may be held back until the next piece: their events tell of so much less, and the
/// next one of so much more.
package final class Redactor {
    let rules: RedactionRules
    var talks: [UInt64: RedactedConversation] = [:]
    var bytesOfTalks = 0
    /// Bytes that were looked at, for tests.
    var steps = 0
    /// What knows the payloads of which the user said what they are: names of fields that a schema has. Nil where nothing was said.
    private var payloads: PayloadReader?

    package init(_ plan: RedactionPlan) {
        rules = RedactionRules(plan)
        payloads = plan.payloads.map { PayloadReader($0) }
    }

    /// Bytes of memory that it keeps.
    package var heldBytes: Int {
        bytesOfTalks + talks.capacity * MemoryLayout<RedactedConversation>.stride + (payloads?.heldBytes ?? 0)
    }

    /// Takes an event, and hands on what becomes of it: mostly one, sometimes none, and what was held back before it.
    package func take(_ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        guard payloads != nil, let fields = secretFields(of: event), fields.places > 0 else { return hide(event, hand) }
        hide(
            ConversationEvent(
                conversation: event.conversation, from: event.from, place: event.place, offset: event.offset, channel: event.channel,
                fact: event.fact, content: fields.bytes.rawBytes, asked: event.asked,
                redaction: Redaction(places: event.redaction.places &+ UInt32(clamping: fields.places), growth: event.redaction.growth)),
            hand)
    }

    /// What of an event's payload is secret by what the user said that it is; nil where that says nothing.
    private func secretFields(of event: borrowing ConversationEvent) -> SecretFields? {
        let decoded = payloads?.read(event)
        var payload = ByteRange(0..<event.content.byteCount)
        var isCut = false
        switch event.fact {
        case .body(let part):
            payload = part.payload
            if let format = payloads?.partFormat, SecretFields.isBinary(format) {
                return SecretFields(hiding: payload, in: event.content.copy)
            }
        case .message(let message): isCut = message.isUnfinished || UInt64(payload.count) < event.shown(message.length)
        case _: break
        }
        return decoded.map { SecretFields($0, in: event.content.copy, at: payload, isCut: isCut) }
    }

    private func hide(_ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        switch event.fact {
        case .frame: hand(event)
        case .tls(let facts): handTLS(facts, event, hand)
        case .gap:
            // A secret that had begun goes on after what is missing.
            flush(event, isCut: true, hand)
            loseEncoded(event)
            loseCompressed(event)
            loseFields(event)
            hand(event)
        case .opened(let opening): handOpening(opening, event, hand)
        case .request(let head):
            flush(event, hand)
            note(head.fields, event, hand)
            var work = HeadRedaction(event.content.copy, rules)
            work.take(ByteRange(0..<head.target.start))
            work.takeTarget(head.target)
            work.take(ByteRange(head.target.end..<max(head.target.end, head.fields.start)))
            work.takeFields(head.fields)
            guard !work.found.isEmpty else { return hand(event) }
            var new = head
            (new.method, new.target, new.version, new.fields) = (
                work.found.map(head.method), work.found.map(head.target), work.found.map(head.version), work.found.map(head.fields)
            )
            give(.request(new), work.found, event, hand)
        case .response(let head): handResponse(head, event, hand)
        case .upgrade(let upgrade): handUpgrade(upgrade, event, hand)
        case .body(let part): handBody(part, event, hand)
        case .message(let message): handMessage(message, event, hand)
        case .data(let run): handData(run, event, hand)
        case .control(let frame):
            // Nothing more comes of a stream that was reset.
            if frame.kind == .reset {
                for side in [Side.client, .server] { forget(RedactedConversation.Key(side: side, channel: event.channel), event, hand) }
            }
            var work = HeadRedaction(event.content.copy, rules)
            work.take(frame.text)
            give(.control(work.found.map(frame)), work.found, event, hand)
        case .ping, .pong, .close, .finding:
            var work = HeadRedaction(event.content.copy, rules)
            work.take(ByteRange(0..<event.content.byteCount))
            give(event.fact, work.found, event, hand)
        case .closed:
            flushAll(event, hand)
            if let talk = talks.removeValue(forKey: event.conversation) { bytesOfTalks -= talk.heldBytes }
            hand(event)
        }
    }

    /// Hands on an event with a content in which places were replaced.
    func give(
        _ fact: Fact, _ found: Replacements, _ event: borrowing ConversationEvent, asked: Replacements = Replacements(),
        _ hand: (borrowing ConversationEvent) -> Void
    ) {
        guard !found.isEmpty || !asked.isEmpty else { return hand(event) }
        let content = found.apply(to: event.content.copy)
        let question = asked.apply(to: event.asked.copy)
        hand(
            ConversationEvent(
                conversation: event.conversation, from: event.from, place: event.place, offset: event.offset, channel: event.channel,
                fact: fact,
                content: content.rawBytes, asked: question.rawBytes,
                redaction: Redaction(
                    places: event.redaction.places &+ UInt32(clamping: found.count + asked.count),
                    growth: event.redaction.growth &+ Int32(clamping: found.growth))))
    }

    // MARK: - Heads

    private func handOpening(_ opening: Opening, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        guard !event.content.isEmpty else { return hand(event) }
        var work = HeadRedaction(event.content.copy, rules)
        let ranges = [opening.clientName, opening.serverName, opening.viaMode, opening.viaTarget]
        // Two that are one are looked at once.
        for range in Set(ranges).sorted(by: { $0.start < $1.start }) { work.takeAuthority(range) }
        give(.opened(work.found.map(opening)), work.found, event, hand)
    }

    private func handResponse(_ head: ResponseHead, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        flush(event, hand)
        note(head.fields, event, hand)
        var work = HeadRedaction(event.content.copy, rules)
        work.take(ByteRange(0..<max(0, head.fields.start)))
        work.takeFields(head.fields)
        var new = head
        (new.version, new.reason, new.fields) = (work.found.map(head.version), work.found.map(head.reason), work.found.map(head.fields))
        var question = HeadRedaction(event.asked.copy, rules)
        if let asked = head.asked {
            question.takeTarget(asked.target, isCut: asked.isCut)
            new.asked?.method = question.found.map(asked.method)
            new.asked?.target = question.found.map(asked.target)
        }
        give(.response(new), work.found, event, asked: question.found, hand)
    }

    private func handUpgrade(_ upgrade: Upgrade, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        flush(event, hand)
        if event.bytes(upgrade.subprotocol).prefix(7).isWord("wamp.2.") { change(event) { talk, _ in talk.speaksWAMP = true } }
        if event.bytes(upgrade.subprotocol).prefix(4).isWord("mqtt") { change(event) { talk, _ in talk.speaksMQTT = true } }
        var work = HeadRedaction(event.content.copy, rules)
        let ranges = [upgrade.protocolName, upgrade.host, upgrade.target, upgrade.subprotocol, upgrade.extensions]
        for range in Set(ranges).sorted(by: { $0.start < $1.start }) where !range.isEmpty {
            switch range {
            case upgrade.target: work.takeTarget(range)
            case upgrade.host: work.takeAuthority(range)
            case _: work.take(range)
            }
        }
        give(.upgrade(work.found.map(upgrade)), work.found, event, hand)
    }

    private static let form: StaticString = "application/x-www-form-urlencoded"

    /// Keeps what a head says of the body after it.
    private func note(_ range: ByteRange, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        guard event.from != nil else { return }
        var (isForm, framing) = (false, BodyFraming.none)
        var fields = HeaderFields(in: event.content, at: range)
        while let field = fields.next() {
            guard event.bytes(field.name).isWord("content-type") else { continue }
            isForm = event.bytes(field.value).prefix(Self.form.utf8CodeUnitCount).isWord(Self.form)
            framing = Self.framing(ofType: event.bytes(field.value))
        }
        let key = RedactedConversation.Key(side: event.from ?? .client, channel: event.channel)
        let isKnown = talks[event.conversation]?.sides[key] != nil
        // Nothing is kept where nothing is said: a stream of HTTP/2 may never have a body.
        guard isKnown || isForm || framing != .none else { return }
        if !isKnown { makeRoom(event, hand) }
        change(event) { talk, key in
            talk.sides[key, default: RedactedSide()].isForm = isForm
            talk.sides[key]?.framing = framing
            talk.sides[key]?.encoded = nil
            talk.sides[key]?.run.reset(keepsOpen: false)
        }
    }
}
