import Dissection
import Interception
import Testing

/// `--via`: the dialogue with the proxy that comes after this one.
@Suite("The proxy after this one")
struct UpstreamPreambleTests {
    /// What is sent and decided, with the bytes that were left.
    private func play(_ via: String, _ target: HostPort, _ answer: [UInt8], _ cutting: Cutting) throws -> [String] {
        var machine = UpstreamPreamble(try ViaURL(via), to: target)
        var told = ["send " + machine.opening.shown]
        var rest: [UInt8] = []
        var isDone = false
        for piece in cutting.pieces(of: answer) {
            var position = 0
            while !isDone {
                let (consumed, action) = machine.take(piece.rawBytes.suffix(from: position))
                position += consumed
                guard action != .needMore else { break }
                switch action {
                case .needMore: break
                case .send(let bytes): told.append("send " + bytes.shown)
                case .connected: told.append("connected")
                case .failed(let failure): told.append("failed \(failure.reply.rawValue): \(failure.reason)")
                }
                if case .send = action {} else { isDone = true }
            }
            rest += piece[position...]
        }
        if told.last == "connected" { told.append("rest " + rest.shown) }
        return told
    }

    private func http(_ answer: String, _ cutting: Cutting, via: String = "http://proxy:3128") throws -> String? {
        try play(via, HostPort(host: "example.org", port: 443), Array(answer.utf8), cutting).dropFirst().joined(separator: " | ")
    }

