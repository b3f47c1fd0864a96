/// Heads: found, put together, told, judged.
extension HTTP1Layer {
    struct HeadStep {
        /// Where reading goes on in the run.
        var position: Int
        var outcome: LayerOutcome?
    }

    mutating func readHead<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from position: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> HeadStep {
        let side = arrival.side
        let limit = max(1, context.limits.headBytes)
        guard self[side].buffer.isEmpty else {
            return continueHead(bytes, from: position, at: arrival, context: &context, sink: &sink)
        }
        var start = position
        while start < bytes.byteCount, bytes[start] == 0x0D || bytes[start] == 0x0A { start += 1 }
        if start > position {
            if self[side].emptyBytes == 0 { self[side].emptyStart = arrival.offset &+ UInt64(position) }
            // They belong to no message, whatever follows them.
            let lines = bytes.extracting(position..<start)
            context.emit(.data(DataRun(length: UInt64(lines.byteCount))), at: arrival.advanced(by: position), content: lines, sink: &sink)
            let (sum, overflow) = self[side].emptyBytes.addingReportingOverflow(UInt32(clamping: start - position))
            self[side].emptyBytes = overflow ? .max : sum
            if start == bytes.byteCount { return HeadStep(position: start) }
        }
        let here = arrival.advanced(by: start)
        self[side].begin(at: here)
        self[side].scannedBytes &+= UInt64(min(limit, bytes.byteCount - start))
        switch HeadScan.scan(bytes, from: start, searched: start, isLineChecked: false, limit: limit, side: side) {
        case .whole(let end), .simple(let end):
            let outcome = takeHead(bytes.extracting(start..<end), consumed: end, at: here, context: &context, sink: &sink)
            return HeadStep(position: end, outcome: outcome)
        case .invalid:
            if isForeign(bytes.suffix(from: start), side) {
                return HeadStep(position: start, outcome: giveWay(side, consumed: start, at: here, context: &context, sink: &sink))
            }
            switch serverFrame(bytes.suffix(from: start), at: here, context) {
            case .yes: return HeadStep(position: start, outcome: giveWayToHTTP2(consumed: start, at: here, context: &context, sink: &sink))
            case .undecided:
                server.buffer.append(copying: bytes.suffix(from: start))
                return HeadStep(position: bytes.byteCount)
            case .no: break
            }
            refuse(bytes.suffix(from: start), at: here, context: &context, sink: &sink)
            return HeadStep(position: start)
        case .tooLong:
            giveUpHead(limit, at: here, context: &context, sink: &sink)
            return HeadStep(position: start + limit)
        case .partial(let searched, let isLineChecked):
            self[side].buffer.append(copying: bytes.suffix(from: start))
            self[side].searched = searched - start
            if isLineChecked { self[side].marks.insert(.lineChecked) }
            return HeadStep(position: bytes.byteCount)
        }
    }

    private mutating func continueHead<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, from position: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> HeadStep {
        let side = arrival.side
        let limit = max(1, context.limits.headBytes)
        // Taken out, because the head is lent to the sink while the layer changes.
        var buffer: [UInt8] = []
        swap(&buffer, &self[side].buffer)
        let before = buffer.count
        guard before <= limit else {
            // The search for its start line has kept more of it than a head may have.
            let here = Arrival(side: side, offset: self[side].start, place: self[side].place)
            giveUpHead(limit, at: here, context: &context, sink: &sink)
            buffer.removeFirst(limit)
            self[side].buffer = buffer
            return HeadStep(position: position)
        }
        let added = min(bytes.byteCount - position, limit - before)
        buffer.append(copying: bytes.extracting(position..<position + added))
        let start = self[side].start
        var place = self[side].place
        place.extend(by: arrival.place)
        self[side].scannedBytes &+= UInt64(buffer.count - self[side].searched)
        let scan = HeadScan.scan(
            buffer.rawBytes, from: 0, searched: self[side].searched, isLineChecked: self[side].marks.contains(.lineChecked),
            limit: limit, side: side)
        let here = Arrival(side: side, offset: start, place: place)
        switch scan {
        case .whole(let end), .simple(let end):
            self[side].place = place
            let next = position + end - before
            let outcome = takeHead(buffer.rawBytes.extracting(0..<end), consumed: next, at: here, context: &context, sink: &sink)
            swap(&buffer, &self[side].buffer)
            self[side].clearBuffer()
            return HeadStep(position: next, outcome: outcome)
        case .invalid:
            self[side].buffer.append(copying: buffer.rawBytes.extracting(0..<before))
            if isForeign(buffer.rawBytes, side) {
                leave(side, at: place, context: &context, sink: &sink)
                return HeadStep(position: position, outcome: giveWay(side, consumed: position, at: here, context: &context, sink: &sink))
            }
            switch serverFrame(buffer.rawBytes, at: here, context) {
            case .yes:
                self[side].clearBuffer()
                let taken = Array(buffer.prefix(before))
                let outcome = giveWayToHTTP2(taken, consumed: position, at: here, context: &context, sink: &sink)
                return HeadStep(position: position, outcome: outcome)
            case .undecided:
                swap(&buffer, &self[side].buffer)
                self[side].place = place
                return HeadStep(position: position + added)
            case .no: break
            }
            refuse(buffer.rawBytes, at: here, context: &context, sink: &sink)
            return HeadStep(position: position)
        case .tooLong:
            self[side].place = place
            giveUpHead(limit, at: here, context: &context, sink: &sink)
            return HeadStep(position: position + added)
        case .partial(let searched, let isLineChecked):
            swap(&buffer, &self[side].buffer)
            self[side].place = place
            self[side].searched = searched
            if isLineChecked { self[side].marks.insert(.lineChecked) }
            return HeadStep(position: position + added)
        }
    }

