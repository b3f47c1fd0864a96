import Dissection
import Support
import Testing

/// Pieces of messages in any order: told the same however they are cut, with each byte in one place.
@Suite("mixtures of pieces of messages") struct FramingMixtureTests {
    private static let json = [
        "{", "}", "[", "]", "\"", "\\", ",", ":", "1", "true", " ", "\n", "\u{1E}", "{\"a\":1}", "{\"b\":[2]}", "[\"x\"]", "x", "\0", "{\"",
    ]
    private static let headers = [
        "Content-Length: 2", "Content-Length: 70000000", "content-length:3", "Content-Type: a", "\r\n", "\r\n\r\n", "\n", "{}", "[1]", "C",
        ":",
        "Content-Length: 2\r\n\r\n{}", "Content-Length: 7\r\n\r\n{\"a\":1}", " ", "\0",
    ]

    @Test(arguments: [(StreamFraming.json, json), (.contentLength, headers)] as [(StreamFraming, [String])])
    func mixtures(_ framing: StreamFraming, _ pieces: [String]) {
        var random = SplitMix(seed: 7)
        func number(_ most: Int) -> Int { Int(random.next() % UInt64(most)) }
        for _ in 0..<25 {
            var steps: [Talk.Step] = []
            for _ in 0...number(5) {
                let side: Side = number(3) == 0 ? .server : .client
                if number(6) == 0 {
                    steps.append(.gap(side, 1 + number(9), .missing))
                } else {
                    let text = (0...number(9)).map { _ in pieces[number(pieces.count)] }.joined()
                    steps.append(.bytes(side, Array(text.utf8)))
                }
            }
            _ = FramedMessages.told(Talk(framing, steps), "\(steps)")
            _ = FramedMessages.told(Talk(steps), "\(steps)")
        }
    }
}
