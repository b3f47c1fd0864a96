/// HTTP/1.0 and HTTP/1.1 (RFC 9112, RFC 9110), both directions, judged from outside.
///
/// Each direction is a row of messages; answers are matched to requests in order. After a request that asks for an
/// upgrade or a tunnel the client's bytes wait for the answer, because only that says what they are.
///
/// ```
///           ┌───────── loss ─────────┐
///           v                        │
/// fresh ─ head ─ body by length ─────┤
///           ^    body until close    │
///           │    chunks ─ trailers ──┤
///           └── lost <───────────────┘
/// ```
///
/// Where a head is cut by a gap, the part that was seen is told as the head, because after a snapshot length the rest
/// will never come; what follows is searched for the next start line.
package struct HTTP1Layer: Layer {
    /// The client's and the server's. In an array, because a part of an element is read and changed in place, whichever
    /// side it is; of two properties the chosen one would be copied for each look at it, which costs more than reading a
    /// head.
    private var directions = [HTTP1Direction(), HTTP1Direction()]
    /// Which request a response belongs to, and what both sides wait for.
    var exchange = ExchangePairing()
    /// It was found by searching: what came before it on a side need not belong to it.
    var isFound = false
    /// The CORS preflight that has no response yet.
    var preflight: CORSPreflight?
    /// Nanoseconds in which neither side sent a byte before the last request, where nothing else was under way.
    var idleBefore: Int64 = 0
    /// What `skip` hands over to, where the gap that it is told of has cut a head, or swallowed one.
    var nextAfterGap = NextAfterGap.none

    enum NextAfterGap: UInt8 { case none, webSocket, tunnel, undecided }

    package init() {}

    /// Bytes of a direction that were looked at in search of the ends of heads and trailer sections.
    package func scannedBytes(of side: Side) -> UInt64 { self[side].scannedBytes }

    /// The state of one direction.
    subscript(side: Side) -> HTTP1Direction {
        @inline(__always) _read { yield directions[side == .client ? 0 : 1] }
        @inline(__always) _modify { yield &directions[side == .client ? 0 : 1] }
    }

    var client: HTTP1Direction {
        @inline(__always) _read { yield directions[0] }
        @inline(__always) _modify { yield &directions[0] }
    }

    var server: HTTP1Direction {
        @inline(__always) _read { yield directions[1] }
        @inline(__always) _modify { yield &directions[1] }
    }

    package mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        let side = arrival.side
        self[side].end = arrival.offset &+ UInt64(bytes.byteCount)
        var position = 0
        let wasAhead = side == .client && isAheadOfRequests
        if wasAhead, isLate(arrival.place.time) {
            exchange.stopWaiting()
            return .release(consumed: 0)
        }
        while position < bytes.byteCount {
            // What the server said waits for no more than a request, or for what is none.
            if wasAhead, !isAheadOfRequests {
                self[side].end = arrival.offset &+ UInt64(position)
                return .release(consumed: position)
            }
            let here = arrival.advanced(by: position)
            if self[side].marks.contains(.passedOver) {
                endPassedOver(bytes[position], at: here, context: &context, sink: &sink)
            }
            switch self[side].phase {
            case .fresh:
                // The middle of a stream has no right to begin with a start line, and nobody did wrong if it does not.
                self[side].phase = .head
                guard isFound || !context.hasBeginning(side) || context.hasGap(side) else { break }
                if side == .server, exchange.mayLoseSwitch, !context.startsMidstream, bytes[position].lowercased != UInt8(ascii: "h") {
                    // The answer that switched protocols was not captured.
                    leave(.client, at: arrival.place, context: &context, sink: &sink)
                    let next: NextLayer = exchange.isTunnelAsked ? .inside(fromStart: false) : .undecided(fromStart: false)
                    return .handOver(consumed: position, to: next)
                }
                self[side].loseAlignment(at: here)
                if side == .server && exchange.waitingCount == 0 || context.hasGap(side) { exchange.lose() }
            case .head:
                if side == .client, exchange.isSwitchAwaited { return awaitResponse(at: here, consumed: position, context) }
                if side == .server, isAheadOfRequests {
                    if mayBeServerFrame(bytes[position], at: here, context) {
                        return hold(at: here, consumed: position)
                    } else if isSurelyUnasked(here, context) {
                        exchange.stopWaiting()
                    } else if !context.isUnseen(.client) {
                        if client.buffer.isEmpty, let time = here.place.time { exchange.speakAhead(at: time) }
                        return hold(at: here, consumed: position)
                    } else {
                        // Of a capture of one side alone nothing will match it.
                        exchange.lose()
                    }
                }
                let step = readHead(bytes, from: position, at: arrival, context: &context, sink: &sink)
                if let outcome = step.outcome { return outcome }
                position = step.position
            case .lengthBody, .untilCloseBody, .chunkData:
                if side == .server, exchange.mayLackBody, lacksBody(bytes[position], at: here) { continue }
                if side == .client, exchange.expectation != .none {
                    position = readExpected(bytes, from: position, at: arrival, context: &context, sink: &sink)
                    continue
                }
                let count = readBody(bytes.suffix(from: position), at: here, context: &context, sink: &sink)
                position += count
            case .chunkFraming:
                if side == .server, exchange.mayLackBody, lacksBody(bytes[position], at: here) { continue }
                if side == .client, exchange.expectation != .none {
                    position = readExpected(bytes, from: position, at: arrival, context: &context, sink: &sink)
                    continue
                }
                position = readChunkFraming(bytes, from: position, at: arrival, context: &context, sink: &sink)
            case .trailers:
                position = readTrailers(bytes, from: position, at: arrival, context: &context, sink: &sink)
            case .lost:
                if side == .client, exchange.isSwitchAwaited { return awaitResponse(at: here, consumed: position, context) }
                position = search(bytes, from: position, at: arrival, context: &context, sink: &sink)
            }
        }
        return .taken
    }

    package mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        concludeSearch(at: arrival, context: &context, sink: &sink)
        concludeExpected(at: arrival, isEnd: false, context: &context, sink: &sink)
        switch self[side].phase {
        case .fresh, .head:
            if !self[side].buffer.isEmpty {
                tellCutHead(row: .httpHeadCut, at: arrival, context: &context, sink: &sink)
            } else if side == .server, exchange.mayLoseSwitch {
                nextAfterGap = .undecided
            }
            self[side].emptyBytes = 0
        case .lengthBody, .untilCloseBody, .chunkData, .chunkFraming:
            let line = brokenLine(arrival)
            self[side].body.interrupt(at: line, context: &context, sink: &sink)
            tellBrokenLine(from: line, to: arrival, context: &context, sink: &sink)
        case .trailers:
            let section = takeBuffer(at: arrival)
            self[side].body.finish(at: section.start, context: &context, sink: &sink)
            tellData(section.bytes, at: section.start, context: &context, sink: &sink)
        case .lost:
            self[side].tellLost(before: arrival, context: &context, sink: &sink)
            if side == .server, exchange.mayLoseSwitch { nextAfterGap = .undecided }
        }
        if side == .server { server.body.tellRefusal(context: &context, sink: &sink) }
    }

    package mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? {
        let side = arrival.side
        let (end, overflow) = arrival.offset.addingReportingOverflow(length)
        let behind = Arrival(side: side, offset: overflow ? .max : end, place: arrival.place)
        self[side].end = behind.offset
        switch nextAfterGap {
        case .none: break
        case .webSocket:
            nextAfterGap = .none
            leave(side.peer, at: behind.place, context: &context, sink: &sink)
            return .webSocket(WebSocketNegotiation(isKnown: false))
        case .tunnel:
            nextAfterGap = .none
            leave(side.peer, at: behind.place, context: &context, sink: &sink)
            return .inside(fromStart: false)
        case .undecided:
            nextAfterGap = .none
            leave(side.peer, at: behind.place, context: &context, sink: &sink)
            return .undecided(fromStart: false)
        }
        // What the client goes on with may be what it had offered.
        if side == .server, [.fresh, .head, .lost].contains(self[side].phase), exchange.loseResponses() { client.marks.insert(.found) }
        forgetCharacters(of: side)
        let isInexact = context.hasInexactGap(side)
        switch self[side].phase {
        case .untilCloseBody:
            self[side].body.resume(at: behind.offset)
            return nil
        case .lengthBody where length <= self[side].remaining:
            self[side].remaining -= length
            self[side].body.resume(at: behind.offset)
            if isInexact { self[side].marks.insert(.mayGoOn) }
            if self[side].remaining == 0 {
                self[side].body.finish(at: behind, context: &context, sink: &sink)
                endBody(at: behind)
            }
            return nil
        case .chunkData where length <= self[side].remaining && !isInexact:
            self[side].remaining -= length
            self[side].body.resume(at: behind.offset)
            if self[side].remaining == 0 {
                self[side].chunk.dataEnded()
                self[side].phase = .chunkFraming
            }
            return nil
        case .lengthBody where length > self[side].remaining:
            self[side].body.finish(at: arrival, context: &context, sink: &sink)
        case .fresh, .head, .lengthBody, .chunkData, .chunkFraming, .trailers, .lost:
            self[side].body.release()
        }
        self[side].marks.remove(.mayGoOn)
        loseAlignment(at: behind)
        return nil
    }

    package mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        // What the server sent before it fell out of sight may be the responses.
        let mayHaveAnswered = server.phase == .fresh && context.hasGap(.server)
        concludeSearch(at: arrival, context: &context, sink: &sink)
        concludeExpected(at: arrival, isEnd: true, context: &context, sink: &sink)
        // A side whose peer has left has nobody to send the rest to, or may have failed to send it: that is not its fault.
        let isAlone = context.endIsUnseen || context.peerMayHaveLeft || self[side.peer].marks.contains(.ended)
        switch self[side].phase {
        case .fresh: break
        case .head:
            if !self[side].buffer.isEmpty {
                endBeyond(inHeadOf: side, context: &context, sink: &sink)
                let isCut = isAlone || self[side].marks.contains(.found)
                let row: FindingRow = isCut ? .httpHeadCut : .httpMessageIncomplete
                tellCutHead(row: row, at: arrival, context: &context, sink: &sink)
            }
            self[side].emptyBytes = 0
        case .untilCloseBody:
            self[side].body.finish(at: arrival, isWhole: !isAlone, context: &context, sink: &sink)
            endMessage(side, at: arrival.place.time)
        case .lengthBody, .chunkData, .chunkFraming, .trailers:
            let line = brokenLine(arrival)
            let section = self[side].phase == .trailers ? takeBuffer(at: arrival) : (start: line, bytes: [])
            let announced = self[side].phase == .lengthBody ? self[side].announced : nil
            self[side].body.finish(at: section.start, isWhole: false, announced: announced, context: &context, sink: &sink)
            tellBrokenLine(from: line, to: arrival, context: &context, sink: &sink)
            tellData(section.bytes, at: section.start, context: &context, sink: &sink)
            let missing = self[side].phase == .lengthBody || self[side].phase == .chunkData ? self[side].remaining : 0
            // A client that has its answer may stop sending (RFC 9112, section 9.5).
            let mayStop = isAlone || !isCertain(side) || maySendLess(side, context)
            context.emit(mayStop ? .httpMessageUnfinished : .httpMessageIncomplete, a: missing, at: arrival, sink: &sink)
        case .lost:
            self[side].tellLost(before: arrival, context: &context, sink: &sink)
            if !context.endIsUnseen { endBeyond(side, context: &context, sink: &sink) }
        }
        self[side].characters = nil
        if side == .server { server.body.tellRefusal(context: &context, sink: &sink) }
        self[side].clearBuffer()
        self[side].phase = .head
        self[side].marks.insert(.ended)
        guard side == .server || server.marks.contains(.ended), !mayHaveAnswered, !context.isUnseen(.server), !context.lacksServer else {
            return
        }
        tellUnanswered(at: arrival, context: &context, sink: &sink)
    }

    /// Whether a response whose request is not known was one to HEAD: where chunks or compressed content are due, the next
    /// response begins. Neither can begin with that letter, but for content that no server sends. Other content may, but a client does not
    /// ask again before it has any of it.
    private mutating func lacksBody(_ first: UInt8, at arrival: Arrival) -> Bool {
        exchange.endLack()
        let hasAskedAgain = arrival.place.packets != nil && Int32(bitPattern: arrival.place.received &- server.headReceived) > 0
        guard first == UInt8(ascii: "H"), hasAskedAgain || server.phase == .chunkFraming || server.body.isCoded else { return false }
        server.body.release()
        endMessage(.server, at: arrival.place.time)
        return true
    }

    /// Whether a side may end inside a message without breaking a rule.
    ///
    /// A client that has its answer may stop sending (RFC 9112, section 9.5), also where the answer was not seen.
    private func maySendLess(_ side: Side, _ context: ConversationContext) -> Bool {
        side == .client && (exchange.isAllAnswered || !context.isWhole(.server))
    }

    package mutating func stopHolding(_ side: Side) {
        if side == .server { exchange.stopWaiting() } else { exchange.loseAnswer() }
    }

    package var standing: Standing {
        switch (client.phase, server.phase) {
        case (.lost, _), (_, .lost): Standing()
        case (_, .lengthBody), (_, .untilCloseBody), (_, .chunkData), (_, .chunkFraming), (_, .trailers): Standing(.stream)
        case (.fresh, _), (.head, _):
            Standing(exchange.waitingCount > 0 || !client.buffer.isEmpty || !server.buffer.isEmpty ? .request : .idle)
        case _: Standing(.request)
        }
    }

    package func isHolding(_ side: Side) -> Bool { side == .client ? exchange.isHoldingClient : isAheadOfRequests }

    /// What the array of the directions takes.
    private static var directionBytes: Int { 48 + 2 * MemoryLayout<HTTP1Direction>.stride }

    package var heldBytes: Int {
        mutating get {
            HTTP1Layer.directionBytes + client.heldBytes + server.heldBytes + exchange.heldBytes
        }
    }

    package mutating func cutAssembly() -> Side? {
        let side: Side = client.heldBytes > server.heldBytes ? .client : .server
        guard self[side].heldBytes > 0 else { return nil }
        if self[side].phase == .head, self[side].buffer.capacity > self[side].body.heldBytes {
            // The head is given up: its bytes become a gap when the next start line is found.
            self[side].buffer = []
            self[side].body.release()
            self[side].phase = .lost
            self[side].searched = 0
            self[side].marks.insert(.givenUp)
            exchange.lose()
        } else {
            self[side].body.cut()
        }
        return side
    }

    // MARK: - Between the directions

    mutating func hold(at arrival: Arrival, consumed: Int) -> LayerOutcome {
        self[arrival.side].end = arrival.offset
        return .hold(consumed: consumed)
    }

    /// A message is whole.
    mutating func endMessage(_ side: Side, at time: Timestamp?) {
        self[side].phase = .head
        if side == .client { exchange.endRequest(at: time) }
    }

    /// A body by length ends at `arrival`, as far as is known.
    mutating func endBody(at arrival: Arrival) {
        let side = arrival.side
        endMessage(side, at: arrival.place.time)
        guard self[side].marks.contains(.mayGoOn) else { return }
        self[side].marks.remove(.mayGoOn)
        self[side].loseAlignment(at: arrival)
    }

    /// Bytes from `arrival` on are no message, or nobody knows where the next one begins.
    mutating func loseAlignment(at arrival: Arrival) {
        self[arrival.side].loseAlignment(at: arrival)
        exchange.lose()
    }

    private func tellData<Sink: ConversationSink & ~Copyable>(
        _ bytes: [UInt8], at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard !bytes.isEmpty else { return }
        context.emit(.data(DataRun(length: UInt64(bytes.count))), at: arrival, content: bytes.rawBytes, sink: &sink)
    }

    /// Another layer reads on: tells what is still held of a side.
    mutating func leave<Sink: ConversationSink & ~Copyable>(
        _ side: Side, at place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        let end = Arrival(side: side, offset: self[side].end, place: place)
        concludeExpected(at: end, isEnd: false, context: &context, sink: &sink)
        switch self[side].phase {
        case .fresh: return
        case .head, .trailers:
            let section = takeBuffer(at: end)
            if self[side].phase == .trailers { self[side].body.interrupt(at: section.start, context: &context, sink: &sink) }
            tellData(section.bytes, at: section.start, context: &context, sink: &sink)
            self[side].emptyBytes = 0
        case .lengthBody, .untilCloseBody, .chunkData, .chunkFraming:
            let line = brokenLine(end)
            self[side].body.interrupt(at: line, context: &context, sink: &sink)
            tellBrokenLine(from: line, to: end, context: &context, sink: &sink)
        case .lost:
            self[side].tellLost(before: end, context: &context, sink: &sink)
        }
    }
}
