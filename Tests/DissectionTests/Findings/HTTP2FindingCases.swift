import Dissection
import Support

/// What is found about HTTP/2, which nothing reads.
extension FindingCase {
    static let http2: [FindingCase] = {
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let words =
            "http2.not-decoded: HTTP/2 is spoken from here on, and shown as bytes; where TLS agrees on it, `proxy --http1` has both sides speak HTTP/1.1"
        let get = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: "
        let switched = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "
        return [
            // By prior knowledge, or as agreed on in TLS.
            FindingCase(
                "http2.not-decoded", ["> @0 \(words)"], fires: Talk([.client(preface), .server(settings), .client(settings)]),
                nearly: Talk([.client("PRI * HTTP/2.1\r\n\r\nSM\r\n\r\n"), .server(settings), .client(preface)])),
            // After an upgrade; what nobody reads after another is not looked at.
            FindingCase(
                "http2.not-decoded", ["> @\((get + "h2c\r\n\r\n").utf8.count) \(words)"],
                fires: Talk([.client(get + "h2c\r\n\r\n"), .server(switched + "h2c\r\n\r\n"), .client(preface), .server(settings)]),
                nearly: Talk([.client(get + "foo\r\n\r\n"), .server(switched + "foo\r\n\r\n"), .client("PRI"), .server(settings)])),
        ]
    }()
}
