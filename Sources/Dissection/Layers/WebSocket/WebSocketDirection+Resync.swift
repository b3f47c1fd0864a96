/// Losing the boundaries of the frames and finding them again.
extension WebSocketDirection {
    /// A loss comes next: tells what stands before it and can have no better end, so that gaps stand in order.
    mutating func flush<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        if phase == .searching { giveUpSearch(at: arrival, &session, context: &context, sink: &sink) }
        if phase == .comparing { endComparison(&session, context: &context, sink: &sink) }
        // In a control frame the loss may end before the message goes on.
        let isInControl = phase == .payload && frame.isControl
        if message.isOpen, !message.content.isPlain, !isInControl, message.came > message.toldAsGap {
            var rest = messageArrival
            rest.offset = message.restOffset ?? rest.offset
            context.emit(.gap(Gap(length: message.came &- message.toldAsGap, cause: .undecodable)), at: rest, sink: &sink)
            message.toldAsGap = message.came
            message.lose(0)
        }
        if phase == .header { tellCutHeader(context: &context, sink: &sink) }
    }

    /// The next `length` bytes are lost.
    ///
    /// Inside the payload of a frame the header still says where the next frame begins; anywhere else the boundaries are lost.
    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        guard length > 0 else { return }
        hasUsedBuffers = true
        if phase == .comparing { endComparison(&session, context: &context, sink: &sink) }
        switch phase {
        case .opaque:
            guard hasGivenUp else { return }
            hasGivenUp = false
        case .payload:
            let rest = frame.length - taken
            let inside = min(length, rest)
            if message.toldAsGap > 0 { message.restOffset = arrival.offset &+ inside }
            loseContent(inside)
            // The lost bytes have no packet; what is known of them is when they were given up.
            framePlace.time = arrival.place.time
            taken &+= inside
            if taken == frame.length {
                let content = control
                endFrame(content.buffer.rawBytes.extracting(0..<content.count), &session, context: &context, sink: &sink)
            }
            guard length > rest else { return }
        case .searching:
            giveUpSearch(at: arrival, &session, context: &context, sink: &sink)
            // What was found may have been the beginning of a frame whose payload the loss lies in.
            if phase == .payload || phase == .opaque {
                skip(length, at: arrival, session: &session, context: &context, sink: &sink)
                return
            }
        case .header, .comparing:
            break
        }
        loseAlignment(context: &context, sink: &sink)
        doubtsLeft = WebSocketDirection.mostHypotheses
        let next = arrival.offset &+ length
        beginSearch(at: next, isStart: false)
    }

    private mutating func loseContent(_ count: UInt64) {
        guard count > 0 else { return }
        lost &+= count
        if !frame.isControl { message.lose(count) }
    }

    /// The boundaries are lost: tells what can have no end any more.
    mutating func loseAlignment<Sink: ConversationSink & ~Copyable>(
        context: inout ConversationContext, sink: inout Sink
    ) {
        tellUnfinished(context: &context, sink: &sink)
        tellCutHeader(context: &context, sink: &sink)
        // Messages may be missing whose content the sender's window has.
        inflater?.reset()
        history.lose()
        phase = .searching
    }

    /// The first bytes of a header whose rest never came.
    private mutating func tellCutHeader<Sink: ConversationSink & ~Copyable>(
        context: inout ConversationContext, sink: inout Sink
    ) {
        guard !reader.isEmpty else { return }
        let bytes = reader.bytes
        reader = FrameHeaderReader()
        if showsPassed {
            context.emit(.data(DataRun(length: UInt64(bytes.count))), at: frameArrival, content: bytes.rawBytes, sink: &sink)
        } else {
            context.emit(.gap(Gap(length: UInt64(bytes.count), cause: .undecodable)), at: frameArrival, sink: &sink)
        }
    }

    // MARK: - Searching

    /// Looks for a boundary from here on. `isStart`: nothing of this direction was read yet.
    mutating func beginSearch(at offset: UInt64, isStart: Bool) {
        phase = .searching
        hasUsedBuffers = true
        search = ResyncSearch(offset: offset, isStart: isStart, keepsSkipped: showsPassed)
    }

    /// Takes more bytes of the search, and reads on where a boundary is found.
    mutating func seek<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, _ session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let search else { return }
        hasUsedBuffers = true
        search.append(bytes, place: arrival.place)
        let isFound = search.advance(masked: side == .client, mayCompress: session.mayCompress, isEnd: false)
        show(search, all: false, context: &context, sink: &sink)
        guard isFound else { return }
        resume(search, &session, context: &context, sink: &sink)
    }

    /// Nothing more will come that belongs to this search: takes a boundary with less behind it, or tells all as skipped.
    private mutating func giveUpSearch<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, _ session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        // What waits behind a boundary may bring up a doubt, and with it another search.
        while let found = search, found.advance(masked: side == .client, mayCompress: session.mayCompress, isEnd: true) {
            resume(found, &session, context: &context, sink: &sink)
        }
        guard let search else { return }
        self.search = nil
        show(search, all: true, context: &context, sink: &sink)
        let skipped = search.skipped &- search.shown
        guard skipped > 0 else { return }
        let begin = Arrival(side: side, offset: search.offset &+ search.shown, place: search.skippedPlace ?? arrival.place)
        context.emit(.gap(Gap(length: skipped, cause: .resync)), at: begin, sink: &sink)
        context.emit(.webSocketResyncNotFound, a: skipped, at: begin, sink: &sink)
    }

    /// A boundary was found: tells what was skipped, and reads what waits behind it.
    private mutating func resume<Sink: ConversationSink & ~Copyable>(
        _ search: ResyncSearch, _ session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        self.search = nil
        phase = .header
        mayContinue = true
        unproven = doubtsLeft > 0 ? WebSocketDirection.mostUnproven : 0
        let skipped = search.skipped
        let boundary = Arrival(side: side, offset: search.offset &+ skipped, place: search.boundaryPlace)
        if skipped > search.shown {
            let begin = Arrival(side: side, offset: search.offset &+ search.shown, place: search.skippedPlace ?? boundary.place)
            context.emit(.gap(Gap(length: skipped &- search.shown, cause: .resync)), at: begin, sink: &sink)
        }
        if skipped > 0 || !search.isStart { context.emit(.webSocketResynchronised, a: skipped, at: boundary, sink: &sink) }
        var offset = boundary.offset
        search.forEachRun { bytes, place in
            receive(bytes, at: Arrival(side: side, offset: offset, place: place), session: &session, context: &context, sink: &sink)
            offset &+= UInt64(bytes.byteCount)
        }
    }

    /// Shows what was searched and has no frames, as far as it is kept for that.
    private func show<Sink: ConversationSink & ~Copyable>(
        _ search: ResyncSearch, all: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        search.takeSkipped(all: all) { bytes, offset, place in
            context.emit(
                .data(DataRun(length: UInt64(bytes.byteCount))), at: Arrival(side: side, offset: offset, place: place), content: bytes,
                sink: &sink)
        }
    }

    // MARK: - The end

    /// No more will come in this direction.
    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, session: inout WebSocketSession, context: inout ConversationContext, sink: inout Sink
    ) {
        hasUsedBuffers = true
        giveUpSearch(at: arrival, &session, context: &context, sink: &sink)
        endComparison(&session, context: &context, sink: &sink)
        if phase == .payload, frame.isControl {
            let came = UInt64(frame.headerLength) &+ (taken &- lost)
            context.emit(.gap(Gap(length: came, cause: .undecodable)), at: frameArrival, sink: &sink)
            context.emit(.webSocketMessageUnfinished, a: taken &- lost, at: frameArrival, sink: &sink)
        }
        let wasInFrame = phase == .payload && !frame.isControl
        if wasInFrame { message.place.extend(by: framePlace) }
        let unfinished = wasInFrame ? UInt64(frame.headerLength) &+ (taken &- lost) : 0
        tellUnfinished(lastFrame: unfinished, context: &context, sink: &sink)
        // What the header of the unfinished frame broke has no frame to stand behind.
        if phase == .payload, !faults.isEmpty { faults.tell(frame, at: frameArrival, context: &context, sink: &sink) }
        tellCutHeader(context: &context, sink: &sink)
        phase = .header
    }

    // MARK: - Memory

    /// Gives up the inflater's window, unless a message is being inflated. What comes later and needs the window is
    /// undecodable, as after a loss; a window that is emptied before each message is needed by nothing.
    mutating func dropWindow(outlastsMessages: Bool) {
        guard inflater != nil, !message.content.isCompressed else { return }
        inflater = nil
        hasUsedBuffers = true
        if outlastsMessages { history.giveUp() }
    }

    /// Bytes that `cutAssembly` would free.
    var largestCut: Int { max(assembly.heldBytes, search?.heldBytes ?? 0) }

    /// Frees the larger of what is kept of the open message and what waits in a search. Returns the side, if either was
    /// there.
    mutating func cutAssembly() -> Side? {
        hasUsedBuffers = true
        if let search, search.heldBytes >= assembly.heldBytes {
            search.dropAll()
            return side
        }
        guard assembly.heldBytes > 0 else { return nil }
        let wasOpen = message.isOpen
        assembly.giveUp()
        return wasOpen ? side : nil
    }
}
