import NIOCore

/// A console without a port and without threads: a channel is a connection of it, and has the responses as soon as the requests were read. Fuzzers and
/// tests send it bytes.
package struct DetachedConsole: Sendable {
    private let console: Console
    private let rules: AccessRules
    private let connections = Connections(most: 1)

    /// - Parameters:
    ///   - store: what it shows. Consoles may share it; each has its own views.
    ///   - port: of 127.0.0.1, which a request names in Host.
    package init(_ store: ConsoleStore, port: Int, token: String) {
        console = Console(store, thread: { .caller })
        rules = AccessRules(port: port, names: [], token: token)
    }

    /// Makes a channel a connection.
    package func configure(_ channel: any Channel) throws {
        guard connections.admit(channel) else { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [connections] _ in connections.remove(channel) }
        try ConsolePipeline.configure(channel, console, rules, connections)
    }
}
