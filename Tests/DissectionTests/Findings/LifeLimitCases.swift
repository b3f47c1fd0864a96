import Dissection
import Support

/// What is found about connections that last as long as others to the same server.
extension FindingCase {
    /// One more connection, `last` seconds long, in which the server speaks a second before its end.
    private static func lasting(_ seconds: Int64, closedBy side: Side = .server, after before: Segments = Segments()) -> Segments {
        var next = before
        next.clientPort += 1
        let said = next.handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3).pause(seconds: seconds - 1)
        let isServer = side == .server
        return said.server("xyz", at: 3).pause(seconds: 1).fin(side, at: isServer ? 6 : 3).packet(side.peer, at: isServer ? 3 : 6)
    }

    /// The client says goodbye in words of its own, and the server does what these ask for.
    private static func leaving(_ seconds: Int64, after before: Segments = Segments()) -> Segments {
        var next = before
        next.clientPort += 1
        let said = next.handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3).pause(seconds: seconds)
        return said.client("bye", at: 3, ack: 3).server("xyz", at: 3, ack: 6).fin(.server, at: 6).packet(.client, at: 6)
    }

    /// Two at once, which one event ends.
    private static var together: Segments {
        var both = Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3)
        both.clientPort += 1
        both = both.handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3).pause(seconds: 60)
        both = both.server("xyz", at: 3).fin(.server, at: 6)
        both.clientPort -= 1
        return both.server("xyz", at: 3).fin(.server, at: 6)
    }

    private static func line(_ packet: Int, _ words: String) -> String {
        "#\(packet) connection.life-limit: ended \(words) to this server: probably a limit on the life of connections"
    }

    private static func lives(_ found: [String], _ fires: Segments, nearly: Segments) -> FindingCase {
        FindingCase("connection.life-limit", found, fires: fires, nearly: nearly)
    }

    static let lifeLimits: [FindingCase] = FindingCase.table {
        lives([line(15, "60 s after it was opened, as 1 other")], lasting(60, after: lasting(60)), nearly: lasting(60))
        lives(
            [line(15, "60 s after it was opened, as 1 other"), line(23, "60 s after it was opened, as 2 others")],
            lasting(60, after: lasting(60, after: lasting(60))), nearly: lasting(62, after: lasting(60)))
        // A life that no limit is known for.
        lives([line(15, "30 s after it was opened, as 1 other")], lasting(30, after: lasting(30)), nearly: lasting(45, after: lasting(45)))
        // Opened at the same time, they were ended by the same event.
        lives([line(15, "60 s after it was opened, as 1 other")], lasting(60, after: lasting(60)), nearly: together)
        lives([line(15, "60 s after it was opened, as 1 other")], lasting(60, after: lasting(60)), nearly: leaving(60, after: leaving(60)))
        // A client that ends is done.
        lives(
            [line(15, "60 s after it was opened, as 1 other")], lasting(60, after: lasting(60)),
            nearly: lasting(60, closedBy: .client, after: lasting(60, closedBy: .client)))
        // Another one lived longer.
        lives(
            [line(15, "60 s after it was opened, as 1 other")], lasting(60, after: lasting(60)),
            nearly: lasting(60, after: lasting(60, after: lasting(200))))
    }
}
