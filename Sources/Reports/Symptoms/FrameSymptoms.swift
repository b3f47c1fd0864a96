// What apps say, as `unmask explain` knows it: Frames.

extension Symptom {
    static let frames: [Symptom] = [
        Symptom(
            [
                "RSV1 must be clear", "One or more reserved bits are on: reserved1 = 1", "WS_ERR_UNEXPECTED_RSV_1",
                "reserved bits must be 0",
            ],
            means: """
                A compressed frame where permessage-deflate was not agreed, or bytes that are no frame: something writes into the \
                stream, or a proxy changed the extensions.
                """,
            look: "websocket.rsv-unexpected names the frame; the 101 says which extensions were agreed",
            recording: "symptoms/deflate-invalid.pcap", shows: "websocket.rsv-unexpected"),
        Symptom(
            ["Invalid frame header", "WS_ERR_INVALID_OPCODE", "Unrecognized frame opcode", "invalid opcode"],
            means: """
                What follows is no frame: two handlers answer one upgrade, a server writes HTTP into the stream, or a frame was cut.
                """,
            look: "websocket.opcode-reserved, websocket.rsv-unexpected, and the bytes of that line",
            recording: "reserved-bits-and-opcodes/capture.pcap", shows: "websocket.opcode-reserved"),
        Symptom(
            ["Received unexpected continuation frame", "unexpected continuation"],
            means: """
                A continuation frame came without the beginning of a message: fragments of two messages are mixed, or the first was \
                lost by the sender.
                """,
            look: "websocket.continuation-unexpected",
            recording: "reserved-bits-and-opcodes/capture.pcap", shows: "websocket.continuation-unexpected"),
        Symptom(
            ["Received start of new message but previous message is unfinished", "expected continuation frame"],
            means: "A new message began before the one before had ended: two threads send at once without a lock.",
            look: "websocket.continuation-missing",
            recording: "reserved-bits-and-opcodes/capture.pcap", shows: "websocket.continuation-missing"),
        Symptom(
            ["Received fragmented control frame", "FIN must be set"],
            means: "A ping, pong or Close frame may not be fragmented.",
            look: "websocket.control-fragmented",
            recording: "reserved-bits-and-opcodes/capture.pcap", shows: "websocket.control-fragmented"),
        Symptom(
            ["A server must not mask any frames that it sends to the client", "MASK must be clear", "incorrect masking"],
            means: """
                The server sends masked frames: a client library used on the server side, or a relay in between that copies the \
                client's bytes.
                """,
            look: "websocket.mask-unexpected",
            recording: "mask-wrong-direction/capture.pcap", shows: "websocket.mask-unexpected"),
        Symptom(
            ["MASK must be set", "WS_ERR_EXPECTED_MASK", "client frames must be masked"],
            means: "The client sends frames without a mask.",
            look: "websocket.mask-missing",
            recording: "mask-wrong-direction/capture.pcap", shows: "websocket.mask-missing"),
        Symptom(
            [
                "Could not decode a text frame as UTF-8", "invalid UTF-8 sequence", "WS_ERR_INVALID_UTF8", "Received invalid UTF-8",
            ],
            means: "Binary data was sent as text, or text was cut in the middle of a character.",
            look: "websocket.utf8-invalid names the first wrong byte; send binary frames",
            recording: "utf8-invalid/capture.pcap", shows: "websocket.utf8-invalid"),
        Symptom(
            ["invalid distance too far back", "invalid block type", "invalid stored block lengths", "Failed to inflate"],
            means: """
                A compressed message cannot be undone: both sides differ on whether a context is kept, or a message of the side was \
                lost.
                """,
            look: "websocket.deflate-invalid, and what the 101 says of permessage-deflate",
            recording: "symptoms/deflate-invalid.pcap", shows: "websocket.deflate-invalid"),
        Symptom(
            ["control frames must have payload of 125 bytes or less", "invalid payload length 126"],
            means: "A ping, pong or Close frame is longer than 125 bytes.",
            look: "websocket.control-too-long",
            recording: "control-frames-too-long/capture.pcap", shows: "websocket.control-too-long"),
    ]
}
