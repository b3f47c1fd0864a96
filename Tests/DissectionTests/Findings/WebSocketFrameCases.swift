import Dissection
import Support

extension FrameTalk: Scene {
    var cuttings: [Talk.Cutting] { Talk.cuttings }
}

/// What is found about the frames and messages of a WebSocket.
extension FindingCase {
    /// Behind a handshake with a known result.
    static func webSocket(
        _ row: String, _ found: [String], _ fires: [Talk.Step], nearly: [Talk.Step],
        _ negotiation: WebSocketNegotiation = WebSocketNegotiation()
    ) -> FindingCase {
        FindingCase("websocket." + row, found, fires: FrameTalk(fires, negotiation), nearly: FrameTalk(nearly, negotiation))
    }

    private static let key = Talk.Step.key
    private static let most = [UInt8](repeating: 65, count: 125)
    /// "Hello", compressed.
    private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    static let webSocketFrames: [FindingCase] = headerCases + fragmentCases + lossCases

    private static var headerCases: [FindingCase] {
        let start: Talk.Step = .serverFrame(1, Array(hello.prefix(2)), fin: false, rsv: 4)
        let zeros = [UInt8](repeating: 0, count: 65_535)
        return FindingCase.table {
            // A key of zeros is a key.
            webSocket(
                "mask-missing", ["> @0 websocket.mask-missing: a client's frame that is not masked"], [.client(frame(1, [65]))],
                nearly: [.client(frame(1, [65], key: [0, 0, 0, 0]))])
            webSocket(
                "mask-unexpected", ["< @0 websocket.mask-unexpected: a server's frame that is masked"], [.server(frame(1, [65], key: key))],
                nearly: [.server(frame(1, [65]))])
            // What begins so in a frame's payload is the payload's own.
            webSocket(
                "http-inside", ["< @4 websocket.http-inside: an HTTP response where a WebSocket frame has to begin"],
                [.serverFrame(1, Array("hi".utf8)), .server("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>")],
                nearly: [.serverFrame(2, Array("HTTP/1.1 200 OK\r\n\r\n".utf8))])
            // So is what begins with another word: a broken frame stays one.
            webSocket(
                "http-inside", ["< @0 websocket.http-inside: an HTTP response where a WebSocket frame has to begin"],
                [.server("HTTP/1.0 400")], nearly: [.server("HTML/1.1" + String(repeating: "x", count: 78))])
            // A handshake once more, and the end of a chunked body. Other bytes with such a header are a broken frame.
            webSocket(
                "http-inside", ["> @7 websocket.http-inside: an HTTP request where a WebSocket frame has to begin"],
                [.clientFrame(1, [65]), .client("GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nHost: x\r\n\r\n")],
                nearly: [.clientFrame(1, [65]), .client("GET ws" + String(repeating: "x", count: 80))])
            webSocket(
                "http-inside", ["< @3 websocket.http-inside: the end of a chunked HTTP body where a WebSocket frame has to begin"],
                [.serverFrame(1, [65]), .server("0\r\n\r\n")], nearly: [.serverFrame(1, [65]), .server("0\r\n\rxxxxxxxxxxxxxxxx")])
            webSocket(
                "rsv-unexpected", ["< @0 websocket.rsv-unexpected: RSV1 set, and no agreed extension uses it"],
                [.serverFrame(1, [65], rsv: 4)], nearly: [.serverFrame(1, [65])])
            webSocket(
                "rsv-unexpected", ["> @0 websocket.rsv-unexpected: RSV2, RSV3 set, and no agreed extension uses it"],
                [.clientFrame(2, [65], rsv: 3)], nearly: [.clientFrame(2, [65])])
            webSocket(
                "rsv-unexpected", ["< @0 websocket.rsv-unexpected: RSV2 set, and no agreed extension uses it"],
                [.serverFrame(1, hello, rsv: 6)], nearly: [.serverFrame(1, hello, rsv: 4)], FrameTalk.deflate)
            FindingCase(
                "websocket.rsv-unexpected", ["< @0 websocket.rsv-unexpected: RSV3 set, and no agreed extension uses it"],
                fires: FrameTalk([.serverFrame(2, [65], rsv: 1)]),
                nearly: FrameTalk([.serverFrame(2, [65], rsv: 7)], WebSocketNegotiation(hasUnknownExtension: true)))
            webSocket(
                "rsv1-on-continuation",
                ["< @4 websocket.rsv1-on-continuation: the bit of a compressed message is set on a frame that is not the message's first"],
                [start, .serverFrame(0, Array(hello.dropFirst(2)), rsv: 4)],
                nearly: [start, .serverFrame(0, Array(hello.dropFirst(2)))], FrameTalk.deflate)
            webSocket(
                "rsv1-on-control", ["< @0 websocket.rsv1-on-control: the bit of a compressed message is set on a control frame, opcode 9"],
                [.serverFrame(9, [65], rsv: 4)], nearly: [.serverFrame(9, [65])], FrameTalk.deflate)
            webSocket(
                "opcode-reserved", ["< @0 websocket.opcode-reserved: a frame with the reserved opcode 3"], [.serverFrame(3, [65])],
                nearly: [.serverFrame(2, [65])])
            webSocket(
                "opcode-reserved", ["> @0 websocket.opcode-reserved: a frame with the reserved opcode 15"], [.clientFrame(15, [65])],
                nearly: [.clientFrame(10, [65])])
            webSocket(
                "control-fragmented", ["< @0 websocket.control-fragmented: a control frame without FIN, opcode 9"],
                [.serverFrame(9, [65], fin: false)], nearly: [.serverFrame(9, [65])])
            webSocket(
                "control-too-long", ["< @0 websocket.control-too-long: a control frame with 126 bytes of payload, 125 are allowed"],
                [.serverFrame(9, most + [65])], nearly: [.serverFrame(9, most)])
            webSocket(
                "length-not-minimal", ["< @0 websocket.length-not-minimal: the length 125 is written in more bytes than it needs"],
                [.server(frame(2, most, form: 16))], nearly: [.server(frame(2, most + [65]))])
            webSocket(
                "length-not-minimal", ["< @0 websocket.length-not-minimal: the length 65535 is written in more bytes than it needs"],
                [.server(frame(2, zeros, form: 64))], nearly: [.server(frame(2, zeros + [0]))])
            // Only long: the largest length that is allowed.
            webSocket(
                "length-top-bit",
                [
                    "< @0 websocket.message-unfinished: the message was not finished; 3 bytes of its payload came",
                    "< @0 websocket.length-top-bit: the length 9223372036854775808 has its highest bit set",
                ], [.server([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]), .finish(.server)],
                nearly: [.server([0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3]), .finish(.server)])
        }
    }

