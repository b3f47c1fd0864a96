import Dissection
import Reports

/// What `request` has.
enum RequestField: String, CaseIterable, Sendable {
    case exchange, method, target, version, headers, deadline, dependsOn, weight, exclusive, latin1

    func visit(_ event: borrowing ConversationEvent, _ head: RequestHead, _ take: ValueVisitor) -> Bool {
        switch self {
        case .exchange: return take(.number(head.exchange))
        case .method: return hand(event.part(head.method), take)
        case .target: return hand(event.part(head.target), take)
        case .version: return handUnlessEmpty(event.part(head.version), take)
        case .headers: return HeaderLines.visit(event.content, head.fields, take)
        case .deadline: return handSeconds(CallDeadline.nanoseconds(in: event.content, at: head.fields), take)
        case .dependsOn: return handNumber(head.priority.map { UInt64($0.dependsOn) }, take)
        case .weight: return handNumber(head.priority.map { UInt64($0.weight) }, take)
        case .exclusive: return head.priority.map { take(.flag($0.isExclusive)) } ?? false
        case .latin1:
            let parts = [head.method, head.target, head.version]
            return handFlag(
                parts.contains { !event.part($0).isUTF8 } || HeaderLines.isLatin1(event.content, head.fields), take)
        }
    }
}

/// What `response` has.
enum ResponseField: String, CaseIterable, Sendable {
    case exchange, method, target, status, reason, version, headers, latency, truncated, latin1

    func visit(_ event: borrowing ConversationEvent, _ head: ResponseHead, _ take: ValueVisitor) -> Bool {
        switch self {
        case .exchange: return handNumber(head.asked?.exchange, take)
        case .method:
            guard let asked = head.asked else { return false }
            return hand(event.asked.part(asked.method), take)
        case .target:
            guard let asked = head.asked else { return false }
            return hand(event.asked.part(asked.target), take)
        case .status: return take(.number(UInt64(head.status)))
        case .reason: return handUnlessEmpty(event.part(head.reason), take)
        case .version: return handUnlessEmpty(event.part(head.version), take)
        case .headers: return HeaderLines.visit(event.content, head.fields, take)
        case .latency: return handSeconds(head.latency, take)
        case .truncated: return handFlag(head.asked?.isCut == true, take)
        case .latin1:
            let parts = [head.reason, head.version]
            var isLatin1 = parts.contains { !event.part($0).isUTF8 } || HeaderLines.isLatin1(event.content, head.fields)
            if let asked = head.asked {
                isLatin1 = isLatin1 || !event.asked.part(asked.method).isUTF8 || !event.asked.part(asked.target).isUTF8
            }
            return handFlag(isLatin1, take)
        }
    }
}
