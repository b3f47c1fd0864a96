import Dissection

@testable import Reports

/// What is left of talk when its secrets are hidden, with `◆` for each mark.
enum Redacted {
    static let plan = RedactionPlan(salt: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))

    /// A plan with paths and expressions of its own.
    static func plan(headers: [String] = [], paths: [String] = [], patterns: [@Sendable () -> (any TextSearch)?] = []) throws
        -> RedactionPlan
    {
        var plan = Redacted.plan
        plan.headers = headers
        for path in paths { try plan.paths.add(path) }
        plan.patterns = patterns
        return plan
    }

    /// A text that comes in pieces, and how many bytes were looked at for it.
    static func told(_ pieces: [[UInt8]], as setting: SecretScan.Setting = .text, _ plan: RedactionPlan = plan) -> (
        bytes: [UInt8], steps: Int
    ) {
        let rules = RedactionRules(plan)
        var run = RedactionRun()
        var (told, steps): ([UInt8], Int) = ([], 0)
        for piece in pieces {
            let piece = run.take(piece, as: setting, rules, isLast: false)
            told += piece.bytes
            steps += piece.steps
        }
        let last = run.take([], as: setting, rules, isLast: true)
        return (told + last.bytes, steps + last.steps)
    }

    static func text(_ pieces: [[UInt8]], as setting: SecretScan.Setting = .text, _ plan: RedactionPlan = plan) -> [UInt8] {
        told(pieces, as: setting, plan).bytes
    }

    static func text(_ text: String, as setting: SecretScan.Setting = .text, _ plan: RedactionPlan = plan) -> String {
        var run = RedactionRun()
        return plain(run.take(text.bytes, as: setting, RedactionRules(plan), isLast: true).bytes)
    }

    /// The records of what two peers send, through the dissector.
    static func records(
        _ talk: [(Side, [UInt8])], _ plan: RedactionPlan = plan, settings: RecordSettings = RecordSettings(),
        opening: Opening = RecordScript.opening,
        content: [UInt8] = [], decodeAs rules: [DecodeRule] = []
    ) -> String {
        var dissector = LiveDissector(decodeAs: rules)
        var sink = RedactingSink(RecordReport(Output(), settings: settings), hiding: plan)
        let time = RecordScript.time
        let place = dissector.begin(opening, content: content.rawBytes, number: 1, at: time, sink: &sink)
        for (side, bytes) in talk { _ = dissector.receive(.bytes(bytes.rawBytes), from: side, at: place, time, sink: &sink) }
        dissector.finish(sink: &sink)
        return plain(sink.sink.takeBytes())
    }

    /// With `◆` for each mark; what is not UTF-8 as `\u{FFFD}`.
    static func plain(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).replacing(/⟨redacted:[0-9a-f]{6}⟩/, with: "◆")
    }
}
