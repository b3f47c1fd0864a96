/// Who may ask the console for something: the names that it goes by, and the token of the run.
struct AccessRules: Sendable {
    /// Why a request is not met.
    enum Refusal: Error, Equatable {
        /// The Host is not one of the console's names: a name that an attacker has pointed here.
        case host
        /// Another site asks.
        case origin
        case token

        var status: Int {
            switch self {
            case .host: 421
            case .origin: 403
            case .token: 401
            }
        }

        var sentence: String {
            switch self {
            case .host: "the Host of the request is not a name of this console; --console-host adds one"
            case .origin: "the Origin of the request is not this console"
            case .token: "the token is missing or wrong; open the URL that unmask printed"
            }
        }
    }

    /// As they stand in Host.
    private let hosts: Set<String>
    /// Those of them that may be the end of a tunnel, which may be one of TLS.
    private let tunnels: Set<String>
    private let token: [UInt8]

    /// - Parameters:
    ///   - address: where it listens, as a URL has it.
    ///   - names: names that the console goes by beside those of this machine, each with or without a port.
    init(port: Int, address: String = "127.0.0.1", names: [String], token: String) {
        let own = ["127.0.0.1", "[::1]", "localhost", address]
        // A browser leaves out the port that HTTP has anyway.
        var hosts = Set(own.map { "\($0):\(port)" } + (port == 80 ? own : []))
        var tunnels: Set<String> = []
        for name in names {
            let lowered = name.lowercased()
            tunnels.insert(lowered)
            // Without a port it is the console's.
            if !Self.hasPort(lowered) { tunnels.insert("\(lowered):\(port)") }
        }
        hosts.formUnion(tunnels)
        (self.hosts, self.tunnels) = (hosts, tunnels)
        self.token = Array(token.utf8)
    }

    private static func hasPort(_ name: String) -> Bool {
        guard let colon = name.lastIndex(of: ":") else { return false }
        return name[name.index(after: colon)...].allSatisfy(\.isNumber) && !name.hasSuffix("]")
    }

    /// Checks the Host and the Origin of a request, before anything else is looked at.
    ///
    /// - Parameters:
    ///   - hosts: the values of all its Host fields.
    ///   - origins: the values of all its Origin fields.
    ///   - needsOrigin: Only a browser has a reason to ask, and a browser says where it asks from.
    func check(hosts given: [String], origins: [String], needsOrigin: Bool = false) throws(Refusal) {
        guard given.count == 1, hosts.contains(given[0].lowercased()) else { throw .host }
        guard origins.count <= 1 else { throw .origin }
        guard let origin = origins.first else {
            if needsOrigin { throw .origin }
            return
        }
        let forms = [("http://", hosts), ("https://", tunnels)]
        let isOwn = forms.contains { scheme, names in
            origin.hasPrefix(scheme) && names.contains(origin.dropFirst(scheme.count).lowercased())
        }
        guard isOwn else { throw .origin }
    }

    /// Checks `Authorization: Bearer TOKEN`.
    func check(authorizations: [String]) throws(Refusal) {
        guard authorizations.count == 1 else { throw .token }
        let words = authorizations[0].split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw .token }
        try check(token: words[1].utf8)
    }

    /// Compares a token in a time that says nothing about where it is wrong.
    func check(token given: some Sequence<UInt8>) throws(Refusal) {
        var (difference, count) = (UInt8(0), 0)
        for byte in given {
            difference |= count < token.count ? token[count] ^ byte : 1
            count += 1
            if count > 4 * token.count { break }
        }
        guard difference == 0, count == token.count else { throw .token }
    }

    /// A token for a run: 128 random bits in hexadecimal.
    static func makeToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
