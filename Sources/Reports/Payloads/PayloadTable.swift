import Dissection

/// One format in the table: all that the reports know of it.
package struct PayloadRow: Sendable {
    package let name: StaticString
    let likelihood: @Sendable (_ bytes: RawSpan, _ context: PayloadContext) -> PayloadLikelihood
    let decode:
        @Sendable (_ bytes: RawSpan, _ context: PayloadContext, _ memory: inout PayloadMemory, _ decoded: inout DecodedPayload) -> Void

    package init<Format: PayloadFormat>(_ format: Format.Type) {
        name = Format.name
        likelihood = { Format.likelihood(of: $0, in: $1) }
        decode = { Format.decode($0, in: $1, memory: &$2, into: &$3) }
    }
}

/// The formats of payloads.
package struct PayloadTable: Sendable {
    /// None: payloads stand in records as text or base64 alone.
    package static let none = PayloadTable([])

    /// Those that we have. Of several that are equally sure the first counts.
    package static let standard = PayloadTable([
        PayloadRow(SocketIO.self), PayloadRow(SockJS.self), PayloadRow(GraphQLOverWebSocket.self), PayloadRow(ActionCable.self),
        PayloadRow(WAMP.self), PayloadRow(STOMP.self), PayloadRow(MQTT.self), PayloadRow(XMPP.self), PayloadRow(Redis.self),
        PayloadRow(AMQP.self), PayloadRow(NATS.self), PayloadRow(IRC.self), PayloadRow(Phoenix.self), PayloadRow(SignalR.self),
        PayloadRow(SignalRPack.self), PayloadRow(JSONRPC.self), PayloadRow(ServerSentEvents.self), PayloadRow(JSONLines.self),
        PayloadRow(PlainJSON.self),
    ])

    package let rows: [PayloadRow]

    package init(_ rows: [PayloadRow]) { self.rows = rows }

    /// What a payload says, in the format that is the surest of it, the first of several; nil where none knows it.
    ///
    /// Where the surest one cannot read it to its end, and another that knows the bytes themselves can, that one is believed, and the
    /// key `failed` says what was tried before.
    package func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory) -> DecodedPayload? {
        var order: [(index: Int, likelihood: PayloadLikelihood)] = []
        for index in rows.indices {
            let sure = rows[index].likelihood(bytes, context)
            if sure > .no { order.append((index, sure)) }
        }
        guard var best = order.indices.first else { return nil }
        for index in order.indices where order[index].likelihood > order[best].likelihood { best = index }
        let sure = order[best].likelihood
        let first = read(bytes, by: order[best].index, in: context, memory: &memory)
        guard first.hasStopped else { return first }
        order.remove(at: best)
        for (index, likelihood) in order where likelihood >= .likely {
            var second = read(bytes, by: index, in: context, memory: &memory)
            if second.hasStopped { continue }
            second.note(failed: first)
            return second
        }
        // What was only possible is not claimed when it turns out to be something else.
        return sure > .possible ? first : nil
    }

    private func read(_ bytes: RawSpan, by index: Int, in context: PayloadContext, memory: inout PayloadMemory) -> DecodedPayload {
        var decoded = DecodedPayload(format: rows[index].name)
        rows[index].decode(bytes, context, &memory, &decoded)
        return decoded
    }
}
