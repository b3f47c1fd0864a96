import Dissection
import Support

/// What is found about TCP itself, packet by packet.
extension FindingCase {
    private static let open = Segments().handshake()
    private static let said = open.client("abc", at: 0)
    private static let answered = said.server("uvw", at: 0, ack: 3)
    private static let zeros = [UInt8](repeating: 0, count: 6)
    /// Six bytes of the server, the first and the last three of nine, and the acknowledgement of all nine.
    private static let hole = open.server("abc", at: 0).server("ghi", at: 6).packet(.client, ack: 9)

    private static func tcp(_ row: String, _ found: [String], _ fires: any Scene, nearly: any Scene) -> FindingCase {
        FindingCase("tcp." + row, found, fires: fires, nearly: nearly)
    }

    /// Another connection between the same ports.
    private static func again(after first: Segments) -> Segments {
        var second = first
        (second.clientInitial, second.serverInitial) = (90_000_000, 120_000)
        return second.handshake().client("two", at: 0)
    }

    static let tcp: [FindingCase] = streamCases + controlCases + lateCases

    private static var streamCases: [FindingCase] {
        FindingCase.table {
            // After delivery, and while both wait for what comes before.
            tcp(
                "overlap-conflict",
                [
                    "< #5 @2 tcp.overlap-conflict: the same stream bytes were sent twice with different content, first difference at offset 2; the first are shown"
                ], open.server("abcdef", at: 0).server("abXYef", at: 0),
                nearly: open.server("abcdef", at: 0).server("cdef", at: 2))
            tcp(
                "overlap-conflict",
                [
                    "< #5 @4 tcp.overlap-conflict: the same stream bytes were sent twice with different content, first difference at offset 4; the first are shown"
                ], open.server("def", at: 3).server("cdXfgh", at: 2).server("abc", at: 0),
                nearly: open.server("def", at: 3).server("cdefgh", at: 2).server("abc", at: 0))
            tcp(
                "segment-ignored",
                [
                    "> #5 @3 tcp.segment-ignored: a segment of 8 bytes, 1048576 bytes away from the expected sequence number; no receiver accepts it, and it is left out"
                ], said.client("JUNKJUNK", at: 3 + 1 << 20).client("def", at: 3),
                nearly: said.client("ghi", at: 6).client("def", at: 3))
            tcp(
                "jump-followed",
                [
                    "< #5-6 @3 tcp.jump-followed: the stream goes on 209715197 bytes ahead, further than the window reaches; later packets confirm it"
                ], open.server("abc", at: 0).server("ghi", at: 200 << 20).server("jkl", at: 200 << 20 + 3),
                nearly: open.server("abc", at: 0).server("ghi", at: 6).server("jkl", at: 9))
            tcp(
                "ack-padding",
                [
                    "> #4 @0 tcp.ack-padding: acknowledgements have 6 zeros that their headers count as payload; these and later ones are left out"
                ], open.packet(.client, zeros, at: 0).client("abcdefgh", at: 0),
                // The next segment goes on from the zeros.
                nearly: open.packet(.client, zeros, at: 0).client("abc", at: 6))
            tcp(
                "before-syn",
                ["> #4 @0 tcp.before-syn: 1 byte is numbered from the SYN or before it, where no byte can be; it is left out"],
                open.client("xabc", at: -1),
                // A keep-alive probe.
                nearly: open.packet(.client, [0], at: -1).client("abc", at: 0))
            // Of what lacks its beginning nothing more is said, on either side.
            tcp(
                "before-syn",
                [
                    "> #4 @0 tcp.before-syn: 1 byte is numbered from the SYN or before it, where no byte can be; it is left out",
                    "< #5 @0 tcp.before-syn: 1 byte is numbered from the SYN or before it, where no byte can be; it is left out",
                ],
                open.client("GET / HTTP/1.1\r\n\r\n", at: -1, ack: 0).server("HTTP/1.1 200 OK\r\n\r\nOK", at: -1, ack: 17),
                nearly: open.client("GET / HTTP/1.1\r\n\r\n", at: 0, ack: 0).server("TTP/1.1 200 OK\r\n\r\nOK", at: 0, ack: 18))
            tcp(
                "before-beginning", ["< #3 @0 tcp.before-beginning: 3 bytes came that lie before the first byte seen; they are left out"],
                Segments().server("def", at: 103).client("?", at: 0, ack: 106).server("abc", at: 100),
                nearly: Segments().server("def", at: 103).server("abc", at: 100).client("?", at: 0, ack: 106))
            tcp(
                "proxy-protocol", ["> @0 tcp.proxy-protocol: PROXY protocol version 1: client 1.2.3.4:56324, server 5.6.7.8:443"],
                Talk([.client("PROXY TCP4 1.2.3.4 5.6.7.8 56324 443\r\nhello")]),
                nearly: Talk([.client("PROXY TCP4 1.2.3.4 5.6.7.8 56324 443\nhello")]))
            tcp(
                "proxy-protocol", ["> @0 tcp.proxy-protocol: PROXY protocol version 1: no addresses"],
                Talk([.client("PROXY UNKNOWN\r\nhello")]), nearly: Talk([.client("PROXY UNKNOWN hello\n")]))
        }
    }

