import Dissection
import Support

/// What the segments of a conversation show of which nothing is cut into messages.
extension FindingCase {
    static let segmentClues: [FindingCase] = {
        /// Each step is a segment of its own.
        func plain(
            _ steps: Talk.Step..., ending: [Talk.Step] = [.finish(.client), .finish(.server)], pace milliseconds: Int64 = 5,
            until end: Int64 = 1_000
        ) -> Talk {
            var talk = Talk(steps + ending)
            talk.milliseconds = steps.indices.map { Int64($0) * milliseconds } + ending.map { _ in end }
            return talk
        }
        /// A message that says its length in four bytes.
        func big(_ text: String, counting extra: UInt8 = 0) -> [UInt8] { [0, 0, 0, UInt8(text.utf8.count) + extra] + Array(text.utf8) }
        return table {
            FindingCase(
                "framing.json-values",
                [
                    "> @23 framing.json-values: 3 JSON values came in 3 segments: 1 held several messages, 1 short message came in several; "
                        + "a read is not a message. --framing PORT=json shows each value"
                ],
                fires: plain(.client(#"{"a":1}{"b":2}"#), .client(#"{"c":"#), .client("[3]}"), .server("thanks\u{1}")),
                nearly: plain(.client(#"{"a":1}"#), .client(#"{"b":2}"#), .client(#"{"c":[3]}"#), .server("thanks\u{1}")))
            // It begins like JSON and is none.
            FindingCase(
                "framing.json-values",
                [
                    "> @14 framing.json-values: 2 JSON values came in 2 segments: 1 held several messages, 1 short message came in several; a read is not a message. "
                        + "--framing PORT=json shows each value"
                ],
                fires: plain(.client(#"{"a":1}{"b""#), .client(":2}")), nearly: plain(.client(#"{"a":1}{"b""#), .client(":2}}")))
            FindingCase(
                "framing.lengths-differ",
                [
                    "< @16 framing.lengths-differ: the messages of each side begin with their length, in different forms: the client 4 bytes, "
                        + "big-endian, that does not count itself (2 of 2), the server 4 bytes, big-endian, that counts itself (2 of 2)"
                ],
                fires: plain(
                    .client(big("one")), .server(big("first", counting: 4)), .client(big("three")), .server(big("now", counting: 4))),
                nearly: plain(
                    .client(big("one")), .server(big("first", counting: 4)), .client(big("three")), .server(big("now", counting: 3))))
            FindingCase(
                "framing.line-ends-differ",
                [
                    "< @12 framing.line-ends-differ: the client ends its lines with CR LF, and the other side 3 lines with LF alone; a program that "
                        + "waits for CR LF finds none"
                ],
                fires: plain(
                    .client("A 1\r\n"), .server("ok1\n"), .client("A 2\r\n"), .server("ok2\n"), .client("A 3\r\n"), .server("ok3\n"),
                    ending: [.reset(.client)], pace: 60),
                // A side that takes either line end goes on at once, however it ends.
                nearly: plain(
                    .client("A 1\r\n"), .server("ok1\n"), .client("A 2\r\n"), .server("ok2\n"), .client("A 3\r\n"), .server("ok3\n"),
                    ending: [.reset(.client)]))
            // Lines have a framing.
            FindingCase(
                "framing.json-values",
                [
                    "> @16 framing.json-values: 3 JSON values came in 2 segments: 1 held several messages; a read is not a message. "
                        + "--framing PORT=json shows each value"
                ],
                fires: plain(.client(#"{"a":1}{"b":2}"#), .client("[]"), .server([1])),
                nearly: plain(.client("{\"a\":1}\n{\"b\":2}\n"), .client("[]"), .server([1])))
            FindingCase(
                "framing.length-seen",
                [
                    "< @0 framing.length-seen: the client's messages begin with their length as 4 bytes, little-endian, that does not count itself "
                        + "(1 of 1), and the other side sent nothing"
                ],
                fires: plain(.client([3, 0, 0, 0, 7, 8, 9])), nearly: plain(.client([3, 0, 0, 0, 7, 8, 9]), .server([0x10])))
            // Length and content are written one after the other, the content in two.
            FindingCase(
                "framing.length-seen",
                [
                    "< @0 framing.length-seen: the client's messages begin with their length as 8 bytes, little-endian, that does not count itself "
                        + "(1 of 1), in a segment of its own, and the other side sent nothing"
                ],
                fires: plain(.client([5, 0, 0, 0, 0, 0, 0, 0]), .client("he"), .client("llo")),
                nearly: plain(.client([5, 0, 0, 0, 0, 0, 0, 0]), .client("he"), .client("ll")))
            // A message of four bytes with its length in two is no length of four bytes.
            FindingCase(
                "framing.length-seen",
                [
                    "< @0 framing.length-seen: the client's messages begin with their length as 2 bytes, big-endian, that does not count itself "
                        + "(3 of 3), and the other side sent nothing"
                ],
                fires: plain(.client([0, 2, 7, 8]), .client([0, 1, 9]), .client([0, 3, 1, 2, 3])),
                nearly: plain(.client([0, 2, 7, 8]), .client([0, 1, 9]), .client([0, 4, 1, 2, 3])))
            FindingCase(
                "framing.lengths-differ",
                [
                    "< @9 framing.lengths-differ: the messages of each side begin with their length, in different forms: the client 4 bytes, "
                        + "big-endian, that does not count itself (2 of 2), in a segment of its own, the server 4 bytes, little-endian, that does not "
                        + "count itself (1 of 1), in a segment of its own"
                ],
                fires: plain(
                    .client([0, 0, 0, 3]), .client("one"), .server([5, 0, 0, 0]), .server("first"), .client([0, 0, 0, 2]), .client("so")),
                nearly: plain(
                    .client([0, 0, 0, 3]), .client("one"), .server([5, 0, 0, 0]), .server("first"), .client([0, 0, 0, 2]), .client("s"),
                    .client("ome")))
            FindingCase(
                "framing.line-end-missing",
                [
                    "> @0 framing.line-end-missing: the server ends its lines with CR LF, the client's 5 bytes of text have no line end, and no response "
                        + "came; the server may wait for one"
                ],
                fires: plain(.server("ready\r\n"), .client("he"), .client("llo"), until: 6_000),
                // It was taken as it is.
                nearly: plain(.server("ready\r\n"), .client("he"), .client("llo"), .server("hi\r\n"), until: 6_000))
            FindingCase(
                "framing.line-end-missing",
                [
                    "> @0 framing.line-end-missing: the server ends its lines with LF, the client's 1 byte of text has no line end, and no response "
                        + "came; the server may wait for one"
                ],
                fires: plain(.server("ready\n"), .client("a"), until: 6_000),
                nearly: plain(.server("ready\n"), .client("a\n"), until: 6_000))
            // Who ends soon has not waited in vain.
            FindingCase(
                "framing.line-end-missing",
                [
                    "> @0 framing.line-end-missing: the server ends its lines with LF, the client's 3 bytes of text have no line end, and no response "
                        + "came; the server may wait for one"
                ],
                fires: plain(.server("ready\n"), .client("abc"), until: 6_000), nearly: plain(.server("ready\n"), .client("abc")))
            FindingCase(
                "framing.byte-order-mark",
                [
                    "> @0 framing.byte-order-mark: the text of the client begins with a byte order mark (EF BB BF), which the other side may take for a "
                        + "part of the first message"
                ],
                fires: plain(.client([0xEF, 0xBB, 0xBF, 0x48, 0x49, 0x0D, 0x0A]), .server("what?\r\n")),
                nearly: plain(
                    .client([0xEF, 0xBB, 0xBF, 0x48, 0x49, 0x0D, 0x0A]), .server([0xEF, 0xBB, 0xBF, 0x4F, 0x4B, 0x0D, 0x0A])))
            FindingCase(
                "framing.byte-order-mark",
                [
                    "< @0 framing.byte-order-mark: the text of the server begins with a byte order mark (EF BB BF), which the other side may take for a "
                        + "part of the first message"
                ],
                fires: plain(.client("hi\r\n"), .server([0xEF, 0xBB, 0xBF, 0x7B, 0x7D, 0x0A])),
                // No text.
                nearly: plain(.client("hi\r\n"), .server([0xEF, 0xBB, 0xBF, 0x7B, 0x01, 0x0A])))
            // PostgreSQL's CancelRequest: the server ends at once, and has not waited for more.
            FindingCase(
                "framing.length-seen",
                [
                    "< @0 framing.length-seen: the client's messages begin with their length as 4 bytes, big-endian, that counts itself "
                        + "(1 of 1), and the other side sent nothing"
                ],
                fires: plain(.client([0, 0, 0, 16, 4, 210, 22, 46, 0, 0, 0, 1, 0, 0, 0, 2])),
                nearly: Talk([.client([0, 0, 0, 16, 4, 210, 22, 46, 0, 0, 0, 1, 0, 0, 0, 2]), .finish(.server), .finish(.client)]))
        }
    }()
}
