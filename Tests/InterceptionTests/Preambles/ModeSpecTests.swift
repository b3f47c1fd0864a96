import Interception
import Testing

/// `--mode` and `--upstream`.
@Suite("Modes")
struct ModeSpecTests {
    @Test("reverse takes a URL of each scheme, with the scheme's port")
    func reverse() throws {
        func place(_ url: String) throws -> UpstreamURL.Place { try UpstreamURL(url).place }
        #expect(try place("ws://localhost:9000") == .tcp(HostPort(host: "localhost", port: 9000)))
        #expect(try place("WS://localhost/") == .tcp(HostPort(host: "localhost", port: 80)))
        #expect(try place("wss://example.org") == .tcp(HostPort(host: "example.org", port: 443)))
        #expect(try place("http://example.org:") == .tcp(HostPort(host: "example.org", port: 80)))
        #expect(try place("https://[2001:db8::1]") == .tcp(HostPort(host: "2001:db8::1", port: 443)))
        #expect(try place("tcp://127.0.0.1:5432") == .tcp(HostPort(host: "127.0.0.1", port: 5432)))
        #expect(try place("tls://example.org:993") == .tcp(HostPort(host: "example.org", port: 993)))
        #expect(try place("unix:/run/app.sock") == .unix(path: "/run/app.sock"))
        #expect(try place("unix:///run/app.sock") == .unix(path: "/run/app.sock"))
        #expect(try place("unix:app.sock") == .unix(path: "app.sock"))
        let secure = try ["wss://h", "https://h", "tls://h:1"].map { try UpstreamURL($0).scheme.isSecure }
        #expect(secure == [true, true, true])
        let plain = try ["ws://h", "http://h", "tcp://h:1", "unix:h"].map { try UpstreamURL($0).scheme.isSecure }
        #expect(plain == [false, false, false, false])
        #expect(try ModeSpec("reverse:ws://localhost:9000") == .reverse(UpstreamURL("ws://localhost:9000")))
    }

    @Test("the other modes are words")
    func words() throws {
        #expect(try ModeSpec("http") == .http)
        #expect(try ModeSpec("socks5") == .socks5)
        #expect(try ModeSpec("transparent") == .transparent)
        for text in ["http", "socks5", "transparent", "reverse:tcp://a:1"] { #expect(try ModeSpec(text).description == text) }
        #expect(try ModeSpec("reverse:tcp://a:1").name == "reverse")
    }

    @Test(
        "what cannot be meant is refused in words that help",
        arguments: [
            ("", "“” is not a mode; there are reverse:URL, http, socks5 and transparent"),
            ("socks4", "“socks4” is not a mode; there are reverse:URL, http, socks5 and transparent"),
            ("reverse:", "“reverse:” names no server: write reverse:URL, such as reverse:ws://localhost:9000"),
            ("reverse:localhost:9000", "“localhost:9000” is not a valid URL; write for example ws://localhost:9000"),
            ("reverse:ftp://h", "“ftp://h”: the scheme is ws, wss, http, https, tcp, tls or unix, not “ftp”"),
            ("reverse:tcp://h", "“tcp://h”: the port is missing"),
            ("reverse:tls://h", "“tls://h”: the port is missing"),
            ("reverse:ws://h:0", "“ws://h:0”: the port is not a number from 1 to 65535"),
            ("reverse:ws://h:65536", "“ws://h:65536”: the port is not a number from 1 to 65535"),
            ("reverse:ws://h:99999999999999999999999", "“ws://h:99999999999999999999999”: the port is not a number from 1 to 65535"),
            ("reverse:ws://h:-1", "“ws://h:-1”: the port is not a number from 1 to 65535"),
            ("reverse:ws://", "“ws://”: the host is missing"),
            ("reverse:ws://::1:80", "“ws://::1:80”: an IPv6 address stands in brackets: [::1]:8080"),
            (
                "reverse:ws://[::g]:80",
                "“ws://[::g]:80”: the brackets do not hold a valid IPv6 address, or something other than a port follows them"
            ),
            (
                "reverse:ws://bücher.example",
                "“ws://bücher.example”: the host has characters outside ASCII; write the form that goes over the wire (xn--…)"
            ),
            ("reverse:ws://a b", "“ws://a b”: invalid byte 0x20 in the host name"),
            (
                "reverse:ws://me:pw@h",
                "“ws://***@h”: credentials in the upstream URL are not supported; remove them"
            ),
            ("reverse:ftp://me:pw@h", "“ftp://***@h”: the scheme is ws, wss, http, https, tcp, tls or unix, not “ftp”"),
            ("reverse:ws://me:p/w@h", "“ws://***@h”: the port is not a number from 1 to 65535"),
            ("reverse:me:pw@h", "“***@h” is not a valid URL; write for example ws://localhost:9000"),
            ("ws://me:pw@h", "“ws://***@h” is not a mode; there are reverse:URL, http, socks5 and transparent"),
            ("reverse:unix:", "“unix:” names no path: write unix:/path/of/the.sock"),
        ])
    func faults(text: String, words: String) {
        #expect(throws: SpecError(words)) { try ModeSpec(text) }
    }

    @Test(
        "a path of the server's URL is noted, and is no part of it",
        arguments: [
            ("ws://h/chat?x=1", "ws://h", "/chat?x=1"), ("ws://h/", "ws://h/", ""), ("http://h:81?a", "http://h:81", "?a"),
            ("ws://h", "ws://h", ""),
        ])
    func ignoredPath(text: String, description: String, ignored: String) throws {
        let upstream = try UpstreamURL(text)
        #expect(upstream.description == description && upstream.ignoredPath == ignored)
        #expect(try upstream.place == UpstreamURL(description).place)
    }

    @Test("the path of a Unix socket has to fit")
    func longPath() throws {
        _ = try UpstreamURL("unix:/" + String(repeating: "a", count: 102))
        #expect(throws: SpecError.self) { try UpstreamURL("unix:/" + String(repeating: "a", count: 103)) }
    }
}
