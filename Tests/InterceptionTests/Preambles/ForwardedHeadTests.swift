import Dissection
import Interception
import Testing

/// What a proxy changes about a head (RFC 9112), and that it changes nothing else.
@Suite("Forwarded heads")
struct ForwardedHeadTests {
    private func relayed(_ head: String, asking credentials: ProxyCredentials? = nil) -> String {
        let told = ProxyDialogue.play([.client(head)], .whole, asking: credentials)
        return told.count == 2 ? "\(told[0]) \(told[1])" : told.joined(separator: " ")
    }

    @Test(
        "the target gets origin-form, and is not decoded",
        arguments: [
            ("GET http://h/a/b?c=d HTTP/1.1", "h:80", "GET /a/b?c=d HTTP/1.1"), ("GET http://h HTTP/1.1", "h:80", "GET / HTTP/1.1"),
            ("GET http://h?x HTTP/1.1", "h:80", "GET /?x HTTP/1.1"),
            ("GET HTTP://h:81//x/../%41%zz HTTP/1.1", "h:81", "GET //x/../%41%zz HTTP/1.1"),
            ("GET ws://h/s HTTP/1.1", "h:80", "GET /s HTTP/1.1"), ("OPTIONS http://h HTTP/1.1", "h:80", "OPTIONS * HTTP/1.1"),
            ("OPTIONS http://h/ HTTP/1.1", "h:80", "OPTIONS / HTTP/1.1"), ("OPTIONS http://h?x HTTP/1.1", "h:80", "OPTIONS /?x HTTP/1.1"),
            ("GET http://h/a b#c HTTP/1.1", "h:80", "GET /a b#c HTTP/1.1"), ("get http://h/ HTTP/1.0", "h:80", "get / HTTP/1.0"),
            ("GET http://h/http://b/ HTTP/1.1", "h:80", "GET /http://b/ HTTP/1.1"),
        ])
    func targets(line: String, origin: String, expected: String) {
        #expect(relayed("\(line)\r\nHost: \(origin)\r\n\r\n") == "opens \(origin) relayed \(expected)\\r\\nHost: \(origin)\\r\\n\\r\\n")
    }

