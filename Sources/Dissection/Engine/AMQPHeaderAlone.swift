// What a server of AMQP sends to a client that begins otherwise than it has to.
//
// ```
// >  PUT /api/vhosts …                   or a ClientHello, frames of another protocol, another version
// <  A M Q P 00 00 09 01, FIN            all that it says
// ```

/// The protocol header of AMQP: the letters, and what it is of which version (AMQP 0-9-1, section 4.2.2; AMQP 1.0, part 2, section 2.2).
private struct AMQPProtocolHeader {
    let words: String

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 8, bytes.starts(with: "AMQP".utf8) else { return nil }
        switch (bytes[4], bytes[5], bytes[6], bytes[7]) {
        case (0, 0, 9, 1): words = "AMQP 0-9-1"
        case (0, 1, 0, 0): words = "AMQP 1.0"
        case (2, 1, 0, 0): words = "AMQP 1.0 over TLS"
        case (3, 1, 0, 0): words = "AMQP 1.0 with SASL"
        case let (a, b, c, d): words = "AMQP \(a).\(b).\(c).\(d)"
        }
    }
}

extension FindingRow {
    package static let amqpHeaderAlone = FindingRow(
        id: "amqp.header-alone", severity: .warning, reference: "AMQP 0-9-1 4.2.2",
        detail: "the server closed the connection after its protocol header, {text}",
        explanation: """
            A server of AMQP that does not take what a client begins with sends the protocol header of the version that it speaks, and closes. \
            RabbitMQ logs `bad_header` or `handshake_timeout`. What clients send there instead: TLS to the port of plain AMQP \
            (rabbitmq-server pull request 13559), the stream protocol of port 5552 (rabbitmq-stream-rust-client issue 209), HTTP of port 15672 \
            (rabbitmq_http_api_client issue 35), a PROXY protocol header that the server does not expect (caddy-l4 issue 35), or AMQP 1.0 where the \
            server speaks 0-9-1 alone. Reported where the header is all that the server has sent, and the client began with another one.
            """)

    /// The rows of this file.
    package static let amqpRows: [FindingRow] = [amqpHeaderAlone]
}

extension Conversation {
    /// Both sides have ended: reports a server of AMQP that said no.
    static func reportHeaderAlone<Sink: ConversationSink & ~Copyable>(
        _ closing: Closing, at place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        guard closing.server.bytes == UInt64(FirstBytes.count), closing.client.bytes > 0, closing.serverEnd != .open,
            context.isWhole(.client), context.isWhole(.server), !context.startsMidstream
        else { return }
        let theirs = context.firstBytes.bytes(of: .server, sent: closing.server.bytes)
        let ours = context.firstBytes.bytes(of: .client, sent: closing.client.bytes)
        guard let header = AMQPProtocolHeader(theirs), ours != theirs else { return }
        var text = "that of \(header.words): it does not take what the client began with, "
        if let other = AMQPProtocolHeader(ours) {
            text += "the header of \(other.words)"
        } else if ours.starts(with: "PROXY ".utf8) || ours == [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51] {
            text += "a PROXY protocol header"
        } else if let words = LengthClues.beginning(ours.rawBytes) {
            text += words
        } else {
            text += ours.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        }
        context.emit(Finding(.amqpHeaderAlone), at: place, content: Array(text.utf8).rawBytes, sink: &sink)
    }
}
