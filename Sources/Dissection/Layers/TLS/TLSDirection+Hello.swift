/// Hellos: joined from records, read, given up.
extension TLSDirection {
    mutating func takeHello<Sink: ConversationSink & ~Copyable>(
        _ part: RawSpan, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        let wasCut = helloArrival != nil && hello.isEmpty
        if helloArrival == nil { helloArrival = record } else { helloArrival?.place.extend(by: record.place) }
        guard !wasCut, let arrival = helloArrival else { return giveUpHello(handshake: &handshake, context: &context, sink: &sink) }
        hello.append(copying: part)
        let type: UInt8 = record.side == .client ? 1 : 2
        // A HelloRetryRequest in drafts of TLS 1.3.
        if hello.first == 6, record.side == .server, cursor.header.fragmentLength < 512 {
            giveUpHello(handshake: &handshake, context: &context, sink: &sink)
            handshake.takeDraftRetry()
            return
        }
        guard hello.first == type else { return giveUpHello(handshake: &handshake, context: &context, sink: &sink) }
        guard hello.count >= 4 else { return }
        let length = 4 + Int(hello.rawBytes.bigEndianUInt24(at: 1))
        guard length <= context.limits.helloBytes else {
            // Behind a loss, ciphertext may look like the beginning of a hello.
            if !isTentative, !context.startsMidstream { flaw = (.tooLong, UInt64(length)) }
            return giveUpHello(handshake: &handshake, context: &context, sink: &sink)
        }
        guard hello.count >= length else { return }
        let message = hello
        let wasTold = handshake.isTold
        if record.side == .server, opened?.isDone == false { held = opened?.held }
        let outcome =
            record.side == .client
            ? handshake.takeClientHello(message.rawBytes, at: arrival)
            : handshake.takeServerHello(message.rawBytes, at: arrival, held: &held, context: &context, sink: &sink)
        if outcome == .unreadable {
            if !isTentative, !context.startsMidstream { flaw = (.malformed, UInt64(length)) }
            return giveUpHello(handshake: &handshake, context: &context, sink: &sink)
        }
        if outcome == .broken {
            let isHeld = record.side == .server && held?.holdMalformed(UInt64(length), at: arrival) == true
            if !isHeld { context.emit(.tlsHelloMalformed, a: UInt64(length), at: arrival, sink: &sink) }
        }
        // What was agreed on is told already, without this: it stands as a record.
        if wasTold { return giveUpHello(handshake: &handshake, context: &context, sink: &sink) }
        dropHello()
        reading = .helloTold
        if held?.awaitsClearCertificates == true { held?.read(message.rawBytes.suffix(from: length)) }
    }

    // MARK: - What is held for the server's certificates

    /// What was agreed on, where it is not told yet.
    var holding: HeldAgreement? { held ?? opened?.held ?? awaiting }

    /// The client's certificates may come in the clear: up to TLS 1.2.
    var awaitsClientCertificates: Bool {
        guard record.side == .client, let holding, holding.agreement?.showsCertificates == true else { return false }
        return holding.awaitsClientCertificates
    }

    /// No certificates come any more, as far as they are in the clear; what was agreed on is told where it waits for nothing else.
    mutating func giveUpCertificates<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        if awaitsClientCertificates { holding?.giveUpClientCertificates() }
        guard let held = held ?? awaiting, held.agreement?.showsCertificates == true else { return }
        held.giveUpCertificates()
        tellHeldIfWhole(context: &context, sink: &sink)
    }

    /// Tells what was agreed on where the certificates were what it waited for: with keys there is more to wait for (`OpenedTLS`).
    mutating func tellHeldIfWhole<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let held = held ?? awaiting, held.knowsCertificates, !held.awaitsClientCertificates, opened?.isDone != false else { return }
        tellHeld(context: &context, sink: &sink)
    }

    /// Tells what was agreed on, as far as it is known, ahead of bytes that are told as no record, of a loss or of the end.
    mutating func tellHeldAhead<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard let holding, holding.agreement != nil else { return }
        holding.giveUpCertificates()
        holding.giveUpClientCertificates()
        tellHeld(context: &context, sink: &sink)
    }

    /// Tells what was agreed on, as far as it is known.
    mutating func tellHeld<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        if let opened, !opened.isDone {
            opened.tellAgreement(opened.connection.knowsSecrets ? .keylog : .missing, context: &context, sink: &sink)
        } else {
            (held ?? awaiting)?.tell(.missing, context: &context, sink: &sink)
            (held, awaiting) = (nil, nil)
        }
    }

    /// Expects no hello of this side any more. Whole records that went into it are told as not understood; the current
    /// one is told like any other.
    mutating func giveUpHello<Sink: ConversationSink & ~Copyable>(
        handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        guard reading == .hello || helloArrival != nil else { return }
        handshake.stopAwaiting(record.side)
        if let arrival = helloArrival, helloRecordBytes > 0 {
            tellHeldAhead(context: &context, sink: &sink)
            context.emit(.gap(Gap(length: helloRecordBytes, cause: .undecodable)), at: arrival, sink: &sink)
        }
        dropHello()
        if reading == .hello { reading = .sealed }
    }

    mutating func dropHello() {
        hello = []
        helloArrival = nil
        helloRecordBytes = 0
    }

    mutating func takeOldHello<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at position: inout Int, arrival: Arrival, handshake: inout TLSHandshake,
        context: inout ConversationContext, sink: inout Sink
    ) {
        if hello.isEmpty { record = arrival.advanced(by: position) } else { record.place.extend(by: arrival.place) }
        hello.append(bytes[position])
        position += 1
        guard hello.count >= 11 else { return }
        if hello.count == 11, case .no = OldHello.isBeginning(hello.rawBytes) {
            context.emit(
                .tlsRecordUnknown, a: UInt64(hello[0]), b: UInt64(hello.rawBytes.bigEndianUInt16(at: 1)), at: record, sink: &sink)
            for byte in hello { push(byte) }
            hello = []
            searchStart = record
            searchTail = record.place
            state = .searching
            return
        }
        guard hello.count >= 2 + Int(hello.rawBytes.bigEndianUInt16(at: 0) & 0x7FFF) else { return }
        let version = hello.rawBytes.bigEndianUInt16(at: 3)
        tellPlain(hello, context: &context, sink: &sink)
        context.emit(.tlsOldHello, a: UInt64(version), at: record, sink: &sink)
        handshake.stopAwaiting(.client)
        saidOldHello = true
        hello = []
        state = .header
    }

    /// Tells bytes that are no whole record as they are.
    mutating func tellPlain<Sink: ConversationSink & ~Copyable>(
        _ bytes: [UInt8], context: inout ConversationContext, sink: inout Sink
    ) {
        guard !bytes.isEmpty else { return }
        tellHeldAhead(context: &context, sink: &sink)
        context.emit(.data(DataRun(length: UInt64(bytes.count))), at: record, content: bytes.rawBytes, sink: &sink)
    }
}
