import Interception
import Testing

/// The proxy's own answers.
@Suite("Answers of the proxy")
struct ResponsesTests {
    private static let certificate = Responses.Certificate(
        pem: Array("-----PEM-----\n".utf8), der: [0x30, 0x82, 0, 1], fingerprint: "AB:<C>")

    /// Head lines and body of an answer, whose length is checked.
    private func parts(_ bytes: [UInt8], isToHead: Bool = false) throws -> (head: [String], body: [UInt8]) {
        let separator = Array("\r\n\r\n".utf8)
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: separator) })
        let head = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
        let body = Array(bytes[(end + 4)...])
        let length = try #require(head.first { $0.hasPrefix("Content-Length: ") })
        if isToHead { #expect(body.isEmpty) } else { #expect(length == "Content-Length: \(body.count)") }
        return (head, body)
    }

    @Test("a server that is not reached is told with its reason, and in Proxy-Status")
    func unreachable() throws {
        let (head, body) = try parts(Responses.unreachable(.connectionRefused, "“example.org:80” refused the connection: \\ ä\r\nX: y"))
        #expect(head.first == "HTTP/1.1 502 Bad Gateway")
        #expect(head.contains("Connection: close"))
        #expect(
            head.contains(#"Proxy-Status: unmask; error=connection_refused; details="'example.org:80' refused the connection: \\ ???X: y""#)
        )
        #expect(String(decoding: body, as: UTF8.self).hasPrefix("unmask: “example.org:80” refused the connection"))
        #expect(try parts(Responses.unreachable(.connectionTimeout, "")).head.first == "HTTP/1.1 502 Bad Gateway")
        #expect(try parts(Responses.unreachable(.dnsError, "x", isToHead: true), isToHead: true).head.first == "HTTP/1.1 502 Bad Gateway")
    }

    @Test("CONNECT is answered without fields")
    func established() {
        #expect(Responses.connectionEstablished == Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
    }

    @Test("407 names the scheme, and the connection stays if the client may try again")
    func authentication() throws {
        let (head, _) = try parts(Responses.bytes(for: LocalAnswer(.authenticationRequired, closes: false), certificate: Self.certificate))
        #expect(head.first == "HTTP/1.1 407 Proxy Authentication Required")
        #expect(head.contains("Proxy-Authenticate: Basic realm=\"unmask\", charset=\"UTF-8\""))
        #expect(!head.contains("Connection: close"))
    }

    @Test("the certificate comes in both forms, the page links both, and text from outside is escaped")
    func certificate() throws {
        func answer(_ content: LocalAnswer.Content) throws -> (head: [String], body: [UInt8]) {
            try parts(Responses.bytes(for: LocalAnswer(content, closes: false), certificate: Self.certificate))
        }
        let pem = try answer(.certificatePEM)
        #expect(pem.body == Self.certificate.pem)
        #expect(pem.head.contains("Content-Type: application/x-pem-file"))
        let der = try answer(.certificateDER)
        #expect(der.body == Self.certificate.der)
        #expect(der.head.contains("Content-Type: application/x-x509-ca-cert"))
        let page = try answer(.certificateOverview)
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(page.head.first == "HTTP/1.1 200 OK")
        for part in ["href=\"/unmask-ca.crt\"", "href=\"/unmask-ca.pem\"", "AB:&lt;C&gt;", "</html>"] {
            #expect(text.contains(part), "\(part)")
        }
        #expect(try answer(.notFound).head.first == "HTTP/1.1 404 Not Found")
        let howToUse = try answer(.howToUse)
        #expect(howToUse.head.first == "HTTP/1.1 400 Bad Request")
        #expect(String(decoding: howToUse.body, as: UTF8.self).contains("href=\"http://unmask.test/\""))
    }

    @Test("an answer to HEAD has the same head and no body")
    func head() throws {
        let whole = try parts(Responses.bytes(for: LocalAnswer(.certificateOverview), certificate: Self.certificate))
        let head = try parts(
            Responses.bytes(for: LocalAnswer(.certificateOverview, isToHead: true), certificate: Self.certificate), isToHead: true)
        #expect(whole.head == head.head)
    }

    @Test("a refusal says why in the text")
    func refusal() throws {
        let (head, body) = try parts(
            Responses.bytes(for: LocalAnswer(.refusal(status: 431, reason: "too long")), certificate: Self.certificate))
        #expect(head.first == "HTTP/1.1 431 Request Header Fields Too Large")
        #expect(body == Array("unmask: too long\n".utf8))
    }
}
