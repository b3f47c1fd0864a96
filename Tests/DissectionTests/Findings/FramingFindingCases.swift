import Dissection
import Support

/// What is found where raw bytes are cut into messages.
extension FindingCase {
    static let framing: [FindingCase] = {
        let u32 = StreamFraming.length(LengthPrefix(.u32be))
        let good = [0, 0, 0, 1, 0x61] as [UInt8]
        let many = (0..<4).flatMap { _ in good }
        func talk(_ steps: [Talk.Step], _ milliseconds: [Int64] = []) -> Talk {
            var talk = Talk(u32, steps)
            talk.milliseconds = milliseconds
            return talk
        }
        let follows = "what follows is shown as data until messages are found again"
        let lengths: [([UInt8], String)] = [
            (Array("GET /".utf8), "an HTTP request (\"GET \") in place of a length: 1195725856"),
            ([0x16, 3, 1, 4, 2], "a TLS handshake (16 03 01) in place of a length: 369295620"),
            ([0x18, 0, 0, 0, 1], "one that is too long (18 00 00 00, as u32le it would be 24): 402653184"),
        ]
        return table {
            FindingCase(
                "framing.length-wrong",
                ["> @0 framing.length-wrong: expected a message, found one that is too long (04 00 00 01): 67108865; \(follows)"],
                fires: talk([.client([4, 0, 0, 1])]), nearly: talk([.client([4, 0, 0, 0])]))
            FindingCase(
                "framing.length-wrong",
                ["> @0 framing.length-wrong: expected a message, found a length that is less than its header: 1; \(follows)"],
                fires: Talk(.length(LengthPrefix(.u16be, countsItself: true)), [.client([0, 1])]),
                nearly: Talk(.length(LengthPrefix(.u16be, countsItself: true)), [.client([0, 2])]))
            FindingCase(
                "framing.message-cut", ["> @0 framing.message-cut: the message is cut: 2 of its bytes are missing"],
                fires: talk([.client([0, 0, 0, 3, 1])]), nearly: talk([.client(good)]))
            FindingCase(
                "framing.message-cut", ["> @0 framing.message-cut: the message is cut"], fires: Talk(.lines, [.client("half")]),
                nearly: Talk(.lines, [.client("whole\n")]))
            FindingCase(
                "framing.resynchronised", ["> @10 framing.resynchronised: messages are found again after 1 byte"],
                fires: talk([.gap(.client, 9, .missing), .client([9] + many)]),
                nearly: talk([.gap(.client, 9, .missing), .client([9] + good)]))
            FindingCase(
                "framing.guessed", ["< @5 framing.guessed: looks like a 4-byte big-endian length: 3 of 3 fit"],
                fires: Talk([.client(good), .server(good), .client(good), .finish(.client), .finish(.server)]),
                nearly: Talk([.client(good), .server("ok"), .client(good), .finish(.client), .finish(.server)]))
            FindingCase(
                "framing.guess-dropped",
                [
                    "> @10 framing.guess-dropped: looked like a 4-byte big-endian length, but no longer does after 3 messages; shown as data from here on"
                ],
                fires: Talk([.client(good), .server(good), .client(good + [0xFF, 0xFF, 0xFF, 0xFF])]),
                nearly: Talk([.client(good), .server(good), .client(good + [0])]))
            FindingCase(
                "framing.reads-differ",
                ["> @15 framing.reads-differ: 3 messages came in 2 segments: 1 held several messages; TCP keeps no message boundaries"],
                fires: talk([.client(good + good), .client(good)], [0, 5]),
                nearly: talk([.client(good), .client(good), .client(good)], [0, 5, 9]))
            FindingCase(
                "framing.reads-differ",
                [
                    "> @10 framing.reads-differ: 2 messages came in 3 segments: 1 short message came in several; TCP keeps no message boundaries"
                ],
                fires: talk([.client([0, 0]), .client([0, 1, 1]), .client(good)], [0, 5, 9]),
                nearly: talk([.client([0, 0, 5, 0, 7]), .client([UInt8](repeating: 7, count: 0x4FF)), .client(good)], [0, 5, 9]))
            FindingCase(
                "framing.not-of-protocol",
                ["> @15 framing.not-of-protocol: expected a message of MQTT, found other data; \(follows)"],
                fires: Talk([.client(FramedProtocolTests.connect + [0])]), nearly: Talk([.client(FramedProtocolTests.connect + [0xC0, 0])]))
        }
            + lengths.map { bytes, words in
                FindingCase(
                    "framing.length-wrong", ["> @0 framing.length-wrong: expected a message, found \(words); \(follows)"],
                    fires: talk([.client(bytes)]), nearly: talk([.client([0, 0, 0, 5] + bytes)]))
            }
    }()
}
