import Dissection
import Support
import Testing

@testable import Reports

@Suite("What of a conversation a recording of plaintext has")
struct ReadableStreamTests {
    private static let request = "GET /tea HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let answer = "HTTP/1.1 204 No Content\r\n\r\n"
    private static let connect = "CONNECT chat.example:443 HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let connected = "HTTP/1.1 200 OK\r\n\r\n"

    private static let clientHello = Hello.bytes(name: "chat.example")
    /// Of TLS 1.3, TLS_AES_128_GCM_SHA256.
    private static let serverHello: [UInt8] =
        [22, 3, 3, 0, 50, 2, 0, 0, 46, 3, 3] + [UInt8](repeating: 9, count: 32) + [0, 0x13, 0x01, 0, 0, 6, 0, 43, 0, 2, 3, 4]

    private static func handshake(_ client: inout StatedRecords, _ server: inout StatedRecords) -> [Talk.Step] {
        [
            .client(clientHello),
            .server(serverHello + server.record(22, [8, 0, 0, 2, 0, 0]) + server.finished()),
            .client(client.finished()),
        ]
    }

    /// A talk over TLS 1.3 after `before`, and what the recording is to have of it.
    private static func exchange(after before: [Talk.Step] = []) -> [Talk.Step] {
        var (client, server) = (StatedRecords(), StatedRecords())
        return before + handshake(&client, &server) + [
            .client(client.data("GET /tea HTTP/1.1\r\nHo") + client.data("st: a\r\n\r\n")), .server(server.data(answer)),
            .finish(.server), .finish(.client),
        ]
    }

    /// What is written of a talk, runs of a side joined, however it is cut.
    private static func written(
        _ steps: [Talk.Step], secrets: StatedSecrets = StatedSecrets(), limit: Int = .max, knowsRoles: Bool = true
    ) -> Set<[String]> {
        var talk = Talk(steps, knowsRoles: knowsRoles, start: knowsRoles ? .handshake : .midstream)
        talk.layers = LayerTable.standard.opening(with: TLSDecryption(secrets: secrets, ciphers: StatedCiphers()))
        return Set(
            Talk.cuttings.map { cutting in
                var sink = Written(limit: limit)
                talk.play(cutting, into: &sink)
                return sink.lines
            })
    }

    @Test func `what was inside of TLS stands in the place of its records, and the ends after it`() {
        #expect(Self.written(Self.exchange()) == [["> \(Self.request)", "< \(Self.answer)", "< end", "> end"]])
    }

    @Test func `what is not opened stays as it is`() {
        let steps = Self.exchange()
        let plain = Self.written(steps, secrets: StatedSecrets([]))
        #expect(plain.count == 1 && plain.first?.count == 6)
        #expect(plain.first?.first == "> " + String(decoding: Self.clientHello, as: UTF8.self))
        // A handshake without anything after it is no plaintext.
        var (client, server) = (StatedRecords(), StatedRecords())
        let silent = Self.handshake(&client, &server)
        #expect(Self.written(silent) == Self.written(silent, secrets: StatedSecrets([])))
        // What is no TLS is not looked at.
        #expect(Self.written([.client(Self.request), .server(Self.answer)]) == [["> \(Self.request)", "< \(Self.answer)"]])
    }

