import Dissection
import Reports

/// Whether a conversation is one with a problem (`--problems`): a finding at or above warning, or an abrupt end.
struct ProblemWatch {
    private(set) var hasProblem = false
    private var isWebSocket = false
    private var hasClose = false

    mutating func take(_ event: borrowing ConversationEvent) {
        switch event.fact {
        case .finding(let finding): if finding.row.severity.rawValue >= Severity.warning.rawValue { hasProblem = true }
        case .message(let message): if message.frame == nil { isWebSocket = true }
        case .ping, .pong: isWebSocket = true
        case .upgrade(let upgrade): if upgrade.accepted, event.bytes(upgrade.protocolName).isWord("websocket") { isWebSocket = true }
        case .close: hasClose = true
        case .closed(let closing): if isAbrupt(closing) { hasProblem = true }
        case _: break
        }
    }

    private func isAbrupt(_ closing: Closing) -> Bool {
        switch closing.how {
        case .reset, .timeout, .evicted, .connectFailed, .tlsFailed, .limit, .refused: true
        // Without a Close frame apps see code 1006.
        case .fin: isWebSocket && !hasClose
        case .closeFrame, .endOfCapture, .shutdown: false
        }
    }
}
