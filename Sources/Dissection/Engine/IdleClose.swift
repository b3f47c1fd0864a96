/// A connection that one side closed after neither had sent anything for long.
enum IdleClose {
    /// Where a side waits for something: a shorter silence says little, because programs that are done close after some seconds.
    private static let shortestWait: Int64 = 10_000_000_000

    /// Where nobody waits: 2 % less than the smallest of the defaults.
    private static let shortest: Int64 = 49_000_000_000

    /// Tells what is found of a conversation that ended so, where nothing can have been missed.
    ///
    /// The end of a connection that HTTP keeps for the next request is an ordinary one: it is told only where it names a default.
    static func tell<Sink: ConversationSink & ~Copyable>(
        _ closing: Closing, at place: Place, context: inout ConversationContext, sink: inout Sink
    ) {
        guard let silence = closing.silence, closing.by == .client || closing.by == .server,
            closing.how == .closeFrame || closing.how == .fin || closing.how == .reset, context.mayShowSilence
        else { return }
        let side: Side = closing.by == .client ? .client : .server
        let standing = context.standingAtEnd
        guard silence >= (standing.isAwaited ? shortestWait : shortest) else { return }
        // What let a longer silence pass did not close it for this one: a limit on its life, a deployment, or an app that was done.
        guard silence > context.survivedSilence &+ 1_000_000_000 else { return }
        var words: [UInt8] = []
        words.append(side == .client ? "client closed the connection" : "server closed the connection")
        let isNamed = appendOwners(of: silence, closing.how, by: side, standing, to: &words)
        guard isNamed || standing.work != .idle else { return }
        context.emit(
            Finding(
                .connectionIdleClosed,
                a: UInt64(clamping: silence / 1_000_000_000 + (silence % 1_000_000_000 + 500_000_000) / 1_000_000_000)),
            at: place, content: words.rawBytes, sink: &sink)
    }

    /// Appends whose default a silence is. False where it is nobody's that can be meant.
    private static func appendOwners(
        of silence: Int64, _ how: Closing.Manner, by side: Side, _ standing: Standing, to words: inout [UInt8]
    ) -> Bool {
        // A side whose pings are not answered closes for that.
        guard !standing.asks(side) else { return false }
        // No proxy sends a Close frame.
        var situations: IdleDefault.Situations = how == .closeFrame ? [] : IdleDefault.Situations(standing.work, closedBy: side)
        if standing.isPhoenix, side == .server { situations.insert(.phoenix) }
        var last: Int64 = 0
        for known in IdleDefault.all where known.isNear(silence) && !known.situations.isDisjoint(with: situations) {
            if known.isOfResets, how != .reset { continue }
            if known.seconds == last {
                words.append(" and of ")
            } else {
                words.append("; ")
                if standing.work == .sealed, !known.situations.contains(.plain) { words.append("for HTTP, ") }
                words.append(decimal: UInt64(known.seconds))
                words.append(known.isExample ? " s is the timeout in the examples of " : " s is the default of ")
            }
            last = known.seconds
            words.append(known.owner)
        }
        return last > 0
    }
}

/// After how long a silence a proxy or load balancer closes a connection unless it is told otherwise, and which connection.
struct IdleDefault {
    /// What may be open where it closes one, and on which side of the connection it stands.
    struct Situations: OptionSet {
        let rawValue: UInt8
        /// A protocol that it does not know, or does not read.
        static let plain = Situations(rawValue: 1)
        /// A response under way, a WebSocket or another upgrade.
        static let stream = Situations(rawValue: 2)
        /// It is the client, and a request waits for its response.
        static let givenUp = Situations(rawValue: 4)
        /// It is the server, and a request waits. One that reads HTTP sends a response of its own (408, 504) first.
        static let unanswered = Situations(rawValue: 8)
        /// It is the client of a connection that is kept for the next request.
        static let keptByClient = Situations(rawValue: 16)
        static let keptByServer = Situations(rawValue: 32)
        /// It is the server of channels of Phoenix.
        static let phoenix = Situations(rawValue: 64)

        static let any: Situations = [.plain, .stream, .givenUp, .unanswered, .keptByClient, .keptByServer]
        /// What reads HTTP closes in silence.
        static let anyHTTP: Situations = [.stream, .givenUp, .keptByClient, .keptByServer]
    }

    let seconds: Int64
    let owner: StaticString
    let situations: Situations
    /// It resets connections, and sends no FIN.
    var isOfResets = false
    /// It looks only so often, and may act so many seconds before its time.
    var secondsEarly: Int64 = 0
    /// It has no default; its examples have this.
    var isExample = false

    /// In the order of their times.
    static let all: [IdleDefault] = [
        IdleDefault(seconds: 50, owner: "haproxy", situations: anyButUnanswered, isExample: true),
        IdleDefault(
            seconds: 60, owner: "Phoenix and Cowboy where the client sends nothing, no heartbeat either", situations: .phoenix,
            secondsEarly: 6),
        IdleDefault(seconds: 60, owner: "nginx (proxy_read_timeout)", situations: [.stream, .givenUp]),
        IdleDefault(seconds: 60, owner: "nginx (keepalive_timeout to an upstream server)", situations: .keptByClient),
        IdleDefault(seconds: 60, owner: "the AWS Application Load Balancer", situations: .anyHTTP),
        IdleDefault(seconds: 75, owner: "nginx (keepalive_timeout)", situations: .keptByServer),
        IdleDefault(seconds: 100, owner: "Cloudflare until it became 120 s", situations: [.stream, .givenUp]),
        IdleDefault(seconds: 120, owner: "Cloudflare", situations: [.stream, .givenUp]),
        IdleDefault(seconds: 240, owner: "the Azure Load Balancer", situations: .any, isOfResets: true),
        IdleDefault(seconds: 350, owner: "the AWS Network Load Balancer", situations: .any),
        IdleDefault(seconds: 400, owner: "Cloudflare for connections without a request", situations: .keptByServer),
    ]

    private static let anyButUnanswered: Situations = [.plain, .anyHTTP]

    /// Within 2 % of it, or as early as it may act.
    func isNear(_ nanoseconds: Int64) -> Bool {
        let whole = seconds * 1_000_000_000
        let least = whole - whole / 50 - secondsEarly * 1_000_000_000
        return nanoseconds >= least && nanoseconds <= whole + whole / 50
    }
}

extension IdleDefault.Situations {
    /// Which of them a connection may have been in, where `side` closed it.
    fileprivate init(_ work: Standing.Work, closedBy side: Side) {
        let kept: Self = side == .client ? .keptByClient : .keptByServer
        self =
            switch work {
            case .unknown: .plain
            case .sealed: side == .client ? [.plain, .stream, .givenUp, kept] : [.plain, .stream, kept]
            case .request: side == .client ? .givenUp : .unanswered
            case .stream: .stream
            case .idle: kept
            }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ words: StaticString) { append(contentsOf: words.description.utf8) }

    fileprivate mutating func append(decimal number: UInt64) { append(contentsOf: String(number).utf8) }
}
