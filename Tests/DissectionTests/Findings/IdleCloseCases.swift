import Dissection
import Support

/// What is found about a connection that was closed after a silence.
extension FindingCase {
    private static let said = Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3).packet(.client, at: 3, ack: 3)

    /// A silence of so many seconds, then the server's FIN, which the client acknowledges.
    private static func quiet(_ seconds: Int64) -> Segments {
        said.pause(seconds: seconds).fin(.server, at: 3).packet(.client, at: 3, ack: 4)
    }

    private static func idle(_ found: String, _ fires: any Scene, nearly: any Scene) -> FindingCase {
        FindingCase("connection.idle-closed", [found], fires: fires, nearly: nearly)
    }

    private static func line(_ seconds: Int, _ words: String, packet: Int = 7) -> String {
        "#\(packet) connection.idle-closed: after \(seconds) s without a byte from either side, the \(words)"
    }

    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let asked = Segments().handshake().client(request, at: 0)
    /// A connection of HTTP that is kept for the next request.
    private static let kept = asked.server(response, at: 0, ack: request.utf8.count)

    private static let offer =
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    private static let agreed =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    private static let (offered, upgraded) = (offer.utf8.count, agreed.utf8.count)
    private static let webSocket = Segments().handshake().client(offer, at: 0).server(agreed, at: 0, ack: offered)

    private static let channelsOffer = offer.replacing("GET / ", with: "GET /socket/websocket?vsn=2.0.0 ")
    private static let channelsOffered = channelsOffer.utf8.count
    private static let channels = Segments().handshake().client(channelsOffer, at: 0).server(agreed, at: 0, ack: channelsOffered)
    private static let phoenix = "; 60 s is the default of Phoenix and Cowboy where the client sends nothing, no heartbeat either"

    private static let server = "server closed the connection"
    private static let client = "client closed the connection"
    private static let loadBalancer = "; 60 s is the default of the AWS Application Load Balancer"

    /// A protocol that is not known: only what needs not know it is named. A packet after the last byte is that many milliseconds later.
    static let idleConnections: [FindingCase] = FindingCase.table {
        idle(line(49, server + "; 50 s is the timeout in the examples of haproxy"), quiet(49), nearly: quiet(48))
        idle(line(51, server), quiet(51), nearly: quiet(10))
        idle(line(60, server), quiet(60), nearly: said.pause(seconds: 60))
        idle(line(61, server), quiet(61), nearly: said.pause(seconds: 61).server("x", at: 3).fin(.server, at: 4))
        idle(line(100, server), quiet(100), nearly: said.pause(seconds: 45).client("x", at: 3).pause(seconds: 46).fin(.server, at: 3))
        // It had survived a longer silence before, or one as long.
        idle(
            line(60, server, packet: 8), said.pause(seconds: 50).client("x", at: 3).pause(seconds: 60).fin(.server, at: 3),
            nearly: said.pause(seconds: 90).client("x", at: 3).pause(seconds: 60).fin(.server, at: 3))
        idle(
            line(100, server, packet: 8), said.pause(seconds: 98).client("x", at: 3).pause(seconds: 100).fin(.server, at: 3),
            nearly: said.pause(seconds: 100).client("x", at: 3).pause(seconds: 100).fin(.server, at: 3))
        // A packet that the capture lacks stood in the silence.
        idle(
            line(350, "client closed the connection; 350 s is the default of the AWS Network Load Balancer"),
            said.pause(seconds: 350).reset(.client, at: 3),
            nearly: said.pause(seconds: 350).fin(.server, at: 8).packet(.client, at: 3, ack: 9))
        // What resets connections sends no FIN.
        idle(line(240, server), quiet(240), nearly: quiet(4))
        idle(
            line(240, server + "; 240 s is the default of the Azure Load Balancer"), said.pause(seconds: 240).reset(.server, at: 3),
            nearly: quiet(4))
    }

    /// Of HTTP: what was open says whose default it may be.
    static let idleHTTP: [FindingCase] = FindingCase.table {
        // Kept for the next request: an ordinary end is none to tell of.
        idle(
            line(60, server + loadBalancer, packet: 6), kept.pause(seconds: 60).fin(.server, at: response.utf8.count),
            nearly: kept.pause(seconds: 65).fin(.server, at: response.utf8.count))
        idle(
            line(75, server + "; 75 s is the default of nginx (keepalive_timeout)", packet: 6),
            kept.pause(seconds: 75).fin(.server, at: response.utf8.count),
            nearly: kept.pause(seconds: 75).fin(.client, at: request.utf8.count, ack: response.utf8.count))
        idle(
            line(
                60,
                client
                    + "; 60 s is the default of nginx (keepalive_timeout to an upstream server) and of the AWS Application Load Balancer",
                packet: 6),
            kept.pause(seconds: 60).fin(.client, at: request.utf8.count, ack: response.utf8.count),
            nearly: kept.pause(seconds: 15).fin(.client, at: request.utf8.count, ack: response.utf8.count))
        // A request waits: a client, which may be a proxy, gives it up. A server that reads HTTP would have responded.
        FindingCase(
            "connection.idle-closed",
            [
                "< #1-6 @0 http.request-unanswered: requests without a response: 1",
                line(
                    60, client + "; 60 s is the default of nginx (proxy_read_timeout) and of the AWS Application Load Balancer", packet: 6),
            ], fires: asked.packet(.server, ack: request.utf8.count).pause(seconds: 60).reset(.client, at: request.utf8.count),
            nearly: kept.pause(seconds: 9).fin(.server, at: response.utf8.count))
        FindingCase(
            "connection.idle-closed",
            ["< #5 @0 http.request-unanswered: requests without a response: 1", line(12, server, packet: 5)],
            fires: asked.pause(seconds: 12).reset(.server, at: 0), nearly: kept.pause(seconds: 12).reset(.server, at: response.utf8.count))
    }

    static let idleWebSockets: [FindingCase] = FindingCase.table {
        idle(
            line(60, server + "; 60 s is the default of nginx (proxy_read_timeout) and of the AWS Application Load Balancer", packet: 6),
            webSocket.pause(seconds: 60).fin(.server, at: upgraded), nearly: webSocket.pause(seconds: 12).fin(.server, at: upgraded))
        idle(
            line(100, server + "; 100 s is the default of Cloudflare until it became 120 s", packet: 6),
            webSocket.pause(seconds: 100).fin(.server, at: upgraded), nearly: webSocket.pause(seconds: 40).fin(.server, at: upgraded))
        // No proxy sends a Close frame.
        idle(
            line(60, server, packet: 6), webSocket.pause(seconds: 60).packet(.server, [0x88, 2, 3, 0xE8], at: upgraded),
            nearly: webSocket.packet(.server, [0x88, 2, 3, 0xE8], at: upgraded).pause(seconds: 60).fin(.server, at: upgraded + 4))
        // Phoenix and Cowboy do, for the client's silence; Cowboy looks ten times a minute.
        idle(
            line(60, server + phoenix, packet: 6),
            channels.pause(seconds: 60).packet(.server, [0x88, 2, 3, 0xE8], at: upgraded),
            nearly: channels.pause(seconds: 12).packet(.server, [0x88, 2, 3, 0xE8], at: upgraded))
        // Of the client it is not.
        idle(
            line(60, client, packet: 6),
            channels.pause(seconds: 60).packet(.client, [0x88, 0x80, 0, 0, 0, 0], at: channelsOffered, ack: upgraded),
            nearly: channels.pause(seconds: 12).packet(.client, [0x88, 0x80, 0, 0, 0, 0], at: channelsOffered, ack: upgraded))
        idle(
            line(54, server + phoenix, packet: 6), channels.pause(seconds: 54).fin(.server, at: upgraded),
            nearly: channels.pause(seconds: 12).fin(.server, at: upgraded))
        // A client whose pings are not answered has reason enough.
        FindingCase(
            "connection.idle-closed",
            [
                "< #1-7 @129 websocket.ping-unanswered: no pong came within 60 s after a ping of the client; "
                    + "then the client reset the connection", line(60, client),
            ],
            fires: webSocket.packet(.client, [0x89, 0x80, 0, 0, 0, 0], at: offered, ack: upgraded).pause(seconds: 60)
                .reset(.client, at: offered + 6),
            nearly: webSocket.packet(.client, [0x89, 0x80, 0, 0, 0, 0], at: offered, ack: upgraded)
                .packet(.server, [0x8A, 0], at: upgraded, ack: offered + 6).pause(seconds: 20).reset(.client, at: offered + 6))
    }
}
