import Dissection
import Support
import Testing

/// Legal conversations whose contents are recordings of others, as a capture may have them: from the middle, with losses, from one side,
/// in another order. Nobody is accused, and every byte that was captured stands in a record or a gap.
@Suite struct DamagedTalkTests {
    /// Who is accused of what, and how many bytes of each side were read.
    private struct Judgement: ConversationSink {
        var accusations: [String] = []
        /// In records and gaps.
        var bytes = (client: 0, server: 0)
        /// Of both sides: left out, as a finding says.
        var leftOut = 0
        var conversations = 0

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .finding(let finding):
                if finding.row.severity == .violation { accusations.append(finding.row.id) }
                if ["tcp.before-beginning", "tcp.data-after-close", "tcp.segment-ignored", "tcp.data-after-gap", "tcp.data-after-fin"]
                    .contains(finding.row.id)
                {
                    leftOut += Int(finding.a)
                }
            case .opened: conversations += 1
            case .closed(let closing):
                bytes.client += Int(closing.client.bytes)
                bytes.server += Int(closing.server.bytes)
            case _: return
            }
        }
    }

    private static func judge(_ segments: Segments) -> (faults: [String], judgement: Judgement) {
        var sink = CheckingSink(limits: segments.limits)
        var judgement = Judgement()
        let totals = segments.dissect(into: &sink)
        sink.finish(totals)
        _ = segments.dissect(into: &judgement)
        let complaints = sink.complaints
        return (complaints + judgement.accusations, judgement)
    }

    @Test(arguments: ["", "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"])
    func aResetBehindAFinThatTheCaptureLacksLeavesOpenWhoClosed(connect: String) {
        let answer = connect.isEmpty ? "" : "HTTP/1.1 200 OK\r\n\r\n"
        let (asked, answered) = (connect.utf8.count, answer.utf8.count)
        var open = Segments().handshake()
        if !connect.isEmpty { open = open.client(connect, at: 0, ack: 0).server(answer, at: 0, ack: asked) }
        open = open.packet(.client, [1, 2, 0, 0xFF], at: asked, flags: [.psh, .ack], ack: answered)
            .packet(.server, [3, 4, 0xFE], at: answered, flags: [.psh, .ack], ack: asked + 4).packet(
                .client, at: asked + 4, ack: answered + 3)
        func end(hasFin: Bool) -> String {
            var talk = open
            if hasFin { talk = talk.fin(.client, at: asked + 4, ack: answered + 3) }
            talk = talk.fin(.server, at: answered + 3, ack: asked + 5).packet(.client, at: asked + 5, flags: .rst)
            return talk.transcript().last ?? ""
        }
        #expect(end(hasFin: true).hasPrefix("closed client fin"), "\(end(hasFin: true))")
        #expect(end(hasFin: false).hasPrefix("closed unknown fin"), "\(end(hasFin: false))")
    }

    private static let rounds: UInt64 = 16

    @Test(arguments: 1...12) func theWholeTalkIsLegal(part: UInt64) {
        for seed in part * 10_000..<part * 10_000 + Self.rounds {
            let talk = DamagedTalk(seed: seed)
            let (faults, _) = Self.judge(talk.whole)
            #expect(faults.isEmpty, "seed \(seed): \(faults)\n\(talk.whole.transcript().joined(separator: "\n"))")
        }
    }

    @Test(arguments: 1...12) func whatACaptureLacksAccusesNobody(part: UInt64) {
        for seed in part * 10_000..<part * 10_000 + Self.rounds {
            var talk = DamagedTalk(seed: seed)
            for _ in 0..<6 {
                let damage = talk.damage()
                let (segments, captured) = talk.damaged(damage)
                let (faults, told) = Self.judge(segments)
                // A probe that comes first of a side is shown, and some bytes of one that comes into sight are only counted.
                let extra = told.bytes.client + told.bytes.server - captured.client - captured.server
                let isAccounted = (told.leftOut > 0 || extra >= 0) && extra <= 2
                #expect(
                    faults.isEmpty && isAccounted,
                    "seed \(seed), \(damage): \(faults), \(told.bytes) and \(told.leftOut) of \(captured)\n\(segments.transcript().joined(separator: "\n"))"
                )
            }
        }
    }
}
