import Dissection

/// Pusher Channels, version 7 (pusher.com/docs/channels/library_auth_reference/pusher-websockets-protocol), which Soketi, Laravel Reverb and
/// others speak too: events of channels. What an event carries is JSON, mostly inside of a string.
///
/// ```
/// {"event":"pusher:subscribe","data":{"channel":"room","auth":"key:signature"}}
/// {"event":"pusher_internal:subscription_succeeded","channel":"room","data":"{}"}
/// {"event":"said","channel":"room","data":"{\"text\":\"hi\"}"}
/// ```
enum Pusher: PayloadFormat {
    static var name: StaticString { "pusher" }
    static var keys: [StaticString] { ["event", "channel", "data", "latency"] }

    static let occasions: PayloadOccasions = [.text]

    static func mayBegin(with byte: UInt8) -> Bool { byte == UInt8(ascii: "{") }

    static var marks: PayloadMarks { .parameters }

    /// Its messages look like those of many apps; the target with which its clients ask does not.
    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.occasion == .text, context.targetHas("protocol="), context.pathBegins("/app/") else { return .no }
        return JSONParts(bytes)?.string("event", in: bytes) == nil ? .no : .certain
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard let members = JSONParts(bytes) else { return decoded.stop(JSONParts.problem(bytes), at: 0) }
        guard members.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: members.end) }
        guard let event = members.string("event", in: bytes), let at = members.value("event", in: bytes) else {
            return decoded.stop("it has no event", at: 0)
        }
        decoded.add("event", json: at, of: bytes)
        decoded.say(event)
        let content = members.value("data", in: bytes)
        let inner = content.map { bytes.contentOfJSON($0) } ?? []
        // Those that subscribe say inside of what they carry to which.
        let name = members.string("channel", in: bytes) ?? JSONParts(inner.rawBytes)?.string("channel", in: inner.rawBytes)
        if let name, let at = members.value("channel", in: bytes) ?? content {
            decoded.add("channel", .json([0x22] + name + [0x22]), at: at)
            decoded.say(" ", name)
        }
        if let content {
            let isString = bytes[content.lowerBound] == UInt8(ascii: "\"")
            decoded.add("data", isString ? inner.rawBytes.asContent : .json(inner), at: content)
            decoded.say("  ", inner.rawBytes)
        }
        guard let name else { return }
        let key = Array("pusher".utf8) + name.prefix(200)
        if event == Array("pusher:subscribe".utf8) {
            memory.calls.note(key, owed: "subscribe \"".utf8 + name.prefix(200) + [0x22], in: context)
        } else if event == Array("pusher:unsubscribe".utf8) {
            // What is not wanted any more need not be confirmed.
            memory.calls.goOn(key, from: context.from, owed: [], in: context)
        } else if event == Array("pusher_internal:subscription_succeeded".utf8) || event == Array("pusher:subscription_error".utf8) {
            decoded.addAnswer(to: key, in: context, memory: &memory)
        }
    }
}
