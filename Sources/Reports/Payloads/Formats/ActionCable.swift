import Dissection

/// ActionCable of Rails (guides.rubyonrails.org/action_cable_overview.html): subprotocol `actioncable-v1-json`.
enum ActionCable: PayloadFormat {
    static var name: StaticString { "actioncable" }
    static var keys: [StaticString] { ["type", "command", "identifier", "channel", "action", "data", "reason", "latency"] }

    static let occasions: PayloadOccasions = [.agreedText]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        context.carrier == .message && context.isText && context.speaks("actioncable-v1-json") ? .agreed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard let members = JSONParts(bytes) else { return decoded.stop(JSONParts.problem(bytes), at: 0) }
        guard members.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: members.end) }
        let command = members.string("command", in: bytes)
        let type = command ?? members.string("type", in: bytes)
        let content = members.value("message", in: bytes) ?? members.value("data", in: bytes)
        guard type != nil || content != nil else { return decoded.stop("it has no type, command or message", at: 0) }
        if let type, let at = members.value(command == nil ? "type" : "command", in: bytes) {
            decoded.add(command == nil ? "type" : "command", json: at, of: bytes)
            decoded.say(type)
        } else {
            decoded.note("type", .word("message"))
            decoded.say("message")
        }
        if let identifier = members.value("identifier", in: bytes) {
            let inner = bytes.contentOfJSON(identifier)
            decoded.add("identifier", inner.rawBytes.asContent, at: identifier)
            if let parts = JSONParts(inner.rawBytes), let channel = parts.string("channel", in: inner.rawBytes) {
                decoded.add("channel", .json([0x22] + channel + [0x22]), at: identifier)
                decoded.say(" ", channel)
            }
        }
        if let content {
            let inner = bytes.contentOfJSON(content)
            if let parts = JSONParts(inner.rawBytes), let action = parts.string("action", in: inner.rawBytes) {
                decoded.add("action", .json([0x22] + action + [0x22]), at: content)
            }
            let isString = bytes[content.lowerBound] == UInt8(ascii: "\"")
            decoded.add("data", isString ? inner.rawBytes.asContent : .json(inner), at: content)
            decoded.say("  ", inner.rawBytes)
        }
        if let reason = members.value("reason", in: bytes) {
            decoded.add("reason", json: reason, of: bytes)
            decoded.say(" ", bytes.extracting(reason))
        }
        guard let identifier = members.string("identifier", in: bytes) else { return }
        let key = Array("cable".utf8) + (members.key("identifier", in: bytes) ?? []).prefix(120)
        if command == Array("subscribe".utf8) {
            memory.calls.note(key, owed: "subscribe \"".utf8 + identifier.prefix(120) + [0x22], in: context)
        } else if command == Array("unsubscribe".utf8) {
            // What is not wanted any more need not be confirmed.
            memory.calls.goOn(key, from: context.from, owed: [], in: context)
        } else if type == Array("confirm_subscription".utf8) || type == Array("reject_subscription".utf8) {
            decoded.addAnswer(to: key, in: context, memory: &memory)
        }
    }
}
