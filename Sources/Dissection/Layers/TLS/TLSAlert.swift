/// An alert (RFC 8446, section 6), and what is reported of it.
struct TLSAlert {
    let level: UInt8
    let description: UInt8

    /// OpenSSL 3 sends this alert when the stream of the other side ends without `close_notify` (SSL_R_UNEXPECTED_EOF_WHILE_READING).
    private static let decodeError: UInt8 = 50

    /// Reports what it says, after its record, and who has sent it.
    ///
    /// - Parameters:
    ///   - isSure: the records are certain to be records: only then may its level be wrong.
    ///   - handshake: what has come so far.
    func report<Sink: ConversationSink & ~Copyable>(
        at record: Arrival, isSure: Bool, after handshake: borrowing TLSHandshake, context: inout ConversationContext, sink: inout Sink
    ) {
        let text = Array(((record.side == .client ? "client: " : "server: ") + (TLSNames.alert(description) ?? "unknown")).utf8)
        switch level {
        case 1: context.emit(.tlsWarningAlert, a: UInt64(description), at: record, content: text.rawBytes, sink: &sink)
        case 2:
            let isAboutEnd = description == Self.decodeError && handshake.hasEnded(record.side.peer)
            context.emit(
                isAboutEnd ? .tlsEndUnannounced : .tlsFatalAlert, a: UInt64(description), at: record, content: text.rawBytes, sink: &sink)
        case _ where isSure:
            context.emit(.tlsAlertLevel, a: UInt64(level), b: UInt64(description), at: record, content: text.rawBytes, sink: &sink)
        case _: break
        }
    }
}
