import Dissection
import Reports
import Testing

/// What a filter picks before a report sees it: events that wait for a hit come in order, and are picked with it.
@Suite struct SelectionStageTests {
    /// Notes what it is handed: `+` for what is picked, and the kind.
    private struct Notes: PickingSink, ~Copyable {
        var lines: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent, isPicked: Bool) {
            lines.append("\(event.conversation)\(isPicked ? "+" : "-")\(String(decoding: event.content.copy, as: UTF8.self))")
        }
    }

    /// Picks by the first letter of the content: `h` is a hit, `k` may be picked later, `m` too and is a message; the rest is left out.
    private final class Letters: EventFilter {
        let keptMessages: Int

        init(keptMessages: Int = .max) { self.keptMessages = keptMessages }

        func accepts(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool { verdict(event, decoded) == .show }

        func verdict(_ event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> EventVerdict {
            guard event.content.byteCount > 0 else { return .leaveOut }
            return switch event.content[0] {
            case UInt8(ascii: "h"): .show
            case UInt8(ascii: "k"): .keep
            case UInt8(ascii: "m"): .keepAsMessage
            case _: .leaveOut
            }
        }
    }

    /// Tells events, each `conversation:content`; a content of `.` closes the conversation.
    private static func lines(_ events: [String], keptMessages: Int = .max, mostBytes: Int = 1 << 20) -> (lines: [String], lost: UInt64) {
        let settings = StageSettings(makeFilter: { Letters(keptMessages: keptMessages) }, mostBytes: mostBytes)
        var stage = SelectionStage(Notes(), settings)
        for event in events {
            let parts = event.split(separator: ":").map(String.init)
            let fact = parts[1] == "." ? Fact.closed(Closing(by: .client, how: .fin)) : .data(DataRun(length: 1))
            RecordScript.send(
                fact, parts[1] == "." ? [] : Array(parts[1].utf8), conversation: UInt64(parts[0]) ?? 0, from: .client,
                at: RecordScript.time,
                packets: PacketRange(1), to: &stage)
        }
        let lost = stage.lost
        return (stage.taken().lines, lost)
    }

    @Test("what waits is picked with the hit after it, in order")
    func hit() {
        #expect(Self.lines(["1:k1", "1:x", "1:m2", "1:h", "1:y"]).lines == ["1+k1", "1-x", "1+m2", "1+h", "1-y"])
    }

    @Test("without a hit everything goes on as not picked when the conversation closes, or the run ends")
    func noHit() {
        #expect(Self.lines(["1:k1", "1:x", "1:."]).lines == ["1-k1", "1-x", "1-"])
        #expect(Self.lines(["2:k2", "1:k1"]).lines == ["1-k1", "2-k2"])
    }

    @Test("conversations wait each for itself, and a hit in one picks nothing of another")
    func others() {
        #expect(Self.lines(["1:k1", "2:k2", "2:h", "1:."]).lines == ["2+k2", "2+h", "1-k1", "1-"])
        // What concerns the input itself is always picked.
        #expect(Self.lines(["0:x", "1:x"]).lines == ["0+x", "1-x"])
    }

    @Test("no more messages wait than the filter wants before a hit")
    func messages() {
        #expect(Self.lines(["1:m1", "1:m2", "1:m3", "1:h"], keptMessages: 2).lines == ["1-m1", "1+m2", "1+m3", "1+h"])
        let many = (1...500).map { "1:m\($0)" }
        let lines = Self.lines(many + ["1:h"], keptMessages: 3).lines
        #expect(lines.count == 501 && lines.suffix(4) == ["1+m498", "1+m499", "1+m500", "1+h"])
        #expect(lines.prefix(497).elementsEqual((1...497).map { "1-m\($0)" }))
    }

    @Test("beyond the memory the oldest go on as not picked, and are counted as lost")
    func bound() {
        let (lines, lost) = Self.lines((1...100).map { "1:k\($0)" } + ["1:h"], mostBytes: 4_096)
        #expect(lost > 0 && lost < 100)
        #expect(lines == (1...100).map { "1\($0 <= lost ? "-" : "+")k\($0)" } + ["1+h"])
    }

    @Test("without a filter everything is picked")
    func none() {
        var stage = SelectionStage(Notes(), StageSettings())
        RecordScript.send(
            .data(DataRun(length: 1)), [0x61], conversation: 1, from: .client, at: RecordScript.time, packets: PacketRange(1), to: &stage)
        #expect(stage.taken().lines == ["1+a"])
    }
}