    @Test("IPv6 stands in brackets")
    func ipv6() {
        #expect(
            relayed("GET http://[2001:db8::1]:8080/x HTTP/1.1\r\n\r\n")
                == "opens [2001:db8::1]:8080 relayed GET /x HTTP/1.1\\r\\nHost: [2001:db8::1]:8080\\r\\n\\r\\n")
    }

    @Test("Host is that of the target, and left alone where it says so already (RFC 9112, section 3.2.2)")
    func host() {
        func hosts(_ lines: String) -> String {
            let told = relayed("GET http://Example.org:80/ HTTP/1.1\r\n\(lines)\r\n")
            return String(told.dropFirst("opens Example.org:80 relayed GET / HTTP/1.1\\r\\n".count).dropLast(4))
        }
        for same in ["Host: Example.org:80\r\n", "hOST:example.ORG\r\n", "A: b\r\nHost:\texample.org: \r\nC: d\r\n"] {
            #expect(hosts(same) == Array(same.utf8).shown)
        }
        #expect(hosts("") == "Host: Example.org:80\\r\\n")
        #expect(hosts("A: b\r\n") == "Host: Example.org:80\\r\\nA: b\\r\\n")
        #expect(hosts("A: b\r\nhost:  other \r\nC: d\r\n") == "A: b\\r\\nhost:  Example.org:80 \\r\\nC: d\\r\\n")
        #expect(hosts("Host: example.org:81\r\n") == "Host: Example.org:80\\r\\n")
        #expect(hosts("Host:\r\n") == "Host:Example.org:80\\r\\n")
        #expect(hosts("Host: a\r\nB: c\r\nHost: example.org\r\n\tfold\r\n") == "Host: Example.org:80\\r\\nB: c\\r\\n")
        #expect(hosts("Host: a\r\n b\r\nC: d\r\n") == "Host: Example.org:80\\r\\nC: d\\r\\n")
        #expect(hosts("Host : evil\r\n") == "Host : Example.org:80\\r\\n")
    }

    @Test("everything else stays byte for byte: order, case, whitespace, folds, line ends, and bytes that no field has")
    func untouched() {
        let lines =
            "X-a:  1 \r\nConnection: keep-alive, TE\r\nTE: trailers\nfold: a\r\n  b\r\n\tc\nno colon\r\n: empty\r\nA:\u{0}\r\nHost: h\r\nUpgrade: x\n"
        #expect(
            relayed("\r\n\nGET http://h/ HTTP/1.1\n\(lines)\n") == "opens h:80 relayed \\r\\n\\nGET / HTTP/1.1\\n" + Array(lines.utf8).shown
                + "\\n")
    }

    @Test("a bare line feed ends the line of a Host that is added")
    func bareLineFeed() {
        #expect(relayed("GET http://h/ HTTP/1.1\nA: b\n\n") == "opens h:80 relayed GET / HTTP/1.1\\nHost: h\\nA: b\\n\\n")
        #expect(relayed("GET http://h/ HTTP/1.1\n\n") == "opens h:80 relayed GET / HTTP/1.1\\nHost: h\\n\\n")
    }

    @Test("what is meant for a proxy ends here: Proxy-Connection, and Proxy-Authorization where we asked")
    func meantForUs() {
        let head =
            "GET http://h/ HTTP/1.1\r\nProxy-Connection: keep-alive\r\nHost: h\r\nProxy-Authorization: Basic YTpi\r\n x\r\nproxy-connection:\r\n a\r\n\r\n"
        #expect(
            relayed(head) == "opens h:80 relayed GET / HTTP/1.1\\r\\nHost: h\\r\\nProxy-Authorization: Basic YTpi\\r\\n x\\r\\n\\r\\n")
        let asked = "GET http://h/ HTTP/1.1\r\nHost: h\r\nproxy-authorization: Basic YTpi\r\nA: b\r\n\r\n"
        #expect(
            relayed(asked, asking: ProxyCredentials(user: "a", password: "b"))
                == "opens h:80 relayed GET / HTTP/1.1\\r\\nHost: h\\r\\nA: b\\r\\n\\r\\n")
    }

    @Test("Content-Length beside Transfer-Encoding is removed (RFC 9112, section 6.3)")
    func bothFramings() {
        let head = "POST http://h/ HTTP/1.1\r\nContent-Length: 3\r\nHost: h\r\nTransfer-Encoding: chunked\r\ncontent-length: 4\r\n\r\n"
        #expect(relayed(head) == "opens h:80 relayed POST / HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n")
    }

    /// The first head that goes on.
    private func forwarded(_ head: String, asking credentials: ProxyCredentials? = nil) throws -> ForwardedHead {
        var machine = HTTPProxyRequests(credentials: credentials)
        let bytes = Array(head.utf8)
        let action = machine.take(bytes.rawBytes).action
        guard case .forward(let forwarded) = action else {
            throw ProxyDialogue.Surprise(head: head)
        }
        return forwarded
    }

    @Test("a Host that is added does not take a fold behind the request line for its own")
    func hostBeforeFold() throws {
        func relayed(_ lines: String) throws -> String {
            String(decoding: try forwarded("GET http://h/ HTTP/1.1\r\n\(lines)\r\n").relayed, as: UTF8.self)
        }
        #expect(try relayed(" fold\r\nA: b\r\n") == "GET / HTTP/1.1\r\n fold\r\nHost: h\r\nA: b\r\n\r\n")
        #expect(try relayed(" fold\r\n\tmore\r\n") == "GET / HTTP/1.1\r\n fold\r\n\tmore\r\nHost: h\r\n\r\n")
        #expect(try relayed("A: b\r\n fold\r\n") == "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n fold\r\n\r\n")
    }

    @Test("each changed header is named, and a removed value is not repeated")
    func changes() throws {
        func change(_ lines: String, asking credentials: ProxyCredentials? = nil) throws -> String? {
            try forwarded("POST http://h/ HTTP/1.1\r\n\(lines)\r\n", asking: credentials).change
        }
        #expect(try change("Host: h\r\nProxy-Authorization: Basic YTpi\r\n") == nil)
        #expect(try change("Host: evil\r\n") == "Host: evil became h")
        #expect(try change("Host: h\r\nHost: evil\r\n") == "Host: h, evil became h")
        #expect(try change("Host: ana:ses@me@evil\r\n") == "Host: ***@evil became h")
        #expect(try change("") == "Host: h was added")
        #expect(
            try change("Host: h\r\nProxy-Connection: keep-alive\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n")
                == "Proxy-Connection was removed; Content-Length beside Transfer-Encoding was removed")
        #expect(
            try change("Host: h\r\nProxy-Authorization: Basic YTpi\r\n", asking: ProxyCredentials(user: "a", password: "b"))
                == "Proxy-Authorization was removed")
    }

    @Test("the proxy's own password does not stand in what is recorded")
    func password() throws {
        let head =
            "GET http://h/ HTTP/1.1\r\nHost: h\r\nProxy-Authorization: Basic YTpi\r\nProxy-Authorization : Basic\r\n eDp5\r\nA: b\r\n\r\n"
        let asked = try forwarded(head, asking: ProxyCredentials(user: "a", password: "b"))
        #expect(
            asked.sent.shown
                == "GET http://h/ HTTP/1.1\\r\\nHost: h\\r\\nProxy-Authorization: Basic ***\\r\\nProxy-Authorization : Basic ***\\r\\nA: b\\r\\n\\r\\n"
        )
        #expect(asked.relayed.shown == "GET / HTTP/1.1\\r\\nHost: h\\r\\nA: b\\r\\n\\r\\n")
        // Another proxy's is the client's business.
        #expect(try forwarded(head).sent == Array(head.utf8))
    }

    @Test(
        "a name with NUL or VT in it is another name, and such bytes are not blanks around a value", arguments: ["\u{0}", "\u{B}", "\u{1}"])
    func controls(byte: String) throws {
        for name in ["Proxy-Authorization", "Proxy-Connection", "Host", "Content-Length"] {
            for line in ["\(name)\(byte): x", "\(byte)\(name): x"] {
                let lines = "\(line)\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                let whole = try forwarded("POST http://h/ HTTP/1.1\r\n\(lines)\r\n")
                #expect(whole.change == nil && whole.relayed.shown.contains(Array(line.utf8).shown))
            }
        }
        #expect(try forwarded("POST http://h/ HTTP/1.1\r\nHost: h\(byte)\r\n\r\n").change == "Host: h\(byte) became h")
        // Not chunked: it does not say where it ends.
        let coded = "POST http://h/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\(byte)\r\n\r\n0\r\n\r\nGET http://h/ HTTP/1.1\r\n\r\n"
        #expect(relayed(coded) == "answer 400 and closes (the request does not say where its body ends)")
        #expect(ProxyCredentials(user: "a", password: "b").basic == Array("Basic YTpi".utf8))
    }

    @Test(
        "targets that lead nowhere are refused",
        arguments: [
            ("https://h/", "a client reaches TLS servers through CONNECT, and not by a URL with https:// or wss://"),
            ("WSS://h/", "a client reaches TLS servers through CONNECT, and not by a URL with https:// or wss://"),
            ("ftp://h/", "this proxy knows http:// and ws:// URLs, and not ftp://"),
            ("http://a:b@h/", "a URL with a user in it is not forwarded (RFC 9110, section 4.2.4)"),
            ("http:///x", "invalid host in the URL: the host is missing"),
            ("http://h:0/", "invalid host in the URL: the port is not a number from 1 to 65535"),
            ("http://h:x/", "invalid host in the URL: the port is not a number from 1 to 65535"),
            ("http://::1/", "invalid host in the URL: an IPv6 address stands in brackets: [::1]:8080"),
            (
                "http://h\u{E4}/",
                "invalid host in the URL: the host has characters outside ASCII; write the form that goes over the wire (xn--…)"
            ),
            ("http://h\\x/", "invalid host in the URL: invalid byte 0x5C in the host name"),
            ("h/x", "the request target is neither a URL nor a path"), ("http:/h", "the request target is neither a URL nor a path"),
            ("h:80", "the request target is neither a URL nor a path"),
        ])
    func refused(target: String, reason: String) {
        #expect(relayed("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n") == "answer 400 and closes (\(reason))")
    }
}
