import ArgumentParser
import Decryption
import Dissection
import Libc
import Query
import Reports
import Runs

/// What goes into a report that is made of whole inputs, and what of it is hidden: shared by `stats`, `check`, `diff` and `extract`. The options are
/// those of the commands that print conversations.
struct ReportOptions: ParsableArguments {
    @OptionGroup
    var reading: ConversationOptions

    @OptionGroup(title: "Finding")
    var selection: SelectionOptions

    @Flag(help: "Times of --since and --until without a zone are UTC instead of local time.")
    var utc = false

    @OptionGroup(title: "Payloads")
    var payloads: PayloadOptions

    @OptionGroup(title: "Redaction")
    var redaction: RedactionOptions

    /// What is hidden; nil where nothing is.
    var hidden: RedactionPlan? { redaction.plan(payloads) }

    private var picked: Selection { selection.selection(utc: utc) }

    /// Bytes of a payload that have to be kept: as many as a report wants, or filters look at.
    func payloadDemand(atLeast bytes: Int = 0) -> Int {
        picked.isEmpty ? bytes : max(bytes, MemoryShares.longestPayload(in: reading.memory))
    }

    /// What the filters pick of these inputs. Where the end of a conversation has to be known before its beginning is picked, regular files are read
    /// twice; of a pipe, what came is kept until it is known.
    ///
    /// - Parameter plan: What is hidden is not found either.
    func stage(over paths: [String], _ keys: CaptureKeys, hiding plan: RedactionPlan?) -> StageSettings {
        let picked = picked
        guard !picked.isEmpty else { return StageSettings() }
        let shares = reading.shares()
        let readsTwice = picked.wantsTwoReadings && paths.allSatisfy { $0 != "-" && FileIdentity(path: $0) != nil }
        let found = readsTwice ? survey(paths, picked, keys, hiding: plan, mostBytes: shares.waitingLines) : nil
        return StageSettings(makeFilter: { picked.makeFilter(knowing: found) }, payloads: payloads.formats, mostBytes: shares.waitingLines)
    }

    private func survey(
        _ paths: [String], _ picked: Selection, _ keys: CaptureKeys, hiding plan: RedactionPlan?, mostBytes: Int
    ) -> ConversationSet {
        let found = FoundConversations(mostBytes: mostBytes)
        let demand = payloadDemand()
        let settings = SurveySettings(
            payloads: payloads.formats, conversations: reading.selection, showsFrames: false, payloadDemand: demand
        ) { picked.makeSurvey(into: found) }
        var outputs = OutputPlan([.init(settings, as: .log, to: Outlet(descriptor: -1, name: "nowhere"))])
        outputs.redaction = plan
        var line = outputs.makeLine()
        var loop = InputLoop(paths, reading.settings(payloadDemand: demand, tells: false), keys: keys)
        loop.read(into: &line) { _ in true }
        if found.set.isCut { writeLine("unmask: more conversations match than --memory has room for; some are left out") }
        return found.set
    }
}