    private static var fragmentCases: [FindingCase] {
        let begun: Talk.Step = .serverFrame(1, [65], fin: false)
        return FindingCase.table {
            webSocket(
                "continuation-unexpected", ["< @0 websocket.continuation-unexpected: a continuation frame with nothing to continue"],
                [.serverFrame(0, [66])], nearly: [begun, .serverFrame(0, [66])])
            webSocket(
                "continuation-missing",
                [
                    "< @0 websocket.message-unfinished: the message was not finished; 1 byte of its payload came",
                    "< @3 websocket.continuation-missing: a new message begins before the fragmented one before it ended",
                ], [begun, .serverFrame(1, [66])], nearly: [begun, .serverFrame(9, []), .serverFrame(0, [66])])
            webSocket(
                "utf8-invalid", ["< @0 websocket.utf8-invalid: text that is not UTF-8, first bad byte 2"],
                [.serverFrame(1, [0x61, 0x62, 0xC3, 0x28])], nearly: [.serverFrame(2, [0x61, 0x62, 0xC3, 0x28])])
            // Cut by the end of the message, and going on in the next fragment.
            webSocket(
                "utf8-invalid", ["> @0 websocket.utf8-invalid: text that is not UTF-8, first bad byte 1"],
                [.clientFrame(1, [0x61, 0xE2, 0x82])],
                nearly: [.clientFrame(1, [0x61, 0xE2, 0x82], fin: false), .clientFrame(0, [0xAC])])
            webSocket(
                "message-unfinished", ["< @0 websocket.message-unfinished: the message was not finished; 4 bytes of its payload came"],
                [.server(Array(frame(1, Array("half of it".utf8)).prefix(6))), .finish(.server)],
                nearly: [.serverText("half of it"), .finish(.server)])
            webSocket(
                "message-unfinished", ["< @0 websocket.message-unfinished: the message was not finished; 1 byte of its payload came"],
                [begun, .finish(.server)], nearly: [begun, .serverFrame(0, []), .finish(.server)])
            webSocket(
                "message-unfinished", ["< @0 websocket.message-unfinished: the message was not finished; 1 byte of its payload came"],
                [.server([0x89, 4, 1]), .finish(.server)], nearly: [.server([0x89]), .finish(.server)])
        }
    }

    private static var lossCases: [FindingCase] {
        let texts = (0..<6).map { Talk.Step.serverText("message \($0)") }
        let noise = [UInt8](repeating: 0xFF, count: 35)
        return FindingCase.table {
            // Behind a loss between two frames, and inside one, after which the boundaries are known.
            webSocket(
                "resynchronised",
                ["< @86 websocket.resynchronised: reading goes on at the next plausible frame boundary, 0 bytes further on"],
                texts + [.gap(.server, 20, .missing)] + texts + [.finish(.server)],
                nearly: texts + [.server([0x82, 20]), .gap(.server, 20, .missing)] + texts + [.finish(.server)])
            webSocket(
                "resynchronised",
                ["< @23 websocket.resynchronised: reading goes on at the next plausible frame boundary, 3 bytes further on"],
                [.gap(.server, 20, .missing), .server([1, 2, 3])] + texts + [.finish(.server)], nearly: texts)
            webSocket(
                "not-resynchronised", ["< @86 websocket.not-resynchronised: no plausible frame boundary in the last 35 bytes"],
                texts + [.gap(.server, 20, .missing), .server(noise), .finish(.server)],
                nearly: texts + [.gap(.server, 20, .missing), .finish(.server)])
        }
    }
}