    /// What stands where a start line has to be is none.
    private mutating func refuse<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        if side == .server, exchange.respondSimply() {
            // HTTP/0.9: the response is the file, without a head.
            server.phase = .untilCloseBody
            server.body.begin(at: arrival.offset, codings: ContentCodings(), limits: context.limits)
            replayBuffer(at: arrival, context: &context, sink: &sink)
            return
        }
        self[side].emptyBytes = 0
        beginBeyond(at: arrival)
        if side == .server, ClearAlert.begins(bytes) == .yes {
            context.emit(.httpTLSAlert, at: arrival, sink: &sink)
        } else if !isBoundaryCertain(side) {
            // The message before it may have ended elsewhere, or been none.
            if !self[side].marks.isDisjoint(with: [.found, .quoted]) { self[side].marks.insert(.refuted) }
        } else if self[side].marks.contains(.closing) {
            context.emit(.httpBytesAfterClose, at: arrival, sink: &sink)
        } else if self[side].marks.contains(.bodyless) {
            context.emit(.httpBodyUnexpected, at: arrival, sink: &sink)
        } else {
            context.emit(.httpStartLineInvalid, at: arrival, sink: &sink)
        }
        self[side].marks.remove(.bodyless)
        loseAlignment(at: arrival)
    }

    /// Whether what was found in the middle of a stream was carried by another protocol, one of whose lines stands here.
    private func isForeign(_ bytes: RawSpan, _ side: Side) -> Bool {
        guard isFound else { return false }
        return side == .client ? ICAPLine.isRequest(bytes) : ICAPLine.status(bytes) == .yes
    }

    /// What is spoken is not HTTP: it is shown as it comes.
    private mutating func giveWay<Sink: ConversationSink & ~Copyable>(
        _ side: Side, consumed: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        exchange.endHold()
        leave(side.peer, at: arrival.place, context: &context, sink: &sink)
        return .handOver(consumed: consumed, to: .opaque)
    }

    /// Whether the server's first bytes are a frame of HTTP/2.
    private func serverFrame(_ bytes: RawSpan, at arrival: Arrival, _ context: borrowing ConversationContext) -> Recognized {
        guard arrival.side == .server, arrival.offset == 0, !isFound, !exchange.isFileDue, context.hasBeginning(.server) else { return .no }
        return ServerFrame.begins(bytes)
    }

    /// The server speaks HTTP/2 alone: its frames are read as such, and what else the client says is shown.
    ///
    /// - Parameter taken: the bytes of its first frame that came before.
    private mutating func giveWayToHTTP2<Sink: ConversationSink & ~Copyable>(
        _ taken: [UInt8] = [], consumed: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        exchange.endHold()
        leave(.client, at: arrival.place, context: &context, sink: &sink)
        var start = LayerStart(isResponseAlone: true)
        if !taken.isEmpty { start.takenFrame = (taken, arrival.place) }
        return .handOver(consumed: consumed, to: .layer(.http2, start))
    }

    /// The bytes that were taken for a head belong to a body.
    private mutating func replayBuffer<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let buffer = server.buffer
        server.buffer = []
        if !buffer.isEmpty { _ = readBody(buffer.rawBytes, at: arrival, context: &context, sink: &sink) }
    }

    private mutating func giveUpHead<Sink: ConversationSink & ~Copyable>(
        _ length: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(.gap(Gap(length: UInt64(length), cause: .limit)), at: arrival, sink: &sink)
        context.emit(.httpHeadLimit, a: UInt64(length), at: arrival, sink: &sink)
        self[arrival.side].emptyBytes = 0
        self[arrival.side].buffer = []
        loseAlignment(at: arrival.advanced(by: length))
    }

    /// A start line follows: the empty lines before it are worth a note.
    mutating func tellEmptyLines<Sink: ConversationSink & ~Copyable>(
        _ side: Side, place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        guard self[side].emptyBytes > 0 else { return }
        context.emit(
            .httpEmptyLine, a: UInt64(self[side].emptyBytes), at: Arrival(side: side, offset: self[side].emptyStart, place: place),
            sink: &sink)
        self[side].emptyBytes = 0
    }

    /// A head is whole. `consumed` is where reading goes on in the run.
    private mutating func takeHead<Sink: ConversationSink & ~Copyable>(
        _ head: RawSpan, consumed: Int, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome? {
        noteHead(arrival.side)
        if self[arrival.side].characters != nil { self[arrival.side].characters = nil }
        if arrival.side == .client {
            if HTTP1Layer.isPreface(head) {
                // HTTP/2 is spoken from here on; the answer that agreed to it was lost (RFC 9113, section 3.4).
                self[.client].emptyBytes = 0
                exchange.endHold()
                leave(.server, at: arrival.place, context: &context, sink: &sink)
                var start = LayerStart()
                start.takenBytes = head.byteCount
                return .handOver(consumed: consumed, to: .layer(.http2, start))
            }
            takeRequest(head, isCut: false, at: arrival, context: &context, sink: &sink)
            return nil
        }
        let wasHolding = exchange.isHoldingClient
        guard let next = takeResponse(head, isCut: false, at: arrival, context: &context, sink: &sink) else {
            return wasHolding && !exchange.isHoldingClient ? .release(consumed: consumed) : nil
        }
        leave(.client, at: arrival.place, context: &context, sink: &sink)
        return .handOver(consumed: consumed, to: next)
    }

    /// The first line and the empty line of HTTP/2's connection preface, which is no request.
    private static func isPreface(_ head: RawSpan) -> Bool {
        // The version keeps its case, as do methods.
        head.byteCount == 18 && head[0] == UInt8(ascii: "P") && head.equals("pri * http/2.0\r\n\r\n", in: 0..<18)
    }

    /// A head is not whole and will not be: a gap follows, or the end. What was seen of it is told: its whole lines as the
    /// head, a line that is cut as `data`, unless it is the first.
    mutating func tellCutHead<Sink: ConversationSink & ~Copyable>(
        row: FindingRow, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        let side = arrival.side
        let buffer = self[side].buffer
        self[side].buffer = []
        self[side].searched = 0
        var whole = buffer.count
        while whole > 0, buffer[whole - 1] != 0x0A { whole -= 1 }
        if whole == 0 { whole = buffer.count }
        let head = buffer.rawBytes.extracting(0..<whole)
        let rest = buffer.rawBytes.suffix(from: whole)
        let start = Arrival(side: side, offset: self[side].start, place: self[side].place)
        let lineEnd = head.firstIndex(of: 0x0A, from: 0, to: head.byteCount) ?? head.byteCount
        if side == .client {
            let hasMethod = head.firstIndex(of: 0x20, from: 0, to: lineEnd) != nil
            guard hasMethod else {
                tellFragment(buffer.rawBytes, row: row, at: start, context: &context, sink: &sink)
                return
            }
            takeRequest(head, isCut: true, at: start, context: &context, sink: &sink)
            context.emit(row, at: start, sink: &sink)
            tellCutLine(rest, at: start.advanced(by: whole), context: &context, sink: &sink)
        } else {
            let digits = StatusLine(head, from: 0, lineFeed: lineEnd)
            guard let status = digits.status, status >= 100 else {
                if exchange.mayLoseSwitch { nextAfterGap = .undecided }
                tellFragment(buffer.rawBytes, row: row, at: start, context: &context, sink: &sink)
                return
            }
            let next = takeResponse(head, isCut: true, at: start, context: &context, sink: &sink)
            context.emit(row, at: start, sink: &sink)
            tellCutLine(rest, at: start.advanced(by: whole), context: &context, sink: &sink)
            switch next {
            case .layer(.webSocket, _): nextAfterGap = .webSocket
            case .inside: nextAfterGap = .tunnel
            case .undecided, .layer: nextAfterGap = .undecided
            case nil: break
            }
        }
    }

    /// Tells the part of a line that is all there is of it; reading goes on after it.
    private mutating func tellCutLine<Sink: ConversationSink & ~Copyable>(
        _ rest: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard rest.byteCount > 0 else { return }
        context.emit(.data(DataRun(length: UInt64(rest.byteCount))), at: arrival, content: rest, sink: &sink)
        loseAlignment(at: arrival.advanced(by: rest.byteCount))
    }

    private mutating func tellFragment<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, row: FindingRow, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
        context.emit(row, at: arrival, sink: &sink)
    }

    /// The field lines of a head that begin behind its first line: all of them, or the whole ones of a cut head.
    static func fields(of head: RawSpan, behind lineFeed: Int, isCut: Bool) -> ByteRange {
        let start = min(lineFeed + 1, head.byteCount)
        var end = head.byteCount
        if isCut {
            while end > start, head[end - 1] != 0x0A { end -= 1 }
        } else {
            // The empty line.
            if end > start { end -= 1 }
            if end > start, head[end - 1] == 0x0D { end -= 1 }
        }
        return ByteRange(start..<max(start, end))
    }
}
