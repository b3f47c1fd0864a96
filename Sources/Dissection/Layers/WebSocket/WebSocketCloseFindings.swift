/// What may be wrong with how a WebSocket is closed, and with its compression.
extension FindingRow {
    package static let webSocketClosePayloadOneByte = FindingRow(
        id: "websocket.close-payload-one-byte", severity: .violation, reference: "RFC 6455 5.5.1",
        detail: "a Close frame with a payload of one byte",
        explanation: "The payload of a Close frame is empty or begins with a code of two bytes.")
    package static let webSocketCloseCodeOutOfRange = FindingRow(
        id: "websocket.close-code-out-of-range", severity: .violation, reference: "RFC 6455 7.4.2",
        detail: "close code {a}, codes are 1000 to 4999{text}",
        explanation: """
            Codes below 1000 are not used, and there are none from 5000 on. A code is two bytes in network order; the sentence says so where the \
            payload has the digits of a code instead (websocket-client issue 136), or a code in the other byte order.
            """)
    package static let webSocketCloseCodeReserved = FindingRow(
        id: "websocket.close-code-reserved", severity: .violation, reference: "RFC 6455 7.4.1",
        detail: "close code {a} is never sent",
        explanation: """
            1005, 1006 and 1015 stand for closing without a code, without a Close frame, and for a failed TLS \
            handshake. Programs report them to themselves; none may stand on the wire.
            """)
    package static let webSocketCloseCodeUnassigned = FindingRow(
        id: "websocket.close-code-unassigned", severity: .warning, reference: "RFC 6455 7.4.2",
        detail: "close code {a} is not assigned",
        explanation: """
            1000 to 2999 are for the protocol itself, and 1004 is reserved without a meaning; an application takes 4000 to 4999, a library \
            registers one from 3000 on. No rule forbids to send one, but some receivers fail the connection.
            """)
    package static let webSocketCloseCodeOfClient = FindingRow(
        id: "websocket.close-code-of-client", severity: .warning, reference: "RFC 6455 7.4.1",
        detail: "a server closes with {a}, which only a client uses",
        explanation:
            "1010 says that the server did not agree to an extension that the client needs; a server refuses the handshake instead.")
    package static let webSocketCloseReasonUTF8Invalid = FindingRow(
        id: "websocket.close-reason-utf8-invalid", severity: .violation, reference: "RFC 6455 5.5.1",
        detail: "the reason in the Close frame is not UTF-8, first bad byte {a}",
        explanation: "The reason is UTF-8. The number counts from the first byte of the reason.")
    package static let webSocketCloseCodeNotEchoed = FindingRow(
        id: "websocket.close-code-not-echoed", severity: .note, reference: "RFC 6455 5.5.1",
        detail: "the Close frame has code {a}, the other side's before it had code {b}",
        explanation: """
            An endpoint typically echoes the code that it received. Not reported where the acknowledgements of a capture show that this Close \
            frame was sent before the other had arrived, nor where its sender had not yet answered a ping that came before the other; in a proxy, \
            which sees no acknowledgements, both sides may have closed at the same time.
            """)
    package static let webSocketPongLate = FindingRow(
        id: "websocket.pong-late", severity: .warning, reference: "RFC 6455 5.5.2",
        detail: "the pong came {text}, too late",
        explanation: """
            A side closed the connection because its ping was not answered, and the pong came after that: the other side's program was busy, \
            for example with a handler that blocks, and read the ping late (python-websockets issue 625). Let the handler give way, or allow more \
            time for a pong. Reported where the ping came 0.1 s or longer before the Close frame, and the pong 0.5 s or longer after it.
            """)
    package static let webSocketCloseRepeated = FindingRow(
        id: "websocket.close-repeated", severity: .warning, reference: "RFC 6455 5.5.1",
        detail: "another Close frame of the same side",
        explanation: "A side closes once; the first Close frame counts.")
    package static let webSocketDataAfterClose = FindingRow(
        id: "websocket.data-after-close", severity: .violation, reference: "RFC 6455 5.5.1",
        detail: "a data frame, opcode {a}, after the Close frame",
        explanation: "After its Close frame a side sends no more data frames; the peer throws them away.")
    package static let webSocketBytesAfterClose = FindingRow(
        id: "websocket.bytes-after-close", severity: .warning, reference: "RFC 6455 5.5.1",
        detail: "data that is not a frame after the Close frame",
        explanation: "After its Close frame a side sends nothing but the end of its direction. The bytes are shown as data.")

