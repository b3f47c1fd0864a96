import Dissection

/// JSON-RPC 2.0 (jsonrpc.org/specification): calls and their results, matched by `id`, each side's apart; batches.
///
/// Over HTTP a result belongs to the call of its exchange: another request may have the same `id`.
enum JSONRPC: PayloadFormat {
    static var name: StaticString { "json-rpc" }
    static var keys: [StaticString] { ["type", "method", "id", "latency", "count", "messages"] }
    static var typesAreOfApp: Bool { true }

    static func mayBegin(with byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte <= 0x20 }

    static var marks: PayloadMarks { .rpc }

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard bytes.byteCount > 16, isOne(bytes) else { return .no }
        // A body is called JSON, and this says more of it.
        return context.carrier == .body && PlainJSON.isTyped(context) ? .typed : .likely
    }

    /// Whether it is an object that has the version among its own members, not further in, or an array that begins with one.
    private static func isOne(_ bytes: RawSpan) -> Bool {
        var cursor = JSONCursor(bytes)
        cursor.skipBlanks()
        guard cursor.current == UInt8(ascii: "{") || cursor.current == UInt8(ascii: "[") else { return false }
        // Most writers have it first, some last: other JSON is not walked for it.
        let tail = bytes.suffix(from: max(min(4_096, bytes.byteCount), bytes.byteCount - 256))
        guard bytes.prefix(4_096).contains("\"jsonrpc\"") || tail.contains("\"jsonrpc\"") else { return false }
        _ = cursor.take(UInt8(ascii: "["))
        guard cursor.take(UInt8(ascii: "{")) else { return false }
        repeat {
            guard let name = cursor.string(), cursor.take(UInt8(ascii: ":")) else { return false }
            if bytes.extracting(name).isEqual(("jsonrpc" as StaticString).bytes) { return true }
        } while cursor.value() != nil && cursor.take(UInt8(ascii: ","))
        return false
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var cursor = JSONCursor(bytes)
        if cursor.take(UInt8(ascii: "[")) {
            return JSONRPCBatch.decode(bytes, in: context, memory: &memory, into: &decoded)
        }
        guard let members = JSONParts(bytes) else { return decoded.stop(JSONParts.problem(bytes), at: 0) }
        guard members.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: members.end) }
        tell(members, of: bytes, in: context, memory: &memory, into: &decoded)
    }

    /// Tells one call, notification, result or error.
    static func tell(
        _ members: JSONParts, of bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        let id = members.raw("id", in: bytes).flatMap { $0 == Array("null".utf8) ? nil : $0 }
        func addID() { if let id, let at = members.value("id", in: bytes) { decoded.add("id", .json(id), at: at) } }
        if let method = members.string("method", in: bytes), let at = members.value("method", in: bytes) {
            decoded.note("type", .word(id == nil ? "notification" : "call"))
            decoded.add("method", .json(bytes.extracting(at).copy), at: at)
            addID()
            decoded.say(id == nil ? "notification " : "call ", method)
            var label = method
            if let parameters = members.value("params", in: bytes) {
                let subject = ModelContext.subject(of: method, parameters, in: bytes)
                if let subject {
                    decoded.say(" ", subject.words)
                    label += [0x20] + subject.words.prefix(120)
                }
                if let shown = subject == nil ? parameters : subject?.rest { decoded.say("  ", bytes.extracting(shown)) }
            }
            if let id, let key = members.key("id", in: bytes) {
                label += " (id ".utf8 + id + [0x29]
                memory.calls.note(key, name: method, exchange: context.exchange, owed: label, in: context)
            } else if let key = cancelled(by: method, members, of: bytes) {
                memory.calls.goOn(key, from: context.from, owed: [], in: context)
            }
            return
        }
        // Some servers write both, one of them null.
        let hasResult = members.value("result", in: bytes) != nil
        let isError = members.raw("error", in: bytes).map { !hasResult || $0 != Array("null".utf8) } ?? false
        guard isError || hasResult else { return decoded.stop("it has no method, result or error", at: 0) }
        decoded.note("type", .word(isError ? "error" : "result"))
        addID()
        let isToolError = !isError && members.value("result", in: bytes).map { ModelContext.isToolError($0, in: bytes) } ?? false
        decoded.say(isError ? "error" : isToolError ? "result with isError" : "result")
        if id != nil, let key = members.key("id", in: bytes), let (latency, name) = answered(key, in: context, memory: &memory) {
            if !name.isEmpty {
                decoded.note("method", .json([0x22] + name + [0x22]))
                decoded.say(" of ", name)
            }
            decoded.note("latency", .duration(latency))
            decoded.say(" after ", span: latency)
        }
        // It may answer any call: one whose number could not be read (section 5).
        if isError, id == nil { memory.calls.doubtAnswers(of: context.from) }
        if let content = members.raw(isError ? "error" : "result", in: bytes) {
            decoded.say("  ", content)
        }
    }

    /// The call that `notifications/cancelled` of the Model Context Protocol takes back: it should have no answer any more (its specification,
    /// "Cancellation"). The one that `$/cancelRequest` of the Language Server Protocol takes back is answered all the same.
    private static func cancelled(by method: [UInt8], _ members: JSONParts, of bytes: RawSpan) -> [UInt8]? {
        guard method == Array("notifications/cancelled".utf8), let range = members.value("params", in: bytes) else { return nil }
        return JSONParts(bytes, from: range.lowerBound)?.key("requestId", in: bytes)
    }

    /// The call that is answered. What a server sends in events may answer what other requests asked, and requests what events asked.
    private static func answered(
        _ key: [UInt8], in context: PayloadContext, memory: inout PayloadMemory
    ) -> (latency: Int64, name: [UInt8])? {
        let isResponse = context.carrier == .body && context.from == .server && !context.isOfType("text/event-stream")
        return memory.calls.answer(key, exchange: context.exchange, orOther: !isResponse || context.exchange == 0, in: context)
    }
}

