import Dissection

// Payloads: messages, which are whole, and bodies and data, which come in pieces.

extension Redactor {
    /// Changes what is known of the conversation and the side of an event.
    func change(_ event: borrowing ConversationEvent, _ body: (inout RedactedConversation, RedactedConversation.Key) -> Void) {
        change(event, RedactedConversation.Key(side: event.from ?? .client, channel: event.channel), body)
    }

    /// Changes what is known of a conversation, and of one of its sides. What others hold stays counted as it is.
    func change(
        _ event: borrowing ConversationEvent, _ key: RedactedConversation.Key,
        _ body: (inout RedactedConversation, RedactedConversation.Key) -> Void
    ) {
        guard event.conversation != 0 else { return }
        // Taken out of the table, so that changing it copies nothing.
        var talk = RedactedConversation()
        if let known = talks.removeValue(forKey: event.conversation) {
            talk = known
        } else {
            bytesOfTalks += RedactedConversation.ownBytes
        }
        bytesOfTalks -= talk.heldBytes(of: key)
        body(&talk, key)
        bytesOfTalks += talk.heldBytes(of: key)
        talks[event.conversation] = talk
    }

    func handMessage(_ message: Message, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        flush(event, hand)
        if handFields(message, event, hand) || handCompressed(message, event, hand) { return }
        let isWAMP = message.frame == nil && talks[event.conversation]?.speaksWAMP ?? false
        if message.frame == nil, !isWAMP, rules.areDefaults, UInt64(event.content.byteCount) == event.shown(message.length) {
            steps += event.content.byteCount
            if SecretGlance.isClean(event.content) { return hand(event) }
        }
        let content = event.content.copy
        let layout = layout(of: message, content, event)
        let secrets = BinarySecrets(content, isWAMP: isWAMP, parts: layout?.parts ?? [], secrets: layout?.secrets ?? [])
        let bytes = secrets.bytes
        let isCut = UInt64(bytes.count) < event.shown(message.length)
        var piece = RedactionRun.Piece(bytes: [], places: 0, length: bytes.count)
        if message.frame == nil {
            var run = RedactionRun()
            piece = run.take(bytes, as: .text, rules, isLast: true, isCut: isCut, in: layout)
        } else {
            change(event) { talk, key in
                // Where parts have lengths, no line by itself is a login.
                let isHidden = layout == nil && talk.isHidden(key.side, bytes, endsLine: true)
                let hidesAnswers = layout == nil && key.side == .client
                piece = talk.sides[key, default: RedactedSide()].lines.take(
                    bytes, as: .commands, rules, isLast: true, isCut: isCut, isHidden: isHidden, hidesAnswers: hidesAnswers, in: layout)
                if piece.asksToLogIn, hidesAnswers { talk.login = LoginChallenge() }
            }
        }
        steps += piece.steps
        piece.places += secrets.places
        guard piece.places > 0 || piece.bytes.count != bytes.count else { return hand(event) }
        handPiece(piece, .message(message), piece.bytes, event, event.place, event.offset, hand)
    }

    /// Where the lengths stand in a message, by its protocol; nil where it has none that count.
    private func layout(of message: Message, _ content: [UInt8], _ event: borrowing ConversationEvent) -> MessageLayout? {
        if case .protocol(let spoken)? = message.frame?.framing { return MessageLayout(content, of: spoken.word) }
        guard message.frame == nil else { return nil }
        if talks[event.conversation]?.speaksMQTT == true { return MessageLayout(content, of: MQTTGrammar.name) }
        return MessageLayout(unagreed: content)
    }

