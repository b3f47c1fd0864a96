import Dissection
import Support

/// What is found about the header blocks of HTTP/2.
extension FindingCase {
    private static func request(_ fields: [(String, String)]) -> [UInt8] { Frames.headers(1, fields, end: true) }

    private static let answer = Talk.Step.server(Frames.ok(1, end: true))
    private static let usual = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "x")]

    private static func asked(_ scheme: String, _ authority: String) -> [(String, String)] {
        [(":method", "GET"), (":scheme", scheme), (":path", "/"), (":authority", authority)]
    }

    /// A finding about a request that has a response.
    private static func field(_ row: FindingRow, _ text: String = "", _ fields: [(String, String)], nearly: [(String, String)])
        -> FindingCase
    {
        http2(
            row, text: text, fires: [.client(request(fields)), answer], nearly: [.client(request(nearly)), answer])
    }

    /// A finding about a response.
    private static func response(
        _ row: FindingRow, a: UInt64 = 0, b: UInt64 = 0, and more: [String] = [], _ bytes: [UInt8], nearly: [UInt8]
    ) -> FindingCase {
        http2(
            row, .server, at: 9, a: a, b: b, and: more, fires: [.client(Frames.get(1)), .server(bytes)],
            nearly: [.client(Frames.get(1)), .server(nearly)])
    }

    /// A request of 166 bytes of fields, where the server takes so many.
    private static func asked(_ most: UInt32) -> Talk {
        Talk([
            .client(Frames.client), .server(Frames.settings([(6, most)])), .client(Frames.accepted + Frames.get(1)), answer,
        ])
    }

    /// A request with this block, after the client has accepted that the server keeps no table.
    private static func shrunk(_ block: [UInt8]) -> Talk {
        Talk([
            .client(Frames.client), .server(Frames.settings([(1, 0)])),
            .client(Frames.accepted + Frames.frame(1, flags: 5, stream: 1, block)), answer,
        ])
    }

    static let http2Fields = table {
        http2(
            .http2BlockInvalid, text: "an index is in neither table",
            fires: [.client(Frames.frame(1, flags: 5, stream: 1, [0xBE])), answer],
            nearly: [.client(Frames.frame(1, flags: 5, stream: 1, [0x82, 0x84, 0x86])), answer])
        http2(
            .http2BlockLimit, a: 65_536,
            fires: [
                .client(
                    Frames.frame(1, flags: 1, stream: 1)
                        + (0..<5).flatMap { Frames.frame(9, flags: $0 == 4 ? 4 : 0, stream: 1, [UInt8](repeating: 0x82, count: 16_000)) }),
                answer,
            ],
            nearly: [.client(Frames.frame(1, flags: 1, stream: 1, [0x82, 0x84]) + Frames.frame(9, flags: 4, stream: 1, [0x86])), answer])
        http2(
            .http2FieldsLimit, a: 216,
            fires: [
                .client(
                    Frames.frame(
                        1, flags: 5, stream: 1,
                        [0x82, 0x84, 0x86] + [0x40, 1, 0x61, 127, 0x81, 6] + [UInt8](repeating: 0x62, count: 1_024 - 128)
                            + [UInt8](repeating: 0xBE, count: 220))), answer,
            ],
            nearly: [
                .client(
                    Frames.frame(
                        1, flags: 5, stream: 1,
                        [0x82, 0x84, 0x86] + [0x40, 1, 0x61, 127, 0x81, 6] + [UInt8](repeating: 0x62, count: 1_024 - 128)
                            + [UInt8](repeating: 0xBE, count: 4))), answer,
            ])
        FindingCase(
            "http2.list-too-large", [line(.client, 42, .http2ListTooLarge, a: 166, b: 165)], fires: asked(165), nearly: asked(166))
        FindingCase(
            "http2.fields-unknown", ["> @104 http2.fields-unknown: header fields that are not known and left out: 1 (table entry 62)"],
            fires: Frames.talk([
                .gap(.client, 20, .missing),
                .client(Frames.ping() + Frames.ping() + Frames.ping() + Frames.frame(1, flags: 5, stream: 1, [0x82, 0x84, 0x86, 0xBE])),
                .server(Frames.ping(answers: true)), answer,
            ]),
            nearly: Frames.talk([
                .gap(.client, 20, .missing),
                .client(Frames.ping() + Frames.ping() + Frames.ping() + Frames.frame(1, flags: 5, stream: 1, [0x82, 0x84, 0x86])),
                .server(Frames.ping(answers: true)), answer,
            ]))
        field(.http2NameUpperCase, "Accept", usual + [("Accept", "*/*")], nearly: usual + [("accept", "*/*")])
        field(.http2FieldInvalid, "a", usual + [("a", "b\r\nc: d")], nearly: usual + [("a", "b")])
        field(.http2ConnectionField, "te", usual + [("te", "gzip")], nearly: usual + [("te", "trailers")])
        field(
            .http2PseudoOrder, ":authority", [(":method", "GET"), (":scheme", "http"), (":path", "/"), ("a", "b"), (":authority", "x")],
            nearly: usual + [("a", "b")])
        field(.http2PseudoUnknown, ":host", usual + [(":host", "x")], nearly: usual + [("host", "x")])
        field(.http2PseudoRepeated, ":path", usual + [(":path", "/b")], nearly: usual)
        field(.http2PseudoMissing, "", [(":method", "GET"), (":scheme", "http")], nearly: usual)
        field(.http2PathEmpty, "", [(":method", "GET"), (":scheme", "http"), (":path", "")], nearly: usual)
        field(
            .http2PathInvalid, "", [(":method", "GET"), (":scheme", "http"), (":path", "*")],
            nearly: [(":method", "OPTIONS"), (":scheme", "http"), (":path", "*")])
        field(
            .http2PathInvalid, "", [(":method", "GET"), (":scheme", "https"), (":path", "a/b")],
            nearly: [(":method", "GET"), (":scheme", "urn"), (":path", "a/b")])
        field(
            .http2MethodInvalid, "", [(":method", "G ET"), (":scheme", "http"), (":path", "/")],
            nearly: [(":method", "M-SEARCH"), (":scheme", "http"), (":path", "/")])
        field(
            .http2AuthorityUserinfo, "", [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "me:secret@x")],
            nearly: [(":method", "GET"), (":scheme", "http"), (":path", "/@me"), (":authority", "x")])
        field(.http2ContentLengthInvalid, "", usual + [("content-length", "x")], nearly: usual + [("content-length", "0")])
        http2(
            .http2TrailersPseudo, at: 93, text: ":path",
            fires: [.client(Frames.post(1) + Frames.headers(1, [(":path", "/x"), ("a", "b")], end: true)), answer],
            nearly: [.client(Frames.post(1) + Frames.headers(1, [("a", "b")], end: true)), answer])
        FindingCase(
            "http2.table-size-missing", [line(.client, 42, .http2TableSizeMissing)], fires: shrunk(Frames.block(usual)),
            nearly: shrunk([0x20] + Frames.block(usual)))
        field(.http2HostDiffers, "host", usual + [("host", "y")], nearly: usual + [("host", "X")])
        // The port of the scheme is the same as none, and so is an empty one (RFC 9110, section 4.2.3).
        field(.http2HostDiffers, "host", usual + [("host", "x:443")], nearly: usual + [("host", "x:80")])
        field(
            .http2HostDiffers, "host", asked("https", "[::1]:80") + [("host", "[::1]")],
            nearly: asked("https", "[::1]:443") + [("host", "[::1]")])
        field(.http2HostDiffers, "host", asked("ftp", "x:80") + [("host", "x")], nearly: asked("http", "x:") + [("host", "x")])
        response(
            .http2PseudoMisplaced, Frames.headers(1, [(":status", "200"), (":path", "/")], end: true), nearly: Frames.ok(1, end: true))
        response(.http2StatusInvalid, a: 600, Frames.headers(1, [(":status", "600")], end: true), nearly: Frames.ok(1, end: true))
        response(
            .http2StatusSwitching, Frames.headers(1, [(":status", "101")]) + Frames.ok(1, end: true),
            nearly: Frames.headers(1, [(":status", "100")]) + Frames.ok(1, end: true))
        response(
            .http2InformationalEnd,
            Frames.headers(1, [(":status", "103")], end: true), nearly: Frames.headers(1, [(":status", "103")]) + Frames.ok(1, end: true))
        http2(
            .http2LengthDiffers, .server, at: 60, a: 3, b: 2,
            fires: [.client(Frames.get(1)), .server(Frames.ok(1, [("content-length", "3")]) + Frames.data(1, "ab", end: true))],
            nearly: [.client(Frames.get(1)), .server(Frames.ok(1, [("content-length", "2")]) + Frames.data(1, "ab", end: true))])
    }
}
