import NIOCore
import NIOHTTP1
import NIOWebSocket

/// What stands between a connection and the console.
///
/// ```
/// HeadGate ─ encoder, decoder, pipelining ─ ProtocolErrors ─┬─ RequestHandler
///                                                           └─ LiveSocket, after an upgrade
/// ```
enum ConsolePipeline {
    private static let limits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = HeadGate.mostBytes
        limits.maxHeaderListSize = HeadGate.mostBytes
        limits.maxHeaderFieldCount = 100
        return limits
    }()

    static func configure(_ channel: any Channel, _ console: Console, _ rules: AccessRules, _ connections: Connections) throws {
        let errors = ProtocolErrors(rules)
        let gate = HeadGate { context in
            // In its own place of the pipeline, after the encoder.
            guard let own = try? context.pipeline.syncOperations.context(handlerType: ProtocolErrors.self) else {
                return context.close(promise: nil)
            }
            errors.refuse(own, 431, "the head is longer than 32 KiB")
        }
        let encoder = HTTPResponseEncoder()
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits))
        let pipelining = HTTPServerPipelineHandler()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(gate)
        try pipeline.addHandler(encoder)
        try pipeline.addHandler(decoder)
        try pipeline.addHandler(pipelining)
        try pipeline.addHandler(errors)
        let gateBox = NIOLoopBound(gate, eventLoop: channel.eventLoop)
        let upgrade = NIOTypedHTTPServerUpgradeHandler(
            httpEncoder: encoder, extraHTTPHandlers: [decoder, pipelining, errors],
            upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: [upgrader(gateBox, console, rules, connections)],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(RequestHandler(console, rules, connections, gateBox.value))
                    }
                }))
        try pipeline.addHandler(upgrade)
        upgrade.upgradeResultFuture.whenFailure { _ in channel.close(promise: nil) }
    }

    /// Those who come here are pages of the console (`ProtocolErrors`).
    private static func upgrader(
        _ gate: NIOLoopBound<HeadGate>, _ console: Console, _ rules: AccessRules, _ connections: Connections
    ) -> NIOTypedWebSocketServerUpgrader<Void> {
        NIOTypedWebSocketServerUpgrader(
            maxFrameSize: LiveSocket.mostFrame,
            shouldUpgrade: { channel, _ in
                var fields = HTTPHeaders()
                for field in SecurityFields.fields() { fields.add(name: field.name, value: field.value) }
                return channel.eventLoop.makeSucceededFuture(fields)
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    gate.value.turnOff()
                    try channel.pipeline.syncOperations.addHandler(LiveSocket(console, rules, connections))
                }
            })
    }
}
