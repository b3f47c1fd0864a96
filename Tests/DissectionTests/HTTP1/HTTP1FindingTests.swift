import Dissection
import Support
import Testing

/// Each row of the catalogue: a talk that fires it, and one that nearly does.
@Suite struct HTTP1FindingTests {
    struct Case: CustomTestStringConvertible {
        var row: String
        var fires: [Talk.Step]
        var nearly: [Talk.Step]
        var limits = Limits()
        var testDescription: String { row }
    }

    @Test(arguments: cases) func firesAndNearlyDoes(_ one: Case) {
        let firing = Talk(one.fires, limits: one.limits)
        let told = firing.transcript()
        #expect(told.contains { $0.contains(" ! http.\(one.row) ") }, "\(told)")
        #expect(firing.difference(from: told) == nil)
        let near = Talk(one.nearly, limits: one.limits)
        let quiet = near.transcript()
        #expect(!quiet.contains { $0.contains(" ! http.\(one.row) ") }, "\(quiet)")
        #expect(near.difference(from: quiet) == nil)
    }

    @Test func everyRowHasACase() {
        let tested = Set(Self.cases.map { "http." + $0.row })
        let rows = FindingRow.http1Rows.map(\.id)
        #expect(rows.filter { !tested.contains($0) } == [])
        #expect(Set(rows).count == rows.count)
    }

    @Test func aRowIsToldOnceForAHead() {
        let lines = String(repeating: "no colon\r\n", count: 50)
        let told = Talk([.client("GET / HTTP/1.1\r\nHost: x\r\n\(lines)\r\n")]).transcript()
        #expect(told.filter { $0.contains("field-without-colon") }.count == 1)
    }

    // MARK: - The talks

    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let noContent = "HTTP/1.1 204 N\r\n\r\n"

    /// A request with these field lines behind its Host.
    private static func request(_ fields: String, body: String = "", line: String = "POST / HTTP/1.1") -> Talk.Step {
        .client("\(line)\r\nHost: x\r\n\(fields)\r\n\(body)")
    }

    private static func line(_ line: String) -> [Talk.Step] { [.client("\(line)\r\nHost: x\r\n\r\n")] }

    private static func answer(_ head: String, body: String = "", to ask: String = get) -> [Talk.Step] {
        [.client(ask), .server("HTTP/1.1 \(head)\r\n\r\n\(body)")]
    }

    private static func chunks(_ body: String) -> [Talk.Step] {
        answer("200 OK\r\nTransfer-Encoding: chunked", body: body)
    }

