import Dissection

/// The columns at which the parts of a line begin, counted after the sign of the direction.
enum Column {
    /// Where a size ends that stands after a short label.
    static let size = 13
    /// Where details begin.
    static let detail = 16
    /// Where details begin after a label that is longer.
    static let farDetail = 34
    /// Bytes that are shown before what a filter has found, where the line begins in the middle of a payload.
    static let beforeFound = 24
    /// Where the payload of a compressed message begins.
    static let deflatedPayload = 25
}

extension TextReport {
    /// Shows one event of a conversation, and remembers what later lines need of it.
    ///
    /// - Parameter known: What its payload says, where a filter has picked the event.
    mutating func show(_ event: borrowing ConversationEvent, _ content: RecordContent, _ known: DecodedPayload?, at place: Int) {
        let time = event.place.time
        stream = event.channel.stream
        if takesSettings(event, content, at: place) { return note(event.place, at: place) }
        if !noteReason(event, at: place) { tellOpened(before: event, at: place) }
        if event.kind == .data, case .data(let run) = event.fact, let framing = run.framing {
            // Records of SSL 2.0 have no type: they count as content.
            let contentType: UInt8 = if case .tlsRecord(let type) = framing { type } else { 23 }
            // What keys have opened is not sealed, and its plaintext is shown: a reader takes a handshake after it for a new one.
            if contentType != 23, table[place].isOpened(event.channel) { return note(event.place, at: place) }
            if !table[place].sealed.takes(contentType, at: time, follows: settings.follows) { endSealedRun(at: place) }
            table[place].sealed.add(run.length, contentType, from: event.from, at: time, selection?.verdict ?? .show)
            note(event.place, at: place)
            return
        }
        endSealedRun(at: place)
        showBodies(before: event, at: place)
        var decoded: DecodedPayload?
        switch event.fact {
        case .opened(let opening):
            table[place].opening = opening
            table[place].clientName = TextConversation.kept(content.part(opening.clientName))
            table[place].serverName = TextConversation.kept(content.part(opening.serverName))
            table[place].viaMode = TextConversation.kept(content.part(opening.viaMode))
            table[place].processName = TextConversation.kept(content.part(opening.processName))
            table[place].openedAt = time
            note(event.place, at: place)
            table[place].isEmpty = !table[place].isRefused
            return table.rest(at: place)
        case .finding where table[place].isRefused: return showRefusal(content, event.place.time, at: place)
        // What it still sent to nobody is in the records.
        case .gap where table[place].isRefused: return
        case .closed where table[place].isRefused: return forget(event.conversation, at: place)
        case .closed where !showsEnd(at: place): return forget(event.conversation, at: place)
        case .closed(let closing) where table[place].isEmpty && closing.client.bytes == 0 && closing.server.bytes == 0:
            showEmpty(closing, event.place, at: place)
            return forget(event.conversation, at: place)
        case .closed(let closing):
            composeUnanswered(closing, event.place, at: place)
            let cause = composeHeartbeats(event.place, at: place)
            composeClosing(closing, cause, event.place, at: place)
            if !joinsAlike(closing, event.place, at: place) { printBlock(at: place) }
            return forget(event.conversation, at: place)
        case .finding where table[place].reason != nil && isReason(event, at: place): return
        case .finding(let finding):
            table[place].isBrief = false
            // From here on records may stay sealed in spite of the keys.
            if finding.row.leavesSealed { table[place].note(isOpened: false, event.channel) }
            if settings.follows { composeNumber(at: place) }
            composeFinding(
                finding, content, event.place, stream: event.channel.stream,
                indent: settings.follows ? TextReport.followedSign : TextReport.blockSign)
            return commit(at: place)
        case .gap(let gap):
            table[place].isBrief = false
            beginLine(at: place, time, from: event.from)
            line.appendGap(gap)
        case .upgrade(let upgrade):
            noteUpgrade(upgrade, content, at: place)
            beginLine(at: place, time, from: event.from)
            line.append("upgrade")
            continueWithUpgrade(upgrade, content)
        case .response(let head):
            if table[place].talk == .tcp { table[place].talk = .http }
            table[place].headAt.server = time
            beginLine(at: place, time, from: event.from)
            line.appendResponse(head, content, showsLocation: !settings.showsHeaders && !isTelling(head, at: place))
            addFields(of: head, content, at: place)
            note(event.place, at: place)
            return head.status == 101 ? leaveOpen(at: place) : commit(at: place)
        case .request(let head):
            noteRequest(head, content, at: place)
            table[place].headAt.client = time
            beginLine(at: place, time, from: event.from)
            // A block has the name in its heading; followed lines have it in the first request.
            let knownHost = settings.follows && table[place].requests == 1 ? [] : table[place].host
            line.appendRequest(
                head, content, knownHost: knownHost.rawBytes, isPromise: event.from == .server && event.channel.stream > 0)
            addHeaders(of: head, content, at: place)
        case .tls(let facts):
            table[place].talk = .tls
            table[place].note(isOpened: facts.secrets == .keylog, event.channel)
            if table[place].host.isEmpty { table[place].host = TextConversation.kept(content.part(facts.serverName)) }
            // TLS with the client alone, in which the proxy says what has failed.
            if table[place].reason != nil { return note(event.place, at: place) }
            beginLine(at: place, time, sign: 0x3d, .plain)
            line.appendTLS(facts, content, isLive: isProxy)
            addCertificates(of: facts, content, at: place)
        case .control(let frame):
            if table[place].talk == .tcp { table[place].talk = .http }
            beginLine(at: place, time, from: event.from)
            line.appendControl(frame, content)
        case .body(let part) where isPartOfLonger(part) && part.element == nil:
            let said = selection != nil ? known : payloads.isIdle ? nil : payloads.payload(of: event)
            _ = heartbeats.take(event, said)
            table[place].isBrief = false
            addToBody(part, content, settings.payload == .none ? nil : said, from: event.from ?? .server, time, at: place)
            return note(event.place, at: place)
        case .body, .frame, .message, .ping, .pong, .close, .data:
            table[place].isBrief = false
            if event.kind == .close {
                if event.from == .client { table[place].closeFrames.client = true } else { table[place].closeFrames.server = true }
            }
            if table[place].talk != .webSocket, event.isOfWebSocket { table[place].talk = .webSocket }
            decoded = selection != nil ? known : payloads.isIdle ? nil : payloads.payload(of: event)
            if heartbeats.take(event, decoded), settings.hidesHeartbeats { return note(event.place, at: place) }
            if settings.payload == .none || decoded?.isBare == true { decoded = nil }
            beginLine(at: place, time, from: event.from)
            // In full the payload stands as it came, and what it says under it.
            if case .close = event.fact { line.codes = table[place].closeCodes }
            line.appendPayloadEvent(
                event.fact, content, decoded: settings.isFull ? nil : decoded, showsWire: settings.showsFrames,
                before: settings.isFull || event.kind != .body ? 0 : bytesOfElement(before: event, at: place))
            if let decoded, decoded.isSure, !settings.isFull { addProblem(decoded.problem, of: decoded.format, at: place) }
            if event.kind == .body, case .body(let part) = event.fact {
                addTrailers(of: part, content, at: place)
                // It has a line of its own, and counts for the one of the whole body.
                if isPartOfLonger(part) { noteElement(part, content, from: event.from ?? .server, time, at: place) }
            }
        }
        note(event.place, at: place)
        if event.fact.hasPayload { payloadLines &+= 1 }
        if let form = line.leftOut {
            let (range, length) = event.fact.payload(in: content)
            let came: UInt64? = if case .message(let message) = event.fact { content.shown(message.payloadCame) } else { nil }
            commit(at: place, payload: content.part(range).prefix(content.policy.limit), length: length, came: came, form: form)
        } else {
            commit(at: place)
        }
        if settings.isFull, let decoded, !decoded.entries.isEmpty { show(decoded, at: place) }
    }

