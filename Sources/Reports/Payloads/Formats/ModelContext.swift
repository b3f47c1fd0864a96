import Dissection

/// The Model Context Protocol over JSON-RPC (modelcontextprotocol.io/specification): what its methods are about, for the line that people read.
///
/// Nothing of it is guessed: a method of another protocol with the same name and other parameters is shown as JSON-RPC shows it.
enum ModelContext {
    /// What a call or a notification is about, and the part of its parameters that says the rest.
    struct Subject {
        /// In the words of the line: the name of a tool or a prompt, the URI of a resource.
        var words: [UInt8]
        /// nil where the words say all.
        var rest: Range<Int>?
    }

    /// - Parameter parameters: the value of `params`, as a range of the bytes.
    static func subject(of method: [UInt8], _ parameters: Range<Int>, in bytes: RawSpan) -> Subject? {
        guard let members = JSONParts(bytes, from: parameters.lowerBound) else { return nil }
        switch String(decoding: method.prefix(40), as: UTF8.self) {
        case "tools/call", "prompts/get":
            return members.string("name", in: bytes).map { Subject(words: $0, rest: members.value("arguments", in: bytes)) }
        case "resources/read", "resources/subscribe", "resources/unsubscribe", "notifications/resources/updated":
            return members.string("uri", in: bytes).map { Subject(words: $0, rest: nil) }
        case "initialize": return initialize(members, bytes)
        case "notifications/message":
            return members.string("level", in: bytes).map { Subject(words: $0, rest: members.value("data", in: bytes)) }
        case "notifications/progress":
            guard let progress = members.raw("progress", in: bytes), members.value("progressToken", in: bytes) != nil else { return nil }
            let total = members.raw("total", in: bytes).map { " of ".utf8 + $0 } ?? []
            return Subject(words: progress + total, rest: members.value("message", in: bytes))
        default: return nil
        }
    }

    /// The call of a language server has the same name, and no version of the protocol.
    private static func initialize(_ members: JSONParts, _ bytes: RawSpan) -> Subject? {
        guard let version = members.string("protocolVersion", in: bytes), let client = members.value("clientInfo", in: bytes),
            let parts = JSONParts(bytes, from: client.lowerBound), let name = parts.string("name", in: bytes)
        else { return nil }
        return Subject(words: "MCP ".utf8 + version + " of ".utf8 + name, rest: members.value("capabilities", in: bytes))
    }

    /// Whether the result of a call says that the tool failed, which JSON-RPC does not call an error.
    static func isToolError(_ result: Range<Int>, in bytes: RawSpan) -> Bool {
        guard let members = JSONParts(bytes, from: result.lowerBound), members.value("content", in: bytes) != nil else { return false }
        return members.raw("isError", in: bytes) == Array("true".utf8)
    }
}
