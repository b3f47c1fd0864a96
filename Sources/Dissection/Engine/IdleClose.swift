/// A connection that one side closed after neither had sent anything for long.
enum IdleClose {
    /// A shorter silence says little: connections that are done with are closed after some seconds.
    private static let shortest: Int64 = 10_000_000_000

    /// Whose default a time is, in seconds.
    private static let defaults: [(seconds: Int64, owner: StaticString)] = [
        (50, "50 s is the timeout in the examples of haproxy"),
        (60, "60 s is the default of nginx (proxy_read_timeout) and of the AWS Application Load Balancer"),
        (100, "100 s is the default of Cloudflare"),
        (240, "4 minutes are the default of the Azure Load Balancer"),
        (350, "350 s is the default of the AWS Network Load Balancer"),
    ]

    /// Tells what is found of a conversation that ended so, where nothing can have been missed.
    static func tell<Sink: ConversationSink & ~Copyable>(
        _ closing: Closing, at place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let silence = closing.silence, silence >= shortest, closing.by == .client || closing.by == .server,
            closing.how == .closeFrame || closing.how == .fin || closing.how == .reset, context.mayShowSilence
        else { return }
        var words: [UInt8] = []
        words.append(closing.by == .client ? "client closed the connection" : "server closed the connection")
        for known in defaults where isNear(silence, known.seconds) {
            words.append("; ")
            words.append(known.owner)
        }
        context.emit(
            Finding(
                .connectionIdleClosed,
                a: UInt64(clamping: silence / 1_000_000_000 + (silence % 1_000_000_000 + 500_000_000) / 1_000_000_000)),
            at: place, content: words.rawBytes, sink: &sink)
    }

    /// Within 2 % of it.
    private static func isNear(_ nanoseconds: Int64, _ seconds: Int64) -> Bool {
        let whole = seconds * 1_000_000_000
        return (nanoseconds - whole).magnitude <= whole.magnitude / 50
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ words: StaticString) { append(contentsOf: words.description.utf8) }
}