    /// Says under a payload why it is not told in the words of its format.
    mutating func addProblem(_ problem: (reason: [UInt8], position: UInt64)?, of format: StaticString, at place: Int) {
        guard let problem else { return }
        beginBelow(at: place)
        lower.appendProblem(problem.reason, at: problem.position, of: format)
        endBelow()
    }

    /// Whether a part of a body is one of several that have a line together. Where everything is shown in full, each has lines of its own.
    private func isPartOfLonger(_ part: BodyPart) -> Bool { !(part.part == 1 && part.final) && !settings.isFull }

    /// Remembers when and in which packets a conversation was last heard.
    mutating func note(_ eventPlace: Place, at place: Int) {
        // What is told late (a message that had no end) was not the last that was heard.
        if let time = eventPlace.time, time > table[place].lastAt ?? time || table[place].lastAt == nil { table[place].lastAt = time }
        guard let packets = eventPlace.packets else { return }
        // Changed where it is, it would take memory for the access.
        var all = table[place].packets ?? packets
        all.formUnion(packets)
        table[place].packets = all
    }

    /// Prints the run of TLS records that has come to its end.
    mutating func endSealedRun(at place: Int) {
        guard !table[place].sealed.isEmpty else { return }
        let run = table[place].sealed
        table[place].sealed = SealedRun()
        judging(run.verdict) { $0.show(run, at: place) }
    }

    private mutating func show(_ run: SealedRun, at place: Int) {
        let isOneWay = run.records.client == 0 || run.records.server == 0
        if isOneWay {
            beginLine(at: place, run.startedAt, from: run.records.client > 0 ? .client : .server)
        } else {
            beginLine(at: place, run.startedAt, sign: 0x3d, .plain)
        }
        line.append(run.name)
        line.pad(to: Column.detail, least: 2)
        for (sign, ink, records, bytes) in [
            (">", .client, run.records.client, run.bytes.client), ("<", .server, run.records.server, run.bytes.server),
        ]
            as [(StaticString, Ink, UInt64, UInt64)] where records > 0
        {
            if !isOneWay {
                line.ink(ink)
                line.append(sign)
                line.ink(.plain)
                line.space()
            }
            line.append(records, "record")
            line.space(2)
            line.append(size: bytes)
            line.space(3)
        }
        commit(at: place)
    }

