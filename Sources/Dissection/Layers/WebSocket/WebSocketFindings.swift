/// What may be wrong with the frames of a WebSocket.
extension FindingRow {
    package static let webSocketMaskMissing = FindingRow(
        id: "websocket.mask-missing", severity: .violation, reference: "RFC 6455 5.1",
        detail: "a client's frame that is not masked",
        explanation: "A client masks every frame; a server has to close the connection at one that is not masked.")
    package static let webSocketMaskUnexpected = FindingRow(
        id: "websocket.mask-unexpected", severity: .violation, reference: "RFC 6455 5.1",
        detail: "a server's frame that is masked",
        explanation: "A server masks no frame; a client has to close the connection at one that is masked.")
    package static let webSocketRSVUnexpected = FindingRow(
        id: "websocket.rsv-unexpected", severity: .violation, reference: "RFC 6455 5.2",
        detail: "{a:rsv} set, and no agreed extension uses it",
        explanation: """
            The reserved bits of a frame are zero unless an agreed extension gives them a meaning. RSV1 without an \
            agreed permessage-deflate usually means that one side compresses although the other did not accept it; the bytes \
            are shown as they are.
            """)
    package static let webSocketRSV1OnContinuation = FindingRow(
        id: "websocket.rsv1-on-continuation", severity: .violation, reference: "RFC 7692 6.1",
        detail: "the bit of a compressed message is set on a frame that is not the message's first",
        explanation: "Only the first frame of a message says whether it is compressed.")
    package static let webSocketRSV1OnControl = FindingRow(
        id: "websocket.rsv1-on-control", severity: .violation, reference: "RFC 7692 6.1",
        detail: "the bit of a compressed message is set on a control frame, opcode {a}",
        explanation: "Control frames are never compressed.")
    package static let webSocketOpcodeReserved = FindingRow(
        id: "websocket.opcode-reserved", severity: .violation, reference: "RFC 6455 5.2",
        detail: "a frame with the reserved opcode {a}",
        explanation: "Opcodes 3 to 7 and 11 to 15 have no meaning yet. The payload is shown as a message with that opcode.")
    package static let webSocketControlFragmented = FindingRow(
        id: "websocket.control-fragmented", severity: .violation, reference: "RFC 6455 5.5",
        detail: "a control frame without FIN, opcode {a}",
        explanation: "A control frame is never a fragment. It is read as if FIN were set.")
    package static let webSocketControlTooLong = FindingRow(
        id: "websocket.control-too-long", severity: .violation, reference: "RFC 6455 5.5",
        detail: "a control frame with {a} bytes of payload, 125 are allowed",
        explanation: "A control frame has at most 125 bytes of payload.")
    package static let webSocketContinuationUnexpected = FindingRow(
        id: "websocket.continuation-unexpected", severity: .violation, reference: "RFC 6455 5.4",
        detail: "a continuation frame with nothing to continue",
        explanation:
            "A continuation goes on with a message whose frames so far had no FIN. The payload is shown as a message with opcode 0."
    )
    package static let webSocketContinuationMissing = FindingRow(
        id: "websocket.continuation-missing", severity: .violation, reference: "RFC 6455 5.4",
        detail: "a new message begins before the fragmented one before it ended",
        explanation: "The fragments of two messages may not be mixed. The unfinished message is shown with what came of it.")
    package static let webSocketLengthNotMinimal = FindingRow(
        id: "websocket.length-not-minimal", severity: .violation, reference: "RFC 6455 5.2",
        detail: "the length {a} is written in more bytes than it needs",
        explanation: "A length below 126 takes 7 bits, one below 65,536 takes 16 bits.")
    package static let webSocketLengthTopBit = FindingRow(
        id: "websocket.length-top-bit", severity: .violation, reference: "RFC 6455 5.2",
        detail: "the length {a} has its highest bit set",
        explanation: "The highest bit of a 64-bit length is zero. What follows is counted into the frame as it comes.")
    package static let webSocketUTF8Invalid = FindingRow(
        id: "websocket.utf8-invalid", severity: .violation, reference: "RFC 6455 8.1",
        detail: "text that is not UTF-8, first bad byte {a}",
        explanation: """
            A text message is UTF-8 as a whole. The number is the position of the first byte of the first ill-formed sequence \
            in the message. A receiver closes with 1007.
            """)
    package static let webSocketMessageUnfinished = FindingRow(
        id: "websocket.message-unfinished", severity: .note, reference: "RFC 6455 5.4",
        detail: "the message was not finished; {a} {a|byte|bytes} of its payload came",
        explanation: "The direction ended, bytes were lost, or another message began before the last frame of this one was whole.")
    package static let webSocketResynchronised = FindingRow(
        id: "websocket.resynchronised", severity: .note, reference: "",
        detail: "reading goes on at the next plausible frame boundary, {a} {a|byte|bytes} further on",
        explanation: """
            The beginning of a frame is missing from the capture, so the boundaries of the frames were lost. They were found again \
            from the bytes themselves; what lies before is reported as a gap.
            """)
    package static let webSocketResyncNotFound = FindingRow(
        id: "websocket.not-resynchronised", severity: .note, reference: "",
        detail: "no plausible frame boundary in the last {a} {a|byte|bytes}",
        explanation: "The boundaries of the frames were lost and not found again before the direction ended.")
    package static let webSocketHTTPInside = FindingRow(
        id: "websocket.http-inside", severity: .violation, reference: "RFC 6455 5.1",
        detail: "{text} where a WebSocket frame has to begin",
        explanation: """
            The connection is a WebSocket already, and something writes HTTP into it. A response is that of a proxy or gateway that has lost the \
            server behind it, or of the server's own error handler, which does not know of the upgrade; two handlers for one upgrade send one as \
            well. The end of a chunked body (`0`, an empty line) is written by a framework that ends its response after the handler has returned \
            (aiohttp issue 1829). A request comes from a client that connects a socket again which is open (Starscream issue 932). Peers report \
            "RSV1 must be clear" or reserved bits and opcodes, and close with 1002. The bytes are shown as `data`; nothing after them is read as \
            frames. Look for the program that sent them: status and headers tell.
            """)

    /// The rows about frames.
    package static let webSocketFrameRows: [FindingRow] = [
        webSocketMaskMissing, webSocketMaskUnexpected, webSocketRSVUnexpected, webSocketRSV1OnContinuation, webSocketRSV1OnControl,
        webSocketOpcodeReserved, webSocketControlFragmented, webSocketControlTooLong, webSocketContinuationUnexpected,
        webSocketContinuationMissing, webSocketLengthNotMinimal, webSocketLengthTopBit, webSocketUTF8Invalid,
        webSocketMessageUnfinished, webSocketResynchronised, webSocketResyncNotFound, webSocketHTTPInside,
    ]

    /// Every row of the WebSocket layer.
    package static let webSocketRows: [FindingRow] =
        webSocketFrameRows + [webSocketPingUnanswered] + webSocketCloseRows + webSocketSizeRows + webSocketDeflateRows
        + webSocketHandshakeRows
}
