import Dissection
import Foundation
import Interception
import Reports
import Testing

/// What went on at the proxy is in its recording too, and reading it says the same (docs/log-format.md, Live and captured).
@Suite("Recorded failures") struct RecordedFailuresTests {
    private func expectSame(_ run: RecorderRun, _ parts: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let live = run.finish()
        let read = try run.readBack()
        for part in parts {
            #expect(live.contains(part), "live: \(live)", sourceLocation: sourceLocation)
            #expect(read.contains(part), "read: \(read)", sourceLocation: sourceLocation)
        }
        let differences = try ComparableLog(live).differences(from: ComparableLog(read))
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        (Closing.Manner.connectFailed, "connect-failed", "proxy.connect-failed"), (.tlsFailed, "tls-failed", "proxy.tls-failed"),
        (.timeout, "timeout", "proxy.timed-out"), (.shutdown, "shutdown", "proxy.shut-down"),
    ])
    func `a conversation that the proxy ended, and why`(how: Closing.Manner, word: String, id: String) throws {
        let run = try RecorderRun()
        let number = run.begin()
        run.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .client, in: number, 10)
        run.recorder.close(how, by: .proxy, reason: "the name is not known: chat.example", in: number, at: RecorderRun.at(20))
        try expectSame(run, ["\"how\":\"\(word)\"", "\"id\":\"\(id)\"", "the name is not known: chat.example"])
    }

    @Test func `one that never carried anything, and one that the server reset`() throws {
        let run = try RecorderRun()
        run.recorder.close(.connectFailed, by: .proxy, reason: "refused", in: run.begin(), at: RecorderRun.at(5))
        run.recorder.close(.reset, by: .server, in: run.begin(at: 6), at: RecorderRun.at(9))
        try expectSame(run, ["\"by\":\"proxy\",\"how\":\"connect-failed\"", "\"by\":\"server\",\"how\":\"reset\""])
    }

    @Test func `a client that was refused, without a server, and one whose server was never known`() throws {
        let run = try RecorderRun()
        let client = LiveEndpoint(endpoint: Endpoint(address: IPAddress(ipv4: 0x7F00_0001), port: 50_000))
        let refused = run.recorder.begin(
            Beginning(
                client: client, server: LiveEndpoint(endpoint: Endpoint(address: IPAddress(), port: 0)), via: Via(mode: "http", target: ""),
                isRefused: true),
            at: RecorderRun.at(1))
        run.recorder.find(.proxyClientRefused, detail: "400, this is not an HTTP/1 request", in: refused, at: RecorderRun.at(2))
        run.recorder.unkept(70_000, from: .client, in: refused)
        run.recorder.close(.refused, by: .proxy, ends: Closing.Ends(client: .fin), in: refused, at: RecorderRun.at(3))
        let unknown = run.recorder.begin(
            Beginning(client: client, server: LiveEndpoint(endpoint: Endpoint(address: IPAddress(), port: 443), name: "nobody.invalid")),
            at: RecorderRun.at(4))
        run.recorder.close(.connectFailed, by: .proxy, reason: "no address", in: unknown, at: RecorderRun.at(5))
        let live = run.finish()
        let read = try run.readBack()
        #expect(live.contains("\"server\":{},") && live.contains("\"length\":70000") && live.contains("\"ends\":{\"client\":\"fin\""))
        #expect(!read.contains("0.0.0.0"), "\(read)")
        let differences = try ComparableLog(live).differences(from: ComparableLog(read))
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    }

    @Test func `TLS facts and findings stand where they were told`() throws {
        let run = try RecorderRun()
        let number = run.begin()
        run.recorder.secured(
            TLSSummary(serverName: "chat.example", alpn: "http/1.1", version: 0x0304, cipher: 0x1302), in: number, at: RecorderRun.at(5))
        run.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .client, in: number, 10)
        run.recorder.find(.proxyCertificateUnverified, detail: "self-signed: \"x\"", in: number, at: RecorderRun.at(20))
        run.say("HTTP/1.1 204 No Content\r\n\r\n", .server, in: number, 30)
        run.end(.client, in: number, 40)
        run.end(.server, in: number, 50)
        try expectSame(run, ["\"secrets\":\"terminated\"", "TLS_AES_256_GCM_SHA384", "proxy.certificate-unverified", "self-signed"])
    }

    @Test func `two at once between the same ends keep what is theirs`() throws {
        let run = try RecorderRun()
        let (first, second) = (run.begin(), run.begin(at: 1))
        run.recorder.find(.proxyCertificateUnverified, detail: "of the first", in: first, at: RecorderRun.at(2))
        run.recorder.find(.proxyCertificateUnverified, detail: "of the second", in: second, at: RecorderRun.at(3))
        run.say("one", .client, in: first, 10)
        run.say("two", .client, in: second, 11)
        run.recorder.close(.timeout, by: .proxy, reason: "late", in: second, at: RecorderRun.at(20))
        run.end(.client, in: first, 30)
        run.end(.server, in: first, 31)
        try expectSame(run, ["of the first", "of the second", "late"])
    }

    @Test(arguments: [Side.server, .client]) func `what the FIN of a side has ended stands before what the proxy said next`(side: Side)
        throws
    {
        let run = try RecorderRun()
        let number = run.begin()
        run.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe", .client, in: number, 10)
        run.say("HTTP/1.1 200 OK\r\n\r\nuntil the end", .server, in: number, 20)
        run.end(side, in: number, 30)
        run.recorder.find(.proxyRequestWithheld, detail: "it was not a request", in: number, at: RecorderRun.at(40))
        run.recorder.close(.fin, by: .proxy, in: number, at: RecorderRun.at(50))
        try expectSame(run, ["proxy.request-withheld"])
    }
}