    @Test func `what came in the clear before TLS stands before it`() {
        let tunnel = Self.exchange(after: [.client(Self.connect), .server(Self.connected)])
        #expect(
            Self.written(tunnel) == [
                ["> \(Self.connect)", "< \(Self.connected)", "> \(Self.request)", "< \(Self.answer)", "< end", "> end"]
            ])
        let mail = Self.exchange(after: [.server("220 ready\r\n"), .client("STARTTLS\r\n"), .server("220 go ahead\r\n")])
        #expect(
            Self.written(mail) == [
                ["< 220 ready\r\n", "> STARTTLS\r\n", "< 220 go ahead\r\n", "> \(Self.request)", "< \(Self.answer)", "< end", "> end"]
            ])
    }

    @Test func `TLS that begins in the same run as what came before it`() {
        var (client, server) = (StatedRecords(), StatedRecords())
        let start = Self.handshake(&client, &server)
        let steps: [Talk.Step] =
            [.client(Array(Self.connect.utf8) + Self.clientHello), .server(Self.connected)] + start.dropFirst() + [
                .client(client.data(Self.request)), .server(server.data(Self.answer)),
            ]
        #expect(Self.written(steps) == [["> \(Self.connect)", "< \(Self.connected)", "> \(Self.request)", "< \(Self.answer)"]])
    }

    @Test func `TLS inside of TLS stands as what was inside of both`() {
        var (client, server) = (StatedRecords(), StatedRecords())
        var (innerClient, innerServer) = (StatedRecords(), StatedRecords())
        var steps = Self.handshake(&client, &server) + [.client(client.data(Self.connect)), .server(server.data(Self.connected))]
        let inner =
            Self.handshake(&innerClient, &innerServer) + [
                .client(innerClient.data(Self.request)), .server(innerServer.data(Self.answer)),
            ]
        for step in inner {
            guard case .bytes(let side, let bytes) = step else { continue }
            steps.append(.bytes(side, side == .client ? client.record(23, bytes) : server.record(23, bytes)))
        }
        #expect(Self.written(steps) == [["> \(Self.connect)", "< \(Self.connected)", "> \(Self.request)", "< \(Self.answer)"]])
    }

    @Test func `a lost record is missing inside`() {
        var (client, server) = (StatedRecords(), StatedRecords())
        let start = Self.handshake(&client, &server)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n"
        let steps: [Talk.Step] = [
            .client(client.data(Self.request)), .server(server.data(head)), .gap(.server, server.data("0123456789").count, .missing),
            .server(server.data("abcdefghijklmnopqrst")), .reset(.client),
        ]
        #expect(
            Self.written(start + steps) == [
                ["> \(Self.request)", "< \(head)", "< 10 missing", "< abcdefghijklmnopqrst", "> reset"]
            ])
    }

    @Test func `more than may be kept is written as it was sealed, and so is what follows`() {
        let steps = Self.exchange()
        #expect(Self.written(steps, limit: 100) == Self.written(steps, secrets: StatedSecrets([])))
        // What came before is not kept for it.
        let tunnel = Self.exchange(after: [.client(Self.connect), .server(Self.connected)])
        #expect(Self.written(tunnel, limit: 100) == Self.written(tunnel, secrets: StatedSecrets([])))
    }

    @Test func `a beginning that may be TLS and is none`() {
        let steps: [Talk.Step] = [.server("hello\n"), .client([0x16, 0x03]), .server("what?\n"), .client([0x00, 0x01, 0x02])]
        #expect(
            Self.written(steps) == [["< hello\n", "> \u{16}\u{3}", "< what?\n", "> \u{0}\u{1}\u{2}"]])
        #expect(
            Self.written(steps, knowsRoles: false) == [["< hello\n", "> \u{16}\u{3}", "< what?\n", "> \u{0}\u{1}\u{2}"]])
    }
}

/// Writes down what a recording would have.
private struct Written: ConversationSink {
    let limit: Int
    private(set) var lines: [String] = []
    private var stream = ReadableStream()

    init(limit: Int) { self.limit = limit }

    var takesStreams: Bool { true }

    mutating func receive(stream run: borrowing StreamRun) {
        stream.take(run, from: run.source.port == 50_000 ? .client : .server)
        if stream.heldBytes > limit { stream.giveUp() }
        write()
    }

    mutating func receive(_ event: borrowing ConversationEvent) {
        guard case .closed = event.fact else { return }
        stream.giveUp()
        write()
        #expect(stream.heldBytes == 0 && stream.isEmpty)
    }

    private mutating func write() {
        while let part = stream.next() {
            let mark = part.side == .client ? "> " : "< "
            switch part.fact {
            case .bytes:
                let text = String(decoding: part.bytes, as: UTF8.self)
                if let last = lines.last, last.hasPrefix(mark), !last.hasSuffix(" missing"), !last.hasSuffix("end") {
                    lines[lines.count - 1] = last + text
                } else {
                    lines.append(mark + text)
                }
            case .gap(let length): lines.append("\(mark)\(length) missing")
            case .finished: lines.append("\(mark)end")
            case .reset: lines.append("\(mark)reset")
            case .comment(let text): lines.append("! \(text)")
            }
        }
    }
}
