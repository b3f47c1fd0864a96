import Dissection
import Support

/// What is found where a message was, or may have been, too long for the side that closed.
extension FindingCase {
    static let sizeLimits: [FindingCase] = tooBig + closedWithoutCode

    private static func text(_ count: Int) -> Talk.Step { .clientFrame(1, [UInt8](repeating: 0x61, count: count)) }
    private static let tooBigCode: Talk.Step = .serverFrame(8, [0x03, 0xF1])
    /// The header of a frame of 2 MiB, and its first bytes.
    private static let begun: [UInt8] = [0x82, 127, 0, 0, 0, 0, 0, 0x20, 0, 0] + [UInt8](repeating: 7, count: 40)

    private static let tooBig = FindingCase.table {
        webSocket(
            "message-too-big",
            [
                "< @0 websocket.message-too-big: closed with 1009 (message too big) after the client's message 2 of 9,000 bytes; "
                    + "8 KiB is the limit of Tomcat and Spring for text"
            ],
            [text(10), text(9_000), tooBigCode, .clientFrame(8, [0x03, 0xF1])],
            // Another code says nothing of a length.
            nearly: [text(10), text(9_000), .serverFrame(8, [0x03, 0xF0])])
        // What went through before shows that the limit is not that one.
        webSocket(
            "message-too-big",
            ["< @0 websocket.message-too-big: closed with 1009 (message too big) after the client's message 2 of 9,001 bytes"],
            [text(9_000), text(9_001), tooBigCode],
            nearly: [.serverText("nobody has sent anything"), tooBigCode])
        webSocket(
            "message-too-big",
            [
                "< @0 websocket.message-too-big: closed with 1009 (message too big) after the client's message 3, of which the longest was "
                    + "message 1 of 300 bytes"
            ],
            [text(300), text(10), text(20), tooBigCode],
            // The echo of the client's.
            nearly: [.serverText("a"), .clientFrame(8, [0x03, 0xE8]), tooBigCode])
        webSocket(
            "message-too-big",
            [
                "> @0 websocket.message-too-big: closed with 1009 (message too big) in the middle of the server's message 1 of 2,097,152 bytes; "
                    + "1 MiB is the limit of URLSessionWebSocketTask (maximumMessageSize) and of Python's websockets (max_size)"
            ],
            [.server(begun), .clientFrame(8, [0x03, 0xF1])], nearly: [.server(begun), .clientFrame(8, [0x03, 0xE9])])
        // The same without Engine.IO is no limit of a library.
        FindingCase(
            "websocket.message-too-big",
            [
                "< @132 websocket.message-too-big: closed with 1009 (message too big) in the middle of the client's message 2 of 1,000,001 bytes; "
                    + "1 MB is the limit of Socket.IO unless it is set (maxHttpBufferSize); 128 KiB is the limit of AWS API Gateway; "
                    + "32 KiB is the limit of AWS API Gateway for a frame",
                "> @384 websocket.message-unfinished: the message was not finished; 1 byte of its payload came",
            ],
            fires: socketIO([0x0F, 0x42, 0x41], [0x03, 0xF1]), nearly: socketIO([0x0F, 0x42, 0x41], [0x03, 0xE8]))
        // What the server announced counts, and not what Socket.IO has where nothing is set.
        announced(
            500_000, "1,000,001 bytes; it is beyond the announced maxPayload of 500,000 bytes",
            nearly: socketIO([0x0F, 0x42, 0x41], [0x03, 0xE8], opening: opening(500_000)))
        announced(
            2_000_000,
            "1,000,001 bytes; 128 KiB is the limit of AWS API Gateway; 32 KiB is the limit of AWS API Gateway for a frame; "
                + "8 KiB is the limit of Tomcat and Spring for text",
            nearly: socketIO([0x0F, 0x42, 0x41], [0x03, 0xE8], opening: opening(2_000_000)))
        // The length of a message that is not finished is known from its last frame on.
        webSocket(
            "message-too-big",
            [
                "> @0 websocket.message-too-big: closed with 1009 (message too big) in the middle of the server's message 1 of at least 200 bytes"
            ],
            [.serverFrame(1, [UInt8](repeating: 0x61, count: 200), fin: false), .clientFrame(8, [0x03, 0xF1])],
            nearly: [.serverFrame(1, [UInt8](repeating: 0x61, count: 200), fin: false), .clientFrame(8, [0x03, 0xF0])])
    }

