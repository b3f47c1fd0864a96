import Dissection
import Reports

// Facts of HTTP and of messages, as values.

extension ConversationEvent.Request {
    init(_ head: RequestHead, _ event: borrowing Dissection.ConversationEvent) {
        let content = event.content
        method = content.text(head.method)
        target = content.text(head.target)
        version = content.text(head.version)
        host = content.words(HeaderFields.host(in: content, at: head.fields))
        headers = content.headers(head.fields)
        exchange = Int(clamping: head.exchange)
    }
}

extension ConversationEvent.Response {
    init(_ head: ResponseHead, _ content: RawSpan) {
        status = Int(head.status)
        reason = content.text(head.reason)
        version = content.text(head.version)
        headers = content.headers(head.fields)
        latency = Duration(head.latency)
        exchange = head.asked.map { Int(clamping: $0.exchange) }
    }
}

extension ConversationEvent.Body {
    init(_ part: BodyPart, _ content: RawSpan, _ decoded: DecodedPayload?) {
        payload = content.part(part.payload).copy
        length = Int(clamping: part.length)
        wireLength = Int(clamping: part.wireLength)
        self.part = Int(part.part)
        isLast = part.final
        isUnfinished = part.isUnfinished
        encoding = content.words(part.encoding)
        trailers = content.headers(part.trailers)
        self.decoded = decoded
    }
}

extension ConversationEvent.Upgrade {
    init(_ upgrade: Dissection.Upgrade, _ content: RawSpan) {
        protocolName = content.text(upgrade.protocolName)
        isAccepted = upgrade.accepted
        host = content.words(upgrade.host)
        target = content.text(upgrade.target)
        subprotocol = content.words(upgrade.subprotocol)
        extensions = content.words(upgrade.extensions)
        isCompressed = upgrade.compression != nil
    }
}