    mutating func beginLine(at place: Int, _ time: Timestamp?, from side: Side?) {
        switch side {
        case .client: beginLine(at: place, time, sign: 0x3e, .client)
        case .server: beginLine(at: place, time, sign: 0x3c, .server)
        case nil: beginLine(at: place, time, sign: 0x3d, .plain)
        }
    }

    /// The column of the sign that says who: after the number of the conversation and the time of day, or after the seconds.
    static var followedSign: Int { 19 }
    static var blockSign: Int { 11 }

    /// Begins a line: when, and who. Followed lines have the number of their conversation and the time of day, lines of a block the seconds
    /// since it opened.
    mutating func beginLine(at place: Int, _ time: Timestamp?, sign: UInt8, _ ink: Ink) {
        let openedAt = table[place].openedAt
        if settings.follows { composeNumber(at: place) }
        line.ink(.faint)
        if settings.follows {
            if let time {
                line.append { buffer in
                    buffer.append(timeOfDay: clock.calendar(at: time.parts.seconds))
                    buffer.append(0x2e)
                    buffer.appendDigits(UInt64(bitPattern: time.parts.nanoseconds) / 1_000_000, width: 3)
                }
            }
        } else if let time, let openedAt {
            line.append(rightIn: 9) { $0.append(clock: time.nanoseconds(since: openedAt)) }
        }
        line.pad(to: settings.follows ? TextReport.followedSign : TextReport.blockSign, least: 2)
        line.ink(ink)
        line.append(sign)
        line.ink(.plain)
        line.origin = line.columns + 2
        line.space(2)
        guard stream > 0 else { return }
        line.ink(.faint)
        line.append("#")
        line.append { $0.append(decimal: UInt64(stream)) }
        line.ink(.plain)
        line.origin = line.columns + 1
        line.space()
    }

    private mutating func composeNumber(at place: Int) { line.appendNumber(table[place].number) }

    private mutating func noteRequest(_ head: RequestHead, _ content: RecordContent, at place: Int) {
        if table[place].talk != .webSocket { table[place].talk = .http }
        table[place].requests += 1
        guard table[place].requests == 1 else { return }
        table[place].subject = TextConversation.kept(content.part(head.target))
        let host = HeaderFields.host(in: content.bytes, at: head.fields)
        if !host.isEmpty { table[place].host = TextConversation.kept(content.part(host)) }
    }

    mutating func noteUpgrade(_ upgrade: Upgrade, _ content: RecordContent, at place: Int) {
        guard upgrade.accepted else { return }
        if content.part(upgrade.protocolName).isWord("websocket") {
            table[place].talk = .webSocket
            table[place].closeCodes = CloseCodeProtocol(
                subprotocol: content.part(upgrade.subprotocol), host: content.part(upgrade.host), target: content.part(upgrade.target))
            if !upgrade.target.isEmpty { table[place].subject = TextConversation.kept(content.part(upgrade.target)) }
        } else if !upgrade.protocolName.isEmpty {
            table[place].talk = .other
            table[place].subject = TextConversation.kept(content.part(upgrade.protocolName))
        }
        if !upgrade.host.isEmpty { table[place].host = TextConversation.kept(content.part(upgrade.host)) }
    }

    /// Adds to a line what was agreed on.
    mutating func continueWithUpgrade(_ upgrade: Upgrade, _ content: RecordContent) {
        line.space(3)
        if !upgrade.accepted { line.append("refused: ") }
        if upgrade.protocolName.isEmpty { line.append("to a protocol that is not named") }
        line.append(safe: content.part(upgrade.protocolName))
        for part in [upgrade.subprotocol, upgrade.extensions] where !part.isEmpty {
            line.append(", ", safe: content.part(part))
        }
        guard let compression = upgrade.compression else { return }
        switch (compression.clientTakeover, compression.serverTakeover) {
        case (true, true): line.append(" (both sides keep context)")
        case (true, false): line.append(" (only the client keeps context)")
        case (false, true): line.append(" (only the server keeps context)")
        case (false, false): line.append(" (neither side keeps context)")
        }
    }
}

extension Fact {
    /// Whether it carries a payload, however short.
    fileprivate var hasPayload: Bool {
        switch self {
        case .message, .body, .data, .ping, .pong: true
        case _: false
        }
    }

    /// Where in the content a payload is that may be cut, and its true length.
    func payload(in content: RecordContent) -> (range: ByteRange, length: UInt64) {
        let all = ByteRange(0..<content.bytes.byteCount)
        return switch self {
        case .body(let part): (part.payload, content.shown(part.length))
        case .message(let message): (all, content.shown(message.length))
        case .data(let run): (all, content.shown(run.length))
        default: (all, UInt64(content.bytes.byteCount))
        }
    }
}

extension ConversationEvent {
    /// Whether it says that WebSocket is spoken.
    fileprivate var isOfWebSocket: Bool {
        switch kind {
        case .frame, .ping, .pong, .close: true
        // One with a frame of its own was cut out of raw bytes.
        case .message: if case .message(let message) = fact { message.frame == nil } else { false }
        case _: false
        }
    }
}
