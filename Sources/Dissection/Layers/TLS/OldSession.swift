/// A session of SSL 2.0, both directions: its version, and its records by size (draft-hickman-netscape-ssl-00, section 1.1).
///
/// ```
/// 83 b4 | 04 00 01 00 02 …           a record of 948 bytes, here a ServerHello: type, session, certificate, version
/// 00 14 04 | …                       one that is padded, by 4 bytes
/// ```
///
/// A class, because hardly any conversation has one.
final class OldSession {
    private var client = OldDirection()
    private var server = OldDirection()

    func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        if arrival.side == .client {
            client.receive(bytes, at: arrival, handshake: &handshake, context: &context, sink: &sink)
        } else {
            server.receive(bytes, at: arrival, handshake: &handshake, context: &context, sink: &sink)
        }
    }

    /// A gap comes next, or the end: tells what has come of a record that is not whole, unless the gap lies in its content.
    func flush<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        if arrival.side == .client { client.flush(context: &context, sink: &sink) } else { server.flush(context: &context, sink: &sink) }
    }

    func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        if arrival.side == .client {
            client.skip(length, context: &context, sink: &sink)
        } else {
            server.skip(length, context: &context, sink: &sink)
        }
    }

    func finish<Sink: ConversationSink & ~Copyable>(at arrival: Arrival, context: inout ConversationContext, sink: inout Sink) {
        if arrival.side == .client { client.finish(context: &context, sink: &sink) } else { server.finish(context: &context, sink: &sink) }
    }
}

/// The records of one direction.
private struct OldDirection {
    private enum State {
        case header
        case content
        /// The boundaries are lost, and nothing in a record tells them: the rest is shown as it is.
        case lost
    }

    private var state = State.header
    private var record = Arrival(side: .client, offset: 0, place: Place())
    private var header: [UInt8] = []
    private var left = 0
    private var length: UInt64 = 0
    /// The first bytes of the first record's content, which say whether it is a ServerHello.
    private var beginning: [UInt8] = []
    private var isFirst = true

    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        var position = 0
        while position < bytes.byteCount {
            switch state {
            case .header:
                if header.isEmpty { record = arrival.advanced(by: position) } else { record.place.extend(by: arrival.place) }
                header.append(bytes[position])
                position += 1
                guard header.count == (header[0] & 0x80 != 0 ? 2 : 3) else { continue }
                left = Int(header.rawBytes.bigEndianUInt16(at: 0) & (header.count == 2 ? 0x7FFF : 0x3FFF))
                length = UInt64(header.count + left)
                header = []
                state = .content
            case .content:
                let count = min(left, bytes.byteCount - position)
                record.place.extend(by: arrival.place)
                if isFirst, record.side == .server {
                    beginning.append(copying: bytes.extracting(position..<position + min(count, max(0, 5 - beginning.count))))
                }
                position += count
                left -= count
            case .lost:
                let rest = bytes.suffix(from: position)
                context.emit(.data(DataRun(length: UInt64(rest.byteCount))), at: arrival.advanced(by: position), content: rest, sink: &sink)
                return
            }
            if state == .content, left == 0 { endRecord(handshake: &handshake, context: &context, sink: &sink) }
        }
    }

    private mutating func endRecord<Sink: ConversationSink & ~Copyable>(
        handshake: inout TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        state = .header
        // Type 4, whether the session is known, the certificate's type, and the version.
        if isFirst, beginning.count == 5, beginning[0] == 4, beginning.rawBytes.bigEndianUInt16(at: 3) == 2 {
            handshake.tellSSL2(at: record, context: &context, sink: &sink)
        }
        isFirst = false
        beginning = []
        context.emit(.data(DataRun(length: length, framing: .ssl2Record)), at: record, sink: &sink)
    }

    mutating func flush<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        guard state == .header else { return }
        let bytes = header
        header = []
        state = .lost
        guard !bytes.isEmpty else { return }
        context.emit(.data(DataRun(length: UInt64(bytes.count))), at: record, content: bytes.rawBytes, sink: &sink)
    }

    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ count: UInt64, context: inout ConversationContext, sink: inout Sink
    ) {
        guard state == .content else { return }
        isFirst = false
        if count < UInt64(left) {
            left -= Int(count)
            return
        }
        // The record was sent, whatever came behind it.
        context.emit(.data(DataRun(length: length, framing: .ssl2Record)), at: record, sink: &sink)
        state = count == UInt64(left) ? .header : .lost
    }

    mutating func finish<Sink: ConversationSink & ~Copyable>(context: inout ConversationContext, sink: inout Sink) {
        if state == .content {
            let seen = length - UInt64(left)
            context.emit(.data(DataRun(length: seen, framing: .ssl2Record)), at: record, sink: &sink)
            context.emit(.tlsRecordCut, a: seen, b: length, at: record, sink: &sink)
            state = .header
        }
        flush(context: &context, sink: &sink)
    }
}
