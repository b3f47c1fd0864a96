import Dissection
import Support
import Testing

/// Bodies that a server sends bit by bit: each element is told when it has come.
@Suite struct StreamedBodyTests {
    private func talk(
        _ type: String, _ body: [UInt8], coding: String = "", length: Bool = false, limits: Limits = Limits()
    ) -> Talk {
        let coded = coding.isEmpty ? "" : "Content-Encoding: \(coding)\r\n"
        let extent = length ? "Content-Length: \(body.count)\r\n" : ""
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(coded)\(extent)\r\n"
        return Talk(
            [.client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(Array(head.utf8) + body), .finish(.server)], limits: limits)
    }

    /// The parts that are told, however the bytes were cut.
    private func parts(_ talk: Talk) -> [String] {
        let told = talk.transcript()
        #expect(talk.difference(from: told) == nil)
        return told.filter { $0.hasPrefix("<") && !$0.contains("response") && !$0.contains(" ! ") }.map { line in
            line.split(separator: " ", maxSplits: 2).dropFirst(2).joined()
        }
    }

    private func parts(_ type: String, _ body: String, length: Bool = false) -> [String] {
        parts(talk(type, Array(body.utf8), length: length))
    }

    @Test func `an event is told with the empty line that ends it`() {
        // Empty lines are none of their own, and the rest comes with the end.
        #expect(
            parts("Text/Event-Stream; charset=utf-8", ": hello\n\nid: 1\ndata: a\n\n\n\ndata: b\n") == [
                "body 1 9/9 B \": hello\\n\\n\"", "body 2 15/15 B \"id: 1\\ndata: a\\n\\n\"",
                "body 3 final 10/10 B \"\\n\\ndata: b\\n\"",
            ])
    }

    @Test func `lines end with CR LF or CR as well`() {
        #expect(
            parts("text/event-stream", "data: a\r\n\r\ndata: b\r\n\r\n") == [
                "body 1 11/11 B \"data: a\\r\\n\\r\\n\"", "body 2 11/11 B \"data: b\\r\\n\\r\\n\"", "body 3 final 0/0 B \"\"",
            ])
        #expect(
            parts("text/event-stream", "data: a\r\rdata: b\r\r") == [
                "body 1 9/9 B \"data: a\\r\\r\"", "body 2 9/9 B \"data: b\\r\\r\"", "body 3 final 0/0 B \"\"",
            ])
        #expect(parts("text/event-stream", "data: a\rdata: b\n\r\ndata: c").count == 2)
    }

    @Test func `with a length or in chunks too`() {
        #expect(parts("text/event-stream", "data: a\n\ndata: b\n\n", length: true).last == "body 2 final 9/9 B \"data: b\\n\\n\"")
        let chunked = Talk([
            .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .server("5\r\ndata:\r\n"), .server("4\r\n a\n\n\r\n9\r\ndata: b\n\n\r\n"), .server("0\r\n\r\n"),
        ])
        #expect(
            parts(chunked) == [
                "body 1 9/9 B \"data: a\\n\\n\"", "body 2 9/9 B \"data: b\\n\\n\"", "body 3 final 0/0 B \"\"",
            ])
    }

    @Test func `lines of JSON are told one by one where the server does not know how many there will be`() {
        let lines = "{\"n\":1}\n{\"n\":2}\r\n\n{\"n\":3}\n"
        for type in ["application/x-ndjson", "application/jsonl", "application/json-seq", "application/stream+json"] {
            #expect(parts(type, lines).map { $0.prefix(8) } == ["body 1 8", "body 2 9", "body 3 9", "body 4 f"])
        }
        #expect(parts("application/x-ndjson", lines, length: true).count == 1)
        #expect(parts("application/json", lines).count == 1)
    }

    /// What the parts of a stream of events are.
    private func elements(_ steps: [Talk.Step]) -> [String] {
        struct Elements: ConversationSink {
            var names: [String] = []
            mutating func receive(_ event: borrowing ConversationEvent) {
                if case .body(let part) = event.fact { names.append(part.element.map { "\($0)" } ?? "-") }
            }
        }
        let talk = Talk(
            [
                .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
                .server("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
            ] + steps + [.finish(.server)])
        var whole = Elements()
        talk.play(into: &whole)
        for cutting in Talk.cuttings {
            var cut = Elements()
            talk.play(cutting, into: &cut)
            #expect(cut.names == whole.names, "\(cutting)")
        }
        return whole.names
    }

    @Test func `an element without data is no event`() {
        #expect(elements([.server(": keep\n\ndata: 1\n\n: a\n: b\r\n\r\n:\r\r")]) == ["comment", "event", "comment", "comment", "-"])
        #expect(elements([.server("retry: 9\n\nid\n\nevent: x\n\n: c\nid: 4\n\n")]) == ["field", "field", "field", "field", "-"])
        #expect(
            elements([.server("data\n\n: c\ndata:1\n\nid: 1\ndata: x\n\n\u{FEFF}data: 1\n\n")]) == [
                "event", "event", "event", "field", "-",
            ])
        // Names that only begin so, or end so.
        #expect(elements([.server("database: 1\n\ndat: 1\n\n data: 1\n\ndatadata: 1\n\n")]) == ["field", "field", "field", "field", "-"])
        // A mark of UTF-8 stands before the first line only.
        #expect(elements([.server("\u{FEFF}data: 1\n\n\u{FEFF}: 1\n\n")]) == ["event", "field", "-"])
        // Its data may be what is missing.
        #expect(elements([.server("data: a\n"), .gap(.server, 5, .missing), .server("c\n\n: d\n\n")]) == ["-", "event", "comment", "-"])
    }

    @Test func `nothing is streamed in a request`() {
        let told = Talk([
            .client("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/event-stream\r\nContent-Length: 8\r\n\r\na: 1\n\nb:")
        ]).transcript()
        #expect(told.count { $0.contains("body") } == 1)
    }

    /// Three pieces of one gzip stream, each flushed as servers do it: one event; two events and the beginning of a third; the end.
    private static let pieces: [[UInt8]] = [
        [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4A, 0x49, 0x2C, 0x49, 0xB4, 0x52, 0x48, 0xE4, 0xE2, 0x02, 0x00,
            0x00, 0x00, 0xFF, 0xFF,
        ],
        [0x4A, 0x01, 0x33, 0x92, 0x60, 0x8C, 0x64, 0x10, 0x03, 0x00, 0x00, 0x00, 0xFF, 0xFF],
        [0x03, 0x00, 0x38, 0xE0, 0x3C, 0x73, 0x1D, 0x00, 0x00, 0x00],
    ]
    /// `d\n\n` 3,000 times, by zlib.
    private static let many: [UInt8] = [
        0x78, 0xDA, 0xED, 0xC2, 0x31, 0x0D, 0x00, 0x00, 0x00, 0x02, 0xA0, 0xDF, 0x9C, 0xF6, 0xCF, 0x60, 0x0F, 0x07, 0xA3, 0x49, 0x55, 0x55,
        0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xF5, 0xFD, 0x00, 0xE7, 0x0D, 0x7E, 0x8C,
    ]

    @Test func `under a coding an event is told when its last byte has come`() {
        let type = "text/event-stream"
        #expect(
            parts(talk(type, Self.pieces[0], coding: "gzip")).map { $0.replacing(#/ \d+/\d+ B/#, with: "") } == [
                "body 1 gzip \"data: a\\n\\n\"", "body 2 final gzip \"\"",
            ])
        #expect(talk(type, Self.pieces[0], coding: "gzip").transcript().contains { $0.contains("http.content-coding-cut") })
        let all = parts(talk(type, Self.pieces.flatMap(\.self), coding: "gzip"))
        #expect(
            all.map { $0.replacing(#/ \d+/\d+ B/#, with: "") } == [
                "body 1 gzip \"data: a\\n\\n\"", "body 2 gzip \"data: b\\n\\n\"", "body 3 gzip \"data: c\\n\\n\"",
                "body 4 final gzip \"da\"",
            ], "\(all)")
        // Every byte of the wire belongs to one of them.
        let wire = all.compactMap { $0.firstMatch(of: /\/(\d+) B/).flatMap { Int($0.1) } }
        #expect(wire.reduce(0, +) == Self.pieces.reduce(0) { $0 + $1.count }, "\(all)")
    }

    @Test func `thousands of events in a few bytes are told one by one, within the bounds`() {
        let told = parts(talk("text/event-stream", Self.many, coding: "deflate", length: true))
        #expect(told.count == 3_001 && told.dropLast().allSatisfy { $0.hasSuffix("\"d\\n\\n\"") })
        // What a sink does not want to see is searched all the same.
        var limits = Limits()
        limits.messageBytes = 1
        let cut = parts(talk("text/event-stream", Self.many, coding: "deflate", length: true, limits: limits))
        #expect(cut.count == 3_001 && cut.dropLast().allSatisfy { $0.hasSuffix("B \"d\"") })
        // Parts are full in the midst of events.
        limits.bodyPartBytes = 4
        #expect(parts(talk("text/event-stream", Self.many, coding: "deflate", length: true, limits: limits)).count == 3_001)
        limits.bodyPartBytes = 2
        #expect(parts(talk("text/event-stream", Self.many, coding: "deflate", length: true, limits: limits)).count > 4_000)
    }

    @Test(arguments: [
        ("application/grpc", 2), ("application/grpc+proto", 2), ("application/grpc-web", 0), ("text/event-stream", 0),
    ]) func `a message of gRPC counts as a message once its last byte has come`(type: String, count: Int) {
        // Two messages, one of them empty, and one that is cut.
        let body: [UInt8] = [0, 0, 0, 0, 2, 8, 1] + [0, 0, 0, 0, 0] + [0, 0, 0, 0, 9, 8]
        let told = talk(type, body).transcript()
        let closed = told.first { $0.contains("closed") } ?? ""
        #expect(closed.contains(" messages") == (count > 0) && (count == 0 || closed.contains(" B \(count) messages")), "\(told)")
        #expect(talk(type, body).difference(from: told) == nil)
    }

    @Test func `after a gap the rest of an event is not taken for a whole one`() {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        let told = parts(
            Talk([
                .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(head + "data: a\n\ndata:"), .gap(.server, 5, .missing),
                .server("\n\ndata: c\n\n"),
            ]))
        #expect(
            told == [
                "body 1 9/9 B \"data: a\\n\\n\"", "body 2 5/5 B \"data:\"", "gap 5 missing", "body 3 11/11 B \"\\n\\ndata: c\\n\\n\"",
                "body 4 final 0/0 B \"\"",
            ])
    }
}
