import Dissection
import Support
import Testing

/// Talk put together at random out of messages, halves of them, protocols and losses: told alike however it is cut, with every byte in one
/// place, whatever it is taken for.
@Suite struct FramingNoiseTests {
    private static let words: [[UInt8]] = [
        FramedMessages.length("hello"), FramedMessages.length("ok"), FramedMessages.length("", .u32be), FramedMessages.length("a", .u32le),
        FramedMessages.length("bb", .u16be), FramedMessages.length("\u{8}c", .varint), Array("line\r\n".utf8), Array("line\n".utf8),
        Array("text\0".utf8), Array("+OK\r\n".utf8), Array("*1\r\n$4\r\nPING\r\n".utf8), Array("<presence/> ".utf8), Array("\n".utf8),
        Array("<stream:stream>".utf8), Array("NICK a\r\n".utf8), Array(":b 001 a\r\n".utf8), Array("INFO {\"server_id\"}\r\n".utf8),
        Array("PUB a 2\r\nhi\r\n".utf8), FramedProtocolTests.connect, [0xC0, 0], [0x20, 2, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0], [7],
        Array("CONNECT\nhost:a\n\n\0".utf8), Array("CONNECTED\n\n\0".utf8), Hello.bytes(name: "a.example"),
    ]

    @Test(arguments: [1, 2, 3, 100, 159]) func noiseIsToldAlikeHoweverItIsCut(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        for round in 0..<16 {
            // A few words, so that what fits is said again.
            let known = (0..<1 + below(4)).map { _ in Self.words[below(Self.words.count)] }
            var steps: [Talk.Step] = []
            for turn in 0..<4 + below(14) {
                let side: Side = below(8) == 0 ? .client : turn % 2 == 0 ? .client : .server
                switch below(24) {
                case 0: steps.append(.gap(side, 1 + below(12), .missing))
                case 1: steps.append(.bytes(side, Array(known[0].dropLast())))
                case _: steps.append(.bytes(side, (0..<1 + below(3)).flatMap { _ in known[below(known.count)] }))
                }
            }
            var talk = Talk(steps)
            if below(3) == 0 {
                talk.framing =
                    [
                        StreamFraming.length(LengthPrefix(.u32be)), .length(LengthPrefix(.u16be)), .lines, .length(LengthPrefix(.varint)),
                        .fixed(5),
                    ][below(5)].both
            }
            _ = FramedMessages.told(talk, "seed \(seed), talk \(round)")
        }
    }
}
