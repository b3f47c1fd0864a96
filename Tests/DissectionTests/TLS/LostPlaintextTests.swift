import Dissection
import Support
import Testing

@Suite("What of the plaintext of TLS is missing")
struct LostPlaintextTests {
    /// The talk's records inside, its gaps and its findings, without what is told of the handshake.
    private static func inside(
        secrets: StatedSecrets = StatedSecrets(), _ steps: (inout StatedRecords, inout StatedRecords) -> [Talk.Step]
    ) -> [String] {
        var (client, server) = (StatedRecords(), StatedRecords())
        let start = OpenedTLSTests.handshake(&client, &server)
        let talk = OpenedTLSTests.talk(start + steps(&client, &server), secrets: secrets)
        #expect(talk.difference(from: talk.transcript()) == nil)
        return talk.transcript().filter { $0.contains(" | ") || $0.contains("!") }
    }

    static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    static let response = "HTTP/1.1 204 No Content\r\n\r\n"

    @Test("a request that was lost is a gap ahead of the response: the server was asked")
    func lostRequest() {
        let told = Self.inside { client, server in
            let lost = client.data(Self.request)
            return [
                .gap(.client, lost.count, .missing), .server(server.data(Self.response)), .client(client.data(Self.request)),
                .server(server.data(Self.response)),
            ]
        }
        #expect(
            told == [
                "> | @0 gap 27 missing", "< | @0 response 204 No Content", "> | @27 request GET / HTTP/1.1 {Host: a}",
                "< | @27 response 204 No Content",
            ])
    }

    @Test("nor is the response to a later request unasked, where nothing more comes of the client")
    func lostLaterRequest() {
        let told = Self.inside { client, server in
            let first = client.data(Self.request)
            let lost = client.data(Self.request)
            return [
                .client(first), .server(server.data(Self.response)), .gap(.client, lost.count, .missing),
                .server(server.data(Self.response)), .finish(.server), .finish(.client),
            ]
        }
        #expect(
            told == [
                "> | @0 request GET / HTTP/1.1 {Host: a}", "< | @0 response 204 No Content", "> | @27 gap 27 missing",
                "< | @27 response 204 No Content",
            ])
    }

    @Test("so is one that was changed on its way; what was seen and cannot be opened is not missing")
    func changedRequest() {
        let told = Self.inside { client, server in
            var changed = client.data(Self.request)
            changed[changed.count - 1] ^= 1
            return [.client(changed), .server(server.data(Self.response))]
        }
        #expect(
            told == [
                "> @260 ! tls.record-not-authentic a=36 b=0", "> | @0 gap 27 undecodable", "< | @0 response 204 No Content",
            ])
    }

    @Test("what is missing and what cannot be opened are told apart")
    func causes() {
        let told = Self.inside { client, server in
            let one = client.data(Self.request)
            var changed = client.data("0123")
            changed[changed.count - 1] ^= 1
            let lost = client.data("0123456")
            return [
                .client(one), .client(changed), .gap(.client, lost.count, .missing), .client(client.data(Self.request)),
            ]
        }
        #expect(told.filter { $0.contains("gap") } == ["> | @27 gap 4 undecodable", "> | @31 gap 7 missing"], "\(told)")
    }

    @Test("records that were lost ahead of a change of keys are a gap")
    func update() {
        let told = Self.inside { client, server in
            let lost = client.data(Self.request)
            let update = client.record(22, [24, 0, 0, 1, 0])
            var next = StatedRecords()
            return [.gap(.client, lost.count, .missing), .client(update), .client(next.data(Self.request))]
        }
        #expect(told.first == "> | @0 gap 27 missing")
        #expect(told.dropFirst().first == "> | @27 request GET / HTTP/1.1 {Host: a}")
    }

    @Test("a change of keys that was lost is none of the plaintext")
    func lostUpdate() {
        let told = Self.inside { client, server in
            let first = client.data(Self.request)
            let update = client.record(22, [24, 0, 0, 1, 0])
            var next = StatedRecords()
            return [
                .client(first), .gap(.client, update.count, .missing), .client(next.data(Self.request)),
            ]
        }
        #expect(told.filter { $0.contains("gap") } == [])
        #expect(told.filter { $0.contains("request GET") }.count == 2)
    }

    @Test("a side that is cut lacks what its records can have carried, without what encryption adds")
    func end() {
        let told = Self.inside { client, server in
            let head = server.data("HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n")
            let lost = server.data("0123456789")
            return [
                .client(client.data(Self.request)), .server(head),
                .gap(.server, lost.count, .missing), .finish(.server),
            ]
        }
        #expect(told.contains("< | @39 gap 10 missing") && !told.contains { $0.contains("undecodable") }, "\(told)")
    }

    @Test("early data that is lost is a gap in its place")
    func early() {
        var (early, client, server) = (StatedRecords(), StatedRecords(), StatedRecords())
        let extensions: [UInt8] = [8, 0, 0, 6, 0, 4, 0, 42, 0, 0]
        let (first, lost, last) = (early.data("\u{1}ne"), early.data("lost"), early.data("two"))
        let talk = OpenedTLSTests.talk([
            .client(RecordedHello.client13 + first), .gap(.client, lost.count, .missing), .client(last),
            .server(RecordedHello.server13 + server.record(22, extensions) + server.finished()),
            .client(early.record(22, [5, 0, 0, 0]) + client.finished()),
        ])
        let told = talk.transcript()
        #expect(
            told.filter { $0.contains("> | @") } == ["> | @0 data 01 6e 65", "> | @3 gap 4 missing", "> | @7 data \"two\""], "\(told)")
    }

    @Test("two losses with nothing opened between them are one gap of their length: the next response is found where it is")
    func twoLosses() {
        let told = Self.inside { client, server in
            let head = server.data("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n")
            let (one, two) = (server.data("0123456789"), server.data("0123456789"))
            let rest = server.data("abcdefghijklmnopqrst")
            // Of the second record a piece without its header is there, and in it nothing that looks like one.
            let piece = two[8..<12]
            return [
                .client(client.data(Self.request)), .server(head), .gap(.server, one.count + 8, .missing), .server(Array(piece)),
                .gap(.server, two.count - 12, .missing), .server(rest), .client(client.data(Self.request)),
                .server(server.data(Self.response)),
            ]
        }
        #expect(told.filter { $0.contains("| ") && $0.contains("gap") } == ["< | @39 gap 20 missing"], "\(told)")
        #expect(told.contains("< | @79 response 204 No Content"), "\(told)")
        #expect(!told.contains { $0.contains("!") }, "\(told)")
    }

    @Test("behind a gap that is too long, as with CBC, what is left of a body is no broken response")
    func inexact() {
        for isExact in [false, true] {
            var (client, server) = (StatedRecords(), StatedRecords())
            let start = OpenedTLSTests.handshake(&client, &server)
            let head = server.data("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n")
            let lost = server.data("0123456789")
            var talk = Talk(
                start + [
                    .client(client.data(Self.request)), .server(head),
                    // With 5 bytes of padding.
                    .gap(.server, lost.count + 5, .missing), .server(server.data("abcdefghijklmnopqrstuvwxyzabcd")),
                    .client(client.data(Self.request)), .server(server.data(Self.response)),
                ])
            talk.layers = LayerTable.standard.opening(
                with: TLSDecryption(secrets: StatedSecrets(), ciphers: StatedCiphers(isExact: isExact)))
            let told = talk.transcript()
            #expect(told.contains("< | @39 gap 15 missing"), "\(told)")
            #expect(told.contains("< | @84 response 204 No Content"), "\(told)")
            #expect(told.contains { $0.contains("http.start-line-invalid") } == isExact, "\(told)")
            #expect(talk.difference(from: told) == nil)
        }
    }

    @Test("early data that comes after the server's flight is opened, and so is what follows it")
    func lateEarly() {
        var (early, client, server) = (StatedRecords(), StatedRecords(), StatedRecords())
        let extensions: [UInt8] = [8, 0, 0, 6, 0, 4, 0, 42, 0, 0]
        let talk = OpenedTLSTests.talk([
            .client(RecordedHello.client13), .server(RecordedHello.server13 + server.record(22, extensions) + server.finished()),
            .client(early.data("\u{1}ne") + early.data("two")), .client(early.record(22, [5, 0, 0, 0]) + client.finished()),
            .client(client.data("more")),
        ])
        let told = talk.transcript()
        #expect(
            told.filter { $0.contains("> | @") } == ["> | @0 data 01 6e 65 74 77 6f 6d 6f 72 65"], "\(told)")
        #expect(told.filter { $0.contains("!") } == ["> @242 ! tls.early-data a=0 b=0"], "\(told)")
        #expect(talk.difference(from: told) == nil)
    }
}
