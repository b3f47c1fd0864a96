import Dissection

/// What clients made of our certificates, by host: whether a client has spoken under one, and how often a host's were refused.
///
/// Both tables are bounded, since names and addresses come from strangers; what is forgotten is asked anew.
struct CertificateTrust {
    /// A client, told by its address, and the host that it speaks to.
    private struct Pair: Hashable {
        var client: IPAddress
        var host: String
    }

    /// The most hosts, and the most pairs of client and host, that are remembered.
    static let limit = 10_000
    /// Refusals at which a host's TLS is passed through. An alert is a fact and counts for all of them; leaving in the midst of the
    /// handshake is a guess, which another one has to confirm.
    static let enoughRefusals = 2
    /// Connections in a row that clients closed right after the handshake, without a byte of either side: from so many on it is taken for pinning. One is what
    /// browsers do with connections that they opened ahead of need, and health checks do it too.
    static let enoughUnused = 3

    private var trusting: Set<Pair> = []
    /// The pairs in the order in which they came, the oldest at `oldest` once there are `limit`.
    private var order: [Pair] = []
    private var oldest = 0
    private var refusals: [String: Int] = [:]
    private var unused: [Pair: Int] = [:]
    /// Hosts to which some client has spoken under our certificate.
    private var used: Set<String> = []

    /// The client has sent something of its own under our certificate for the host.
    mutating func accepted(by client: IPAddress, host: String) {
        refusals[host] = nil
        let pair = Pair(client: client, host: host)
        unused[pair] = nil
        if used.count < Self.limit { used.insert(host) }
        guard trusting.insert(pair).inserted else { return }
        if order.count < Self.limit {
            order.append(pair)
        } else {
            trusting.remove(order[oldest])
            order[oldest] = pair
            oldest = (oldest + 1) % Self.limit
        }
    }

    /// Whether the client has ever spoken under our certificate for the host: then it trusts the local CA and does not pin the host.
    func hasWorked(for client: IPAddress, host: String) -> Bool { trusting.contains(Pair(client: client, host: host)) }

    /// A client refused our certificate for the host, or is taken to have.
    ///
    /// - Parameter weight: how far it counts towards `enoughRefusals`.
    /// - Returns: whether the host is passed through from here on.
    mutating func refused(host: String, weight: Int) -> Bool {
        if refusals[host] != nil || refusals.count < Self.limit { refusals[host, default: 0] += weight }
        return isRefused(host: host)
    }

    /// A client has finished its handshake with us for the host, and closed the connection without a byte.
    ///
    /// - Returns: Whether it is the one from which on the client is taken to pin the host. A host that some client has spoken to does not count:
    ///   a health check that only opens TLS would otherwise have it passed through for those who use it.
    mutating func leftUnused(by client: IPAddress, host: String) -> Bool {
        let pair = Pair(client: client, host: host)
        guard !used.contains(host), unused[pair] != nil || unused.count < Self.limit else { return false }
        unused[pair, default: 0] += 1
        return unused[pair] == Self.enoughUnused
    }

    /// A client has left without a byte of its own, but with data of the server: such connections in a row are interrupted by it.
    mutating func served(_ client: IPAddress, host: String) { unused[Pair(client: client, host: host)] = nil }

    /// Whether the host was refused so often that its TLS is to be passed through.
    func isRefused(host: String) -> Bool { refusals[host, default: 0] >= Self.enoughRefusals }
}
