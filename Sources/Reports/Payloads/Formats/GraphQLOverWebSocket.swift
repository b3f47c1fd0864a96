import Dissection

/// GraphQL over WebSocket, in both of its subprotocols: `graphql-transport-ws` (enisdenjo/graphql-ws, PROTOCOL.md) and the older
/// `graphql-ws` (apollographql/subscriptions-transport-ws).
enum GraphQLOverWebSocket: PayloadFormat {
    static var name: StaticString { "graphql-ws" }
    static var keys: [StaticString] { ["type", "id", "operation", "name", "latency", "errors", "duration"] }

    static let occasions: PayloadOccasions = [.agreedText]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        guard context.isText, context.speaks("graphql-transport-ws") || context.speaks("graphql-ws") else { return .no }
        return .agreed
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard let members = JSONParts(bytes) else { return decoded.stop(JSONParts.problem(bytes), at: 0) }
        guard members.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: members.end) }
        guard let type = members.string("type", in: bytes), let at = members.value("type", in: bytes) else {
            return decoded.stop("it has no type", at: 0)
        }
        decoded.add("type", .json(bytes.extracting(at).copy), at: at)
        decoded.say(type)
        let id = members.string("id", in: bytes)
        if let id, let at = members.value("id", in: bytes) {
            decoded.add("id", .json(bytes.extracting(at).copy), at: at)
            decoded.say(" ", id)
        }
        let isError = type == Array("error".utf8)
        if isError, let payload = members.value("payload", in: bytes) { decoded.add("errors", json: payload, of: bytes) }
        let key = id == nil ? nil : members.key("id", in: bytes)
        if let key, isError || type == Array("complete".utf8) || type == Array("stop".utf8) {
            end(key, isError: isError, in: context, memory: &memory, into: &decoded)
        }
        guard let payload = members.value("payload", in: bytes) else { return }
        if let inner = JSONParts(bytes, from: payload.lowerBound) {
            if let query = inner.string("query", in: bytes), let place = inner.value("query", in: bytes) {
                let asked = inner.string("operationName", in: bytes)
                let document = GraphQLDocument(query)
                let (operation, name) = document.operation(named: asked)
                decoded.add("operation", .word(operation), at: place)
                decoded.say(" ", operation.utf8)
                let given = asked ?? name
                if !given.isEmpty {
                    let at = asked == nil ? place : inner.value("operationName", in: bytes) ?? place
                    decoded.add("name", .json([0x22] + given + [0x22]), at: at)
                    decoded.say(" ", given)
                }
                if let id, let key {
                    // Of a document that the server keeps only the server knows what it asks for.
                    let isOwed = operation != "subscription" && !document.operations.isEmpty
                    let label = operation.utf8 + (given.isEmpty ? [] : [0x20]) + given + " (id ".utf8 + id + [0x29]
                    memory.calls.note(Array("first".utf8) + key, name: given, owed: isOwed ? label : [], in: context)
                    memory.calls.note(Array("whole".utf8) + key, name: given, in: context)
                }
                return
            }
            if let errors = inner.value("errors", in: bytes) {
                decoded.add("errors", .json(bytes.extracting(errors).copy), at: errors)
                decoded.say(" with errors")
            }
        }
        if !isError, let key, let (latency, name) = memory.calls.answer(Array("first".utf8) + key, in: context) {
            decoded.note("latency", .duration(latency))
            if !name.isEmpty {
                decoded.say(" of ", name)
            }
            decoded.say(", first after ", span: latency)
        }
        decoded.say("  ", bytes.extracting(payload).copy)
    }

    /// Ends an operation, which either side may do.
    private static func end(
        _ key: [UInt8], isError: Bool, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        let (first, whole) = (Array("first".utf8) + key, Array("whole".utf8) + key)
        _ = memory.calls.answer(first, in: context) ?? memory.calls.end(first, in: context)
        guard let (duration, name) = memory.calls.answer(whole, in: context) ?? memory.calls.end(whole, in: context) else { return }
        if !name.isEmpty {
            decoded.note("name", .json([0x22] + name + [0x22]))
            decoded.say(" of ", name)
        }
        decoded.note("duration", .duration(duration))
        decoded.say(", after ", span: duration)
    }
}
