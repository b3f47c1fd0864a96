package import Dissection

/// Where every byte of both sides of a conversation went, through all of its channels.
package struct ByteAccounts {
    private var client = ByteAccount()
    private var server = ByteAccount()
    /// By channel and side, where in the wire's bytes the channel begins.
    private var bases: [Int: UInt64] = [:]

    package init() {}

    /// Takes an event; what is wrong with where it lies.
    package mutating func take(_ event: borrowing ConversationEvent) -> String? {
        guard let side = event.from, let offset = event.offset else { return nil }
        let channel = 2 * Int(event.channel.depth) + (side == .client ? 0 : 1)
        // A channel inside begins where what was told of the others has ended.
        if bases[channel] == nil { bases[channel] = event.channel.depth == 0 ? 0 : side == .client ? client.end : server.end }
        let wireOffset = offset &+ (bases[channel] ?? 0)
        let count = event.content.byteCount
        return side == .client
            ? client.take(event.fact, at: wireOffset, contentBytes: count)
            : server.take(event.fact, at: wireOffset, contentBytes: count)
    }

    /// What is wrong when the conversation is over.
    package func fault(_ closing: Closing) -> String? {
        client.fault(length: closing.client.bytes &+ closing.client.missing).map { "client: \($0)" }
            ?? server.fault(length: closing.server.bytes &+ closing.server.missing).map { "server: \($0)" }
    }
}
