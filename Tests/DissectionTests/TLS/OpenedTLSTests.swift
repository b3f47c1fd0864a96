import Dissection
import Support
import Synchronization
import Testing

@Suite("What is inside of TLS, where there are keys")
struct OpenedTLSTests {
    /// A talk over TLS 1.3 whose keys are known as `secrets` says.
    static func talk(_ steps: [Talk.Step], secrets: StatedSecrets = StatedSecrets(), limits: Limits = Limits()) -> Talk {
        var talk = Talk(steps, limits: limits)
        // They are looked for again a few times a second.
        talk.milliseconds = steps.indices.map { Int64($0) * 150 }
        talk.layers = LayerTable.standard.opening(with: TLSDecryption(secrets: secrets, ciphers: StatedCiphers()))
        return talk
    }

    /// Both hellos and what follows them under encryption, up to the client's Finished.
    static func handshake(
        _ client: inout StatedRecords, _ server: inout StatedRecords, extensions: [UInt8] = [8, 0, 0, 2, 0, 0]
    ) -> [Talk.Step] {
        [
            .client(RecordedHello.client13),
            .server(RecordedHello.server13 + server.record(22, extensions) + server.finished()),
            .client(client.finished()),
        ]
    }

    @Test("a request and its response, with their offsets in the plaintext, and the protocol that was chosen under encryption")
    func exchange() {
        var (client, server) = (StatedRecords(), StatedRecords())
        let chosen: [UInt8] = [8, 0, 0, 17, 0, 15, 0, 16, 0, 11, 0, 9, 8] + Array("http/1.1".utf8)
        let talk = Self.talk(
            Self.handshake(&client, &server, extensions: chosen) + [
                .client(client.data("GET /tea HTTP/1.1\r\nHo") + client.data("st: chat.example\r\n\r\n")),
                .server(server.record(22, [4, 0, 0, 0]) + server.data("HTTP/1.1 204 No Content\r\n\r\n") + server.record(21, [1, 0])),
                .finish(.server), .finish(.client),
            ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "< @0 tls name chat.example alpn http/1.1 version 304 cipher 1302",
                "< @127 data 35 B tlsRecord(contentType: 22) \"\"",
                "< @162 data 18 B tlsRecord(contentType: 22) \"\"",
                "> @242 data 18 B tlsRecord(contentType: 22) \"\"",
                "> | @0 request GET /tea HTTP/1.1 {Host: chat.example}",
                "< @180 data 18 B tlsRecord(contentType: 22) \"\"",
                "< | @0 response 204 No Content",
                "< @239 data 16 B tlsRecord(contentType: 21) \"\"",
                "closed server fin  client fin 329 B  server fin 255 B",
            ]) == nil)
    }

    @Test("a record is lost: what it carried is a gap of its length inside")
    func lostRecord() {
        var (client, server) = (StatedRecords(), StatedRecords())
        let start = Self.handshake(&client, &server)
        let request = client.data("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = server.data("HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n")
        let lost = server.data("0123456789")
        let rest = server.data("abcdefghijklmnopqrst")
        let talk = Self.talk(start + [.client(request), .server(head), .gap(.server, lost.count, .missing), .server(rest)])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "< @0 tls name chat.example alpn  version 304 cipher 1302",
                "< @127 data 20 B tlsRecord(contentType: 22) \"\"",
                "< @147 data 18 B tlsRecord(contentType: 22) \"\"",
                "> @242 data 18 B tlsRecord(contentType: 22) \"\"",
                "> | @0 request GET / HTTP/1.1 {Host: a}",
                "< | @0 response 200 OK {Content-Length: 30}",
                "< @218 gap 24 missing",
                "< | @39 gap 10 missing",
                "< | @49 body 1 final 20/20 B \"abcdefghijklmnopqrst\"",
                "closed unknown endOfCapture  client open 301 B  server open 252 B 24 missing",
            ]) == nil)
    }

    @Test("a piece of a record is lost: the next one goes on")
    func lostPiece() {
        var (client, server) = (StatedRecords(), StatedRecords())
        let start = Self.handshake(&client, &server)
        let request = client.data("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = server.data("HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n")
        let cut = server.data("0123456789")
        let rest = server.data("abcdefghijklmnopqrst")
        let talk = Self.talk(
            start + [
                .client(request), .server(head + cut.prefix(8)), .gap(.server, 4, .missing), .server(cut.dropFirst(12) + rest),
            ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "< @0 tls name chat.example alpn  version 304 cipher 1302",
                "< @127 data 20 B tlsRecord(contentType: 22) \"\"",
                "< @147 data 18 B tlsRecord(contentType: 22) \"\"",
                "> @242 data 18 B tlsRecord(contentType: 22) \"\"",
                "> | @0 request GET / HTTP/1.1 {Host: a}",
                "< | @0 response 200 OK {Content-Length: 30}",
                "< @226 gap 4 missing",
                "< @218 data 24 B tlsRecord(contentType: 23) \"\"",
                "< | @39 gap 10 missing",
                "< | @49 body 1 final 20/20 B \"abcdefghijklmnopqrst\"",
                "closed unknown endOfCapture  client open 301 B  server open 272 B 4 missing",
            ]) == nil)
    }

    @Test("without the session's keys all stays as it is without keys")
    func otherKeys() {
        var (client, server) = (StatedRecords(), StatedRecords())
        let steps = Self.handshake(&client, &server) + [.client(client.data("GET / HTTP/1.1\r\n\r\n")), .server(server.data("no"))]
        #expect(Self.talk(steps, secrets: StatedSecrets([])).transcript() == Talk(steps).transcript())
        #expect(Self.talk(steps, secrets: StatedSecrets([])).difference(from: Talk(steps).transcript()) == nil)
    }

    @Test("early data that the server takes is a request; what it does not take is none")
    func earlyData() {
        for isTaken in [true, false] {
            var (early, client, server) = (StatedRecords(), StatedRecords(), StatedRecords())
            let taken: [UInt8] = [8, 0, 0, 6, 0, 4, 0, 42, 0, 0]
            let answer = server.record(22, isTaken ? taken : [8, 0, 0, 2, 0, 0]) + server.finished()
            let request = "GET /early HTTP/1.1\r\nHost: a\r\n\r\n"
            var steps: [Talk.Step] = [
                .client(RecordedHello.client13 + early.data(request)), .server(RecordedHello.server13 + answer),
                .client((isTaken ? early.record(22, [5, 0, 0, 0]) : []) + client.finished()),
            ]
            if !isTaken { steps.append(.client(client.data(request))) }
            let talk = Self.talk(steps + [.server(server.data("HTTP/1.1 204 No Content\r\n\r\n"))])
            let told = talk.transcript()
            #expect(told.filter { $0.contains("request GET /early") } == ["> | @0 request GET /early HTTP/1.1 {Host: a}"])
            #expect(told.contains("< | @0 response 204 No Content"))
            #expect(told.filter { $0.contains("!") } == ["> @242 ! tls.early-data\(isTaken ? " a=0" : "-refused a=32") b=0"])
            #expect(talk.difference(from: told) == nil)
        }
    }

    @Test("in a CONNECT tunnel")
    func tunnel() {
        var (client, server) = (StatedRecords(), StatedRecords())
        let talk = Self.talk(
            [.client("CONNECT chat.example:443 HTTP/1.1\r\nHost: a\r\n\r\n"), .server("HTTP/1.1 200 OK\r\n\r\n")]
                + Self.handshake(&client, &server) + [.client(client.data("GET /tea HTTP/1.1\r\nHost: a\r\n\r\n"))])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request CONNECT chat.example:443 HTTP/1.1 {Host: a}",
                "< @0 response 200 OK",
                "< | @0 tls name chat.example alpn  version 304 cipher 1302",
                "< | @127 data 20 B tlsRecord(contentType: 22) \"\"",
                "< | @147 data 18 B tlsRecord(contentType: 22) \"\"",
                "> | @242 data 18 B tlsRecord(contentType: 22) \"\"",
                "> | | @0 request GET /tea HTTP/1.1 {Host: a}",
                "< | | @0 ! http.request-unanswered a=1 b=0",
                "closed unknown endOfCapture  client open 350 B  server open 184 B",
            ]) == nil)
    }

    @Test("whatever comes, whole, damaged or with losses, nothing stops the program, and what is held is bounded")
    func mutated() {
        var random = SplitMix(seed: 21)
        let types: [UInt8] = [20, 21, 22, 23, 23, 23, 24]
        for round in 0..<300 {
            var (client, server) = (StatedRecords(), StatedRecords())
            var steps = Self.handshake(&client, &server)
            for _ in 0..<20 {
                let type = types.randomElement(using: &random) ?? 23
                let content = (0..<Int(random.next() % 90)).map { _ in UInt8(truncatingIfNeeded: random.next() % 128) }
                let isClient = random.next() % 2 == 0
                var record = isClient ? client.record(type, content) : server.record(type, content)
                if random.next() % 6 == 0 { record[Int(random.next() % UInt64(record.count))] ^= UInt8(truncatingIfNeeded: random.next()) }
                let side: Side = isClient ? .client : .server
                let cut = Int(random.next() % UInt64(record.count))
                steps.append(.bytes(side, Array(record.prefix(cut))))
                if random.next() % 5 == 0 { steps.append(.gap(side, 1 + Int(random.next() % 120), .missing)) }
                steps.append(.bytes(side, Array(record.dropFirst(cut))))
            }
            let grows = round % 3 == 0
            let secrets = StatedSecrets(
                round % 2 == 0 ? StatedSecrets.all : [.handshake(.server), .traffic(.client, generation: 0)], grows: grows)
            let talk = Self.talk(steps, secrets: secrets)
            #expect(talk.transcript().last?.hasPrefix("closed") == true)
            #expect(talk.transcript(.random(seed: UInt64(round))).last?.hasPrefix("closed") == true)
        }
    }

    @Test("certificates come out as they were compressed with zlib, brotli and Zstandard", arguments: 1...3 as ClosedRange<UInt8>)
    func compressedCertificates(algorithm: UInt8) {
        var lines: [String] = []
        let der = StatedCertificate().der
        for message in [StatedCertificate.message([der], isTLS13: true), StatedCertificate.compressed([der], algorithm: algorithm)] {
            var server = StatedRecords()
            let flight = server.record(22, [8, 0, 0, 2, 0, 0]) + server.record(22, message) + server.finished() + server.data("hi")
            let talk = Self.talk([.client(RecordedHello.client13), .server(RecordedHello.server13 + flight)])
            lines.append(talk.transcript()[1])
            #expect(talk.difference(from: talk.transcript()) == nil)
        }
        #expect(lines[0] == lines[1] && lines[0].contains("certificate CN=chat.example by CN=Test CA"))
    }

    @Test("the client's certificates, under encryption")
    func clientCertificates() {
        var (client, server) = (StatedRecords(), StatedRecords())
        let own = StatedCertificate.message([StatedCertificate(subject: "app", names: []).der], isTLS13: true)
        let shown = StatedCertificate.message([StatedCertificate().der], isTLS13: true)
        let flight = server.record(22, [8, 0, 0, 2, 0, 0]) + server.record(22, [13, 0, 0, 3, 0, 0, 0] + shown) + server.finished()
        let talk = Self.talk([
            .client(RecordedHello.client13), .server(RecordedHello.server13 + flight),
            .client(client.record(22, own) + client.finished() + client.data("GET / HTTP/1.1\r\nHost: a\r\n\r\n")),
        ])
        let told = talk.transcript()
        #expect(told[1].contains(" certificate CN=chat.example ") && told[1].contains(" client's certificate CN=app "), "\(told)")
        #expect(told.contains("> | @0 request GET / HTTP/1.1 {Host: a}"))
        #expect(talk.difference(from: told) == nil)
    }

    @Test("messages that come after the handshake are named, where a record has them from their beginning to their end")
    func afterTheHandshake() {
        func named(_ messages: [[UInt8]]) -> [UInt8?] {
            var (client, server) = (StatedRecords(), StatedRecords())
            let start = Self.handshake(&client, &server)
            var sink = MessageSink()
            Self.talk(start + [.server(messages.flatMap { server.record(22, $0) })]).play(into: &sink)
            // Those of the handshake come first.
            #expect(sink.messages.prefix(3) == [nil, nil, nil])
            return Array(sink.messages.dropFirst(3))
        }
        // One has no place here.
        #expect(named([[4, 0, 0, 1, 9], [11, 0, 0, 0], [24, 0, 0, 1, 0]]) == [4, nil, 24])
        // One is cut.
        #expect(named([[4, 0, 0, 9, 1]]) == [nil])
    }

    @Test("secrets that open nothing are no keys: that is said once, and what was agreed on says that there are none")
    func unfit() {
        for (client, server) in [(RecordedHello.client13, RecordedHello.server13), (RecordedHello.client12, RecordedHello.server12)] {
            let isOld = server == RecordedHello.server12
            let change: [UInt8] = isOld ? [20, 3, 3, 0, 1, 1] : []
            let talk = Self.talk(
                [
                    .client(client), .server(server), .client(change + RecordedHello.sealed(isOld ? 22 : 23, 40)),
                    .server(change + RecordedHello.sealed(isOld ? 22 : 23, 40)),
                ] + (0..<40).map { _ in .client(RecordedHello.sealed(23, 60)) })
            let told = talk.transcript()
            #expect(told.filter { $0.contains("!") } == ["> @\(client.count + change.count) ! tls.secrets-unfit a=0 b=0"], "\(told)")
            #expect(talk.difference(from: told) == nil)
            var sink = SecretsSink()
            talk.play(into: &sink)
            #expect(sink.secrets == .missing)
        }
    }

    @Test("a key that comes after it was waited for opens what follows")
    func afterTheWait() {
        let secrets = LateSecrets(after: 40)
        var (client, server) = (StatedRecords(), StatedRecords())
        let steps =
            Self.handshake(&client, &server) + [
                .client(client.data("GET /lost HTTP/1.1\r\nHost: a\r\n\r\n"))
            ] + (0..<30).map { .server(server.data("HTTP/1.1 20\($0 % 10) OK\r\nContent-Length: 0\r\n\r\n")) }
        var limits = Limits()
        limits.sealedBytes = 100
        var talk = Talk(steps, limits: limits)
        // They are looked for again a few times a second.
        talk.milliseconds = steps.indices.map { Int64($0) * 150 }
        talk.layers = LayerTable.standard.opening(with: TLSDecryption(secrets: secrets, ciphers: StatedCiphers()))
        let told = talk.transcript()
        #expect(told.contains { $0.contains("tls.key-awaited") })
        #expect(told.contains { $0.contains("< | ") && $0.contains("gap") && $0.contains("undecodable") }, "\(told)")
        #expect(told.last { $0.contains("< | ") }?.contains("209 OK") == true, "\(told)")
    }

    @Test("the whole conversation is read once the keys have come")
    func lateKeys() {
        let secrets = LateSecrets()
        var (client, server) = (StatedRecords(), StatedRecords())
        let steps =
            Self.handshake(&client, &server) + [
                .client(client.data("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), .server(server.data("HTTP/1.1 204 No Content\r\n\r\n")),
            ]
        var talk = Talk(steps)
        talk.layers = LayerTable.standard.opening(with: TLSDecryption(secrets: secrets, ciphers: StatedCiphers()))
        #expect(talk.transcript() == Self.talk(steps).transcript())
    }
}

/// Secrets that are known once the first of them was asked for some times.
private final class LateSecrets: TLSSecrets {
    private let known = StatedSecrets()
    private let asked = Mutex(0)
    private let count: Int

    init(after count: Int = 2) { self.count = count }

    var grows: Bool { true }
    var isEmpty: Bool { false }

    func secret(_ label: TLSSecretLabel, of random: TLSRandom) -> [UInt8]? {
        let times = asked.withLock { asked in
            if label == .handshake(.server) { asked += 1 }
            return asked
        }
        return times > count ? known.secret(label, of: random) : nil
    }
}

/// What is said of secrets.
private struct SecretsSink: ConversationSink {
    var secrets: TLSFacts.Secrets?

    mutating func receive(_ event: borrowing ConversationEvent) {
        if case .tls(let facts) = event.fact { secrets = facts.secrets }
    }
}

/// The messages that records of the handshake are said to have.
private struct MessageSink: ConversationSink {
    var messages: [UInt8?] = []

    mutating func receive(_ event: borrowing ConversationEvent) {
        if case .data(let run) = event.fact, run.framing == .tlsRecord(contentType: 22) { messages.append(run.handshakeMessage) }
    }
}
