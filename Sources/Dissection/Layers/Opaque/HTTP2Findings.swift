/// What is said of HTTP/2, which has no layer yet.
extension FindingRow {
    package static let http2NotDecoded = FindingRow(
        id: "http2.not-decoded", severity: .note, reference: "RFC 9113 3.4",
        detail: "HTTP/2 is spoken from here on, and shown as bytes; where TLS agrees on it, `proxy --http1` has both sides speak HTTP/1.1",
        explanation: """
            The client sent the connection preface of HTTP/2, whose frames unmask does not read: its requests and responses are in `data` \
            records. Where the protocol is agreed on in TLS, `unmask proxy --http1` offers the server HTTP/1.1 alone, and selects nothing \
            else with the client. Where it is not (an HTTP/2 client in plaintext, or one that changes to it by `Upgrade: h2c`), only the \
            client itself can speak HTTP/1.1: `curl --http1.1`.
            """)

    /// The rows of this file.
    package static let http2Rows: [FindingRow] = [http2NotDecoded]
}
