/// What the two sides tell each other beside messages: settings, pings, resets, the end of the connection.
extension HTTP2Layer {
    mutating func takeSettings<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        guard !frame.isAnswer else {
            context.emit(.control(ControlFrame(.settingsAccepted)), at: arrival, sink: &sink)
            self[side.peer].announced.accept()
            self[side].unacknowledging = 0
            if knowsAll, let size = self[side.peer].announced.acceptedTableBytes, size < self[side].decoder.table.mostSize {
                self[side].decoder.owedSize = size
            }
            return endWaits(of: side, by: .stream, at: arrival)
        }
        if self[side].settingsFrames.note(arrival.place.time) {
            context.emit(.http2SettingsFlood, a: UInt64(self[side].settingsFrames.threshold), at: arrival, sink: &sink)
        }
        text.removeAll(keepingCapacity: true)
        var invalid: HTTP2Settings.Setting?
        let enabledConnect = self[side].settings.enablesConnectProtocol
        let firstWindow = self[side].settings.initialWindow
        for position in stride(from: 0, through: payload.byteCount - HTTP2Settings.Setting.size, by: HTTP2Settings.Setting.size) {
            let setting = HTTP2Settings.Setting(payload, at: position)
            append(setting)
            // A server pushes nothing to a server (RFC 9113, section 6.5.2).
            let isServersPush = side == .server && setting.number == 2 && setting.value != 0
            if setting.isValid, !isServersPush {
                take(setting, of: side)
            } else {
                invalid = invalid ?? setting
            }
        }
        let lines = text
        context.emit(
            .control(ControlFrame(.settings, settings: ByteRange(0..<lines.count))), at: arrival, content: lines.rawBytes, sink: &sink)
        if let invalid {
            context.emit(.http2SettingInvalid, content: arrival, invalid.name, a: UInt64(invalid.value), sink: &sink)
        }
        if enabledConnect, !self[side].settings.enablesConnectProtocol {
            context.emit(.http2SettingWithdrawn, at: arrival, sink: &sink)
        }
        if self[side].settings.initialWindow > firstWindow {
            judgeFirstWindow(of: side, at: arrival, context: &context, sink: &sink)
        }
        self[side].announced.announce(self[side].settings, at: arrival.place.time)
        endWaits(of: side.peer, by: .stream, at: arrival)
    }

    private mutating func take(_ setting: HTTP2Settings.Setting, of side: Side) {
        self[side].settings.take(setting)
        switch setting.number {
        case 1:
            // What holds until the other side has heard of it is not known: the most that was allowed may be used.
            let size = Int(setting.value)
            if let allowed = self[side.peer].decoder.allowedSize { self[side.peer].decoder.allowedSize = max(allowed, size) }
        case 5: self[side.peer].mostFrame = max(self[side.peer].mostFrame, Int(setting.value))
        default: return  // Others change nothing in how the other side is read.
        }
    }

    /// Appends a line `NAME: value`.
    private mutating func append(_ setting: HTTP2Settings.Setting) {
        if setting.name.utf8CodeUnitCount > 0 {
            setting.name.withUTF8Buffer { unsafe text.append(contentsOf: $0) }
        } else {
            text += Array(String(setting.number).utf8)
        }
        text += [UInt8(ascii: ":"), 0x20]
        text += Array(String(setting.value).utf8)
        text += [0x0D, 0x0A]
    }

    mutating func takePing<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        let value = payload.bigEndianUInt64(at: 0)
        guard frame.isAnswer else {
            context.emit(.control(ControlFrame(.ping)), at: arrival, sink: &sink)
            // A side that measures the way asks again when it has its answer, which may be a thousand times a second.
            let isPressing = knowsAll && self[side].unanswered.count >= HTTP2Layer.manyPings
            self[side].unanswered.note(value, at: arrival.place.time, limit: context.limits.pendingPings)
            if isPressing, self[side].pings.note(arrival.place.time) {
                context.emit(.http2PingFlood, a: UInt64(self[side].pings.threshold), at: arrival, sink: &sink)
            }
            return
        }
        var roundTrip: Int64?
        if let asked = self[side.peer].unanswered.answer(value), let asked, let now = arrival.place.time, now >= asked {
            roundTrip = now.nanoseconds(since: asked)
        }
        context.emit(.control(ControlFrame(.pong, roundTrip: roundTrip)), at: arrival, sink: &sink)
    }

    /// As many pings wait for their answer only where nobody waits for it.
    private static var manyPings: Int { 16 }

    /// PRIORITY_UPDATE (RFC 9218, section 7.1): how urgent the client finds a stream.
    mutating func takePriority<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let before = context.enterStream(payload.bigEndianUInt32(at: 0) & 0x7FFF_FFFF)
        let value = payload.suffix(from: 4)
        context.emit(
            .control(ControlFrame(.priorityUpdate, text: ByteRange(0..<value.byteCount))), at: frameArrival(side), content: value,
            sink: &sink)
        context.leaveStream(before)
    }

    /// PRIORITY (RFC 7540, section 6.3): which stream another one depends on, as clients said it before RFC 9113.
    func takeOldPriority<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ payload: RawSpan, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let priority = StreamPriority(payload, at: 0)
        let arrival = frameArrival(side)
        context.emit(.control(ControlFrame(.priority, priority: priority)), at: arrival, sink: &sink)
        if priority.dependsOn == frame.stream { context.emit(.http2DependsOnItself, at: arrival, sink: &sink) }
    }

    mutating func takeGoAway<Sink: ConversationSink & ~Copyable>(
        _ payload: RawSpan, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        let code = payload.bigEndianUInt32(at: 4)
        let reason = payload.suffix(from: 8)
        let last = payload.bigEndianUInt32(at: 0) & 0x7FFF_FFFF
        let control = ControlFrame(.goAway, code: code, lastStream: last, text: ByteRange(0..<reason.byteCount))
        context.emit(.control(control), at: arrival, content: reason, sink: &sink)
        if let before = self[side].goAway?.lastStream, last > before {
            context.emit(.http2GoAwayIncreased, a: UInt64(last), b: UInt64(before), at: arrival, sink: &sink)
        }
        // A client that was told twice knew since the first time.
        if self[side].goAway == nil { self[side].goAway = (last, arrival.offset, arrival.place.time) }
        self[side].goAway?.lastStream = last
        guard code != 0 else { return }
        if code == 11, reason.equals("too_many_pings", in: 0..<reason.byteCount) {
            return context.emit(.http2TooManyPings, at: arrival, sink: &sink)
        }
        context.emit(.http2ConnectionError, content: arrival, ControlFrame.name(of: code) ?? "unknown", a: UInt64(code), sink: &sink)
    }

    mutating func takeReset<Sink: ConversationSink & ~Copyable>(
        _ frame: HTTP2FrameHeader, _ code: UInt32, _ side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        let arrival = frameArrival(side)
        let stream = streams[frame.stream]
        let waits = (client: stream?.client.waitsSince, server: stream?.server.waitsSince)
        // Before the stream is broken off, which ends both sides.
        let isGivenUp = side == .server && stream?.server.isEnded == false
        let forgetsComplete = code == 5 && mayBeComplete(stream, frame.stream, side)
        let open = side == .client && stream?.server.isEnded == false ? stream?.server.body.elements?.openMessage : nil
        if let stream {
            for other in [Side.client, .server] {
                let place = other == side ? arrival : Arrival(side: other, offset: self[other].start, place: arrival.place)
                breakOff(stream, other, at: place, context: &context, sink: &sink)
            }
        }
        context.emit(.control(ControlFrame(.reset, code: code)), at: arrival, sink: &sink)
        if stream == nil, knowsAll, !isOver(frame.stream, side) {
            context.emit(.http2StreamIdle, at: arrival, sink: &sink)
        }
        // Only what the other side did wrong is an error of a stream: a client that has lost interest cancels.
        // STREAM_CLOSED for a stream that was complete on both sides is how curl forgets it: nothing was lost.
        if code != 0, code != 8, code != 7, !forgetsComplete {
            context.emit(.http2StreamError, content: arrival, ControlFrame.name(of: code) ?? "unknown", a: UInt64(code), sink: &sink)
        }
        self[side].noteReset(frame.stream)
        guard let stream else { return }
        tellStarved(stream, .client, since: waits.client, at: arrival, context: &context, sink: &sink)
        tellStarved(stream, .server, since: waits.server, at: arrival, context: &context, sink: &sink)
        StreamEnd(stream: stream, knowsAll: knowsAll, isServerLeaving: self[.server].goAway != nil, arrival: arrival)
            .reportReset(
                code, in: open, longestBefore: self[.server].longestMessage, isGivenUp: isGivenUp, context: &context, sink: &sink)
        // Where bytes of the server were not seen, or are still to come, the response may be among them.
        let knowsResponses = knowsAll && context.isWhole(.server)
        if side == .client, knowsResponses, isDropped(stream, at: arrival.place.time), self[side].resets.note(arrival.place.time) {
            context.emit(.http2RapidReset, a: UInt64(self[side].resets.threshold), at: arrival, sink: &sink)
        }
        forget(stream)
    }

    /// Whether both sides had ended a stream, or may have: in what was not captured, or before the stream was evicted. Who has reset it before
    /// says it again of what was under way.
    private func mayBeComplete(_ stream: HTTP2Stream?, _ number: UInt32, _ side: Side) -> Bool {
        guard let stream else {
            if self[side].isKnownReset(number) { return true }
            guard !self[.client].isKnownReset(number), !self[.server].isKnownReset(number) else { return false }
            return !knowsAll || isOver(number, side)
        }
        return mayHaveEnded(stream.client) && mayHaveEnded(stream.server)
    }

    private func mayHaveEnded(_ half: HTTP2Stream.Half) -> Bool { half.isEnded || !knowsAll && (!half.hasHead || half.hasGap) }

    /// Whether a client resets a stream that it has only just opened, before there is a response. Many old ones at once are a client that
    /// leaves.
    private func isDropped(_ stream: HTTP2Stream, at time: Timestamp?) -> Bool {
        guard !stream.server.hasHead, let opened = stream.opened, let time else { return false }
        return time >= opened && time.nanoseconds(since: opened) <= 1_000_000_000
    }
}
