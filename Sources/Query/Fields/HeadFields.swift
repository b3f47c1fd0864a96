import Dissection
import Reports

/// What a head says in a part of a field, or in several put together: fields of Wireshark's that no key of a record has.
enum HeadField: Sendable, Hashable {
    /// `http://host/path?query`, as the request asked for it.
    case fullURI
    case uriPath, uriQuery
    /// `Content-Length` as a number.
    case contentLength
    /// Of a response: the target of its request.
    case responseFor

    var carriers: FieldCarriers {
        switch self {
        case .fullURI: .request
        case .uriPath, .uriQuery: [.request]
        case .contentLength: [.request, .response]
        case .responseFor: .response
        }
    }

    func visit(_ event: borrowing ConversationEvent, _ known: KnownConversation?, _ take: ValueVisitor) -> Bool {
        switch (self, event.fact) {
        case (.fullURI, .request(let head)):
            let target = event.part(head.target)
            // The target of CONNECT is an authority, and all there is (RFC 9112, section 3.2.3).
            if TargetParts(target).isAbsolute || event.part(head.method).isWord("connect") { return hand(target, take) }
            var host: [UInt8] = []
            _ = HeaderLines.visit(event.content, head.fields, named: Array("host".utf8)) { value in
                host = value.span?.copy ?? []
                return true
            }
            guard !host.isEmpty else { return false }
            let isTLS = known?.isTLS ?? false
            var uri = Array((isTLS ? "https://" : "http://").utf8) + host
            uri.append(copying: target)
            return hand(uri.rawBytes, take)
        case (.uriPath, .request(let head)):
            let target = event.part(head.target)
            return handUnlessEmpty(target.part(TargetParts(target).path), take)
        case (.uriQuery, .request(let head)):
            let target = event.part(head.target)
            return handUnlessEmpty(target.part(TargetParts(target).query), take)
        case (.contentLength, .request(let head)): return length(event, head.fields, take)
        case (.contentLength, .response(let head)): return length(event, head.fields, take)
        case (.responseFor, .response(let head)):
            guard let asked = head.asked else { return false }
            return hand(event.asked.part(asked.target), take)
        case _: return false
        }
    }

    private func length(_ event: borrowing ConversationEvent, _ fields: ByteRange, _ take: ValueVisitor) -> Bool {
        HeaderLines.visit(event.content, fields, named: Array("content-length".utf8)) { value in
            guard let span = value.span, let number = UInt64(String(decoding: span.copy, as: UTF8.self)) else { return false }
            return take(.number(number))
        }
    }
}
