import Dissection
import Support

/// What is found about connections that came to nothing, with the ordinary one that resembles each.
extension FindingCase {
    private static let offer =
        "GET /chat HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    private static let agreed =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let noContent = "HTTP/1.1 204 N\r\n\r\n"

    /// Steps, each with the millisecond at which it comes.
    private static func timed(_ steps: (Int64, Talk.Step)...) -> Talk {
        var talk = Talk(steps.map(\.1))
        talk.milliseconds = steps.map(\.0)
        return talk
    }

    private static func response(_ head: String, body: String = "") -> Talk.Step {
        .server("HTTP/1.1 \(head)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    static let causes: [FindingCase] = refusals + required + unanswered + exchanges + endings

    // MARK: - Upgrades that fail

    private static func refused(
        _ words: String, _ head: String, body: String = "", asked: String = "", target: String = "/chat", nearly: [Talk.Step]? = nil
    ) -> FindingCase {
        let request = Talk.Step.client(offer.replacing("/chat", with: target) + asked + "\r\n")
        // Another protocol that a server passes over is an ordinary request.
        let other = Talk.Step.client("GET /chat HTTP/1.1\r\nHost: x\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\n")
        return FindingCase(
            "websocket.refused", ["< @0 websocket.refused: the server refused the WebSocket with \(words)"],
            fires: Talk([request, response(head, body: body)]), nearly: Talk(nearly ?? [other, response(head, body: body)]))
    }

    private static let refusals = FindingCase.table {
        refused(
            "301 Moved Permanently; the server redirects to http://c.example/ws/, which most WebSocket clients do not follow",
            "301 Moved Permanently\r\nLocation: http://c.example/ws/", body: "<html></html>")
        refused(
            "404 Not Found; the SignalR server does not know the connection abc: it has ended, or belongs to another server; several servers need "
                + "sticky sessions, or clients that skip the negotiation",
            "404 Not Found", body: "No Connection with that ID", target: "/hub?id=abc")
        refused("429 Too Many Requests; retry after 30 s", "429 Too Many Requests\r\nRetry-After: 30", body: "{\"message\":\"slow down\"}")
        refused(
            "401 U; the server requires authentication with Basic realm=\"a\"", "401 U\r\nWWW-Authenticate: Basic realm=\"a\"")
        refused(
            "200 OK; this path serves HTTP and no WebSocket", "200 OK", body: "<!DOCTYPE html>",
            nearly: [.client(offer + "\r\n"), .server(agreed)])
        refused(
            "200 OK; this is the greeting of SockJS, whose WebSocket is at /echo/websocket", "200 OK", body: "Welcome to SockJS!\n",
            target: "/echo")
        refused(
            "400 Bad Request; the server expects TLS on this port, so the URL has to begin with wss://", "400 Bad Request",
            body: "<h1>The plain HTTP request was sent to HTTPS port</h1>")
        refused(
            "426 U; the server speaks version 8 of the protocol, the client requested 13",
            "426 U\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8")
        refused(
            "403 Forbidden; the server may not allow the Origin https://a.example", "403 Forbidden", asked: "Origin: https://a.example\r\n")
        refused(
            "403 Forbidden; the response says origin not allowed", "403 Forbidden", body: "origin not allowed\nfor you",
            asked: "Origin: a\r\n")
        refused("418 T", "418 T")
        FindingCase(
            "websocket.upgrade-unanswered",
            ["< @0 websocket.upgrade-unanswered: the upgrade request got no response, and the server closed the connection after 20 ms"],
            fires: timed((0, .client(offer + "\r\n")), (20, .finish(.server))),
            // The capture ends before the response.
            nearly: timed((0, .client(offer + "\r\n"))))
        FindingCase(
            "websocket.upgrade-unanswered",
            ["< @0 websocket.upgrade-unanswered: the upgrade request got no response, and the client closed the connection after 8.0 s"],
            fires: timed((0, .client(offer + "\r\n")), (8_000, .finish(.client)), (8_001, .finish(.server))),
            nearly: timed((0, .client(get)), (8_000, .finish(.client)), (8_001, .finish(.server))))
        FindingCase(
            "http.upgrade-lost",
            [
                "> @0 http.upgrade-lost: the request has a Sec-WebSocket-Key header and no Upgrade header; "
                    + "a proxy on the way may have removed it (Via: 1.1 p)"
            ],
            fires: Talk([.client("GET / HTTP/1.1\r\nHost: x\r\nVia: 1.1 p\r\nSec-WebSocket-Key: k\r\n\r\n"), .server(noContent)]),
            nearly: Talk([.client("GET / HTTP/1.1\r\nHost: x\r\nVia: 1.1 p\r\nSec-WebSocket-Version: 13\r\n\r\n"), .server(noContent)]))
        FindingCase(
            "websocket.protocol-none",
            [
                "> @\(offer.utf8.count + 35) websocket.protocol-none: the server chose none of the offered subprotocols (ocpp1.6), "
                    + "and the client left without a message"
            ],
            fires: timed(
                (0, .client(offer + "Sec-WebSocket-Protocol: ocpp1.6\r\n\r\n")), (5, .server(agreed)), (100, .finish(.client)),
                (101, .finish(.server))),
            // Who speaks did not need it.
            nearly: timed(
                (0, .client(offer + "Sec-WebSocket-Protocol: ocpp1.6\r\n\r\n")), (5, .server(agreed)), (9, .serverFrame(1, [65])),
                (100, .finish(.client)), (101, .finish(.server))))
    }

    private static let required = FindingCase.table {
        protocolRequired(
            4406, "", "the client offered none", nearly: timed((0, .client(offer + "\r\n")), (5, .server(agreed)), (9, closing(4_401))))
        protocolRequired(
            1002, "Sec-WebSocket-Protocol: graphql-ws\r\n", "the server chose none of those offered (graphql-ws)",
            // Who has sent a frame may have sent a wrong one.
            nearly: timed(
                (0, .client(offer + "Sec-WebSocket-Protocol: graphql-ws\r\n\r\n")), (5, .server(agreed)), (7, .clientText("hello")),
                (9, closing(1_002))))
    }

    private static func protocolRequired(_ code: UInt16, _ offered: String, _ words: String, nearly: Talk) -> FindingCase {
        FindingCase(
            "websocket.protocol-required",
            [
                "< @\(agreedBytes) websocket.protocol-required: the server closed with \(code) right after a handshake without a subprotocol, "
                    + "which it may require; " + words
            ],
            fires: timed(
                (0, .client(offer + offered + "\r\n")), (5, .server(agreed)), (9, closing(code)), (10, .clientFrame(8, [])),
                (11, .finish(.client)), (11, .finish(.server))),
            nearly: nearly)
    }

    private static func closing(_ code: UInt16) -> Talk.Step { .serverFrame(8, [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]) }
    private static var agreedBytes: Int { agreed.utf8.count }

    // MARK: - Requests

    private static let unanswered = FindingCase.table {
        FindingCase(
            "http.keep-alive-race",
            [
                "< @18 http.keep-alive-race: the server closed the connection without a response to request 2, "
                    + "which came after 2.0 s of silence"
            ],
            fires: timed((0, .client(get)), (1, .server(noContent)), (2_001, .client(get)), (2_002, .reset(.server))),
            // It may have read this one.
            nearly: timed((0, .client(get)), (1, .server(noContent)), (2_001, .client(get)), (3_002, .reset(.server))))
        FindingCase(
            "http.keep-alive-race",
            [
                "< @18 http.keep-alive-race: the server closed the connection without a response to request 2, "
                    + "which came after 2.0 s of silence"
            ],
            fires: timed((0, .client(get)), (1, .server(noContent)), (2_001, .client(get)), (2_002, .reset(.server))),
            nearly: timed((0, .client(get)), (1, .server(noContent)), (301, .client(get)), (302, .reset(.server))))
        FindingCase(
            "http.continue-missing",
            ["> @69 http.continue-missing: the client waited 1.0 s for 100 Continue, then sent the body without it"],
            fires: timed(
                (0, .client("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")), (1_000, .client("hi")),
                (1_001, .server(noContent))),
            nearly: timed(
                (0, .client("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")),
                (990, .server("HTTP/1.1 100 Continue\r\n\r\n")), (1_000, .client("hi")), (1_001, .server(noContent))))
    }

    private static let preflight = Talk.Step.client(
        "OPTIONS /api HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\nAccess-Control-Request-Method: PUT\r\n\r\n")
    private static let events = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    private static func eventSource(_ accept: String) -> Talk.Step {
        .client("GET /events HTTP/1.1\r\nHost: x\r\nAccept: \(accept)\r\n\r\n")
    }

    private static func polling(_ query: String) -> Talk.Step {
        .client("GET /socket.io/?\(query)&transport=polling HTTP/1.1\r\nHost: x\r\n\r\n")
    }

    private static func posted(_ query: String, _ body: String = "", length: Int? = nil) -> Talk.Step {
        .client(
            "POST /socket.io/?\(query)&transport=polling HTTP/1.1\r\nHost: x\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n" + body
        )
    }

    private static func hub(_ query: String) -> Talk.Step { .client("GET /chat?\(query) HTTP/1.1\r\nHost: x\r\n\r\n") }

    private static let exchanges = FindingCase.table {
        FindingCase(
            "http.engineio-refused",
            [
                "< @0 http.engineio-refused: the Engine.IO server refused the request with code 1, session ID unknown; "
                    + "session aaaabbbb has ended, or belongs to another server: several servers need sticky sessions"
            ],
            fires: Talk([polling("EIO=4&sid=aaaabbbb"), response("400 Bad Request", body: #"{"code":1,"message":"Session ID unknown"}"#)]),
            // Another program's error.
            nearly: Talk([polling("v=4&sid=aaaabbbb"), response("400 Bad Request", body: #"{"code":1,"message":"Session ID unknown"}"#)]))
        FindingCase(
            "http.engineio-refused",
            [
                "< @0 http.engineio-refused: the Engine.IO server refused the request with code 5, unsupported protocol version; "
                    + "the client speaks version 3 of Engine.IO, the server another"
            ],
            fires: Talk([polling("EIO=3"), response("400 Bad Request", body: #"{"code":5,"message":"Unsupported protocol version"}"#)]),
            nearly: Talk([polling("EIO=3"), response("400 Bad Request", body: #"{"code":51,"message":"No such room"}"#)]))
        FindingCase(
            "http.engineio-too-large",
            ["< @0 http.engineio-too-large: the request with messages of Engine.IO was refused with 413; the body has 5 bytes"],
            fires: Talk([posted("EIO=4&sid=aaaabbbb", "4haha"), response("413 Payload Too Large")]),
            // Another program's upload.
            nearly: Talk([posted("v=4&sid=aaaabbbb", "4haha"), response("413 Payload Too Large")]))
        FindingCase(
            "http.engineio-too-large",
            [
                "< @0 http.engineio-too-large: the request with messages of Engine.IO was refused with 413; the body has 1,000,001 bytes; "
                    + "1 MB is the limit of Socket.IO unless it is set (maxHttpBufferSize)",
                "> @93 http.message-unfinished: nothing more was seen inside a message, 1000001 bytes of known length are missing",
            ],
            fires: Talk([posted("EIO=4&sid=a", length: 1_000_001), response("413 P", body: ""), .reset(.client)]),
            // Why a server answers 400 is not known where it has announced no limit.
            nearly: Talk([posted("EIO=4&sid=a", length: 1_000_001), response("400 Bad Request"), .reset(.client)]))
        FindingCase(
            "http.signalr-refused",
            [
                "< @0 http.signalr-refused: the SignalR server does not know the connection d0fc384a: it has ended, or belongs to another server; "
                    + "several servers need sticky sessions, or clients that skip the negotiation"
            ],
            fires: Talk([hub("id=d0fc384a"), response("404 Not Found", body: "No Connection with that ID")]),
            // Another program's error.
            nearly: Talk([hub("id=d0fc384a"), response("404 Not Found", body: "No message with that ID")]))
        FindingCase(
            "http.signalr-refused",
            [
                "< @0 http.signalr-refused: the SignalR server does not know the connection d0fc384a: it has ended, or belongs to another server; "
                    + "several servers need sticky sessions, or clients that skip the negotiation"
            ],
            fires: Talk([hub("v=1&id=d0fc384a"), response("404 Not Found", body: "No Connection with that ID")]),
            // No connection is named.
            nearly: Talk([hub("uid=d0fc384a"), response("404 Not Found", body: "No Connection with that ID")]))
        FindingCase(
            "http.preflight-refused",
            [
                "< @0 http.preflight-refused: the server refused the CORS preflight for PUT from https://a.example with 403, "
                    + "and without Access-Control-Allow-Origin"
            ],
            fires: Talk([preflight, response("403 Forbidden")]),
            nearly: Talk([preflight, response("200 OK\r\nAccess-Control-Allow-Origin: https://a.example")]))
        FindingCase(
            "http.preflight-refused",
            [
                "< @0 http.preflight-refused: the server refused the CORS preflight for PUT from https://a.example with 200, "
                    + "and without Access-Control-Allow-Origin"
            ],
            fires: Talk([preflight, response("200 OK")]),
            // An OPTIONS that no browser sends for a script.
            nearly: Talk([.client("OPTIONS /api HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\n\r\n"), response("200 OK")]))
        FindingCase(
            "http.event-stream-type",
            ["< @0 http.event-stream-type: the response to a request for text/event-stream has the Content-Type text/html"],
            fires: Talk([eventSource("text/event-stream"), response("200 OK\r\nContent-Type: text/html", body: "<p>")]),
            nearly: Talk([eventSource("text/event-stream"), .server(events + ": hi\n\n")]))
        FindingCase(
            "http.event-stream-type",
            ["< @0 http.event-stream-type: the response to a request for text/event-stream has no Content-Type"],
            fires: Talk([eventSource("text/event-stream"), response("200 OK")]),
            // It takes JSON as well, as a client of MCP does; an error is an error.
            nearly: Talk([
                eventSource("application/json, text/event-stream"), response("200 OK\r\nContent-Type: application/json", body: "{}"),
                eventSource("text/event-stream"), response("404 Not Found\r\nContent-Type: text/html", body: "<p>"),
            ]))
        FindingCase(
            "http.event-unterminated",
            ["< @61 http.event-unterminated: the stream ended inside an event, without the blank line after it"],
            fires: Talk([.client(get), .server(events + "data: a\n\ndata: b\n"), .finish(.server)]),
            nearly: Talk([.client(get), .server(events + "data: a\n\ndata: b\n\n: bye\n"), .finish(.server)]))
    }

    // MARK: - WebSockets that end early

    private static let extensions = "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    private static let deflated = InflaterTests.deflate(
        ["{\"room\":7,\"text\":\"hello there\"}", "{\"room\":7,\"text\":\"hello again\"}"].map { Array($0.utf8) })

    private static func compressed(then last: (Int64, Talk.Step)...) -> Talk {
        var talk = timed(
            (0, .client(offer + extensions)), (1, .server(String(agreed.dropLast()) + extensions)),
            (2, .clientFrame(1, deflated[0], rsv: 4)), (3, .serverFrame(1, [65])), (10, .clientFrame(1, deflated[1], rsv: 4)))
        talk.steps += last.map(\.1)
        talk.milliseconds += last.map(\.0)
        return talk
    }

    private static let endings = FindingCase.table {
        FindingCase(
            "websocket.context-unread",
            [
                "< @\(agreed.utf8.count - 2 + extensions.utf8.count + 3) websocket.context-unread: the server closed the connection 10 ms "
                    + "after the first message that refers to an earlier one; it may not keep the client's window"
            ],
            fires: compressed(then: (20, .finish(.server))),
            // The server has read it.
            nearly: compressed(then: (15, .serverFrame(1, [65])), (20, .finish(.server))))
        FindingCase(
            "websocket.pong-late",
            [
                "< @\(agreed.utf8.count) websocket.pong-late: the pong came 2.5 s after the ping and 2.0 s after the client had closed "
                    + "with code 1011, too late"
            ],
            fires: timed(
                (0, .client(offer + "\r\n")), (1, .server(agreed)), (500, .clientFrame(9, [1])), (1_000, .clientFrame(8, [3, 0xF3])),
                (3_000, .serverFrame(10, [1]))),
            nearly: timed(
                (0, .client(offer + "\r\n")), (1, .server(agreed)), (500, .clientFrame(9, [1])), (1_000, .clientFrame(8, [3, 0xF3])),
                (1_200, .serverFrame(10, [1]))))
    }
}