    @Test("CONNECT names the target twice, and the password if there is one")
    func opening() throws {
        func opening(_ via: String, _ host: String) throws -> String {
            String(decoding: UpstreamPreamble(try ViaURL(via), to: HostPort(host: host, port: 443)).opening, as: UTF8.self)
        }
        #expect(try opening("http://p:1", "example.org") == "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n")
        #expect(try opening("http://p:1", "2001:db8::1") == "CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n\r\n")
        #expect(try opening("http://p:1", "fe80::1%eth0") == "CONNECT [fe80::1]:443 HTTP/1.1\r\nHost: [fe80::1]:443\r\n\r\n")
        #expect(
            try opening("http://anna:a%3Ab%20c@p:1", "h")
                == "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\nProxy-Authorization: Basic YW5uYTphOmIgYw==\r\n\r\n")
    }

    @Test("CONNECT has the proxies that it came through")
    func marks() throws {
        let head = UpstreamPreamble(try ViaURL("http://p:1"), to: HostPort(host: "h", port: 1), marks: Array("1.1 a, 1.1 b".utf8)).opening
        #expect(head.shown == "CONNECT h:1 HTTP/1.1\\r\\nHost: h:1\\r\\nVia: 1.1 a, 1.1 b\\r\\n\\r\\n")
    }

    @Test("2xx connects, and what stands behind the head is the server's", arguments: Cutting.allCases)
    func connected(cutting: Cutting) throws {
        #expect(
            try http("HTTP/1.1 200 Connection established\r\nContent-Length: 9\r\n\r\n220 mx\r\n", cutting)
                == "connected | rest 220 mx\\r\\n")
        #expect(try http("HTTP/1.0 299\n\n", cutting) == "connected | rest ")
        #expect(try http("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx", cutting) == "connected | rest x")
    }

    @Test("anything else fails, in the proxy's words", arguments: Cutting.allCases)
    func refused(cutting: Cutting) throws {
        #expect(
            try http("HTTP/1.1 403 Not here\r\n\r\n", cutting)
                == "failed 2: http://proxy:3128 refuses CONNECT example.org:443: 403 Not here")
        #expect(try http("HTTP/1.1 502\r\n\r\n", cutting) == "failed 4: http://proxy:3128 refuses CONNECT example.org:443: 502")
        #expect(
            try http("HTTP/1.1 407 Auth\r\n\r\n", cutting)
                == "failed 2: http://proxy:3128 asks for user and password (407 Auth): write them into the URL of --via")
        #expect(
            try http("HTTP/1.1 407 Auth\r\n\r\n", cutting, via: "http://a:b@proxy:3128")
                == "failed 2: http://proxy:3128 asks for user and password (407 Auth): those of --via are not the right ones")
        #expect(try http("SSH-2.0-x\r\n", cutting) == "failed 1: http://proxy:3128 does not answer like an HTTP proxy")
        #expect(try http("HTTPS 200\r\n\r\n", cutting) == "failed 1: http://proxy:3128 does not answer like an HTTP proxy")
        #expect(try http("HTTP/1.1 abc\r\n\r\n", cutting) == "failed 1: http://proxy:3128 answers without a status")
        #expect(try http("HTTP/1.1 2", cutting) == "")
    }

    @Test("the head of the answer is bounded", arguments: [Cutting.whole, .random1])
    func longHead(cutting: Cutting) throws {
        #expect(
            try http("HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 12_000), cutting)
                == "failed 1: the head of the answer of http://proxy:3128 is longer than 64 KiB")
    }

    @Test("SOCKS 5 sends names as names and addresses as addresses", arguments: Cutting.allCases)
    func socks(cutting: Cutting) throws {
        let answer: [UInt8] = [5, 0, 5, 0, 0, 1, 127, 0, 0, 1, 1, 2] + Array("hi".utf8)
        func sent(_ host: String) throws -> [String] { try play("socks5://p", HostPort(host: host, port: 258), answer, cutting) }
        #expect(
            try sent("example.org") == [
                "send \\x05\\x01\\x00", "send \\x05\\x01\\x00\\x03\\x0bexample.org\\x01\\x02", "connected", "rest hi",
            ])
        #expect(try sent("10.0.0.7")[1] == "send \\x05\\x01\\x00\\x01\\n\\x00\\x00\\x07\\x01\\x02")
        #expect(try sent("::1")[1] == "send \\x05\\x01\\x00\\x04" + String(repeating: "\\x00", count: 15) + "\\x01\\x01\\x02")
        let name: [UInt8] = [5, 0, 5, 0, 0, 3, 2, 97, 98, 1, 2]
        #expect(try play("socks5://p", HostPort(host: "h", port: 1), name, cutting).last == "rest ")
        let ipv6: [UInt8] = [5, 0, 5, 0, 0, 4] + [UInt8](repeating: 0, count: 18) + [33]
        #expect(try play("socks5://p", HostPort(host: "h", port: 1), ipv6, cutting).last == "rest !")
    }

    @Test("SOCKS 5 with a password, and all ways to fail", arguments: Cutting.allCases)
    func socksPassword(cutting: Cutting) throws {
        func told(_ answer: [UInt8], _ via: String = "socks5://a:bc@p") throws -> [String] {
            try play(via, HostPort(host: "h", port: 80), answer, cutting)
        }
        #expect(
            try told([5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) == [
                "send \\x05\\x02\\x00\\x02", "send \\x01\\x01a\\x02bc", "send \\x05\\x01\\x00\\x03\\x01h\\x00P", "connected", "rest ",
            ])
        #expect(try told([5, 0])[1] == "send \\x05\\x01\\x00\\x03\\x01h\\x00P")
        #expect(try told([5, 2, 1, 1]).last == "failed 2: socks5://p:1080 does not accept user and password")
        #expect(try told([5, 255]).last == "failed 2: socks5://p:1080 accepts no password")
        #expect(
            try told([5, 255], "socks5://p").last
                == "failed 2: socks5://p:1080 asks for user and password: write them into the URL of --via")
        #expect(try told([5, 2], "socks5://p").last == "failed 2: socks5://p:1080 chose a method that was not offered")
        #expect(try told([5, 0, 5, 5, 0, 1, 0]).last == "failed 5: socks5://p:1080 cannot connect to h:80: connection refused")
        #expect(
            try told([5, 0, 5, 99, 0, 1, 0]).last
                == "failed 99: socks5://p:1080 cannot connect to h:80: reply 99, which RFC 1928 does not assign")
        #expect(try told([5, 0, 5, 0, 0, 7, 0]).last == "failed 1: socks5://p:1080 answers with address type 7")
        #expect(try told([5, 0, 4]).last == "failed 1: socks5://p:1080 does not answer like a SOCKS5 proxy")
        #expect(try told(Array("HTTP/1.1 400 Bad\r\n".utf8)).last == "failed 1: socks5://p:1080 does not answer like a SOCKS5 proxy")
    }

    @Test("a proxy that closes has not answered")
    func closed() throws {
        let failure = UpstreamPreamble(try ViaURL("http://a:secret@p"), to: HostPort(host: "h", port: 1)).finish()
        #expect(failure.reason == "http://p:8080 closed the connection before it answered")
    }
}
