import Dissection
import Support
import Testing

/// Values that cannot stand in the lines of a head: the raw metadata of gRPC, and what breaks the rules.
@Suite("values of HTTP/2 that are no text")
struct HTTP2MetadataTests {
    private typealias Frames = HTTP2Frames

    private static let announced = Frames.settings([(0xFE03, 1)])
    /// What gRPC's C core writes of the bytes 08 05 61 0d 0a 00.
    private static let raw = "\0\u{8}\u{5}a\r\n\0"

    /// What is told of a response with a field, after the settings and the request.
    private func told(
        client: [UInt8] = Frames.settings(), server: [UInt8] = Frames.settings(), _ response: [UInt8],
        _ location: SourceLocation = #_sourceLocation
    ) -> [String] {
        let talk = Talk([.client(Frames.preface + client), .server(server), .client(Frames.get(1)), .server(response)])
        let told = talk.transcript()
        if let difference = talk.difference(from: told) { Issue.record("\(difference)", sourceLocation: location) }
        return told.filter { $0.hasPrefix("<") && !$0.contains("settings") }
    }

    @Test func `where both sides take raw metadata of gRPC it is in base64, and no violation`() {
        let told = told(
            client: Self.announced, server: Self.announced,
            Frames.headers(
                1, [(":status", "200"), ("grpc-status", "5"), ("grpc-status-details-bin", Self.raw), ("a-bin", "\0")], end: true))
        #expect(told == ["< #1 @15 response 200  {grpc-status: 5} {grpc-status-details-bin: CAVhDQoA} {a-bin: }"], "\(told)")
    }

    @Test func `trailers have it too, without the padding of base64`() {
        let told = told(
            client: Self.announced, server: Self.announced,
            Frames.ok(1) + Frames.headers(1, [("t-bin", "\0a"), ("u-bin", "YQ")], end: true))
        #expect(told.contains { $0.contains("{t-bin: YQ} {u-bin: YQ}") }, "\(told)")
        #expect(!told.contains { $0.contains("!") || $0.contains("data") }, "\(told)")
    }

    @Test func `where one side has not said that it takes them, it is a violation, and no byte is lost`() {
        let response = Frames.headers(1, [(":status", "200"), ("t-bin", Self.raw)], end: true)
        for (client, server) in [(Self.announced, Frames.settings()), (Frames.settings(), Self.announced)] {
            let told = told(client: client, server: server, response)
            #expect(told.contains { $0.contains("response 200  {t-bin: CAVhDQoA}") }, "\(told)")
            #expect(told.contains { $0.contains("! http2.field-invalid") }, "\(told)")
        }
    }

    @Test func `nobody knows what was announced before the capture`() {
        let response = Frames.headers(1, [(":status", "200"), ("t-bin", Self.raw)], end: true)
        let talk = Talk(
            [.client(Frames.ping() + Frames.ping() + Frames.get(1)), .server(Frames.ping(answers: true) + response + Frames.ping())],
            start: .midstream, forced: .http2)
        let told = talk.transcript()
        #expect(told.contains { $0.contains("{t-bin: CAVhDQoA}") }, "\(told)")
        #expect(!told.contains { $0.contains("field-invalid") }, "\(told)")
    }

    @Test("what no line can hold is shown as it came", arguments: ["a\r\nb: c", "a\0b", " a", "a\t"])
    func lost(value: String) {
        let fields = [(":status", "200"), ("x", value)]
        for response in [Frames.headers(1, fields, end: true), Frames.ok(1) + Frames.headers(1, [("x", value)], end: true)] {
            let told = told(response)
            let data = told.first { $0.contains(" data ") } ?? ""
            let bytes = value.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            #expect(data.hasSuffix(" 78 0\(bytes.count) " + bytes.joined(separator: " ")), "\(told)")
            #expect(told.contains { $0.contains("! http2.field-invalid") }, "\(told)")
        }
        #expect(!told(Frames.headers(1, [(":status", "200"), ("x", "a b")], end: true)).contains { $0.contains(" data ") })
    }

    @Test func `header blocks that are not read say that they are such`() {
        struct Blocks: ConversationSink {
            var blocks: [Int] = []
            var others: [Int] = []
            mutating func receive(_ event: borrowing ConversationEvent) {
                guard case .data(let run) = event.fact else { return }
                if run.isHeaderBlock { blocks.append(event.content.byteCount) } else { others.append(event.content.byteCount) }
            }
        }
        func played(_ steps: [Talk.Step]) -> Blocks {
            var sink = Blocks()
            Frames.talk(steps).play(.whole, into: &sink)
            return sink
        }
        let trailers = Frames.headers(1, [("x-token", "a")], end: true)
        let after = played([.client(Frames.get(1) + Frames.reset(1, 8)), .server(trailers)])
        #expect(after.blocks == [trailers.count - 9] && after.others == [])
        let cut = Array(Frames.get(1).dropLast(3))
        #expect(played([.client(cut)]).blocks == [cut.count])
        let alone = Frames.frame(9, flags: 4, stream: 1, [1, 2, 3])
        #expect(played([.client(Frames.get(1) + alone)]).blocks == [3])
        let unread = Frames.data(1, "late")
        let late = played([.client(Frames.get(1) + Frames.reset(1, 8)), .server(unread)])
        #expect(late.blocks == [] && late.others == [4])
    }
}