    private static var controlCases: [FindingCase] {
        FindingCase.table {
            tcp(
                "data-after-fin", ["> #6 @3 tcp.data-after-fin: 4 bytes in the place of the FIN or after it: shown as data, and not read"],
                said.fin(.client, at: 3).client("more", at: 3),
                // A keep-alive probe after the end.
                nearly: said.fin(.client, at: 3).packet(.server, ack: 4).packet(.client, [0], at: 3))
            tcp(
                "segment-ignored",
                [
                    "> #5 @3 tcp.segment-ignored: a segment of 4 bytes, 97 bytes away from the expected sequence number; no receiver accepts it, and it is left out"
                ], said.client("more", at: 100).fin(.client, at: 3).packet(.server, ack: 4),
                nearly: said.fin(.client, at: 3).client("more", at: 3))
            tcp(
                "fin-ignored",
                ["> #7 @6 tcp.fin-ignored: a FIN whose sequence number is 3 bytes away from the end of its side's data; it is ignored"],
                answered.fin(.client, at: 3, ack: 3).client("def", at: 3).server("xyz", at: 3, ack: 6),
                nearly: answered.fin(.client, at: 3, ack: 3).server("xyz", at: 3, ack: 4))
            tcp(
                "reset-outside-window",
                [
                    "< #5 @0 tcp.reset-outside-window: a RST whose sequence number is 268435456 bytes away from the expected one; a receiver ignores it, and so does Unmask"
                ], said.reset(.server, at: 1 << 28).client("def", at: 3),
                nearly: said.reset(.server, at: 0))
            tcp(
                "reset-outside-window",
                [
                    "< #6 @6 tcp.reset-outside-window: a RST whose sequence number is 100 bytes away from the expected one; a receiver ignores it, and so does Unmask"
                ], answered.reset(.server, at: 103).server("xyz", at: 3),
                // Where nothing follows, bytes were lost before it.
                nearly: answered.reset(.server, at: 103))
            tcp(
                "reset-data", ["< #4 @0 tcp.reset-data: a RST carries 7 bytes; they are not part of the stream and are left out"],
                open.packet(.server, Array("go away".utf8), at: 0, flags: .rst),
                nearly: open.packet(.server, at: 0, flags: .rst))
            tcp(
                "syn-ignored",
                [
                    "> #5 @6 tcp.syn-ignored: a SYN whose sequence number is 69996 away from this connection's; no other packet confirms it, and it is ignored"
                ], said.packet(.client, at: 70_000, flags: .syn).client("def", at: 3),
                // The first SYN once more.
                nearly: said.packet(.client, flags: .syn).client("def", at: 3))
            tcp(
                "simultaneous-open",
                ["< #2 @0 tcp.simultaneous-open: both sides sent a SYN of their own; the first is taken for the client"],
                Segments().packet(.client, flags: .syn).packet(.server, flags: .syn).packet(.client, flags: [.syn, .ack])
                    .packet(.server, flags: [.syn, .ack]),
                nearly: Segments().packet(.client, flags: .syn).packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack]))
            tcp(
                "port-reused",
                ["> #5 @3 tcp.port-reused: a new connection between the same ports begins; the end of this one was not seen"],
                again(after: said),
                nearly: again(after: said.fin(.client, at: 3).fin(.server, at: 0, ack: 4).packet(.client, at: 4, ack: 1)))
            tcp(
                "ack-ignored",
                [
                    "< #6 @3 tcp.ack-ignored: 500 bytes beyond everything seen are acknowledged; no other packet confirms this, and it is ignored"
                ],
                answered.packet(.server, at: 3, ack: 503).packet(.server, at: 3, ack: 3).client("def", at: 3).server("xyz", at: 3, ack: 6)
                    .packet(.client, at: 6, ack: 6),
                // Twice it is believed.
                nearly: answered.packet(.server, at: 3, ack: 503).packet(.server, at: 3, ack: 503).client("x", at: 503))
            tcp(
                "zero-window", ["> #5 @0 tcp.zero-window: the receive window closed: the other side has to stop sending until it opens"],
                open.server("a", at: 0).packet(.client, ack: 1, window: 0).packet(.client, ack: 1, window: 0),
                nearly: open.server("a", at: 0).packet(.client, ack: 1, window: 1).packet(.client, flags: [.fin, .ack], ack: 1, window: 0))
        }
    }

    private static var lateCases: [FindingCase] {
        FindingCase.table {
            tcp(
                "data-after-close",
                ["#6-7 tcp.data-after-close: 5 bytes in 2 packets came after this conversation had closed; no record has them"],
                said.reset(.server, at: 0).pause(seconds: 3).client("cdef", at: 2).client("gh", at: 6),
                nearly: said.reset(.server, at: 0).pause(seconds: 3).client("abc", at: 0))
            // What was on its way stands in a record.
            tcp(
                "data-after-close",
                ["#6 tcp.data-after-close: 1 byte in 1 packet came after this conversation had closed; no record has it"],
                said.reset(.server, at: 0).pause(seconds: 3).client("d", at: 3), nearly: said.reset(.server, at: 0).client("d", at: 3))
            tcp(
                "data-after-gap",
                ["< #16 @3 tcp.data-after-gap: 3 bytes in 1 packet came after they had been reported as missing; no record has them"],
                (0..<9).reduce(hole) { talk, _ in talk.packet(.client, ack: 9) }.server("def", at: 3),
                nearly: hole.packet(.client, ack: 9).server("def", at: 3))
        }
    }
}
