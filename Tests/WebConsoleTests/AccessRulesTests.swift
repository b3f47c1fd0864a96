import Testing

@testable import WebConsole

/// Who may ask the console for something.
@Suite struct AccessRulesTests {
    private static let token = "0123456789abcdef0123456789abcdef"
    private static let rules = AccessRules(port: 8181, names: ["console.example", "tunnel.example:9000"], token: token)

    @Test(arguments: [
        "127.0.0.1:8181", "localhost:8181", "LocalHost:8181", "[::1]:8181", "console.example", "console.example:8181",
        "tunnel.example:9000",
    ])
    func `a name of the console is a valid Host and a valid Origin`(host: String) throws {
        try Self.rules.check(hosts: [host], origins: [])
        try Self.rules.check(hosts: [host], origins: ["http://\(host)"], needsOrigin: true)
    }

    @Test(arguments: [
        "", "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.1:8181 ", " 127.0.0.1:8181", "127.0.0.1:8181.evil.example",
        "evil.example:8181",
        "127.0.0.1:08181", "127.1:8181", "0.0.0.0:8181", "[::ffff:127.0.0.1]:8181", "localhost.:8181", "127.0.0.1:8181,evil.example",
        "user@127.0.0.1:8181", "127.0.0.1:8181/", "tunnel.example", "tunnel.example:8181", "\u{0}", "[::1]", "::1:8181", "[::1%lo]:8181",
    ])
    func `any other Host is refused, whatever the Origin`(host: String) {
        #expect(throws: AccessRules.Refusal.host) { try Self.rules.check(hosts: [host], origins: []) }
        #expect(throws: AccessRules.Refusal.host) { try Self.rules.check(hosts: [host], origins: ["http://\(host)"]) }
    }

    @Test(arguments: ["https://console.example", "https://console.example:8181", "https://tunnel.example:9000"])
    func `the end of a tunnel may speak TLS`(origin: String) throws {
        try Self.rules.check(hosts: ["127.0.0.1:8181"], origins: [origin], needsOrigin: true)
    }

    @Test(arguments: [
        (8181, "127.0.0.2", "127.0.0.2:8181"), (8181, "[fd00::2]", "[fd00::2]:8181"), (80, "127.0.0.2", "127.0.0.2"),
        (80, "[::1]", "[::1]"),
    ])
    func `the address that it listens at is a name of it, and port 80 goes without saying`(port: Int, address: String, host: String) throws
    {
        let rules = AccessRules(port: port, address: address, names: [], token: Self.token)
        try rules.check(hosts: [host], origins: ["http://\(host)"], needsOrigin: true)
        #expect(throws: AccessRules.Refusal.host) { try rules.check(hosts: ["127.0.0.3:\(port)"], origins: []) }
    }

    @Test func `no Host and two of them are refused`() {
        #expect(throws: AccessRules.Refusal.host) { try Self.rules.check(hosts: [], origins: []) }
        #expect(throws: AccessRules.Refusal.host) { try Self.rules.check(hosts: ["localhost:8181", "localhost:8181"], origins: []) }
    }

    @Test(arguments: [
        "null", "", "https://127.0.0.1:8181", "http://evil.example", "http://evil.example:8181", "http://127.0.0.1",
        "http://127.0.0.1:8181/",
        "http://127.0.0.1:8181@evil.example", "127.0.0.1:8181", "http:/127.0.0.1:8181", "HTTP://127.0.0.1:8181", "http://", "\u{ff}",
        "http://[",
    ])
    func `any other Origin is refused`(origin: String) {
        #expect(throws: AccessRules.Refusal.origin) { try Self.rules.check(hosts: ["127.0.0.1:8181"], origins: [origin]) }
    }

    @Test func `a WebSocket needs an Origin, and there is one at most`() {
        let host = ["127.0.0.1:8181"]
        #expect(throws: AccessRules.Refusal.origin) { try Self.rules.check(hosts: host, origins: [], needsOrigin: true) }
        #expect(throws: AccessRules.Refusal.origin) {
            try Self.rules.check(hosts: host, origins: ["http://127.0.0.1:8181", "http://127.0.0.1:8181"])
        }
    }

    @Test func `only the whole token opens`() throws {
        try Self.rules.check(authorizations: ["Bearer \(Self.token)"])
        try Self.rules.check(authorizations: ["bearer \(Self.token)"])
        let wrong = [
            "", "Bearer", "Bearer ", "Basic \(Self.token)", "Bearer \(Self.token)0", "Bearer \(Self.token.dropLast())",
            "Bearer 0\(Self.token)",
            "Bearer \(Self.token.uppercased())", "Bearer  \(Self.token)", Self.token, "Bearer \(String(repeating: "0", count: 100_000))",
        ]
        for value in wrong { #expect(throws: AccessRules.Refusal.token, "\(value)") { try Self.rules.check(authorizations: [value]) } }
        #expect(throws: AccessRules.Refusal.token) { try Self.rules.check(authorizations: []) }
        let both = ["Bearer \(Self.token)", "Bearer \(Self.token)"]
        #expect(throws: AccessRules.Refusal.token) { try Self.rules.check(authorizations: both) }
    }

    @Test func `a token has 128 bits and is another one each time`() {
        let tokens = Set((0..<100).map { _ in AccessRules.makeToken() })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}