    func handBody(_ part: BodyPart, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        let raw = event.bytes(part.payload).copy
        let key = RedactedConversation.Key(side: event.from ?? .client, channel: event.channel)
        let framing = talks[event.conversation]?.sides[key]?.framing ?? .none
        let goesOn = talks[event.conversation]?.sides[key]?.encoded != nil
        if !goesOn, let messages = piece(ofMessages: raw, in: framing) {
            change(event) { talk, key in
                // A stream of HTTP/2 carries no other body.
                if part.final, key.channel.stream != 0 {
                    talk.sides[key] = nil
                } else {
                    talk.sides[key]?.last = RedactedSide.Last(place: event.place, part: part)
                }
            }
            return handBody(part, messages, raw, event, hand)
        }
        if framing == .encodedMessages { return handEncoded(part, raw, event, hand) }
        let secrets = BinarySecrets(raw)
        let payload = secrets.bytes
        let isCut = UInt64(payload.count) < event.shown(part.length)
        var piece = RedactionRun.Piece(bytes: payload, places: 0, length: payload.count)
        var added: UInt32 = 0
        makeRoom(event, hand)
        change(event) { talk, key in
            var side = talk.sides.removeValue(forKey: key) ?? RedactedSide()
            if part.part == 1 {
                side.run.reset(keepsOpen: false)
                side.addedParts = 0
            }
            added = side.addedParts
            // Nothing goes on from one event of a stream into the next.
            let isLast = part.final || part.element != nil
            piece = side.run.take(payload, as: side.isForm ? .form : .text, rules, isLast: isLast, isCut: isCut && !part.final)
            side.last = RedactedSide.Last(place: event.place, part: part)
            // A stream of HTTP/2 carries no other body.
            talk.sides[key] = part.final && key.channel.stream != 0 ? nil : side
        }
        steps += piece.steps
        piece.places += secrets.places
        handBody(part, piece, payload, addedParts: added, event, hand)
    }

    /// Hands on a body of which this is left.
    func handBody(
        _ part: BodyPart, _ piece: RedactionRun.Piece, _ payload: [UInt8], addedParts: UInt32 = 0, _ event: borrowing ConversationEvent,
        _ hand: (borrowing ConversationEvent) -> Void
    ) {
        var (new, piece) = (part, piece)
        var trailers = HeadRedaction(event.bytes(part.trailers).copy, rules)
        trailers.takeFields(ByteRange(0..<part.trailers.count))
        let isChanged = piece.places > 0 || piece.length != payload.count || piece.bytes.count != payload.count
        guard isChanged || !trailers.found.isEmpty || addedParts > 0 else { return hand(event) }
        new.part = part.part &+ addedParts
        let encoding = event.bytes(part.encoding).copy
        let ends = trailers.found.apply(to: event.bytes(part.trailers).copy)
        let content = piece.bytes + encoding + ends
        new.payload = ByteRange(0..<piece.bytes.count)
        new.encoding = ByteRange(start: piece.bytes.count, count: encoding.count)
        new.trailers = ByteRange(start: piece.bytes.count + encoding.count, count: ends.count)
        new.length = moved(part.length, from: payload.count, to: piece.length)
        piece.places += trailers.found.count
        handPiece(piece, .body(new), content, event, event.place, event.offset, hand)
    }

