package import Dissection
import Reports

/// A sink that holds what it is told against the promises of docs/log-format.md, and formats all of it as records and as
/// text into memory. What does not hold is a complaint; a fuzzer stops at it, a test shows it.
package struct CheckingSink: ConversationSink, ~Copyable {
    /// What did not hold, the first few.
    package private(set) var complaints: [String] = []
    private let limits: Limits
    private var accounts: [UInt64: ConversationAccount] = [:]
    private var records = RecordReport(Output(), settings: RecordSettings(showsFrames: true))
    private var text: TextReport
    private var sinceLook = 0
    private let isHTTP2: Bool

    /// - Parameters:
    ///   - follows: whether the text comes in lines rather than in blocks.
    ///   - isHTTP2: all of it is HTTP/2, whose frames are in no record, even where none of them says anything.
    package init(limits: Limits, follows: Bool = false, isHTTP2: Bool = false) {
        self.limits = limits
        self.isHTTP2 = isHTTP2
        text = TextReport(Output(), settings: TextSettings(follows: follows, showsFrames: true))
    }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        guard complaints.count < 8 else { return }
        let count = event.content.byteCount
        for range in event.fact.ranges where range.start < 0 || range.count < 0 || range.start > count || range.count > count - range.start
        {
            complain(event, "\(range) lies outside the content of \(count) bytes")
            return
        }
        if let fault = sizeFault(event) { complain(event, fault) }
        if event.conversation > 0 {
            let account = accounts[event.conversation] ?? ConversationAccount(isSealed: isHTTP2)
            accounts[event.conversation] = account
            if let fault = account.take(event) { complain(event, fault) }
        }
        records.receive(event)
        text.receive(event)
        sinceLook += 1
        if sinceLook == 64 { look() }
    }

    /// Notes something else that does not hold.
    package mutating func complain(_ complaint: String) { complaints.append(complaint) }

    /// Ends the reports; nothing may be open any more.
    package mutating func finish(_ totals: Totals = Totals()) {
        records.finish(totals)
        text.finish(totals)
        look()
        for (number, account) in accounts where !account.isClosed { complain("conversation \(number) was never closed") }
    }

    private mutating func complain(_ event: borrowing ConversationEvent, _ fault: String) {
        complain("conversation \(event.conversation), offset \(event.offset ?? 0), \(event.fact): \(fault)")
    }

    /// Content is what `Limits` keeps, and never more than there was.
    private func sizeFault(_ event: borrowing ConversationEvent) -> String? {
        let count = event.content.byteCount
        switch event.fact {
        case .message(let message):
            if count > limits.messageBytes { return "\(count) bytes are kept" }
            return UInt64(count) > message.length ? "has \(count) bytes of content" : nil
        case .body(let body):
            if body.payload.count > max(limits.bodyPartBytes, limits.messageBytes) { return "\(body.payload.count) bytes are kept" }
            return UInt64(body.payload.count) > body.length ? "has \(body.payload.count) bytes of payload" : nil
        case .ping, .pong, .close: return count > max(125, limits.messageBytes) ? "\(count) bytes are kept" : nil
        case .data(let run): return run.framing == nil && UInt64(count) != run.length ? "has \(count) bytes of content" : nil
        case .gap(let gap) where gap.length == 0: return "is empty"
        // A step back in sequence numbers, taken for a step ahead.
        case .gap(let gap) where gap.cause == .missing && (1 << 32) - (1 << 17)..<1 << 32 ~= gap.length: return "is a step back"
        default: return nil
        }
    }

    /// Records are UTF-8 and text is safe for a terminal, whatever was in the bytes.
    private mutating func look() {
        sinceLook = 0
        for written in [records.takeBytes(), text.takeBytes()] {
            if written.contains(where: { ($0 < 0x20 && $0 != 0x0A) || $0 == 0x7F }) { complain("a control character was written") }
            if String(validating: written, as: UTF8.self) == nil { complain("what was written is not UTF-8") }
        }
    }
}

/// What was told of one conversation, as far as its order is promised, and where each byte of it went.
private final class ConversationAccount {
    private(set) var isClosed = false
    private var isOpened = false
    /// By channel, side and kind, the offset of the last record.
    private var offsets: [Int: UInt64] = [:]
    private var bytes = ByteAccounts()
    /// The hellos of TLS stand in one record for both sides, without an extent.
    private var isSealed: Bool

    init(isSealed: Bool) { self.isSealed = isSealed }

    func take(_ event: borrowing ConversationEvent) -> String? {
        if isClosed {
            // What came late is told when nothing more can come.
            if case .finding(let finding) = event.fact, finding.row.id == "tcp.data-after-close" { return nil }
            return "comes after closed"
        }
        if case .opened = event.fact {
            if isOpened { return "comes twice" }
            isOpened = true
            return nil
        }
        if !isOpened { return "comes before opened" }
        // The frames of HTTP/2, and what is compressed in them, are in no record.
        if case .control = event.fact { isSealed = true }
        if case .finding(let finding) = event.fact, finding.row.id.hasPrefix("http2.") { isSealed = true }
        if event.fact.isOfTLS || event.channel.stream > 0 { isSealed = true }
        // The preface alone, where what follows it was lost.
        if case .data = event.fact, HTTP2Preface.isBegun(by: event.content) { isSealed = true }
        if case .closed(let closing) = event.fact {
            isClosed = true
            if isSealed { return nil }
            return bytes.fault(closing)
        }
        guard let side = event.from, let offset = event.offset else { return nil }
        // After the close it counts in no total.
        if case .data(let run) = event.fact, run.isAfterClose { return nil }
        if !isSealed, let misplaced = bytes.take(event) { return misplaced }
        if event.fact.isOutOfOrder { return nil }
        let index =
            (Int(event.channel.stream) << 8 + 2 * Int(event.channel.depth) + (side == .client ? 0 : 1)) * Fact.kinds + event.fact.kindIndex
        defer { offsets[index] = offset }
        if let before = offsets[index], before > offset { return "steps back from offset \(before)" }
        return nil
    }
}
