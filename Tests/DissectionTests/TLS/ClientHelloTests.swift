import Dissection
import Support
import Testing

@Suite("The ClientHello that is peeked at")
struct ClientHelloTests {
    private func read(_ stream: [UInt8], step: Int, limit: Int = 65_536) -> (ClientHelloReader, ClientHelloReader.State) {
        var reader = ClientHelloReader(limit: limit)
        var state = ClientHelloReader.State.needsMore
        for start in stride(from: 0, to: stream.count, by: step) {
            state = reader.receive(stream.rawBytes.extracting(start..<min(start + step, stream.count)))
        }
        return (reader, state)
    }

    private func text(_ bytes: [UInt8], _ range: ByteRange) -> String { String(decoding: bytes[range.start..<range.end], as: UTF8.self) }

    @Test("whole, bytewise, in pieces, in several records, with anything behind it")
    func recorded() throws {
        let plain = RecordedHello.client13
        for stream in [plain, RecordedHello.split(plain, 1), RecordedHello.split(plain, 50), plain + [0xFF, 0xFF, 0xFF]] {
            for step in [1, 2, 7, 64, 5_000] {
                let (reader, state) = read(stream, step: step)
                guard case .hello(let hello) = state else {
                    Issue.record("\(state)")
                    continue
                }
                #expect(text(reader.message, hello.serverName) == "chat.example")
                #expect(text(reader.message, hello.alpn) == "\u{2}h2\u{8}http/1.1")
                #expect(Array(reader.message[hello.supportedVersions.start..<hello.supportedVersions.end].prefix(4)) == [3, 4, 3, 3])
                #expect(hello.legacyVersion == 0x0303)
                #expect(hello.highestVersion(reader.message.rawBytes) == 0x0304)
                #expect(hello.random.count == 32)
                #expect(hello.sessionID.count == 32)
                #expect(hello.cipherSuites.count >= 6)
                #expect(!hello.mayHaveEncryptedHello)
            }
        }
    }

    @Test("cut anywhere it needs more; other beginnings are no TLS, told as early as they show")
    func others() {
        for count in 0..<RecordedHello.client13.count {
            #expect(read(Array(RecordedHello.client13.prefix(count)), step: 32).1 == .needsMore)
        }
        for beginning in ["GET / HTTP/1.1\r\n", "\u{16}\u{4}", "\u{16}\u{3}\u{1}\u{0}\u{0}", "\u{16}\u{3}\u{1}\u{0}\u{4}\u{2}"] {
            #expect(read(Array(beginning.utf8), step: 1).1 == .notTLS)
        }
    }

    @Test("a hello longer than the limit is given up without being kept")
    func limit() {
        let long: [UInt8] = RecordedHello.record(22, [1, 1, 0, 0] + Array(repeating: 0, count: 1_000))
        let (reader, state) = read(long, step: 10)
        #expect(state == .tooLong)
        #expect(reader.message.isEmpty)
        #expect(read(RecordedHello.client13, step: 10, limit: 236).1 == .tooLong)
        if case .hello = read(RecordedHello.client13, step: 10, limit: 237).1 {} else { Issue.record("not read") }
    }

    @Test("values that mean nothing are left out of the highest version")
    func grease() {
        #expect(TLSNames.isGREASE(0x0A0A))
        #expect(TLSNames.isGREASE(0xFAFA))
        #expect(!TLSNames.isGREASE(0x0A1A))
        #expect(!TLSNames.isGREASE(0x1301))
        var hello = RecordedHello.client13
        guard
            let versions = (0..<hello.count - 9).first(where: { Array(hello[$0..<$0 + 2] + hello[$0 + 5..<$0 + 9]) == [0, 43, 3, 4, 3, 3] })
        else {
            Issue.record("no versions in the recording")
            return
        }
        hello[versions + 5] = 0x3A
        hello[versions + 6] = 0x3A
        let (reader, state) = read(hello, step: 100)
        guard case .hello(let read) = state else {
            Issue.record("\(state)")
            return
        }
        #expect(read.highestVersion(reader.message.rawBytes) == 0x0303)
    }

    @Test func names() {
        #expect(TLSCipherSuite.name(0x1301) == "TLS_AES_128_GCM_SHA256")
        #expect(TLSCipherSuite.name(0xC02F) == "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
        #expect(TLSCipherSuite.name(0xCCA8) == "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256")
        #expect(TLSCipherSuite.name(0x002F) == "TLS_RSA_WITH_AES_128_CBC_SHA")
        #expect(TLSCipherSuite.name(0xC100) == "TLS_GOSTR341112_256_WITH_KUZNYECHIK_CTR_OMAC")
        #expect(TLSCipherSuite.name(0x0A0A) == nil)
        #expect(TLSNames.version(0x0304) == "TLS 1.3")
        #expect(TLSNames.alert(48) == "unknown CA")
    }
}
