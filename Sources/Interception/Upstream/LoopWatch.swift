import Dissection

/// Knows by count that a target leads back to this proxy through another one, where nothing in the bytes could tell.
///
/// Two proxies that name each other open connections for ever: each that one accepts makes it dial the other, whose dial it accepts next.
/// Seen from here: connections from one source to one target that stay open and never get a byte from a server, more and more of them.
/// Clients that open many silent connections look alike, but for one thing: they do not wait for us. So once there are many, the dials
/// are held back for a moment and then made all together, several times over, in a trial:
///
/// ```
/// phase   0         1         2              3     …   each of another length
///         ├─ hold ──┼─ hold ──┼─ hold ───────┼─
///                   └ dials   └ dials        └ dials
///                    ↓↓        ↓↓             ↓↓       each dial brings one connection back at once; none comes at another time
/// ```
///
/// A loop of any number of clients brings back as many as were let go, just then, and only then. Most clients come
/// when they like; one that opens each connection when its server has accepted the one before cannot be told from a loop. So where nothing else
/// says that the client is a proxy, there is a trial only at numbers that a loop comes to soon and others hardly ever. Connections that
/// get an answer or end are left out of the account, even when they do so afterwards: in a loop there are none. Where many do so during a
/// trial, it fails, and another one follows.
///
/// The other proxy may be one like this. Of two trials at one time both would fail, so `isFirst` tells which of the two begins, and a proxy
/// whose connections come as slowly as in another's trial waits for a while.
struct LoopWatch: Sendable {
    struct Key: Hashable, Sendable {
        var source: IPAddress
        var target: String
    }

    /// One connection that is watched, until `cleared`.
    struct Ticket: Hashable, Sendable {
        fileprivate let key: Key
        /// The trial that it came in; 0 for none.
        fileprivate var trial = 0
        fileprivate var phase = 0
        fileprivate var isPrompt = false
        /// Whether the trial began with it.
        fileprivate(set) var opensTrial = false
    }

    enum Verdict: Hashable, Sendable {
        case dial
        /// Ask `due` again after so many nanoseconds.
        case hold(Int64)
        /// Do not dial: so many connections were opened, one by the other. The first of those that are refused together is news.
        case loop(Int, isNews: Bool)
    }

    /// Silent connections before there is a trial.
    static let suspicious = 32
    /// The same for the one of two proxies that begins only if the other one has not.
    static let suspiciousToSecond = 96
    /// The same of clients of which nothing is known, where the process may have enough files open.
    static let mostSuspicious = 1_000
    /// How many releases in a row have to bring back what was released.
    static let proofs = 5
    /// What is "at once" after a release, in nanoseconds, and where connections seem to take longer.
    static let prompt: Int64 = 40_000_000
    static let longestPrompt = 4 * prompt
    /// The lengths of the phases in the time that is "at once". They differ, so that whoever comes at a pace of its own does not keep to it.
    private static let lengths: [Int64] = [6, 7, 10, 6, 9, 8]
    /// Connections that come slowly are let go on so many times, since another proxy may be holding them in a trial of its own.
    private static let yields = 64
    /// So many connections in so many nanoseconds are not slow.
    private static let fast = (count: 16, span: Int64(250_000_000))

    /// What came in one phase, and still is open and has no answer.
    private struct Arrivals {
        var prompt = 0
        var late = 0
        var all: Int { prompt + late }
    }

    private struct Trial {
        let number: Int
        /// What is "at once".
        let prompt: Int64
        var phase = 0
        var start: Int64
        var arrivals = [Arrivals()]
        var end: Int64 { start + prompt * LoopWatch.lengths[phase] }
    }

    private struct Account {
        /// Connections that are open and have no answer.
        var silent = 0
        var threshold: Int
        var yields = LoopWatch.yields
        var failures = 0
        var prompt = LoopWatch.prompt
        var recent = (since: Int64.min, count: 0)
        var trials = 0
        var trial: Trial?
        /// The trial that found a loop, and whether that was told.
        var proven = 0
        var isTold = false
    }

    /// Silent connections before there is a trial of clients of which nothing is known.
    let suspiciousOfUnknown: Int
    private var accounts: [Key: Account] = [:]
    private var randomState: UInt64

    /// - Parameters:
    ///   - seed: of what chance decides, such as when to try again.
    ///   - files: how many files the process may have open; a loop must not use them up before it is noticed.
    init(seed: UInt64, files: Int = .max) {
        randomState = seed
        suspiciousOfUnknown = max(Self.suspicious, min(Self.mostSuspicious, files / 8))
    }

