import CaptureFiles
import Dissection

/// The outputs of a run, side by side: each event goes to all of them. Each has its own outlet and its own trouble.
package struct OutputLine: ConversationSink, ~Copyable {
    private let outputs: [LineOutput]
    /// Those of them that see packets, or what is relayed.
    private let witnesses: [LineOutput]
    /// Those that see what the directions of a conversation bring.
    private let streamTakers: [LineOutput]
    package let takesStreams: Bool
    private var targets: [OutputPlan.Target]
    /// Findings that one output alone was told of: what is missing there. The totals of a run do not have them.
    private var ownFindings: [UInt64]
    package let takesFrames: Bool
    /// Bytes of one payload that the outputs together show at most, for the source: what nobody shows need not be kept.
    package let payloadDemand: Int
    private var names = AddressNames()
    /// Conversations that the user does not want to see.
    private var ignored: IgnoredConversations?
    /// Hides secrets.
    private let redactor: Redactor?
    /// What payloads say, for all outputs.
    private let decoding: DecodingStage
    /// Those that have come since the beginning; nil where none can.
    private var guests: Guests?
    /// What is read, for those that come later.
    private var source: CaptureSource?

    init(_ plan: OutputPlan) {
        targets = plan.targets
        payloadDemand = plan.payloadDemand
        let decoding = DecodingStage(plan.payloadTable, isShared: true)
        self.decoding = decoding
        outputs = plan.targets.map { $0.makeOutput(keepsTrying: plan.keepsTrying, decoding: decoding) }
        witnesses = outputs.filter(\.takesWire)
        streamTakers = outputs.filter(\.takesStreams)
        takesStreams = !streamTakers.isEmpty
        ownFindings = [UInt64](repeating: 0, count: plan.targets.count)
        takesFrames = outputs.contains(where: \.takesFrames)
        ignored = plan.isIgnored.map { IgnoredConversations($0) }
        redactor = plan.redaction.map { Redactor($0) }
        guests = plan.subscribers.map { Guests($0) }
    }

    /// How many outputs there are.
    package var count: Int { outputs.count }

    package func target(_ index: Int) -> OutputPlan.Target { targets[index] }

    package var heldBytes: Int {
        var held = names.heldBytes + (ignored?.heldBytes ?? 0) + (redactor?.heldBytes ?? 0) + decoding.sharedBytes
        for output in outputs { held += output.heldBytes }
        held += guests?.heldBytes ?? 0
        return held
    }

    // MARK: - What is told

    /// Whom the beginning and the end of a run are told.
    package enum Readers: Sendable {
        case all
        /// Records alone: what people have to know of an input that could not be read stands on standard error.
        case programs
    }

    package mutating func begin(_ source: CaptureSource) { begin(source, for: .all) }

    package mutating func begin(_ source: CaptureSource, for readers: Readers) {
        self.source = source
        guests?.forEach { $0.begin(source) }
        for (output, target) in zip(outputs, targets).reversed() where readers == .all || target.form.isForPrograms {
            output.begin(source)
        }
    }

    @inline(__always)
    package mutating func receive(_ event: borrowing ConversationEvent) {
        if !names.isEmpty, case .opened(let opening) = event.fact { return receive(event, opening) }
        pass(event)
    }

    @inline(__always)
    private mutating func pass(_ event: borrowing ConversationEvent) {
        if ignored != nil { return sift(event) }
        hand(event)
    }

    @inline(__always)
    private func hand(_ event: borrowing ConversationEvent) {
        if let redactor { return hide(event, redactor) }
        tell(event)
    }

    @inline(__always)
    private func tell(_ event: borrowing ConversationEvent) {
        decoding.next()
        for output in outputs { output.receive(event) }
        guard guests != nil else { return }
        guests?.forEach { $0.receive(event) }
    }

    /// Hands on what is left of an event when its secrets are hidden.
    private func hide(_ event: borrowing ConversationEvent, _ redactor: Redactor) {
        redactor.take(event) { tell($0) }
    }

    /// Hands on what the user wants to see.
    private mutating func sift(_ event: borrowing ConversationEvent) {
        switch ignored?.judge(event) ?? .pass {
        case .pass: hand(event)
        case .hold, .leaveOut: return
        case .release:
            for one in ignored?.take(event.conversation) ?? [] { one.lend { hand($0) } }
            hand(event)
        }
    }

    /// Gives the ends of a conversation the names that the capture has for them.
    private mutating func receive(_ event: borrowing ConversationEvent, _ opening: Opening) {
        let names = names
        names.name(event, opening) { pass($0) }
    }

    /// Takes a name of an address, for the conversations that begin from now on.
    package mutating func name(_ name: RawSpan, of address: RawSpan) { names.add(name, of: address) }

    /// Whether an output takes packets themselves, or what is relayed.
    package var takesWire: Bool { !witnesses.isEmpty }

    package mutating func receive(stream: borrowing StreamRun) {
        for output in streamTakers { output.receive(stream: stream) }
    }

    package mutating func witness(_ packet: borrowing CapturedPacket, of owner: PacketOwner) {
        for output in witnesses { output.witness(packet, of: owner) }
    }

    package mutating func witness(_ block: borrowing CaptureBlock, of owner: PacketOwner) {
        for output in witnesses { output.witness(block, of: owner) }
    }

    package mutating func witness(_ block: borrowing CaptureBlock) {
        for output in witnesses { output.witness(block) }
    }

    package mutating func witness(_ interface: CaptureInterface) {
        for output in witnesses { output.witness(interface) }
    }

    @inline(__always)
    package mutating func witness(_ relayed: borrowing RelayedEvent) {
        if let redactor, relayed.hasWords { return witness(relayed, hiding: redactor.rules) }
        for output in witnesses { output.witness(relayed) }
    }

    /// Packets stay as they are; what is said of them does not.
    private func witness(_ relayed: borrowing RelayedEvent, hiding rules: RedactionRules) {
        let left = relayed.redacted(rules)
        for output in witnesses { output.witness(left) }
    }

    package mutating func witness(_ statistics: InterfaceStatistics) {
        for output in witnesses { output.witness(statistics) }
    }

    package mutating func finish(_ totals: Totals) { finish(totals, for: .all) }

    package mutating func finish(_ totals: Totals, for readers: Readers) {
        var totals = totals
        totals.ignored = totals.ignored.clampedSum(ignored?.count ?? 0)
        let findings = totals.findings
        for index in outputs.indices.reversed() where readers == .all || targets[index].form.isForPrograms {
            totals.findings = findings.clampedSum(ownFindings[index])
            outputs[index].finish(totals)
        }
        totals.findings = findings
        guests?.forEach { $0.finish(totals) }
    }

    /// Tells one output alone of a finding that is about no conversation, which its totals count and those of the others do not.
    package mutating func tell(_ finding: Finding, content: RawSpan, at time: Timestamp, to index: Int) {
        ownFindings[index] &+= 1
        decoding.next()
        outputs[index].receive(
            ConversationEvent(
                conversation: 0, from: nil, place: Place(time: time), offset: nil, fact: .finding(finding), content: content))
    }

    // MARK: - What is written

    package mutating func flush() {
        for output in outputs.reversed() { output.flush() }
        guard guests != nil else { return }
        guests?.flush(decoding)
        guests?.admit(source, decoding)
    }

    /// Whether something waits for another try.
    package var isHeldUp: Bool { outputs.contains(where: \.isHeldUp) }

    /// Why an output cannot be written to.
    package func error(of index: Int) -> OutputError? { outputs[index].error }

    /// Records, lines or packets that were not written to an output so far.
    package func unwritten(by index: Int) -> UInt64 { outputs[index].unwritten }

    /// Tries once more to write to an output.
    package mutating func retry(_ index: Int) -> (error: OutputError, lostRecords: UInt64)? { outputs[index].retry() }

    /// Has an output go on in another place.
    package mutating func move(_ index: Int, to outlet: Outlet) {
        outputs[index].move(to: outlet)
        targets[index].outlet = outlet
    }

    /// Has outputs go on in other places, where nothing else looks after them.
    package mutating func move(_ moves: [OutputMove]) {
        for move in moves {
            self.move(move.index, to: move.outlet)
            move.retire()
        }
    }

    /// Whether it makes no sense to go on: something cannot be written that should be, or nobody reads any of it.
    package var isOver: Bool {
        var hasReader = outputs.isEmpty || guests?.isEmpty == false
        for output in outputs {
            switch output.error {
            case nil: hasReader = true
            case .readerGone: break
            case _: return true
            }
        }
        return !hasReader
    }

    /// What is missing of what the filters of the outputs pick: what should stand before it and was not kept until it came, and what took too many
    /// steps to look through.
    package var shortfalls: [String] {
        var lines: [String] = []
        for (output, target) in zip(outputs, targets) {
            let name = target.outlet.name
            if output.keptLoss > 0 {
                lines.append(
                    "\(name): \(target.counted(output.keptLoss)) before what was picked could not be kept; more --memory keeps more")
            }
            let searches = output.searchesGivenUp
            if searches > 0 {
                lines.append(
                    "\(name): \(searches) \(searches == 1 ? "search" : "searches") given up after too many steps; simplify the expression")
            }
        }
        return lines
    }

    /// A line for each output that could not be written whole, and is missing something that somebody wanted to read.
    package var losses: [String] {
        var lines: [String] = []
        for (output, target) in zip(outputs, targets) {
            guard let error = output.error, error != .readerGone || target.role != .shown else { continue }
            lines.append("\(target.outlet.name): \(error.message); \(target.counted(output.unwritten)) could not be written")
        }
        return lines
    }
}
