import Dissection

/// Words that are secrets themselves, or behind which one stands.
enum SecretWords {
    /// How tokens of services begin, and how many characters follow at least.
    static let tokens: [(StaticString, Int)] = [
        ("ghp_", 20), ("gho_", 20), ("ghu_", 20), ("ghs_", 20), ("ghr_", 20), ("github_pat_", 20), ("glpat-", 16), ("gldt-", 16),
        ("glrt-", 16), ("glptt-", 16), ("ya29.", 20), ("GOCSPX-", 20), ("xoxc-", 10), ("xoxd-", 10), ("whsec_", 16), ("xoxb-", 10),
        ("xoxp-", 10),
        ("xoxa-", 10), ("xoxr-", 10), ("xoxs-", 10), ("xapp-", 10), ("sk_live_", 10), ("rk_live_", 10), ("sk_test_", 10), ("sk-", 32),
        ("AKIA", 16),
        ("ASIA", 16), ("AIza", 30), ("oauth:", 20),
    ]
    /// Subprotocols that carry a token of Kubernetes in their name.
    static let subprotocol: StaticString = "base64url.bearer.authorization.k8s.io."
    static let schemes: [StaticString] = ["bearer", "basic", "negotiate", "ntlm", "digest"]
    /// Names of schemes after which a token follows, where the name of a secret stands before them: beside those above, some of HTTP APIs.
    static let namedSchemes: [StaticString] = schemes + ["token", "apikey", "dpop"]
    /// No name of a scheme is longer.
    static let longestScheme = 12
    static let commands: [StaticString] = [
        "pass", "auth", "auth2", "authenticate", "login", "identify", "oper", "requirepass", "masterauth", "setuser",
    ]
    /// Settings of Redis that are secrets: they stand behind CONFIG SET.
    static let settings: [StaticString] = ["requirepass", "masterauth"]
    /// Mechanisms of SASL, which stand before what is secret; other words behind AUTH are the secret.
    static let mechanisms: [StaticString] = [
        "plain", "login", "cram-md5", "digest-md5", "xoauth2", "oauthbearer", "external", "gssapi", "ntlm", "scram-sha-1", "scram-sha-256",
        "scram-sha-512", "scram-sha-1-plus", "scram-sha-256-plus", "scram-sha-512-plus", "anonymous",
    ]
    private static let beginnings = WordBeginnings(tokens.map { $0.0 } + schemes + commands + [jwt, subprotocol])
    /// A token of JWT begins so: it is `{"` in base64.
    static let jwt: StaticString = "eyJ"
    static let shortestToken = 12

    /// Whether one of them may begin with three bytes, whatever their case: mostly these say that it is none.
    static func mayBegin(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool { beginnings.contains(first, second, third) }
}