    /// The rows about closing.
    package static let webSocketCloseRows: [FindingRow] = [
        webSocketClosePayloadOneByte, webSocketCloseCodeOutOfRange, webSocketCloseCodeReserved, webSocketCloseCodeUnassigned,
        webSocketCloseCodeOfClient, webSocketCloseReasonUTF8Invalid, webSocketCloseCodeNotEchoed, webSocketPongLate,
        webSocketCloseRepeated,
        webSocketDataAfterClose, webSocketBytesAfterClose,
    ]

    package static let webSocketDeflateInvalid = FindingRow(
        id: "websocket.deflate-invalid", severity: .violation, reference: "RFC 7692 7.2.2",
        detail: "a compressed message that cannot be inflated; {text}",
        explanation: """
            The payload is not a DEFLATE stream, or it refers to bytes before the first one. The window is given up; each message \
            after it is tried without one. A side that agreed to no context takeover and keeps its context sends such messages from \
            the second one on (netty issue 8395); one that puts an uncompressed message into its window does so after the next such message. \
            Receivers report "invalid distance too far back".
            """)
    package static let webSocketContextUnread = FindingRow(
        id: "websocket.context-unread", severity: .warning, reference: "RFC 7692 7.1.1.2",
        detail:
            "the server closed the connection {text} after the first message that refers to an earlier one; it may not keep the client's window",
        explanation: """
            With context takeover a client's compressed message may refer to what its earlier messages had. A server that inflates each message \
            by itself fails at the first one that does (Kitura-WebSocket-NIO issue 22), and has to agree to client_no_context_takeover. Reported \
            where the server ended the connection within 1 s after such a message, without a Close frame and without another byte. A guess from \
            these signs: a server may drop a connection for what the message says as well.
            """)
    package static let webSocketDeflateWindowExceeded = FindingRow(
        id: "websocket.deflate-window-exceeded", severity: .violation, reference: "RFC 7692 7.1.2",
        detail: "a compressed message refers further back than the agreed window of {a} bytes",
        explanation: """
            The sender uses a larger window than it agreed to, which a receiver that trusts the agreement cannot inflate. The \
            window is given up; each message after it is tried without one.
            """)
    package static let webSocketDeflateContextLost = FindingRow(
        id: "websocket.deflate-context-lost", severity: .note, reference: "RFC 7692 7.2.2",
        detail: "a compressed message cannot be inflated: earlier messages could not be, or are not in the capture",
        explanation: """
            With context takeover a message may repeat what earlier messages had. Where they are lost, such messages cannot be \
            inflated, nor can what is only taken for a message because the one before it is missing. The same holds where so many \
            compressed conversations are open that the windows of the quiet ones were dropped to stay within the memory limit. \
            Reported once for each loss; every message concerned is a gap. Never reported of a side that agreed to no context takeover: each \
            of its messages stands alone.
            """)
    package static let webSocketDeflateUnterminated = FindingRow(
        id: "websocket.deflate-unterminated", severity: .violation, reference: "RFC 7692 7.2.1",
        detail: "compressed message not ended by a sync flush, or its 00 00 ff ff tail was not removed",
        explanation: "What could be inflated is shown. Receivers differ in whether they take such a message.")

    package static let webSocketContentLimit = FindingRow(
        id: "websocket.content-limit", severity: .note, reference: "",
        detail: "the compressed messages became too long to be shown whole; {a} {a|byte|bytes} of this one {a|is|are} shown",
        explanation: """
            All compressed messages and bodies of a conversation together are shown up to 4 MiB, and beyond that up to 100 times \
            what came. From here on messages that become more than that are shown with their true length and `truncated`. Messages that \
            grow so much are mostly made to fill the memory or the disk of the program that inflates them. Reported once for each conversation.
            """)

    /// The rows about permessage-deflate.
    package static let webSocketDeflateRows: [FindingRow] = [
        webSocketDeflateInvalid, webSocketContextUnread, webSocketDeflateWindowExceeded, webSocketDeflateContextLost,
        webSocketDeflateUnterminated,
        webSocketContentLimit,
    ]
}
