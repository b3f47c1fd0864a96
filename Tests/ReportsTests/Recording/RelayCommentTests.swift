import Dissection
import Reports
import Testing

/// What the proxy writes into comments is what is read out of them.
@Suite("Comments of a recording") struct RelayCommentTests {
    private func read(_ text: String) -> RelayComment.Reading { RelayComment.read(Array(text.utf8).rawBytes) }

    @Test(
        "TLS facts, with names that are known and numbers that are not", arguments: [(0x0304, 0x1301), (0x0303, 0xC02F), (0x0999, 0xFFF1)])
    func tls(version: UInt16, cipher: UInt16) {
        var facts = TLSFacts(version: version, cipher: cipher, secrets: .terminated)
        let content = Array("chat,%2C, yh2, x%".utf8)
        facts.serverName = ByteRange(0..<11)
        facts.alpn = ByteRange(11..<17)
        guard case .annotation(.secured(let found, let text)) = read(RelayComment.tls(facts, content: content)) else {
            Issue.record("no TLS facts")
            return
        }
        #expect(found.version == version && found.cipher == cipher && found.secrets == .terminated)
        #expect(String(decoding: text[found.serverName.start..<found.serverName.end], as: UTF8.self) == "chat,%2C, y")
        #expect(String(decoding: text[found.alpn.start..<found.alpn.end], as: UTF8.self) == "h2, x%")
    }

    @Test("names of both sides, also where the client asked for something that looks like one")
    func opening() {
        func names(_ text: String) -> String {
            guard case .annotation(.opened(let isServerUnknown, let client, let server)) = read(text) else { return "none" }
            return "\(isServerUnknown) \(String(decoding: client, as: UTF8.self)) \(String(decoding: server, as: UTF8.self))"
        }
        #expect(names(RelayComment.opening(7, isServerUnknown: false)) == "false  ")
        #expect(names(RelayComment.opening(7, isServerUnknown: true) + ", via http to a.example:80") == "true  ")
        #expect(names("conversation 7, via http to a.example:443, client app, server a.example") == "false app a.example")
        #expect(names("conversation 7, via http to a, server x, server a.example, over a Unix socket") == "false  a.example")
        func isAsRelayed(_ text: String) -> Bool { RelayComment.isSectionAsRelayed(Array(text.utf8).rawBytes) }
        #expect(isAsRelayed(RelayComment.section("127.0.0.1:8080")))
        #expect(!isAsRelayed(RelayComment.section("127.0.0.1:8080", isSealed: true)))
    }

    @Test("each finding of the proxy, also where its detail has colons")
    func findings() {
        for row in FindingRow.proxyRows {
            guard case .annotation(.found(let found, let detail)) = read(RelayComment.finding(row, detail: "a: b, c: d")) else {
                Issue.record("\(row.id) is not read back")
                continue
            }
            #expect(found.id == row.id && String(decoding: detail, as: UTF8.self) == "a: b, c: d")
        }
    }

    @Test("how a conversation was ended, with and without a reason", arguments: [nil, "the name is not known: chat.example"])
    func closing(reason: String?) {
        for how in [Closing.Manner.connectFailed, .tlsFailed, .timeout, .shutdown, .limit, .refused, .reset, .fin] {
            for closer in [Closing.Closer.client, .server, .proxy, .unknown] {
                for end in Closing.End.allCases {
                    let ends = Closing.Ends(client: end, server: how == .limit ? .reset : end == .fin ? .open : .fin)
                    guard
                        case .annotation(.closed(let manner, let by, let row, let why, let left)) = read(
                            RelayComment.closing(how, by: closer, ends: ends, reason: reason))
                    else {
                        Issue.record("\(how) by \(closer) is not read back")
                        continue
                    }
                    #expect(row?.id == how.proxyRow?.id && left == ends)
                    #expect(manner == how && by == closer && why.map { String(decoding: $0, as: UTF8.self) } == reason)
                }
            }
        }
    }

    @Test("how many bytes stand nowhere", arguments: [(1, Side.client), (70_000, .server)] as [(UInt64, Side)])
    func unkept(count: UInt64, side: Side) {
        guard case .annotation(.unkept(side, count)) = read(RelayComment.unkept(count, of: side)) else {
            Issue.record("not read back")
            return
        }
    }

    @Test("whose bytes are shown and not read", arguments: [Side.client, .server])
    func aside(side: Side) {
        guard case .annotation(.aside(side)) = read(RelayComment.setAside(side)) else {
            Issue.record("not read back")
            return
        }
    }

    @Test(
        "what others write is not taken for ours",
        arguments: ["look here", "tcp.gap: mine", "closed by proxy", "closed by us: fin", "closed by proxy: fin, client late", ": x", ""])
    func foreign(text: String) {
        guard case .foreign = read(text) else {
            Issue.record("\(text) is taken for ours")
            return
        }
    }
}
