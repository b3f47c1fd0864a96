import Dissection
import Support
import Testing

/// Frames that are found in the middle of a stream with no handshake in sight, and what the other side says to that.
@Suite struct GuessedFramesTests {
    /// A message of MQTT: its type, a length of one byte, and what follows.
    private static func mqtt(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] { [type, UInt8(bytes.count)] + bytes }

    private static let subscriptions = ["home/lamp", "home/door", "home/heat"].enumerated().flatMap { index, topic -> [Talk.Step] in
        let number = [0, UInt8(index + 1)]
        return [.client(mqtt(0x82, number + [0, UInt8(topic.utf8.count)] + topic.utf8 + [0])), .server(mqtt(0x90, number + [0]))]
    }
    private static let lamps = (0..<6).map { Talk.Step.server(mqtt(0x30, [0, 9] + Array("home/lamp{\"on\":\($0 % 2)}".utf8))) }

    private func expectData(_ talk: Talk, _ location: SourceLocation = #_sourceLocation) {
        let lines = talk.transcript()
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.contains(" data ") }, "\(lines)", sourceLocation: location)
        let difference = talk.difference(from: lines)
        #expect(difference == nil, "\(difference ?? "")", sourceLocation: location)
    }

    @Test("SUBSCRIBE of MQTT reads as frames of a server, and what the broker sends refutes it")
    func subscriptionsAreNotFrames() {
        expectData(Talk(Self.subscriptions + Self.lamps, knowsRoles: false, start: .midstream))
    }

    @Test("a tag and a length in both directions are not frames: one side would have to mask", arguments: [0x81, 0x82, 0x89, 0x8A, 0xC1])
    func tagsOfBothSidesAreNotFrames(tag: UInt8) {
        let steps = (0..<8).flatMap { index -> [Talk.Step] in
            [.client([tag, 8] + "temp=10\(index)".utf8), .server([tag, 8] + "temp=20\(index)".utf8)]
        }
        expectData(Talk(steps, knowsRoles: false, start: .midstream))
    }

    @Test("frames of a server are frames beside a client that says too little to be one by itself")
    func serverAlone() {
        let prices = (0..<6).map { Talk.Step.serverText("{\"price\":\($0)}") }
        let pings: [Talk.Step] = [.clientFrame(9, []), .serverFrame(10, [])]
        let lines = Talk(prices + pings + prices + pings, knowsRoles: false, start: .midstream).transcript()
        #expect(lines.filter { $0.contains("message text") }.count == 12 && lines.filter { $0.contains(" pong") }.count == 2, "\(lines)")
    }

    @Test("where frames were guessed of one side, what of the other side is not a frame is data")
    func otherSideIsShown() {
        let texts = ["{\"type\":\"join\",\"room\":7}", "{\"type\":\"leave\"}"].map { Talk.Step.clientText($0) }
        let talk = Talk(
            texts + [.server("+OK no frames at all in here"), .server(", only text"), .finish(.server)], knowsRoles: false,
            start: .midstream)
        let lines = talk.transcript()
        #expect(lines.contains("< @0 data \"+OK no frames at all in here, only text\""), "\(lines)")
        #expect(!lines.contains { $0.contains(" gap ") || $0.contains(" ! ") }, "\(lines)")
        #expect(talk.difference(from: lines) == nil)
    }

    @Test("guessed frames of a server alone are never called a violation by their content")
    func guessedContent() {
        // Five texts that are some, and one that is none; compressed messages that do not end with a flush.
        let texts = (0..<5).map { Talk.Step.serverText("temperature=10\($0)") }
        for odd in [[0x81, 3, 0x74, 0xFF, 0x31], [0xC1, 2, 0x03, 0x00], [0xC2, 3, 0x4B, 0x04, 0x00]] as [[UInt8]] {
            let lines = Talk(texts + [.server(odd)] + texts, knowsRoles: false, start: .midstream).transcript()
            #expect(lines.filter { $0.contains("message text") }.count >= 10, "\(lines)")
            #expect(!lines.contains { $0.contains("utf8") || $0.contains("unterminated") }, "\(lines)")
        }
    }

    @Test("what is searched for frames and has none is shown before it is too much to keep")
    func longNoise() {
        let texts = ["{\"type\":\"join\",\"room\":7}", "{\"type\":\"leave\"}"].map { Talk.Step.clientText($0) }
        let noise = [UInt8](repeating: 0xF7, count: 150_000)
        for cutting in [Talk.Cutting.whole, .random(seed: 5)] {
            let lines = Talk(texts + [.server(noise), .finish(.server)], knowsRoles: false, start: .midstream).transcript(cutting)
            #expect(lines.contains { $0.hasPrefix("< @0 data f7") && $0.contains("…150000 ") }, "\(lines)")
            #expect(!lines.contains { $0.contains(" gap ") }, "\(lines)")
        }
    }
}