    /// A session of Engine.IO in which the client begins a message of so many bytes, and the server closes.
    private static func socketIO(_ length: [UInt8], _ close: [UInt8], opening: String? = nil) -> Talk {
        Talk([
            .client(
                "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"),
            .server(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"), .serverText(opening ?? "2"), text(200),
            .client([0x81, 0xFF, 0, 0, 0, 0, 0] + length + [0, 0, 0, 0, 0x61]), .serverFrame(8, close),
        ])
    }

    private static func opening(_ maxPayload: Int) -> String {
        #"0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":\#(maxPayload)}"#
    }

    /// The client begins a message of 1,000,001 bytes in a session whose server has announced another limit.
    private static func announced(_ maxPayload: Int, _ words: String, nearly: Talk) -> FindingCase {
        let opening = opening(maxPayload)
        return FindingCase(
            "websocket.message-too-big",
            [
                "< @\(129 + 2 + opening.utf8.count) websocket.message-too-big: closed with 1009 (message too big) in the middle of the client's "
                    + "message 2 of " + words,
                "> @384 websocket.message-unfinished: the message was not finished; 1 byte of its payload came",
            ],
            fires: socketIO([0x0F, 0x42, 0x41], [0x03, 0xF1], opening: opening), nearly: nearly)
    }

    // MARK: - Without a Close frame

    private static let offer: Talk.Step = .client(
        "GET /chat HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover; server_no_context_takeover\r\n\r\n")
    private static let agreed: Talk.Step = .server(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
            + "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover; server_no_context_takeover\r\n\r\n")

    /// A message of so many zeros, compressed.
    private static func zeros(_ count: Int) -> Talk.Step {
        .serverFrame(2, InflaterTests.deflate([[UInt8](repeating: 0, count: count)])[0], rsv: 4)
    }

    private static func opened(_ steps: (Int64, Talk.Step)...) -> Talk {
        var talk = Talk([offer, agreed] + steps.map(\.1))
        talk.milliseconds = [0, 1] + steps.map(\.0)
        return talk
    }

    private static func sizeLimit(_ words: String, _ fires: Talk, nearly: Talk) -> FindingCase {
        FindingCase("websocket.size-limit", ["websocket.size-limit: the " + words], fires: fires, nearly: nearly)
    }

    private static let ofClients =
        "1 MiB is the limit of URLSessionWebSocketTask (maximumMessageSize) and of Python's websockets (max_size)"
    private static let whole =
        "client reset the connection after the server's message 2 of 1,200,345 bytes, the longest that it had received; " + ofClients

    private static let closedWithoutCode = FindingCase.table {
        sizeLimit(
            whole, opened((10, .serverText("small")), (20, zeros(1_200_345)), (40, .reset(.client))),
            // It has said something since.
            nearly: opened((10, .serverText("small")), (20, zeros(1_200_345)), (30, .clientText("thanks")), (40, .reset(.client))))
        sizeLimit(
            whole, opened((10, .serverText("small")), (20, zeros(1_200_345)), (40, .reset(.client))),
            // One that was as long went through before.
            nearly: opened((10, zeros(1_200_344)), (20, zeros(1_200_345)), (40, .reset(.client))))
        sizeLimit(
            whole, opened((10, .serverText("small")), (20, zeros(1_200_345)), (40, .reset(.client))),
            nearly: opened((10, .serverText("small")), (20, zeros(1_200_345)), (1_040, .reset(.client))))
        sizeLimit(
            whole, opened((10, .serverText("small")), (20, zeros(1_200_345)), (40, .reset(.client))),
            // Who asks for one thing and goes.
            nearly: opened((20, zeros(1_200_345)), (40, .reset(.client))))
        sizeLimit(
            whole, opened((10, .serverText("small")), (20, zeros(1_200_345)), (40, .reset(.client))),
            nearly: opened((10, .serverText("small")), (20, zeros(1_048_576)), (40, .reset(.client))))
        sizeLimit(
            whole, opened((10, .serverText("small")), (20, zeros(1_200_345)), (40, .reset(.client))),
            // Its sender ends it.
            nearly: opened((10, .serverText("small")), (20, zeros(1_200_345)), (40, .reset(.server))))
        FindingCase(
            "websocket.size-limit",
            [
                "< @\(agreedLength) websocket.message-unfinished: the message was not finished; 40 bytes of its payload came",
                "websocket.size-limit: the client closed the connection in the middle of the server's message 1 of 2,097,152 bytes, "
                    + "the longest that it had received; " + ofClients,
            ],
            fires: opened((20, .server(begun)), (40, .finish(.client)), (41, .finish(.server))),
            // After a pause in the middle it was something else.
            nearly: opened((20, .server(begun)), (1_040, .finish(.client)), (1_041, .finish(.server))))
    }

    private static var agreedLength: Int { if case .bytes(_, let bytes) = agreed { bytes.count } else { 0 } }
}