    func handData(_ run: DataRun, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        if run.isHeaderBlock { return handBlock(run, event, hand) }
        guard run.framing == nil, event.conversation != 0 else { return hand(event) }
        let secrets = BinarySecrets(event.content.copy)
        let bytes = secrets.bytes
        let isCut = UInt64(bytes.count) < event.shown(run.length)
        makeRoom(event, hand)
        if !goesOn(event) { flush(event, isCut: true, hand) }
        settlePrompt(event, hand)
        var piece = RedactionRun.Piece(bytes: bytes, places: 0, length: bytes.count)
        var (held, place) = (0, event.place)
        change(event) { talk, key in
            let isHidden = talk.isHidden(key.side, bytes, endsLine: false)
            var side = talk.sides.removeValue(forKey: key) ?? RedactedSide()
            held = side.run.held
            if held > 0, let last = side.last {
                place = last.place
                place.extend(by: event.place)
            }
            let secret = key.side == .client ? talk.prompt.take(fromClient: bytes) : 0
            if key.side == .server { talk.prompt.take(fromServer: bytes) }
            piece = RedactionRun.Piece(bytes: [], places: 0, length: 0)
            if secret > 0 {
                piece = side.run.take(Array(bytes[..<secret]), as: .commands, rules, isLast: true, isHidden: true)
            }
            piece.append(
                side.run.take(
                    Array(bytes[secret...]), as: .commands, rules, isLast: false, isCut: isCut, isHidden: isHidden,
                    hidesAnswers: key.side == .client))
            if piece.asksToLogIn, key.side == .client { talk.login = LoginChallenge() }
            let end = event.offset.map { $0.addingReportingOverflow(run.length).partialValue }
            side.last = RedactedSide.Last(place: event.place, offset: end)
            talk.sides[key] = side
        }
        steps += piece.steps
        piece.places += secrets.places
        // All of it is held back.
        if piece.length == 0, !bytes.isEmpty, !isCut { return }
        guard held > 0 || piece.places > 0 || piece.length != bytes.count || piece.bytes.count != bytes.count else { return hand(event) }
        let offset = event.offset.map { $0 - min($0, UInt64(held)) }
        let new = DataRun(length: moved(run.length, from: bytes.count, to: piece.length), isAfterClose: run.isAfterClose)
        handPiece(piece, .data(new), piece.bytes, event, place, offset, hand)
    }

    /// Ends the server's line where the client replies to a prompt: what the server says next is not what stands after `Password: `.
    private func settlePrompt(_ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        guard event.from == .client, talks[event.conversation]?.prompt.isAsked == true else { return }
        let key = RedactedConversation.Key(side: .server, channel: event.channel)
        guard talks[event.conversation]?.sides[key] != nil else { return }
        flush(event, key, isCut: false, hand)
        change(event, key) { talk, key in talk.sides[key]?.run.reset(keepsOpen: false) }
    }

    private static let block = Array("header block ".utf8)

    /// Hides a header block whole: which of its bytes are values, and whose, would only a table say that nobody has.
    private func handBlock(_ run: DataRun, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        flush(event, isCut: true, hand)
        let bytes = event.content.copy
        let isHidden = bytes.starts(with: Self.block) && RedactionMark.isMark(bytes.dropFirst(Self.block.count))
        guard !bytes.isEmpty, !isHidden else { return hand(event) }
        let piece = RedactionRun.Piece(bytes: Self.block + rules.marks.mark(of: bytes[...]), places: 1, length: bytes.count)
        handPiece(piece, .data(run), piece.bytes, event, event.place, event.offset, hand)
    }

    /// The length of a piece of which so many bytes were there, and so many are now.
    private func moved(_ length: UInt64, from old: Int, to new: Int) -> UInt64 {
        new >= old ? length.clampedSum(UInt64(new - old)) : length - min(length, UInt64(old - new))
    }

    func handPiece(
        _ piece: RedactionRun.Piece, _ fact: Fact, _ content: [UInt8], _ event: borrowing ConversationEvent, _ place: Place,
        _ offset: UInt64?, _ hand: (borrowing ConversationEvent) -> Void
    ) {
        hand(
            ConversationEvent(
                conversation: event.conversation, from: event.from, place: place, offset: offset,
                channel: event.channel, fact: fact, content: content.rawBytes,
                redaction: Redaction(
                    places: event.redaction.places &+ UInt32(clamping: piece.places),
                    growth: event.redaction.growth &+ Int32(clamping: piece.bytes.count - piece.length))))
    }

    // MARK: - What is held back

    /// Whether data goes on where that before it ended.
    private func goesOn(_ event: borrowing ConversationEvent) -> Bool {
        let key = RedactedConversation.Key(side: event.from ?? .client, channel: event.channel)
        guard let offset = event.offset, let expected = talks[event.conversation]?.sides[key]?.last?.offset else { return true }
        return offset == expected
    }

