import Dissection
import Interception
import Testing

/// What of a client's hello is asked of the server.
@Suite("Upstream offer")
struct UpstreamOfferTests {
    /// A ClientHello with a server name, protocols and versions.
    private func hello(name: [UInt8]? = nil, protocols: [[UInt8]]? = nil, versions: [UInt16]? = nil, extra: UInt16? = nil) -> [UInt8] {
        func vector16(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }
        func part(_ type: UInt16, _ content: [UInt8]) -> [UInt8] { [UInt8(type >> 8), UInt8(type & 0xFF)] + vector16(content) }
        var extensions: [UInt8] = []
        if let name { extensions += part(0, vector16([0] + vector16(name))) }
        if let protocols { extensions += part(16, vector16(protocols.flatMap { [UInt8($0.count)] + $0 })) }
        if let versions { extensions += part(43, [UInt8(versions.count * 2)] + versions.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) }
        if let extra { extensions += part(extra, [0]) }
        let body: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + [0] + vector16([0x13, 1]) + [1, 0] + vector16(extensions)
        return [1, 0] + vector16(body)
    }

    private func offer(_ message: [UInt8]) throws -> UpstreamOffer {
        let hello = ClientHello.parse(message.rawBytes)
        return UpstreamOffer(try #require(hello), in: message)
    }

    private func text(_ words: String) -> [UInt8] { Array(words.utf8) }

    @Test("name and protocols go on, in the client's order")
    func asSent() throws {
        let offer = try offer(
            hello(name: text("example.org"), protocols: [text("h2"), text("http/1.1"), text("odd/9")], versions: [0x0304]))
        #expect(offer.serverName == "example.org")
        #expect(offer.alpn == ["h2", "http/1.1", "odd/9"])
        #expect(offer.leftOut == [])
    }

    @Test("a hello without them asks for nothing")
    func bare() throws {
        let offer = try offer(hello())
        #expect(offer.serverName == nil)
        #expect(offer.alpn == [])
        #expect(offer.leftOut == [])
    }

    @Test("values that only keep servers tolerant are left out without a word")
    func grease() throws {
        let offer = try offer(hello(protocols: [[0x0A, 0x0A], text("h2"), [0xFA, 0xFA]], versions: [0x2A2A, 0x0304]))
        #expect(offer.alpn == ["h2"])
        #expect(offer.leftOut == [])
    }

    @Test("what the library cannot say is left out, and told")
    func leftOut() throws {
        let odd = try offer(hello(name: text("192.0.2.1"), protocols: [[0xFF, 1], text("h2")], versions: [0x0302], extra: 0xFE0D))
        #expect(odd.serverName == nil)
        #expect(odd.alpn == ["h2"])
        #expect(
            odd.leftOut == [
                "a server name that is not a host name", "an application protocol (ALPN) that is not ASCII",
                "an encrypted_client_hello extension, which may have a name and protocols that only the server can read",
                "TLS 1.1 and no newer one",
            ])
    }

    @Test("names that cannot stand in SNI", arguments: ["", "a\0b", "a b", "::1", "bücher.example", String(repeating: "a", count: 256)])
    func noName(text: String) { #expect(UpstreamOffer.sniName(text) == nil) }

    @Test("a dot at the end of a name is not sent")
    func trailingDot() { #expect(UpstreamOffer.sniName("example.org.") == "example.org") }

    @Test("protocols that would trap in the library are not offered")
    func noTrap() throws {
        let target = UpstreamTLS.Target(
            serverName: "a\0b", identity: "localhost", alpn: ["", "bücher", String(repeating: "x", count: 256), "h2"])
        var options = UpstreamTLSOptions()
        options.isVerifying = false
        let both = try LoopbackTLS().handshake(try UpstreamTLS(options), target, DownstreamTLS(), try TestAuthority().leaf(), alpn: "h2")
        #expect(try both.client.get().alpn == "h2")
    }

    @Test("without HTTP/2, what else was offered stays, in its order; where there is nothing else, HTTP/1.1 is offered")
    func withoutHTTP2() throws {
        func offer(_ protocols: [String]) throws -> UpstreamOffer { try self.offer(hello(protocols: protocols.map(text))) }
        #expect(try offer(["h2", "http/1.1", "odd/9"]).withoutHTTP2 == ["http/1.1", "odd/9"])
        #expect(try offer(["h2", "h2-14"]).withoutHTTP2 == ["http/1.1"])
        #expect(try offer([]).withoutHTTP2 == [] && offer(["mqtt"]).withoutHTTP2 == ["mqtt"])
        #expect(try offer(["mqtt", "http/1.1"]).changeWithoutHTTP2 == nil && offer([]).changeWithoutHTTP2 == nil)
        #expect(
            try offer(["h2", "http/1.1"]).changeWithoutHTTP2 == "the client offered h2, http/1.1, and the server was offered http/1.1")
        #expect(try offer(["h2"]).changeWithoutHTTP2?.contains("; no protocol is selected with the client") == true)
    }
}
