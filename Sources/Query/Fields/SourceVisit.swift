import Dissection
import Reports

extension FieldSource {
    /// Hands on each value that an event has, until one is taken.
    ///
    /// - Returns: whether one was taken.
    func visit(
        _ event: borrowing ConversationEvent, _ decoded: DecodedPayload?, _ known: KnownConversation?, _ take: ValueVisitor
    ) -> Bool {
        switch self {
        case .common(let field): return field.visit(event, take)
        case .message(let field):
            guard case .message(let message) = event.fact else { return false }
            return field.visit(event, message, take)
        case .data(let field):
            guard case .data(let run) = event.fact else { return false }
            return field.visit(event, run, take)
        case .finding(let field):
            guard case .finding(let finding) = event.fact else { return false }
            return field.visit(event, finding, take)
        case .key(let row): return row.visit(event, take)
        case .certificate(let row, let field): return row.visit(event, certificates: field, take)
        case .registered(let row): return row.visit(event, number: take)
        case .request(let field):
            guard case .request(let head) = event.fact else { return false }
            return field.visit(event, head, take)
        case .response(let field):
            guard case .response(let head) = event.fact else { return false }
            return field.visit(event, head, take)
        case .body(let field):
            guard case .body(let body) = event.fact else { return false }
            return field.visit(event, body, take)
        case .frame(let field):
            guard case .frame(let frame) = event.fact else { return false }
            return field.visit(frame, take)
        case .ping(let field):
            guard case .ping = event.fact else { return false }
            return field.visit(event, take)
        case .pongPayload(let field):
            guard case .pong = event.fact else { return false }
            return field.visit(event, take)
        case .pong(let field):
            guard case .pong(let pong) = event.fact else { return false }
            return field.visit(pong, take)
        case .close(let field):
            guard case .close(let close) = event.fact else { return false }
            return field.visit(event, close, take)
        case .controlOf(let kind, let row):
            guard case .control(let frame) = event.fact, frame.kind == kind else { return false }
            return row.visit(event, take)
        case .header(let holder, let name): return holder.visit(event, named: name, take)
        case .head(let field): return field.visit(event, known, take)
        case .constant(let value): return take(.number(value))
        case .content: return take(.bytes(event.content))
        case .conversation(let field): return field.visit(event, known, take)
        case .json(let path):
            switch event.fact {
            case .body(let body): return path.visit(event.part(body.payload), take)
            case .message, .data: return path.visit(event.content, take)
            case _: return false
            }
        case .decoded(let field):
            guard let decoded else { return false }
            return field.visit(decoded, take)
        case .within(let carriers, let source):
            guard carriers.contains(event.kind) else { return false }
            return source.visit(event, decoded, known, take)
        case .several(let sources):
            for source in sources { if source.visit(event, decoded, known, take) { return true } }
            return false
        }
    }
}

extension HeaderHolder {
    func visit(_ event: borrowing ConversationEvent, named name: [UInt8], _ take: ValueVisitor) -> Bool {
        switch (self, event.fact) {
        case (.request, .request(let head)), (.both, .request(let head)):
            HeaderLines.visit(event.content, head.fields, named: name, take)
        case (.response, .response(let head)), (.both, .response(let head)):
            HeaderLines.visit(event.content, head.fields, named: name, take)
        case (.trailers, .body(let body)): HeaderLines.visit(event.content, body.trailers, named: name, take)
        case (.settings, .control(let frame)): HeaderLines.visit(event.content, frame.settings, named: name, take)
        case _: false
        }
    }
}
