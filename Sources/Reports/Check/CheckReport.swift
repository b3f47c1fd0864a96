import Dissection

/// What a check looks for, and within which memory.
package struct CheckSettings: Sendable {
    /// Findings below it are counted and not shown.
    package var severity: Severity
    /// Ids that are allowed.
    package var allowed: [WildcardPattern]
    package var baseline: FindingBaseline?
    /// Whether each conversation is kept, also one without a finding.
    package var keepsConversations: Bool
    /// Bytes of memory for findings and conversations.
    package var mostBytes: Int

    package init(
        severity: Severity = .warning, allowed: [WildcardPattern] = [], baseline: FindingBaseline? = nil, keepsConversations: Bool = false,
        mostBytes: Int = 64 << 20
    ) {
        self.severity = severity
        self.allowed = allowed
        self.baseline = baseline
        self.keepsConversations = keepsConversations
        self.mostBytes = mostBytes
    }
}

/// Collects the findings of a run, each with the conversation that it is about.
///
/// What does not fit into the memory is counted and not kept: a check fails for it all the same.
package struct CheckReport: PickingSink, ~Copyable {
    private struct OpenConversation {
        var label = ConversationLabel()
        /// What the streams of HTTP/2 are called.
        var streams = ByStream(vacant: ConversationLabel())
        let input: Int
        /// Findings that came before there was a request: they get their names when the conversation has them.
        var unnamed: [Int] = []
        var row: Int?
        /// Something of it was picked.
        var isPicked = false

        var heldBytes: Int { 64 + label.heldBytes + streams.heldBytes }

        /// What an event is about: a request of its stream, or the last one.
        func label(of channel: ByteChannel) -> ConversationLabel {
            let ofStream = streams[channel.stream]
            return channel.stream == 0 || ofStream.path.isEmpty ? label : ofStream
        }
    }

    private let settings: CheckSettings
    private var result = CheckResult()
    private var open: [UInt64: OpenConversation] = [:]
    private var bytesOfOpen = 0
    private var bytesOfResult = 0
    private var seen: Set<FindingKey> = []

    package init(_ settings: CheckSettings) { self.settings = settings }

    package var takesFrames: Bool { false }

    package var heldBytes: Int { bytesOfOpen + bytesOfResult }

    /// An input begins.
    package mutating func begin(_ source: CaptureSource) {
        result.inputs.append(CheckResult.Input(name: source.name, firstPacket: source.firstPacket ?? .max))
    }

    /// An input is damaged, or cannot be read.
    ///
    /// - Parameter name: what the input is called where it has not begun.
    package mutating func note(problem: String, ofInput name: String) {
        if result.inputs.last?.name != name, !result.inputs.contains(where: { $0.name == name }) {
            result.inputs.append(CheckResult.Input(name: name, firstPacket: .max))
        }
        guard let index = result.inputs.lastIndex(where: { $0.name == name }) else { return }
        result.inputs[index].problemCount += 1
        if result.inputs[index].problems.count < 10 { result.inputs[index].problems.append(problem.visible) }
    }

    package mutating func receive(_ event: borrowing ConversationEvent, isPicked: Bool) {
        let number = event.conversation
        if event.channel.stream != 0 { open[number]?.streams.touch(by: event) }
        switch event.fact {
        case .opened, .tls, .request, .upgrade: name(event)
        case .finding(let finding): if isPicked { take(finding, event) }
        case .closed:
            if isPicked { pick(number) }
            return close(number)
        default: break
        }
        if isPicked { pick(number) }
    }

    /// Something of a conversation was picked, so that it is one of those that were checked.
    private mutating func pick(_ number: UInt64) {
        guard var conversation = open[number], !conversation.isPicked else { return }
        conversation.isPicked = true
        result.conversationCount += 1
        if settings.keepsConversations {
            if bytesOfResult < settings.mostBytes {
                conversation.row = result.conversations.count
                result.conversations.append(.init(number: number, input: conversation.input))
                bytesOfResult += 96
            } else {
                result.unkeptConversations += 1
            }
        }
        open[number] = conversation
    }

    private mutating func name(_ event: borrowing ConversationEvent) {
        guard event.conversation > 0 else { return }
        var conversation = open.removeValue(forKey: event.conversation) ?? begin(event)
        bytesOfOpen -= conversation.heldBytes
        conversation.label.note(event)
        let stream = event.channel.stream
        if stream != 0 {
            conversation.streams[stream].note(event)
            conversation.streams.note(heldBytes: conversation.streams[stream].heldBytes, of: stream)
        }
        bytesOfOpen += conversation.heldBytes
        open[event.conversation] = conversation
    }

    private mutating func begin(_ event: borrowing ConversationEvent) -> OpenConversation {
        let conversation = OpenConversation(input: input(of: event.place.packets?.lowest))
        bytesOfOpen += conversation.heldBytes
        return conversation
    }

    /// The input that a packet is of; the last one for what has none.
    private func input(of packet: UInt64?) -> Int {
        guard let packet else { return max(0, result.inputs.count - 1) }
        return result.inputs.lastIndex { $0.firstPacket <= packet } ?? 0
    }

    private mutating func take(_ finding: Finding, _ event: borrowing ConversationEvent) {
        let row = finding.row
        let number = event.conversation
        if number > 0, event.lateFinding == nil, open[number] == nil { open[number] = begin(event) }
        result.bySeverity[Int(row.severity.rawValue)] += 1
        guard row.severity.rawValue >= settings.severity.rawValue else { return }
        let packet = event.place.packets?.lowest
        let input = packet == nil ? (open[number]?.input ?? self.input(of: nil)) : input(of: packet)
        let sentence = finding.words(event.content)
        var found = CheckedFinding(
            id: row.id, severity: row.severity, sentence: sentence, input: input,
            packet: packet.map { input < result.inputs.count ? $0 - min($0, result.inputs[input].firstPacket) + 1 : $0 },
            offset: event.offset,
            from: event.from,
            time: event.place.time, conversation: number,
            key: FindingKey(id: row.id, host: "", path: "", about: FindingKey.about(sentence)),
            state: .new)
        let isNamed = open[number].map { !$0.label.path.isEmpty } ?? true
        if let label = open[number]?.label(of: event.channel) { found.take(label, path: label.path) }
        guard bytesOfResult < settings.mostBytes else {
            // Its names may still be missing, so that it may count as new though it is known: never the other way round.
            judge(&found)
            if found.state == .new { result.unlisted += 1 }
            return
        }
        if isNamed { judge(&found) } else { open[number]?.unnamed.append(result.findings.count) }
        bytesOfResult += found.heldBytes
        result.findings.append(found)
    }

    /// Decides whether a finding counts.
    private mutating func judge(_ found: inout CheckedFinding) {
        if found.id.withBytes({ id in settings.allowed.contains { $0.matches(id) } }) {
            found.state = .allowed
        } else if let baseline = settings.baseline {
            found.state = baseline.keys.contains(found.key) ? .known : .new
        }
        if found.state == .known, seen.insert(found.key).inserted { bytesOfResult += 128 }
    }

    private mutating func close(_ number: UInt64) {
        guard let conversation = open.removeValue(forKey: number) else { return }
        bytesOfOpen -= conversation.heldBytes
        let label = conversation.label
        for index in conversation.unnamed {
            var found = result.findings[index]
            found.take(label, path: label.firstPath)
            judge(&found)
            result.findings[index] = found
        }
        guard let row = conversation.row else { return }
        result.conversations[row].host = String(decoding: label.firstHost, as: UTF8.self).visible
        result.conversations[row].path = String(decoding: label.firstPath, as: UTF8.self).visible
        bytesOfResult += label.firstHost.count + label.firstPath.count
    }

    /// What the run came to. Nothing may be told afterwards.
    package consuming func finish() -> CheckResult {
        for number in open.keys.sorted() { close(number) }
        result.absent = (settings.baseline?.keys.subtracting(seen) ?? []).sorted()
        result.severity = settings.severity
        result.hasBaseline = settings.baseline != nil
        return result
    }
}

extension CheckedFinding {
    fileprivate mutating func take(_ label: ConversationLabel, path: [UInt8]) {
        host = String(decoding: label.host, as: UTF8.self).visible
        self.path = String(decoding: path, as: UTF8.self).visible
        key.host = String(decoding: label.bareHost, as: UTF8.self).visible
        key.path = self.path
    }
}