    /// Gives up half of the channels of a conversation that has too many of them: streams of which nothing came behind a head (a response
    /// without a body, a stream that was reset) first, then the oldest.
    func makeRoom(_ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        guard let talk = talks[event.conversation], talk.sides.count >= RedactedConversation.mostSides else { return }
        func rank(_ key: RedactedConversation.Key) -> (Int, UInt32) {
            (talk.sides[key]?.last == nil ? 0 : 1, key.channel.stream == 0 ? .max : key.channel.stream)
        }
        for key in talk.sides.keys.sorted(by: { rank($0) < rank($1) }).prefix(RedactedConversation.mostSides / 2) {
            forget(key, event, hand)
        }
    }

    /// Forgets a channel of a side, behind what is held back of it.
    func forget(_ key: RedactedConversation.Key, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        guard talks[event.conversation]?.sides[key] != nil else { return }
        flush(event, key, isCut: false, hand)
        change(event, key) { talk, key in talk.sides[key] = nil }
    }

    /// Hands on what is held back of the side of an event, because something else comes.
    func flush(_ event: borrowing ConversationEvent, isCut: Bool = false, _ hand: (borrowing ConversationEvent) -> Void) {
        guard let from = event.from else { return }
        flush(event, RedactedConversation.Key(side: from, channel: event.channel), isCut: isCut, hand)
    }

    /// Hands on what is held back of a conversation, because nothing more comes.
    func flushAll(_ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        let keys = talks[event.conversation]?.sides.keys.sorted {
            ($0.channel.depth, $0.side == .server ? 1 : 0) < ($1.channel.depth, $1.side == .server ? 1 : 0)
        }
        for key in keys ?? [] { flush(event, key, isCut: false, hand) }
    }

    private func flush(
        _ event: borrowing ConversationEvent, _ key: RedactedConversation.Key, isCut: Bool, _ hand: (borrowing ConversationEvent) -> Void
    ) {
        guard var side = talks[event.conversation]?.sides[key], side.run.held > 0, let last = side.last else { return }
        let held = UInt64(side.run.held)
        let setting: SecretScan.Setting = last.part == nil ? .commands : side.isForm ? .form : .text
        let piece = side.run.take([], as: setting, rules, isLast: true, isCut: isCut)
        steps += piece.steps
        if last.part != nil { side.addedParts &+= 1 }
        change(event, key) { talk, _ in talk.sides[key] = side }
        var fact = Fact.data(DataRun(length: held))
        let content = piece.bytes
        if let part = last.part {
            fact = .body(
                BodyPart(
                    length: held, wireLength: 0, part: part.part &+ side.addedParts, final: false, payload: ByteRange(0..<content.count)))
        }
        hand(
            ConversationEvent(
                conversation: event.conversation, from: key.side, place: last.place, offset: last.offset.map { $0 - min($0, held) },
                channel: key.channel, fact: fact, content: content.rawBytes,
                redaction: Redaction(places: UInt32(clamping: piece.places), growth: Int32(clamping: piece.bytes.count - piece.length))))
    }
}

extension RedactedConversation {
    /// Whether what a side sends is an answer to what it was asked for when it logs in.
    ///
    /// - Parameter endsLine: The bytes are a message by themselves, which may have lost the end of its line.
    mutating func isHidden(_ side: Side, _ bytes: [UInt8], endsLine: Bool) -> Bool {
        guard login != nil else { return false }
        if side == .server, login?.take(fromServer: bytes, endsLine: endsLine) == false { login = nil }
        return login != nil && side == .client
    }
}

extension ConversationEvent {
    /// How long a payload of this length is in the content, where something in it was replaced.
    func shown(_ length: UInt64) -> UInt64 { length.grown(by: redaction) }
}

extension UInt64 {
    /// A length on the wire with what replacements add to it.
    func grown(by redaction: Redaction) -> UInt64 {
        redaction.growth >= 0 ? clampedSum(UInt64(redaction.growth)) : self - Swift.min(self, UInt64(redaction.growth.magnitude))
    }
}
