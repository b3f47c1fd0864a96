import Dissection

/// Knows by count that a target leads back to this proxy through another one, where nothing in the bytes could tell.
///
/// Two proxies that name each other open connections for ever: each that one accepts makes it dial the other, whose dial it accepts next.
/// Seen from here: connections from one source to one target that stay open and never get a byte from a server, more and more of them. So they are
/// counted, and from a limit on no further one is made for a client that is such a proxy, or of which nothing is known. The refusal takes down
/// those that led to it, one by the other. A connection that gets an answer or ends is not counted any more: in a loop there are none.
struct LoopWatch: Sendable {
    struct Key: Hashable, Sendable {
        var source: IPAddress
        var target: String
    }

    /// What the system knows of the client that reaches a limit.
    enum Client: Sendable {
        /// A program like this one.
        case proxy
        case otherProgram
        case unknown
    }

    /// Silent connections of proxies like this one.
    static let most = 64
    /// The same of clients of which nothing is known, where the process may have enough files open.
    static let mostOfUnknown = 1_000

    private struct Account {
        /// Connections that are open and have no answer.
        var silent = 0
        var limit: Int
    }

    private let mostOfUnknown: Int
    private var accounts: [Key: Account] = [:]

    /// - Parameter files: how many files the process may have open; a loop must not use them up before it is noticed.
    init(files: Int = .max) { mostOfUnknown = max(Self.most, min(Self.mostOfUnknown, files / 8)) }

    /// A client came. It counts until `cleared`.
    ///
    /// - Parameter isFirst: whether this proxy is the one that ends a loop, should the target be another one: both would refuse connections otherwise.
    /// - Returns: Whether a limit is reached, so that it matters who the client is.
    mutating func arrived(_ key: Key, isFirst: Bool = true) -> Bool {
        var account = accounts[key] ?? Account(limit: Self.bound(Self.most, isFirst))
        account.silent += 1
        accounts[key] = account
        return account.silent >= account.limit
    }

    /// A client came with which a limit is reached.
    ///
    /// - Returns: nil where it is served all the same; otherwise how many connections there are.
    mutating func judge(_ key: Key, _ client: Client, isFirst: Bool = true) -> Int? {
        guard let silent = accounts[key]?.silent else { return nil }
        switch client {
        case .proxy: return silent
        // Who the client is costs a look at every process, so that not each one is asked about.
        case .otherProgram: accounts[key]?.limit = silent + max(8, silent / 8)
        case .unknown:
            let limit = Self.bound(mostOfUnknown, isFirst)
            if silent >= limit { return silent }
            accounts[key]?.limit = limit
        }
        return nil
    }

    private static func bound(_ most: Int, _ isFirst: Bool) -> Int { isFirst ? most : most * 3 / 2 }

    /// A server said something on a connection, or it came to its end. To be called once for each.
    mutating func cleared(_ key: Key) {
        guard let silent = accounts[key]?.silent else { return }
        if silent > 1 { accounts[key]?.silent = silent - 1 } else { accounts[key] = nil }
    }
}
