import Dissection
import Support

/// What is found about a connection as a whole.
extension FindingCase {
    private static let said = Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3).packet(.client, at: 3, ack: 3)

    private static let request =
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    private static let upgraded = Segments().handshake().client(request, at: 0)

    private static let agreed =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    /// Frames of a server that are masked, more than are told one by one.
    static let repeated: [FindingCase] = {
        let end = agreed.utf8.count
        let open = upgraded.server(agreed, at: 0, ack: request.utf8.count).packet(.client, at: request.utf8.count, ack: end)
        func talk(_ count: Int) -> Segments {
            open.packet(.server, [UInt8]((0..<count).map { _ in [0x81, 0x80, 0, 0, 0, 0] }.joined()), at: end)
        }
        let told = (0..<100).map { "< #7 @\(end + 6 * $0) websocket.mask-unexpected: a server's frame that is masked" }
        let omitted =
            "< #7 @\(end + 6 * 102) connection.findings-omitted: websocket.mask-unexpected was found 3 more times; "
            + "the first 100 of each side are reported one by one"
        return [FindingCase("connection.findings-omitted", told + [omitted], fires: talk(103), nearly: talk(100))]
    }()

    private static func unanswered(_ words: String, _ fires: Segments, nearly: Segments) -> FindingCase {
        FindingCase("websocket.ping-unanswered", [words], fires: fires, nearly: nearly)
    }

    /// Frames of the server after an upgrade, with an empty ping among them, and a client that may answer it.
    static let pings: [FindingCase] = {
        let end = agreed.utf8.count
        let open = upgraded.server(agreed, at: 0, ack: request.utf8.count).packet(.client, at: request.utf8.count, ack: end)
        let ping = open.packet(.server, [0x89, 0], at: end)
        let bye: [UInt8] = [0x88, 2, 3, 0xF3]
        let pong: [UInt8] = [0x8A, 0x80, 1, 2, 3, 4]
        let said = request.utf8.count
        func closed(_ talk: Segments, _ position: Int) -> Segments { talk.packet(.server, bye, at: position) }
        let found = "no pong came within"
        func line(_ seconds: Int, _ words: String, _ packets: String) -> String {
            "> #\(packets) @\(said) websocket.ping-unanswered: \(found) \(seconds) s after a ping of the server; then the server \(words)"
        }
        return FindingCase.table {
            unanswered(
                line(8, "closed with code 1011", "9"), closed(ping.pause(seconds: 8), end + 2).reset(.client, at: said),
                nearly: closed(ping.pause(seconds: 4), end + 2).reset(.client, at: said))
            // A pong to the later one of two pings.
            unanswered(
                line(9, "reset the connection", "1-8"), ping.pause(seconds: 9).reset(.server, at: end + 2),
                nearly: ping.packet(.server, [0x89, 1, 0x61], at: end + 2)
                    .packet(.client, [0x8A, 0x81, 0, 0, 0, 0, 0x61], at: said, ack: end + 5).pause(seconds: 9).reset(.server, at: end + 5))
            // Bytes of the client are missing, which may be the pong.
            unanswered(
                line(6, "reset the connection", "1-8"), ping.pause(seconds: 6).reset(.server, at: end + 2),
                nearly: ping.packet(.client, [0x81, 0x80, 0, 0, 0, 0], at: said + 6, ack: end + 2).pause(seconds: 6)
                    .packet(.server, at: end + 2, ack: said + 12).reset(.server, at: end + 2))
            // A frame of the client is on its way, in which no pong can stand.
            unanswered(
                line(6, "reset the connection", "1-8"), ping.pause(seconds: 6).reset(.server, at: end + 2),
                nearly: ping.packet(.client, [0x82, 0x8A, 0, 0, 0, 0, 1, 2, 3], at: said, ack: end + 2).pause(seconds: 6)
                    .reset(.server, at: end + 2))
            // The capture ends before anything else came; and a pong that came late.
            unanswered(
                line(6, "reset the connection", "1-8"), ping.pause(seconds: 6).reset(.server, at: end + 2), nearly: ping)
            unanswered(
                line(6, "reset the connection", "1-8"), ping.pause(seconds: 6).reset(.server, at: end + 2),
                nearly: ping.pause(seconds: 6).packet(.client, pong, at: said, ack: end + 2).reset(.server, at: end + 2))
        }
    }()

    /// Zeros that come last, and a byte that comes first, where they may be no part of the stream.
    static let doubtful: [FindingCase] = {
        let zeros = [UInt8](repeating: 0, count: 6)
        func doubt(_ found: String, _ fires: Segments, nearly: Segments) -> FindingCase {
            FindingCase("connection.doubtful-bytes", [found + ": shown as data, and not read"], fires: fires, nearly: nearly)
        }
        let kind = "may be filling or a keep-alive probe"
        return FindingCase.table {
            // They are acknowledged; and asked to be delivered.
            doubt(
                "> #7 @3 connection.doubtful-bytes: 6 bytes of an acknowledgement \(kind)", said.packet(.client, zeros, at: 3),
                nearly: said.packet(.client, zeros, at: 3).packet(.server, at: 3, ack: 9))
            doubt(
                "> #7 @3 connection.doubtful-bytes: 2 bytes of an acknowledgement \(kind)", said.packet(.client, [0, 0], at: 3),
                nearly: said.packet(.client, [0, 0], at: 3, flags: [.psh, .ack]))
            doubt(
                "> #1 @0 connection.doubtful-bytes: 1 byte of an acknowledgement \(kind)",
                Segments().packet(.client, [7], at: 9, ack: 0).client("abc", at: 10),
                nearly: Segments().packet(.client, [7], at: 9, flags: [.psh, .ack], ack: 0).client("abc", at: 10))
        }
    }()
}
