import Dissection

/// An answer to a call of JSON-RPC 2.0 without the member `jsonrpc`, which it has to have (jsonrpc.org/specification, section 5). It is read as JSON, for it
/// is no JSON-RPC 2.0, but nobody can say that its call had no answer.
enum LooseAnswer {
    /// Excuses the call that a message answers.
    static func excuse(_ bytes: RawSpan, read decoded: DecodedPayload?, in context: PayloadContext, _ calls: inout PendingCalls) {
        guard let decoded, decoded.format.bytes.isEqual(PlainJSON.name.bytes), calls.areOwed(by: context.from) else { return }
        guard let members = JSONParts(bytes), let key = members.key("id", in: bytes) else { return }
        guard members.value("result", in: bytes) != nil || members.value("error", in: bytes) != nil else { return }
        calls.goOn(key, from: context.from.peer, owed: [], in: context)
    }
}
