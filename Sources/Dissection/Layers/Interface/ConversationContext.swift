/// What the readers and layers of a conversation share: its number, its bounds, its counters, who is who, and who closed it first.
package struct ConversationContext: Sendable {
    /// From 1, in order of first sight.
    package let number: UInt64
    package let limits: Limits
    /// The layers that there are.
    package let layers: LayerTable
    /// Who speaks with whom.
    package var parties: Parties
    /// Where the last thing came that happened in it.
    package var lastPlace: Place
    /// The channel that is read.
    package private(set) var channel = ByteChannel()
    /// Where on the wire it begins.
    private var channelBeginning = ChannelBeginning()
    /// Which stream it stands in, and where it begins there.
    var level = StreamLevel()
    /// The capture shows no beginning of this conversation.
    package internal(set) var startsMidstream: Bool
    package private(set) var client = SideTotals()
    package private(set) var server = SideTotals()
    package private(set) var findings: UInt64 = 0
    /// How many requests were told, in all its channels.
    private var exchanges: UInt64 = 0
    /// Findings that wait for the others about the same element; none where findings are told at once.
    private var gathered: [GatheredFinding]?
    /// The first thing that ended the talk.
    package private(set) var ending: Ending?
    /// How often each rule was found broken.
    var repeated = RepeatedFindings()
    /// How much of each side was seen.
    var sight = SightOfSides()
    /// When bytes came last.
    var spoken = SpokenTimes()
    /// What each side began with.
    var firstBytes = FirstBytes()
    /// What was inflated of its compressed bodies and messages so far.
    package var inflation = InflationAccount()
    /// What came first of a side and is not read, until it is known who is who.
    var unreadFirst: [UnreadFirst] = []
    /// The layers are told of an end that the side itself did not send: the capture ends here, the other side reset the
    /// connection, or it was given up. What is then unfinished is no fault of the side.
    package var endIsUnseen = false

    /// A side ends that had received more of the other one than was seen, perhaps its end: what is then unfinished may be no fault of the side.
    package var peerMayHaveLeft = false

    /// The layers are told of an end that is the side's own RST, which is no FIN of a channel inside.
    var endIsReset = false

    /// The subprotocols of a WebSocket that the client offered and of which the server chose none, as the header has them.
    package var passedOver: [UInt8] = []

    /// What was shown of a session of Engine.IO, until the dissector takes it.
    package var engineIOSession: EngineIOSession?
    /// Bytes of the longest message that the server of this session of Engine.IO takes, as it has announced; nil where it announced none, or
    /// that was not captured.
    package var maxPayload: UInt64?

    /// Nobody was asked: a server that was never spoken to leaves nothing unanswered.
    package var lacksServer = false

    /// Who ended the talk, how, and when.
    package struct Ending: Sendable {
        package var side: Side
        /// The other side may have been first, which was not seen.
        fileprivate var isUnconfirmed = false
        package var how: Closing.Manner
        package var code: UInt16?
        package var time: Timestamp?
        /// Where it stands, and in which packet.
        package fileprivate(set) var arrival: Arrival
        /// Nanoseconds before it in which no byte came from either side.
        fileprivate var silence: Int64?
        /// The longest silence before that one.
        fileprivate var survived: Int64 = 0
        package var answered: Int64?
        /// The other side ended the talk as well, in the same way.
        package var isAnswered = false
        /// As before, and neither had the other's end when it sent its own.
        package var isCrossed = false
        /// What was open then.
        fileprivate var standing = Standing()
    }

    package init(number: UInt64, limits: Limits, layers: LayerTable, parties: Parties) {
        self.number = number
        self.limits = limits
        self.layers = layers
        self.parties = parties
        lastPlace = parties.openedPlace
        startsMidstream = parties.start == .midstream
    }

    /// The channel inside the one that is read is read from here on.
    package mutating func enterInside(_ beginning: ChannelBeginning) {
        channel.depth &+= 1
        channelBeginning.extend(by: beginning)
        level.extend(by: beginning)
    }

    /// The channel around the one that is read is read again from here on.
    package mutating func leaveInside(_ beginning: ChannelBeginning) {
        channel.depth &-= 1
        channelBeginning.shorten(by: beginning)
        level.shorten(by: beginning)
    }

    /// What is told from here on belongs to that stream of the channel; 0 for none.
    mutating func setStream(_ stream: UInt32) { channel.stream = stream }

    /// The counters of one side.
    package subscript(side: Side) -> SideTotals {
        @inline(__always) get { side == .client ? client : server }
        @inline(__always) _modify {
            if side == .client { yield &client } else { yield &server }
        }
    }

    /// The side that was taken for the client turned out to be the server.
    package mutating func swapSides() {
        swap(&client, &server)
        sight.swapSides()
        firstBytes.swapSides()
    }

    /// Fixes who is who, and tells that the conversation has come into sight.
    ///
    /// - Parameter client: the side that shows itself as the client, named as it was guessed; nil where neither does.
    /// - Returns: whether the guess was wrong: the sides have changed their names.
    package mutating func decideRoles<Sink: ConversationSink & ~Copyable>(_ client: Side?, sink: inout Sink) -> Bool {
        let before = parties.sideOfFirst
        let roles = parties.decide(client: client)
        let isSwapped = parties.sideOfFirst != before
        if isSwapped { swapSides() }
        tellOpened(roles: roles, sink: &sink)
        return isSwapped
    }

    /// A SYN says who is who, after other packets, and that the beginning is in sight.
    ///
    /// - Returns: whether the guess was wrong: the sides have changed their names.
    package mutating func learnRoles(sideOfFirst side: Side) -> Bool {
        let isSwapped = parties.sideOfFirst != side
        if isSwapped { swapSides() }
        parties.learn(sideOfFirst: side)
        startsMidstream = false
        return isSwapped
    }

    /// Tells that the conversation has come into sight, once.
    package mutating func tellOpened<Sink: ConversationSink & ~Copyable>(roles: Opening.Roles, sink: inout Sink) {
        guard !parties.isOpened else { return }
        parties.isOpened = true
        var (opening, names) = (parties.opening(roles: roles), [UInt8]())
        parties.process?.add(to: &opening, &names)
        opening.tell(number: number, place: parties.openedPlace, names: names.rawBytes, sink: &sink)
        tellUnreadFirst(sink: &sink)
    }

    /// Hands a fact about bytes to the sink.
    @inline(__always)
    package func emit<Sink: ConversationSink & ~Copyable>(
        _ fact: Fact, at arrival: Arrival, content: RawSpan = RawSpan(), asked: RawSpan = RawSpan(), sink: inout Sink
    ) {
        sink.receive(
            ConversationEvent(
                conversation: number, from: arrival.side, place: arrival.place, offset: arrival.offset, channel: channel, fact: fact,
                content: content, asked: asked))
    }

    /// The number of the next request.
    package mutating func nextExchange() -> UInt64 {
        exchanges &+= 1
        return exchanges
    }

    /// Hands a finding to the sink, right after its subject.
    ///
    /// - Parameter isAlwaysTold: it stands for bytes that are in no record; others are counted only, from some number on.
    package mutating func emit<Sink: ConversationSink & ~Copyable>(
        _ row: FindingRow, a: UInt64 = 0, b: UInt64 = 0, at arrival: Arrival, content: RawSpan = RawSpan(), isAlwaysTold: Bool = false,
        sink: inout Sink
    ) {
        // Of bytes that came twice and differ nobody knows whose they are, and of those that follow left-out ones what they mean.
        if row.severity == .violation, !isAlwaysTold, sight.isContested(arrival.side) { return }
        if row.severity == .violation, !isAlwaysTold, !hasSeen(row.needs, of: arrival.side), row.id.utf8.starts(with: "http2.".utf8) {
            return
        }
        guard isAlwaysTold || repeated.take(row, at: arrival) else { return }
        findings &+= 1
        if gathered != nil {
            var copy: [UInt8] = []
            copy.append(copying: content)
            gathered?.append(GatheredFinding(finding: Finding(row, a: a, b: b), arrival: arrival, content: copy))
            return
        }
        emit(.finding(Finding(row, a: a, b: b)), at: arrival, content: content, sink: &sink)
    }

    /// Whether so much of the conversation was seen as a finding about a side needs.
    private func hasSeen(_ needs: FindingNeeds, of side: Side) -> Bool {
        switch needs {
        case .nothing: true
        // What the other side has acknowledged and is still to come lies behind what is judged.
        case .sender: hasBeginning(side) && self[side].missing == 0 && !hasGap(side)
        case .bothSides: isWhole(.client) && isWhole(.server)
        }
    }

    /// Hands a finding of the source itself to the sink: nobody sent what it is about.
    package mutating func emit<Sink: ConversationSink & ~Copyable>(
        _ finding: Finding, at place: Place, content: RawSpan, sink: inout Sink
    ) {
        findings &+= 1
        sink.receive(
            ConversationEvent(conversation: number, from: nil, place: place, offset: nil, fact: .finding(finding), content: content))
    }

    /// From here on findings wait, because they are about one element and are not found in the order of its bytes.
    package mutating func gatherFindings() { gathered = [] }

    /// Leaves out the violations that waited: what they are about may be none of the sender's own words.
    package mutating func dropGatheredViolations() {
        let before = gathered?.count ?? 0
        gathered?.removeAll { $0.finding.row.severity == .violation }
        findings &-= UInt64(before - (gathered?.count ?? 0))
    }

    /// Tells the findings that waited, in the order of their bytes.
    package mutating func tellGathered<Sink: ConversationSink & ~Copyable>(sink: inout Sink) {
        let waited = gathered ?? []
        gathered = nil
        guard !waited.isEmpty else { return }
        let order = waited.indices.sorted { (waited[$0].arrival.offset, $0) < (waited[$1].arrival.offset, $1) }
        for index in order {
            let one = waited[index]
            emit(.finding(one.finding), at: one.arrival, content: one.content.rawBytes, sink: &sink)
        }
    }

    /// Where a byte of the channel that is read lies on the wire, as `Place.received` counts.
    package func position(of offset: UInt64, _ side: Side) -> UInt32 {
        sight.beginning(of: side) &+ UInt32(truncatingIfNeeded: offset &+ channelBeginning.offset(of: side))
    }

    /// Notes a Close frame, FIN or RST: the first one ends the talk, the first of the same kind from the other side
    /// answers it.
    ///
    /// Which of the two was first is told by what each of their senders had received. Where they crossed, neither answers the other, and the
    /// clock says which was first: what came out of order is delivered late.
    ///
    /// - Parameter standing: what was open by then.
    package mutating func noteEnding(
        _ how: Closing.Manner, code: UInt16? = nil, at inside: Arrival, standing: Standing = Standing()
    ) {
        // The end of a stream among others ends no conversation.
        guard channel.stream == 0 else { return }
        // What somebody had received is counted on the wire.
        var arrival = inside
        arrival.offset &+= channelBeginning.offset(of: inside.side)
        guard let first = ending else {
            ending = Ending(side: arrival.side, how: how, code: code, time: arrival.place.time, arrival: arrival)
            ending?.silence = spoken.silence(until: arrival.place.time)
            ending?.survived = spoken.longestSurvived(until: arrival.place.time)
            ending?.standing = standing
            return
        }
        guard first.how == how, first.side != arrival.side, !first.isAnswered else { return }
        ending?.isAnswered = true
        let (begun, now) = (first.time, arrival.place.time)
        var elapsed: Int64?
        if let begun, let now { elapsed = now.nanoseconds(since: begun) }
        // Without packets nobody knows what a sender had received.
        let isKnown = first.arrival.place.packets != nil && arrival.place.packets != nil
        let isAnswer =
            isKnown && arrival.place.hasReceived(first.arrival.offset &+ UInt64(sight.beginning(of: first.arrival.side)))
        let isAnswered =
            isKnown && first.arrival.place.hasReceived(arrival.offset &+ UInt64(sight.beginning(of: arrival.side)))
        let isFirst = isAnswer == isAnswered ? (elapsed ?? 0) < 0 : isAnswered
        if isFirst {
            ending = Ending(side: arrival.side, how: how, code: code, time: now, arrival: arrival, isAnswered: true)
            ending?.silence = spoken.silence(until: now)
            ending?.survived = spoken.longestSurvived(until: now)
            ending?.standing = first.standing
            elapsed = elapsed.map { 0 &- $0 }
        }
        if isKnown, !isAnswer, !isAnswered {
            ending?.isCrossed = true
            return
        }
        // The clock was set back, or one that was captured late came with the later time.
        if let elapsed, elapsed >= 0 { ending?.answered = elapsed }
    }

    /// The side that ended the talk had received more of the other one than was seen, perhaps its end.
    package mutating func forgetCloser() { ending?.isUnconfirmed = true }

    /// What was open when the talk ended.
    var standingAtEnd: Standing { ending?.standing ?? Standing() }

    /// The longest silence that the conversation survived, in nanoseconds, before the one at its end.
    var survivedSilence: Int64 { ending?.survived ?? 0 }

    /// How the conversation ended: by what ended the talk first, or by `how` where nothing on the wire did.
    package func closing(_ how: Closing.Manner, by closer: Closing.Closer) -> Closing {
        // Also where the client had sent all it would by then.
        guard let ending, !how.isBeforeServer else { return Closing(by: closer, how: how, client: client, server: server) }
        var closing = Closing(
            by: ending.isUnconfirmed ? .unknown : ending.side == .client ? .client : .server, how: ending.how, code: ending.code,
            answered: ending.answered, client: client,
            server: server)
        closing.isAnswered = ending.isAnswered && !ending.isCrossed
        closing.endedAt = ending.time
        closing.silence = ending.silence
        return closing
    }
}

/// A finding that waits, with a copy of what its sentence names.
private struct GatheredFinding: Sendable {
    var finding: Finding
    var arrival: Arrival
    var content: [UInt8]
}
