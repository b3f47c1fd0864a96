import Decryption
import Dissection
import Testing

@Suite("The handshake of RFC 8448")
struct HandshakeTraceTests {
    static func record(_ bytes: [UInt8], _ side: Side) -> Recording.Sealed {
        let bits = bytes.prefix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Recording.Sealed(side: side, header: TLSRecordHeader(bits: bits), fragment: Array(bytes.dropFirst(5)))
    }

    static var secrets: KeyLogSecrets {
        let secrets = KeyLogSecrets()
        secrets.receive(Array(HandshakeTrace.keyLog.utf8).rawBytes)
        return secrets
    }

    @Test("each traffic secret gives its key and its nonce", arguments: HandshakeTrace.keys.indices)
    func keys(index: Int) {
        let row = HandshakeTrace.keys[index]
        #expect(KeyDerivation.expandLabel(hex(row.secret), "key", count: 16, hash: .sha256) == hex(row.key))
        #expect(KeyDerivation.expandLabel(hex(row.secret), "iv", count: 12, hash: .sha256) == hex(row.nonce))
    }

    @Test("every record opens, in its order, to what the RFC says")
    func records() {
        let trace = HandshakeTrace.self
        let steps: [(bytes: [UInt8], side: Side, type: UInt8, content: [UInt8])] = [
            (trace.serverFlightRecord, .server, 22, trace.serverFlight),
            (trace.clientFinishedRecord, .client, 22, trace.clientFinished),
            (trace.newSessionTicketRecord, .server, 22, trace.newSessionTicket),
            (trace.clientRecord, .client, 23, trace.content),
            (trace.serverRecord, .server, 23, trace.content),
            (trace.clientAlertRecord, .client, 21, [1, 0]),
            (trace.serverAlertRecord, .server, 21, [1, 0]),
        ]
        var opened = Opened(Self.secrets)
        #expect(opened.receive(Self.record(trace.clientHello, .client)) == .clear)
        #expect(opened.receive(Self.record(trace.serverHello, .server)) == .clear)
        #expect(opened.connection.session?.cipherSuite == 0x1301)
        for step in steps {
            guard case .plaintext(let plaintext) = opened.receive(Self.record(step.bytes, step.side)) else {
                Issue.record("stayed closed: \(opened.openings)")
                continue
            }
            #expect(plaintext.contentType == step.type)
            #expect(Array(opened.buffer[0..<plaintext.length]) == step.content)
        }
    }

    @Test("with the secrets of the application alone, what is after the handshake opens")
    func withoutHandshakeSecrets() {
        let secrets = KeyLogSecrets()
        let lines = HandshakeTrace.keyLog.split(separator: "\n").filter { !$0.contains("HANDSHAKE") }.joined(separator: "\n") + "\n"
        secrets.receive(Array(lines.utf8).rawBytes)
        var opened = Opened(secrets)
        let trace = HandshakeTrace.self
        opened.receive(Self.record(trace.clientHello, .client))
        opened.receive(Self.record(trace.serverHello, .server))
        #expect(opened.receive(Self.record(trace.serverFlightRecord, .server)) == .sealed(.secretMissing))
        #expect(opened.receive(Self.record(trace.clientFinishedRecord, .client)) == .sealed(.secretMissing))
        opened.receive(Self.record(trace.newSessionTicketRecord, .server))
        opened.receive(Self.record(trace.clientRecord, .client))
        opened.receive(Self.record(trace.serverRecord, .server))
        #expect(opened.client == trace.content)
        #expect(opened.server == trace.content)
    }

    @Test("a record whose tag, content, type or length was changed says so, at whichever byte")
    func changed() {
        let trace = HandshakeTrace.self
        for index in trace.serverFlightRecord.indices where index != 0 {
            var bytes = trace.serverFlightRecord
            bytes[index] ^= 0x40
            // A length that the record does not have never comes to the cipher.
            var record = Self.record(bytes, .server)
            if index > 2, index < 5 { record.fragment = Array(record.fragment.prefix(record.header.fragmentLength)) }
            var opened = Opened(Self.secrets)
            opened.receive(Self.record(trace.clientHello, .client))
            opened.receive(Self.record(trace.serverHello, .server))
            #expect(opened.receive(record) == .sealed(.notAuthentic), "byte \(index)")
        }
    }

    @Test("an authentic record of zeros alone has no content type")
    func zeros() throws {
        // Sealed under the server's key of the application, sequence number 0: 16 zeros.
        let key = hex("9f02283b6c9c07efc26bb9f2ac92e356")
        let nonce = hex("cf782b88dd83549aadf1e984")
        let header = TLSRecordHeader(bits: 0x17_0303_0020)
        let opener = try #require(AuthenticatedOpener(.aes128GCM, key: key, nonce: nonce, isTLS13: true))
        var buffer: [UInt8] = []
        let fragment = hex("3e6b8f59414a97c86f4a9e426a0de513a7328ad990f44df6468b38e1c282a000")
        guard case .failure(let reason) = opener.open(header, fragment.rawBytes, sequence: 0, count: 1, into: &buffer) else {
            Issue.record("opened")
            return
        }
        #expect(reason == .contentTypeMissing)
    }
}
