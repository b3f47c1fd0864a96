import Dissection

/// JSON-RPC 2.0 (jsonrpc.org/specification): calls and their results, matched by `id`, each side's apart; batches.
enum JSONRPC: PayloadFormat {
    static var name: StaticString { "json-rpc" }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        // The version stands somewhere in it; most writers have it first.
        guard bytes.byteCount > 16, bytes[0] == UInt8(ascii: "{") || bytes[0] == UInt8(ascii: "[") else { return .no }
        let head = bytes.prefix(4_096)
        guard head.contains("\"jsonrpc\":") || head.contains("\"jsonrpc\" :") else { return .no }
        // A body is called JSON, and this says more of it.
        return context.carrier == .body && PlainJSON.isTyped(context) ? .typed : .likely
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        if bytes[0] == UInt8(ascii: "[") {
            guard let batch = JSONParts(bytes, isArray: true) else { return decoded.stop("its JSON is not valid or not whole", at: 0) }
            guard batch.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: batch.end) }
            decoded.add("type", .word("batch"))
            decoded.add("count", .number(UInt64(batch.parts.count)))
            decoded.say("batch of \(batch.parts.count)".utf8)
            return
        }
        guard let members = JSONParts(bytes) else { return decoded.stop("its JSON is not valid or not whole", at: 0) }
        guard members.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: members.end) }
        let id = members.raw("id", in: bytes).flatMap { $0 == Array("null".utf8) ? nil : $0 }
        func addID() { if let id, let at = members.value("id", in: bytes) { decoded.add("id", .json(id), at: at) } }
        if let method = members.string("method", in: bytes), let at = members.value("method", in: bytes) {
            decoded.add("type", .word(id == nil ? "notification" : "call"))
            decoded.add("method", .json(bytes.extracting(at).copy), at: at)
            addID()
            decoded.say(id == nil ? "notification " : "call ")
            decoded.say(method)
            if let parameters = members.raw("params", in: bytes) {
                decoded.say("  ")
                decoded.say(parameters)
            }
            if let id { memory.calls.note(id, name: method, in: context) }
            return
        }
        let isError = members.value("error", in: bytes) != nil
        guard isError || members.value("result", in: bytes) != nil else { return decoded.stop("it has no method, result or error", at: 0) }
        decoded.add("type", .word(isError ? "error" : "result"))
        addID()
        decoded.say(isError ? "error" : "result")
        if let id, let (latency, name) = memory.calls.answer(id, in: context) {
            if !name.isEmpty {
                decoded.add("method", .json([0x22] + name + [0x22]))
                decoded.say(" of ")
                decoded.say(name)
            }
            decoded.add("latency", .duration(latency))
            decoded.say(" after ")
            decoded.say(span: latency)
        }
        if let content = members.raw(isError ? "error" : "result", in: bytes) {
            decoded.say("  ")
            decoded.say(content)
        }
    }
}

extension RawSpan {
    /// Whether words stand somewhere in the bytes.
    func contains(_ words: StaticString) -> Bool {
        let words = words.bytes
        guard words.byteCount > 0, byteCount >= words.byteCount else { return false }
        let first = words[0]
        for start in 0...byteCount - words.byteCount where self[start] == first {
            if extracting(start..<start + words.byteCount).isEqual(words) { return true }
        }
        return false
    }
}