    private static let upgrade = "Connection: upgrade\r\nUpgrade: foo\r\n"
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x22, 0xD3, 0xAB,
        0x32, 0x0B, 0xB8, 0x00, 0x9A, 0x8B, 0x73, 0xDA, 0x17, 0x00, 0x00, 0x00,
    ]

    private static func coded(_ body: [UInt8], _ coding: String = "gzip") -> [Talk.Step] {
        [
            .client(get),
            .server(Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body),
        ]
    }

    /// The same without the last byte of what was sent last.
    private static func cutShort(_ steps: [Talk.Step]) -> [Talk.Step] {
        guard case .bytes(let side, let bytes)? = steps.last else { return steps }
        return steps.dropLast() + [.bytes(side, Array(bytes.dropLast()))]
    }

    static let cases: [Case] = lineCases + fieldCases + framingCases + exchangeCases

    private static var lineCases: [Case] {
        var small = Limits()
        small.headBytes = 40
        return [
            Case(row: "start-line-invalid", fires: [.client(get + "\u{1}\u{2}\r\n")], nearly: [.client(get + get)]),
            Case(row: "empty-line", fires: [.client(get + "\r\n" + get)], nearly: [.client(get + get)]),
            // Nothing comes after them.
            Case(row: "empty-line", fires: [.client(get + "\n" + get)], nearly: [.client(get + "\r\n"), .finish(.client)]),
            Case(row: "method-lower-case", fires: [.client(get + "get / HTTP/1.1\r\nHost: x\r\n\r\n")], nearly: line("GET / HTTP/1.1")),
            Case(row: "method-unknown", fires: line("GRT / HTTP/1.1"), nearly: line("PROPFIND / HTTP/1.1")),
            Case(row: "method-unknown", fires: line("PRJ / HTTP/1.1"), nearly: [.client(get + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")]),
            Case(row: "target-space", fires: line("GET /a b HTTP/1.1"), nearly: line("GET /a%20b HTTP/1.1")),
            Case(row: "target-form", fires: line("GET * HTTP/1.1"), nearly: line("OPTIONS * HTTP/1.1")),
            Case(row: "target-form", fires: line("CONNECT /a HTTP/1.1"), nearly: line("CONNECT [::1]:80 HTTP/1.1")),
            Case(row: "target-form", fires: line("GET x:80 HTTP/1.1"), nearly: line("GET http://x:80/ HTTP/1.1")),
            Case(row: "target-character", fires: line("GET /a|b HTTP/1.1"), nearly: line("GET /a!b HTTP/1.1")),
            Case(row: "version-0.9", fires: [.client("GET /\r\n")], nearly: [.client("GET / HTTP/1.0\r\n\r\n")]),
            Case(row: "version-invalid", fires: line("GET / HTTP/1.10"), nearly: line("GET / HTTP/1.1")),
            Case(row: "version-case", fires: [.client(get + "GET / http/1.1\r\nHost: x\r\n\r\n")], nearly: line("GET / HTTP/1.1")),
            Case(row: "version-unexpected", fires: line("GET / HTTP/1.2"), nearly: line("GET / HTTP/1.0")),
            Case(row: "status-invalid", fires: answer("600 X"), nearly: answer("599 X")),
            Case(row: "status-line-space", fires: answer("204"), nearly: answer("204 ")),
            Case(row: "bare-lf", fires: [.client("GET / HTTP/1.1\r\nHost: x\n\r\n")], nearly: [.client(get)]),
            Case(row: "bare-lf", fires: [.client("GET / HTTP/1.1\nHost: x\r\n\r\n")], nearly: [.client(get)]),
            Case(row: "bare-lf", fires: [.client("GET / HTTP/1.1\r\nHost: x\r\n\n")], nearly: [.client(get)]),
            Case(row: "bare-cr", fires: [request("X: a\rb\r\n")], nearly: [request("X: a b\r\n")]),
            Case(
                row: "head-cut", fires: [.client("GET / HTTP/1.1\r\nHo"), .gap(.client, 9, .truncated)],
                nearly: [.client(get), .gap(.client, 9, .truncated)]),
            Case(row: "head-limit", fires: [request("X: \(String(repeating: "y", count: 40))\r\n")], nearly: [.client(get)], limits: small),
            Case(
                row: "head-limit", fires: chunks("0\r\nX: \(String(repeating: "y", count: 60))\r\n\r\n"),
                nearly: chunks("0\r\nX: y\r\n\r\n"),
                limits: {
                    var l = Limits(); l.headBytes = 60; return l
                }()),
        ]
    }

    private static var fieldCases: [Case] {
        let many = (0..<100).map { "X\($0): \($0)\r\n" }.joined()
        return [
            Case(row: "field-space-before-colon", fires: [request("X : a\r\n")], nearly: [request("X:  a\r\n")]),
            Case(row: "field-folded", fires: [request("X: a\r\n b\r\n")], nearly: [request("X: a\r\nb: c\r\n")]),
            Case(row: "field-folded", fires: [.client("GET / HTTP/1.1\r\n Host: x\r\n\r\n")], nearly: [.client(get)]),
            Case(row: "field-without-colon", fires: [request("X\r\n")], nearly: [request("X:\r\n")]),
            Case(row: "field-name-invalid", fires: [request("X{}: a\r\n")], nearly: [request("X-$_~: a\r\n")]),
            Case(row: "field-name-invalid", fires: [request(": a\r\n")], nearly: [request("A: \r\n")]),
            Case(row: "field-value-control", fires: [request("X: a\u{0}b\r\n")], nearly: [request("X: a\tb\u{E9}\r\n")]),
            Case(row: "fields-many", fires: [request(many)], nearly: [request(String(many.dropLast(9)))]),
            Case(row: "host-missing", fires: [.client("GET / HTTP/1.1\r\n\r\n")], nearly: [.client("GET / HTTP/1.0\r\n\r\n")]),
            Case(row: "host-duplicate", fires: [request("Host: y\r\n")], nearly: [request("Hosts: y\r\n")]),
            Case(row: "host-invalid", fires: line("GET / HTTP/1.1\r\nHost: a/b"), nearly: line("GET / HTTP/1.1\r\nX: a/b")),
            Case(
                row: "host-invalid", fires: [.client("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n")],
                nearly: [.client("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n")]),
            Case(
                row: "trailer-forbidden", fires: chunks("0\r\nContent-Length: 1\r\n\r\n"), nearly: chunks("0\r\nServer-Timing: 1\r\n\r\n")),
        ]
    }

    private static var framingCases: [Case] {
        var damaged = gzip
        damaged[12] ^= 0xFF
        damaged[13] ^= 0xFF
        let both = "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"
        var small = Limits()
        small.bodyPartBytes = 4
        small.codedBodyBytes = 8
        let expecting: [Talk.Step] = [
            request("Content-Length: 9\r\nExpect: 100-continue\r\n"), .server("HTTP/1.1 417 E\r\nContent-Length: 0\r\n\r\n"),
        ]
        return [
            Case(row: "body-omitted", fires: expecting + [.client(get)], nearly: expecting + [.client("POST / it")]),
            Case(
                row: "length-and-coding", fires: [request(both, body: "0\r\n\r\n")], nearly: [request("Content-Length: 3\r\n", body: "abc")]
            ),
            Case(row: "content-length-invalid", fires: [request("Content-Length: 3x\r\n")], nearly: [request("Content-Length: 0\r\n")]),
            Case(row: "content-length-invalid", fires: [request("Content-Length: -1\r\n")], nearly: [request("Content-Length: 00\r\n")]),
            Case(
                row: "content-length-invalid", fires: [request("Content-Length: 18446744073709551616\r\n")],
                nearly: [request("Content-Length: 18446744073709551615\r\n")]),
            Case(
                row: "content-length-differs", fires: [request("Content-Length: 1\r\nContent-Length: 2\r\n", body: "ab")],
                nearly: [request("Content-Length: 1\r\nContent-Length: 1\r\n", body: "a")]),
            Case(
                row: "content-length-repeated", fires: [request("Content-Length: 1, 1\r\n", body: "a")],
                nearly: [request("Content-Length: 1\r\n", body: "a")]),
            Case(
                row: "transfer-coding-in-1.0",
                fires: [request("Transfer-Encoding: chunked\r\n", body: "0\r\n\r\n", line: "POST / HTTP/1.0")],
                nearly: [request("Transfer-Encoding: chunked\r\n", body: "0\r\n\r\n")]),
            Case(
                row: "transfer-coding-unknown", fires: [request("Transfer-Encoding: zip, chunked\r\n", body: "0\r\n\r\n")],
                nearly: [request("Transfer-Encoding: compress, chunked\r\n", body: "0\r\n\r\n")]),
            Case(
                row: "chunked-not-last", fires: [request("Transfer-Encoding: chunked, gzip\r\n")],
                nearly: [request("Transfer-Encoding: gzip, chunked\r\n", body: "0\r\n\r\n")]),
            Case(
                row: "chunked-not-last", fires: [request("Transfer-Encoding: gzip\r\n")],
                nearly: answer("200 OK\r\nTransfer-Encoding: gzip")),
            Case(
                row: "chunked-twice", fires: [request("Transfer-Encoding: chunked, chunked\r\n", body: "0\r\n\r\n")],
                nearly: [request("Transfer-Encoding: chunked\r\n", body: "0\r\n\r\n")]),
            Case(row: "chunk-size-invalid", fires: chunks("x\r\n"), nearly: chunks("A\r\n0123456789\r\n0\r\n\r\n")),
            Case(row: "chunk-size-invalid", fires: chunks("1\rx"), nearly: chunks("FFFFFFFFFFFFFFFF\r\n")),
            Case(row: "chunk-size-space", fires: chunks("1 \r\na\r\n0\r\n\r\n"), nearly: chunks("1\r\n \r\n0\r\n\r\n")),
            Case(row: "chunk-extension", fires: chunks("1;a\r\na\r\n0\r\n\r\n"), nearly: chunks("1\r\n;\r\n0\r\n\r\n")),
            Case(
                row: "chunk-extension-invalid", fires: chunks("1;\r\na\r\n0\r\n\r\n"), nearly: chunks("1; a=\"b;\\\"\"\r\na\r\n0\r\n\r\n")),
            Case(row: "chunk-extension-invalid", fires: chunks("1;a\rb\r\na\r\n0\r\n\r\n"), nearly: chunks("1;a\r\nb\r\n0\r\n\r\n")),
            Case(row: "chunk-extension-invalid", fires: chunks("1;a\u{1}\r\na\r\n0\r\n\r\n"), nearly: chunks("1;a\r\n\u{1}\r\n0\r\n\r\n")),
            Case(
                row: "chunk-extension-long", fires: chunks("1;\(String(repeating: "a", count: 4_097))\r\na\r\n0\r\n\r\n"),
                nearly: chunks("1;\(String(repeating: "a", count: 4_000))\r\na\r\n0\r\n\r\n")),
            Case(row: "chunk-terminator-missing", fires: chunks("1\r\nab\r\n"), nearly: chunks("1\r\na\n0\r\n\r\n")),
            Case(row: "length-without-body", fires: answer("204 N\r\nContent-Length: 0"), nearly: answer("304 N\r\nContent-Length: 9")),
            Case(
                row: "coding-without-body", fires: answer("204 N\r\nTransfer-Encoding: chunked"),
                nearly: answer("200 N\r\nTransfer-Encoding: chunked", body: "0\r\n\r\n")),
            Case(
                row: "body-unexpected", fires: answer("200 OK\r\nContent-Length: 2", body: "hi", to: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"),
                nearly: answer("200 OK\r\nContent-Length: 2", to: "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")),
            Case(row: "body-in-205", fires: answer("205 R\r\nContent-Length: 1", body: "x"), nearly: answer("205 R\r\nContent-Length: 0")),
            Case(
                row: "body-in-205", fires: answer("205 R\r\nContent-Length: 1", body: "x"),
                nearly: answer("205 R\r\nTransfer-Encoding: chunked", body: "0\r\n\r\n")),
            Case(
                row: "message-incomplete", fires: answer("200 OK\r\nContent-Length: 2", body: "h") + [.finish(.server)],
                nearly: answer("200 OK\r\nContent-Length: 2", body: "hi") + [.finish(.server)]),
            // The capture ends, or the client resets: no fault of the server.
            Case(
                row: "message-incomplete", fires: answer("200 OK\r\nContent-Length: 2", body: "h") + [.reset(.server)],
                nearly: answer("200 OK\r\nContent-Length: 2", body: "h")),
            Case(
                row: "message-unfinished", fires: answer("200 OK\r\nContent-Length: 2", body: "h"),
                nearly: answer("200 OK\r\nContent-Length: 2", body: "hi")),
            Case(
                row: "message-unfinished", fires: answer("200 OK\r\nContent-Length: 2", body: "h") + [.reset(.client)],
                nearly: answer("200 OK\r\nContent-Length: 2", body: "h") + [.finish(.server)]),
            Case(row: "content-coding-corrupt", fires: coded(damaged), nearly: coded(gzip)),
            Case(row: "content-coding-cut", fires: coded(gzip.dropLast()), nearly: coded(gzip)),
            // A body that is itself cut says nothing about its coding.
            Case(row: "content-coding-cut", fires: coded(gzip.dropLast()), nearly: cutShort(coded(gzip))),
            Case(row: "content-coding-mismatch", fires: coded(Array("hello".utf8)), nearly: coded(gzip)),
            Case(row: "content-coding-trailing", fires: coded(gzip + [0]), nearly: coded(gzip + gzip)),
            Case(row: "codings-too-many", fires: coded([0], "gzip, gzip, gzip"), nearly: coded(gzip, "br, gzip")),
            // Without a body there is nothing to undo.
            Case(
                row: "codings-too-many", fires: coded([0], "a, b, c"),
                nearly: answer("204 N\r\nContent-Encoding: gzip, gzip, gzip")),
            Case(row: "content-limit", fires: coded(gzip), nearly: coded(Array("hello hello".utf8), "identity"), limits: small),
        ]
    }

    private static var exchangeCases: [Case] {
        var one = Limits()
        one.pendingRequests = 1
        let ask: Talk.Step = request(upgrade)
        return [
            Case(
                row: "response-unasked", fires: [.client(get), .server(noContent + noContent)], nearly: [.client(get), .server(noContent)]),
            Case(
                row: "response-unasked", fires: [.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")],
                nearly: [.server("HTTP/1.1 408 T\r\nContent-Length: 0\r\n\r\n")]),
            // A server refuses a client that stops before it has asked, and a head before it is whole.
            Case(
                row: "response-unasked", fires: [.finish(.client), .server("HTTP/1.1 200 B\r\nContent-Length: 0\r\n\r\n")],
                nearly: [.finish(.client), .server("HTTP/1.1 400 B\r\nContent-Length: 0\r\n\r\n")]),
            Case(
                row: "response-unasked", fires: [.server("HTTP/1.1 200 B\r\nContent-Length: 0\r\n\r\n"), .finish(.server)],
                nearly: [.client("GET / HT"), .server("HTTP/1.1 431 B\r\nContent-Length: 0\r\n\r\n"), .client("TP/1.1\r\nHost: x\r\n\r\n")]),
            Case(row: "request-unanswered", fires: [.client(get), .finish(.server)], nearly: [.client(get), .server(noContent)]),
            Case(
                row: "tls-alert", fires: [.client(get), .server([21, 3, 3, 0, 2, 2, 40])],
                nearly: [.client(get), .server([21, 3, 3, 0, 2, 3, 40])]),
            Case(row: "pending-limit", fires: [.client(get + get)], nearly: [.client(get), .server(noContent), .client(get)], limits: one),
            Case(
                row: "bytes-after-close", fires: [.client(get + get), .server("HTTP/1.1 204 N\r\nConnection: close\r\n\r\n" + noContent)],
                nearly: [.client(get + get), .server("HTTP/1.1 204 N\r\nConnection: keep-alive\r\n\r\n" + noContent)]),
            Case(
                row: "bytes-after-close", fires: [request("Connection: close\r\n"), .client(get)],
                nearly: [request("Connection: closed\r\n"), .client(get)]),
            Case(
                row: "informational-to-1.0", fires: answer("100 C", to: "GET / HTTP/1.0\r\n\r\n"), nearly: answer("100 C")),
            Case(row: "challenge-missing", fires: answer("401 U"), nearly: answer("401 U\r\nWWW-Authenticate: Basic")),
            Case(row: "challenge-missing", fires: answer("407 U"), nearly: answer("407 U\r\nProxy-Authenticate: Basic")),
            Case(row: "allow-missing", fires: answer("405 N"), nearly: answer("405 N\r\nAllow:")),
            Case(row: "content-range-missing", fires: answer("206 P"), nearly: answer("206 P\r\nContent-Range: bytes 0-1/2")),
            Case(
                row: "content-range-missing", fires: answer("206 P\r\nContent-Type: text/plain"),
                nearly: answer("206 P\r\nContent-Type: multipart/byteranges; boundary=x")),
            Case(row: "upgrade-without-connection", fires: [request("Upgrade: foo\r\n")], nearly: [ask]),
            Case(
                row: "upgrade-in-1.0", fires: [request(upgrade, line: "GET / HTTP/1.0")], nearly: [request(upgrade, line: "GET / HTTP/1.1")]
            ),
            Case(
                row: "switching-unasked", fires: answer("101 S\r\n" + "Connection: upgrade\r\nUpgrade: foo"),
                nearly: [ask, .server("HTTP/1.1 101 S\r\n\(upgrade)\r\n")]),
            Case(
                row: "switching-without-upgrade", fires: [ask, .server("HTTP/1.1 101 S\r\n\r\n")],
                nearly: [ask, .server("HTTP/1.1 101 S\r\n\(upgrade)\r\n")]),
            Case(
                row: "switching-elsewhere", fires: [ask, .server("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: bar\r\n\r\n")],
                nearly: [request("Connection: upgrade\r\nUpgrade: bar, Foo\r\n"), .server("HTTP/1.1 101 S\r\n\(upgrade)\r\n")]),
            // The layer below may be named too (RFC 2817, section 3.3).
            Case(
                row: "switching-elsewhere",
                fires: [ask, .server("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: bar, HTTP/1.1\r\n\r\n")],
                nearly: [ask, .server("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: foo, HTTP/1.1\r\n\r\n")]),
            Case(
                row: "upgrade-required-missing", fires: answer("426 U\r\nContent-Length: 0"),
                nearly: answer("426 U\r\nConnection: upgrade\r\nUpgrade: foo\r\nContent-Length: 0")),
        ]
    }
}
