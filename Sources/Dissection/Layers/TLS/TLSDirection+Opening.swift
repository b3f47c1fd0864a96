// Records that keys open.
extension TLSDirection {
    /// Keeps a part of a fragment until the rest of it has come.
    mutating func keep(fragment piece: RawSpan) {
        guard !hasHole else { return }
        if fragment.isEmpty { fragment.reserveCapacity(cursor.header.fragmentLength) }
        fragment.append(copying: piece)
    }

    /// Opens the current record. Nil where it has to wait for a key: its fragment is kept.
    mutating func open<Sink: ConversationSink & ~Copyable>(
        _ last: RawSpan, with opened: OpenedTLS<Inside>, context: inout ConversationContext, sink: inout Sink
    ) -> TLSOpening? {
        let header = cursor.header
        if hasHole {
            hasHole = false
            fragment = []
            opened.pass(header, at: record)
            return .clear
        }
        if opened.mustWait(for: header, at: record) {
            keep(fragment: last)
            return nil
        }
        if fragment.isEmpty { return opened.open(header, last, at: record, context: &context, sink: &sink) }
        keep(fragment: last)
        let whole = fragment
        fragment = []
        return opened.open(header, whole.rawBytes, at: record, context: &context, sink: &sink)
    }

    /// Goes on with the record that has waited for a key.
    mutating func resume<Sink: ConversationSink & ~Copyable>(
        handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        guard state == .awaitingKey else { return }
        endRecord(handshake: &handshake, context: &context, sink: &sink)
    }

    /// Tells a record that was opened: what it carries is told by the reader inside, or by type and length as without keys.
    mutating func tell<Sink: ConversationSink & ~Copyable>(
        _ plaintext: TLSPlaintext, of opened: OpenedTLS<Inside>, handshake: inout TLSHandshake, context: inout ConversationContext,
        sink: inout Sink
    ) {
        giveUpHello(handshake: &handshake, context: &context, sink: &sink)
        if plaintext.contentType == 23 {
            return opened.deliver(plaintext, cursor.header, at: record, context: &context, sink: &sink)
        }
        let length = UInt64(TLSRecordHeader.length + cursor.header.fragmentLength)
        opened.note(plaintext, from: record.side)
        let message = opened.messageAfterHandshake(in: plaintext)
        tellRecord(length, contentType: plaintext.contentType, message: message, context: &context, sink: &sink)
        // That a side has no more to say is no warning.
        guard plaintext.contentType == 21, let alert = opened.alert(of: plaintext.length), alert.description != 0 else { return }
        TLSAlert(level: alert.level, description: alert.description)
            .report(at: record, isSure: !isUnconfirmed, after: handshake, context: &context, sink: &sink)
    }
}
