import Dissection

/// Knows by count that a target leads back to this proxy through another one, where nothing in the bytes could tell.
///
/// Two proxies that name each other open connections for ever: each that one accepts makes it dial the other, whose dial it accepts next.
/// Seen from here: connections from one source to one target, each within a quarter of a second after the dial for the one before was done and never
/// before, all open, and never a byte from a server. Clients that open many silent connections look alike, but for one thing: they do not
/// wait for us. So once there are `suspicious` of them, the dial for the next is held back for a moment. Clients go on meanwhile; a loop
/// stands still, and goes on when the dial is made. After `proofs` such moments in a row it is taken for a loop.
struct LoopWatch: Sendable {
    struct Key: Hashable, Sendable {
        var source: IPAddress
        var target: String
    }

    enum Verdict: Hashable, Sendable {
        case dial
        /// Dial, but only after `holding`.
        case hold
        /// Do not dial; so many connections were opened, one by the other.
        case loop(Int)
    }

    /// Connections in a row before any is held back.
    static let suspicious = 32
    /// Moments of standing still that prove it.
    static let proofs = 3
    /// How long a dial is held back, in nanoseconds.
    static let holding: Int64 = 250_000_000
    /// The most between the end of one dial and the next connection, in nanoseconds: no more than a dial is held back, so that whoever
    /// opens connections at such a pace of its own comes while one is held.
    private static let breath = holding

    private struct Chain {
        var length = 0
        var proofs = 0
        var isDialling = false
        var dialledAt: Int64 = 0
    }

    private var chains: [Key: Chain] = [:]

    /// A client came.
    mutating func arrived(_ key: Key, at time: Timestamp) -> Verdict {
        var chain = chains[key] ?? Chain()
        // Whoever does not wait for our dial, or comes much later, was not made by it.
        if chain.isDialling || chain.length > 0 && time.nanoseconds - chain.dialledAt > LoopWatch.breath { chain = Chain() }
        chain.length += 1
        chain.isDialling = true
        var verdict = Verdict.dial
        if chain.length > LoopWatch.suspicious {
            if chain.proofs >= LoopWatch.proofs {
                verdict = .loop(chain.length)
            } else {
                chain.proofs += 1
                verdict = .hold
            }
        }
        if case .loop = verdict { chains[key] = nil } else { chains[key] = chain }
        return verdict
    }

    /// The dial for a client is done: whoever it leads to may come back now.
    mutating func dialled(_ key: Key, at time: Timestamp) {
        guard chains[key] != nil else { return }
        chains[key]?.isDialling = false
        chains[key]?.dialledAt = time.nanoseconds
    }

    /// A server said something, or a connection ended: there is an end to it.
    mutating func cleared(_ key: Key) { chains[key] = nil }
}
