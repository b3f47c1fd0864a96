import Testing

@testable import Reports

/// Which name is proposed to somebody who wrote another one.
@Suite struct NearestNameTests {
    private static let names = [
        "mode", "upstream", "upstream-ca", "listen", "listen-port", "via", "auth", "rewrite-host", "log", "log-payload",
    ]

    @Test(
        arguments: [
            ("upsteam", "upstream"), ("upstraem", "upstream"), ("port", "listen-port"), ("host", "rewrite-host"), ("ca", "upstream-ca"),
            ("Listen", "listen"), ("lisen-port", "listen-port"), ("mod", "mode"), ("rewrite", "rewrite-host"), ("payload", "log-payload"),
            ("xyzzy", nil), ("", nil), ("q", nil), (String(repeating: "a", count: 5_000), nil),
        ] as [(String, String?)])
    func `the nearest name`(written: String, name: String?) {
        #expect(NearestName.of(written, among: Self.names) == name)
    }

    @Test(
        arguments: [
            ("websocket.utf8", "websocket.utf8-invalid"), ("websocket.drift", "websocket.draft"), ("websocket.", "websocket.draft"),
            ("http.body-cut", "http.body-cut-short"), ("utf8", "websocket.utf8-invalid"),
        ])
    func `who has written the beginning of a name means it`(written: String, name: String) {
        let ids = ["websocket.draft", "websocket.utf8-invalid", "http.body-cut-short", "http.body-out"]
        #expect(NearestName.of(written, among: ids) == name)
    }

    @Test func `letters that are swapped count once`() {
        #expect(NearestName.distance(Array("conut"), Array("count")) == 1)
        #expect(NearestName.distance(Array("port"), Array("mode")) == 3)
        #expect(NearestName.distance([], Array("abc")) == 3)
    }
}