/// A batch of JSON-RPC 2.0: an array of calls, or of their results, in any order.
private enum JSONRPCBatch {
    /// So many are told and matched; the others are counted.
    private static let mostMessages = 256
    /// So many stand in the line for people.
    private static let mostSaid = 8

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var told: [(message: DecodedPayload, range: Range<Int>)] = []
        let (count, problem) = read(bytes, in: context, memory: &memory, &told)
        decoded.note("type", .word("batch"))
        decoded.note("count", .number(UInt64(count)))
        decoded.add("messages", .items(told.map { .init([], $0.message.asMembers, at: $0.range) }), at: 0..<bytes.byteCount)
        decoded.say("batch of \(count)".utf8)
        for (index, one) in told.prefix(mostSaid).enumerated() {
            decoded.say(index == 0 ? ": " : "; ", one.message.summary)
        }
        if count > mostSaid { decoded.say("; …") }
        if let problem { decoded.stop(problem.reason, at: problem.position) }
    }

    private static func read(
        _ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory,
        _ told: inout [(message: DecodedPayload, range: Range<Int>)]
    ) -> (count: Int, problem: PayloadProblem?) {
        var cursor = JSONCursor(bytes)
        var count = 0
        guard cursor.take(UInt8(ascii: "[")), !cursor.take(UInt8(ascii: "]")) else {
            return (0, PayloadProblem(reason: "a batch has no messages", position: 0))
        }
        repeat {
            guard let range = cursor.value() else {
                let reason = cursor.isTooDeep ? PayloadBounds.tooDeep : "its JSON is not valid or not whole"
                return (count, PayloadProblem(reason: reason, position: cursor.position))
            }
            count += 1
            guard told.count < mostMessages else { continue }
            var one = DecodedPayload(format: JSONRPC.name)
            let element = bytes.extracting(0..<range.upperBound)
            if let members = JSONParts(element, from: range.lowerBound) {
                JSONRPC.tell(members, of: element, in: context, memory: &memory, into: &one)
            } else {
                one.stop(JSONParts.problem(element, from: range.lowerBound), at: 0)
            }
            if one.hasStopped {
                return (count - 1, PayloadProblem(reason: "a message has no method, result or error", position: range.lowerBound))
            }
            told.append((one, range))
        } while cursor.take(UInt8(ascii: ","))
        guard cursor.take(UInt8(ascii: "]")) else {
            return (count, PayloadProblem(reason: "its JSON is not valid or not whole", position: cursor.position))
        }
        return (count, cursor.isAtEnd() ? nil : PayloadProblem(reason: "something follows its JSON", position: cursor.position))
    }
}
