import Interception
import Testing

/// `--via` and `USER:PASSWORD`.
@Suite("Via URLs")
struct ViaURLTests {
    @Test("scheme, place and credentials are read")
    func parts() throws {
        let plain = try ViaURL("http://proxy.example:3128/")
        #expect(plain.scheme == .http && plain.proxy == HostPort(host: "proxy.example", port: 3128) && plain.credentials == nil)
        let full = try ViaURL("SOCKS5://an%40na:a%3ab:c@[::1]")
        #expect(full.scheme == .socks5 && full.proxy == HostPort(host: "::1", port: 1080))
        #expect(full.credentials == ProxyCredentials(user: "an@na", password: "a:b:c"))
        #expect(try ViaURL("socks5h://p:1").scheme == .socks5)
        #expect(try ViaURL("http://a@p").credentials == ProxyCredentials(user: "a", password: ""))
        #expect(try ViaURL("http://a@b:c@p").credentials == ProxyCredentials(user: "a@b", password: "c"))
        #expect(full.description == "socks5://[::1]:1080")
    }

    @Test(
        "faults are told without the password",
        arguments: [
            ("proxy:3128", "--via is not a valid URL; write http://HOST:PORT or socks5://HOST:PORT"),
            ("https://secret:secret@p", "--via reaches a proxy over plain TCP: http:// or socks5://, not https://"),
            ("ftp://p", "--via takes http:// or socks5://, not “ftp://”"), ("http://p/x", "--via takes no path: leave “/x” away"),
            ("http://a:se/cret@p", "--via takes no path: leave “***@p” away"),
            ("http://a:secret@", "--via: the host is missing"),
            ("http://a:secret%2@p", "--via: a percent sign in user or password is written %25"),
            ("http://a:secret%+1@p", "--via: a percent sign in user or password is written %25"),
            ("http://:secret@p", "--via: user and password have at most 255 bytes each, and the user at least one and no colon"),
            ("http://a%3Ab:secret@p", "--via: user and password have at most 255 bytes each, and the user at least one and no colon"),
            ("http://p:99999", "--via: the port is not a number from 1 to 65535"),
        ])
    func faults(text: String, words: String) {
        #expect(throws: SpecError(words)) { try ViaURL(text) }
    }

    @Test("USER:PASSWORD is split at the first colon")
    func credentials() throws {
        #expect(try ProxyCredentials("anna:a:b") == ProxyCredentials(user: "anna", password: "a:b"))
        for text in ["", "anna", ":x", String(repeating: "a", count: 256) + ":x", "a:" + String(repeating: "a", count: 256)] {
            #expect(throws: SpecError.self) { try ProxyCredentials(text) }
        }
    }

    @Test func `a password in the place of the user is not shown`() {
        let own = ProxyCredentials(user: "ana", password: "Geheim77")
        for (given, shown) in [("ana", "ana"), ("ben", "ben"), ("Geheim77", "***"), ("xGeheim77x", "***"), ("Geheim7", "Geheim7")] {
            #expect(ProxyCredentials.user(Array(given.utf8), hiding: own) == shown)
        }
        #expect(ProxyCredentials.user(Array("ben".utf8), hiding: ProxyCredentials(user: "ben", password: "")) == "ben")
    }
}
