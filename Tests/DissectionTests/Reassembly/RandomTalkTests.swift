import Dissection
import Support
import Testing

/// Legal conversations that seeds make, captured with packets in another order, twice, or not at all: nobody is accused, and but for losses
/// what is told is what the clean capture tells.
@Suite struct RandomTalkTests {
    /// What is told of the content, without the order across the two sides, and the end without who came first.
    private static func contents(_ lines: [String]) -> [String] {
        lines.filter { !$0.hasPrefix("opened") }.map { line in
            line.hasPrefix("closed") ? line.split(separator: " ").dropFirst(2).joined(separator: " ") : line
        }.sorted()
    }

    @Test(arguments: 1...12) func otherOrdersAndCopiesChangeNothing(part: UInt64) {
        for seed in part * 100..<part * 100 + 50 {
            var random = RandomTalk(seed: seed)
            let truth = Self.contents(random.talk.segments.transcript())
            for changed in [random.jittered(), random.jittered(), random.withCopies()] {
                let told = changed.transcript()
                #expect(Self.contents(told) == truth, "seed \(seed):\n\(told.joined(separator: "\n"))")
            }
        }
    }

    /// Findings that are a violation of somebody, and how many conversations there are.
    private struct Accusations: ConversationSink {
        var found: [String] = []
        var conversations = 0

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .finding(let finding): if finding.row.severity == .violation { found.append(finding.row.id) }
            case .opened: conversations += 1
            case _: return
            }
        }
    }

    /// From the first packet on, so that the handshakes may be missing as well, and behind the first response.
    @Test(arguments: 1...12, [0, 7]) func aLossAccusesNobody(part: UInt64, first: Int) {
        for seed in part * 1_000..<part * 1_000 + 60 {
            var random = RandomTalk(seed: seed)
            for changed in [random.withLosses(from: first), random.withLosses(from: first)] {
                var sink = Accusations()
                _ = changed.dissect(into: &sink)
                #expect(sink.found == [], "seed \(seed)")
                #expect(sink.conversations <= 1, "seed \(seed)")
            }
        }
    }
}