    /// A client came.
    ///
    /// - Parameters:
    ///   - time: of a clock that does not step, in nanoseconds.
    ///   - isFirst: whether this proxy is the one that begins with a trial, should the target be another one.
    mutating func arrived(_ key: Key, at time: Int64, isFirst: Bool = true) -> (verdict: Verdict, ticket: Ticket) {
        var account = accounts[key] ?? Account(threshold: (isFirst ? Self.suspicious : Self.suspiciousToSecond) + random(below: 8))
        defer { accounts[key] = account }
        account.silent += 1
        if account.recent.count == 0 || time - account.recent.since > Self.fast.span { account.recent = (time, 0) }
        account.recent.count += 1
        advance(&account, to: time)
        var opensTrial = false
        if account.trial == nil, account.silent >= account.threshold {
            if account.recent.count < Self.fast.count, account.yields > 0 {
                account.yields -= 1
            } else {
                account.trials += 1
                opensTrial = true
                account.trial = Trial(number: account.trials, prompt: account.prompt, start: time)
            }
        }
        guard var trial = account.trial else { return (.dial, Ticket(key: key)) }
        let isPrompt = trial.phase > 0 && time - trial.start < trial.prompt
        if isPrompt { trial.arrivals[trial.phase].prompt += 1 } else { trial.arrivals[trial.phase].late += 1 }
        account.trial = trial
        let ticket = Ticket(key: key, trial: trial.number, phase: trial.phase, isPrompt: isPrompt, opensTrial: opensTrial)
        return (.hold(trial.end - time), ticket)
    }

    /// The client that a trial began with is known to be no proxy: the trial is called off.
    mutating func acquitted(_ ticket: Ticket) {
        guard let account = accounts[ticket.key], account.trial?.number == ticket.trial else { return }
        accounts[ticket.key]?.trial = nil
        accounts[ticket.key]?.threshold = account.silent + max(8, account.silent / 8)
    }

    /// Nothing is known of the client that a trial began with: unless there are very many, the trial is called off.
    ///
    /// - Returns: whether it goes on.
    mutating func unknown(_ ticket: Ticket, isFirst: Bool) -> Bool {
        guard let account = accounts[ticket.key], account.trial?.number == ticket.trial else { return false }
        let enough = isFirst ? suspiciousOfUnknown : suspiciousOfUnknown * 3 / 2
        if account.silent >= enough { return true }
        accounts[ticket.key]?.trial = nil
        accounts[ticket.key]?.threshold = enough
        return false
    }

    /// The time that a client was held for is over.
    mutating func due(_ ticket: Ticket, at time: Int64) -> Verdict {
        guard var account = accounts[ticket.key] else { return .dial }
        defer { accounts[ticket.key] = account }
        advance(&account, to: time)
        if let trial = account.trial, trial.number == ticket.trial, trial.phase == ticket.phase { return .hold(trial.end - time) }
        guard ticket.trial > 0, ticket.trial == account.proven, ticket.phase == Self.proofs, ticket.isPrompt else { return .dial }
        defer { account.isTold = true }
        return .loop(account.silent, isNews: !account.isTold)
    }

    /// A server said something on a connection, or it came to its end. To be called once for each ticket.
    mutating func cleared(_ ticket: Ticket) {
        guard var account = accounts[ticket.key] else { return }
        account.silent -= 1
        if var trial = account.trial, trial.number == ticket.trial {
            if ticket.isPrompt { trial.arrivals[ticket.phase].prompt -= 1 } else { trial.arrivals[ticket.phase].late -= 1 }
            account.trial = trial
        }
        accounts[ticket.key] = account.silent > 0 ? account : nil
    }

    /// Goes on to the phase that is now, and judges those that are over.
    private mutating func advance(_ account: inout Account, to time: Int64) {
        while var trial = account.trial, time >= trial.end {
            if trial.phase > 0 {
                // Of what was let go at the beginning of the phase, each must have brought one back at once.
                let released = trial.arrivals[trial.phase - 1].all
                let returned = trial.arrivals[trial.phase]
                guard released > 0, returned.prompt >= released else {
                    return fail(&account, isSlow: released > 0 && returned.all == released)
                }
            }
            if trial.phase == Self.proofs {
                guard isLoop(trial) else { return fail(&account, isSlow: false) }
                account.proven = trial.number
                account.isTold = false
                account.trial = nil
                account.threshold = account.silent + Self.suspicious
                return
            }
            trial.start = trial.end
            trial.phase += 1
            trial.arrivals.append(Arrivals())
            account.trial = trial
        }
    }

    /// The whole account once more, by what has had an answer or an end meanwhile.
    private func isLoop(_ trial: Trial) -> Bool {
        let pairs = zip(trial.arrivals, trial.arrivals.dropFirst())
        guard pairs.allSatisfy({ $0.all > 0 && $1.prompt >= $0.all }) else { return false }
        // What came in the last phase has not been let go yet, and nothing is known of it.
        let known = trial.arrivals[1..<Self.proofs]
        return known.reduce(0) { $0 + $1.late } * 4 <= known.reduce(0) { $0 + $1.prompt }
    }

    /// No loop, or not to be told from clients: another trial comes soon, after a few of them only when there are twice as many.
    private mutating func fail(_ account: inout Account, isSlow: Bool) {
        account.trial = nil
        account.failures += 1
        // What came back late may come from afar; then there is no use in waiting.
        let isWorthMore = isSlow && account.prompt < Self.longestPrompt
        account.yields = isWorthMore ? 0 : Self.yields
        account.prompt = isWorthMore ? 2 * account.prompt : Self.prompt
        account.threshold = account.silent + (isWorthMore ? 1 : 8) + random(below: isWorthMore ? 8 : 56)
        if account.failures % 4 == 0 { account.threshold = max(account.threshold, 2 * account.silent) }
    }

    /// SplitMix64.
    private mutating func random(below bound: Int) -> Int {
        randomState &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (randomState ^ (randomState >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int(truncatingIfNeeded: (mixed ^ (mixed >> 31)) >> 1) % bound
    }
}
