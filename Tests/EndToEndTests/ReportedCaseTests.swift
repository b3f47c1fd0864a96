import Foundation
import Support
import Testing

/// Public bug reports, rebuilt: the folder `reports` of the captures at hand. One line of the text says the cause of each.
///
/// The captures are read where they are and kept in no repository of ours; the near misses of each cause are `FindingCaseTests` and `CauseFixtureTests`.
@Suite("Causes in reported cases") struct ReportedCaseTests {
    private static let causes: [(capture: String, words: String)] = [
        ("r08-eio3.pcap", "unsupported protocol version; the client speaks version 3 of Engine.IO, the server another"),
        ("r09-sid.pcap", "session aaaabbbb has ended, or belongs to another server"),
        ("r23-gzip.pcap", #"compression gzip 59 B {"ch":"market.btcusdt.kline""#),
        ("r23b-zstream.pcap", #"compression zlib 59 B {"op":0"#),
        ("r34-sticky.pcap", "3 JSON values came in 3 segments: 1 held several messages, 1 short message came in several"),
        ("r38-plain443.pcap", "the server expects TLS on this port, so the URL has to begin with wss://"),
        ("s03.pcapng", "the server redirects to http://chat.example/ws/, which most WebSocket clients do not follow"),
        ("s05.pcapng", "429 Too Many Requests; retry after 30 s"),
        ("s06.pcapng", "has a Sec-WebSocket-Key header and no Upgrade header; a proxy on the way may have removed it"),
        ("s10.pcapng", "the first message that refers to an earlier one; it may not keep the client's window"),
        ("s102.pcapng", "refuses CONNECT chat.example:443: 403 Forbidden"),
        ("s104.pcapng", "14 more like conversation 1 (WebSocket /ws)"),
        ("s11.pcapng", "an uncompressed message may have gone into its window"),
        ("s114.pcapng", "the client ends its lines with CR LF, and the other side 5 lines with LF alone"),
        ("s120.pcapng", "the server left out the certificates between"),
        ("s12b.pcapng", "the server probably keeps its context although it agreed to server_no_context_takeover"),
        (
            "s13b.pcapng",
            "the client 4 bytes, big-endian, that does not count itself (3 of 3), the server 4 bytes, big-endian, that counts itself (3 of 3)"
        ),
        ("s15.pcapng", "the client's messages begin with their length as 4 bytes, little-endian, that does not count itself (1 of 1)"),
        ("s17.pcapng", "the handshake does not end with 0x1e, so the server waits for the rest of it"),
        ("s23b.pcapng", "the server sends them in Engine.IO 4, the client in 3"),
        ("s24.pcapng", "closed by the server (FIN): the same client id connected again on conversation 3"),
        ("s26.pcapng", "this path serves HTTP and no WebSocket"),
        ("s28.pcapng", "chose none of the offered subprotocols (ocpp1.6), and the client left without a message"),
        ("s30.pcapng", "the pong came 2.5 s after the ping and 2.0 s after the client had closed with code 1011, too late"),
        ("s44.pcapng", "closed the connection without a response to request 2, which came after 2.0 s of silence"),
        ("s45.pcapng", "refused the CORS preflight for POST from http://localhost:3000 with 403"),
        ("s48.pcapng", "the client waited 1.0 s for 100 Continue, then sent the body without it"),
        ("s51.pcapng", "the client sent nothing for 6.0 s, 3.0 times its keep-alive of 2.0 s"),
        ("s52back.pcapng", "it came as HTTP/1.0, as nginx sends it without proxy_http_version 1.1"),
        ("s61.pcapng", "an HTTP response where a WebSocket frame has to begin"),
        ("s74.pcapng", "an HTTP response where a WebSocket frame has to begin"),
        ("s97b.pcapng", "the stream ended inside an event, without the blank line after it"),
    ]
    /// What the proxy had to say stood in its own lines: recordings that it wrote of TLS have no handshake to read it from.
    private static let ofLiveProxy: Set<String> = ["s20b.pcapng", "s123.pcapng"]

    private static let folder = ProcessInfo.processInfo.environment["UNMASK_CAPTURES"].map { $0 + "/reports" }

    @Test("one line of the text says the cause", arguments: causes) func cause(capture: String, words: String) throws {
        guard let folder = Self.folder else { return print("skipped: UNMASK_CAPTURES is not set, so there are no reported cases to read") }
        let outcome = try UnmaskProcess.run(["read", "\(folder)/\(capture)"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines.contains { $0.contains(words) }, "\(outcome.text)")
    }

    @Test("every reported case has its line here") func all() throws {
        guard let folder = Self.folder else { return print("skipped: UNMASK_CAPTURES is not set, so there are no reported cases to read") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".pcap") }
        #expect(Set(names).subtracting(Self.causes.map(\.capture)).subtracting(Self.ofLiveProxy) == [])
    }
}
