import Decryption
import Dissection
import Testing

@Suite("Decrypted connections")
struct DecryptedConnectionTests {
    /// Of TLS 1.3, 1.2 with AEAD, 1.2 with CBC, both ways of the MAC, and 1.0.
    static let kinds = [
        "tls1_3-TLS_AES_128_GCM_SHA256", "tls1_3-TLS_CHACHA20_POLY1305_SHA256", "tls1_2-ECDHE-ECDSA-AES128-GCM-SHA256",
        "tls1_2-ECDHE-ECDSA-CHACHA20-POLY1305", "tls1_2-ECDHE-ECDSA-AES128-CCM8", "tls1_2-ECDHE-ECDSA-AES128-SHA",
        "tls1_2-ECDHE-ECDSA-AES128-SHA-no-etm", "tls1-ECDHE-ECDSA-AES128-SHA", "tls1-ECDHE-ECDSA-AES128-SHA-no-etm",
        "tls1_2-ECDHE-ECDSA-NULL-SHA",
    ]

    @Test("what both sent comes out, byte for byte", arguments: Recording.kept.map(\.name))
    func opened(name: String) throws {
        let recording = try Recording.named(name)
        let opened = Opened(recording)
        #expect(opened.sealed == [])
        #expect(opened.client == recording.refused + recording.client)
        #expect(opened.server == recording.server)
        #expect(opened.connection.heldBytes == 0)
        #expect(opened.early.isEmpty == !name.contains("early"))
        #expect(opened.buffer.count <= TLSRecordHeader.longestOldFragment)
    }

    @Test("there are recordings of every protection that OpenSSL offers")
    func all() {
        let found = Recording.kept.compactMap { Opened($0).connection.session }.compactMap { RecordProtection(cipherSuite: $0.cipherSuite) }
        // OpenSSL leaves out weak ciphers unless it is built with them, and has ARIA with GCM alone.
        let missing: Set<RecordProtection.Cipher> = [.tripleDES, .aria128CBC, .aria256CBC, .camellia128CBC]
        #expect(Set(RecordProtection.Cipher.allCases).subtracting(found.map(\.cipher)) == missing)
    }

    @Test("without secrets, and with those of others, nothing opens and each record says why", arguments: kinds)
    func wrongSecrets(name: String) throws {
        let recording = try Recording.named(name)
        let none = Opened(recording, secrets: KeyLogSecrets())
        #expect(none.client.isEmpty && none.server.isEmpty)
        #expect(Set(none.sealed) == [.secretMissing])
        // The same randoms, other secrets.
        let others = KeyLogSecrets()
        let lines = String(decoding: recording.keys, as: UTF8.self).split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return words.count == 3 ? "\(words[0]) \(words[1]) \(String(words[2].reversed()))" : String(line)
        }
        others.receive(Array((lines.joined(separator: "\n") + "\n").utf8).rawBytes)
        let wrong = Opened(recording, secrets: others)
        #expect(wrong.client.isEmpty && wrong.server.isEmpty)
        #expect(Set(wrong.sealed).isSubset(of: [.notAuthentic, .unsynchronised]))
        #expect(wrong.sealed.count == none.sealed.count)
    }

    @Test("damaged lines of the log beside the right ones change nothing, whichever come first", arguments: Recording.kept.map(\.name))
    func damagedLines(name: String) throws {
        let recording = try Recording.named(name)
        let right = String(decoding: recording.keys, as: UTF8.self)
        var damaged = ""
        for line in right.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3 else { continue }
            damaged += "\(words[0]) \(words[1]) \(String(words[2].reversed()))\n"
            // Of another length, as of another cipher suite.
            if words[0] != "CLIENT_RANDOM" { damaged += "\(words[0]) \(words[1]) \(words[2].prefix(64))\(words[2].prefix(32))\n" }
        }
        for log in [right + damaged, damaged + right] {
            let secrets = KeyLogSecrets()
            secrets.receive(Array(log.utf8).rawBytes)
            secrets.finish()
            let opened = Opened(recording, secrets: secrets)
            #expect(opened.sealed == [])
            #expect(opened.client == recording.refused + recording.client)
            #expect(opened.server == recording.server)
        }
    }

    @Test("a record cut to each shorter length stays closed", arguments: kinds)
    func truncated(name: String) throws {
        let recording = try Recording.named(name)
        let records = recording.records
        let last = try #require(records.lastIndex { $0.header.contentType == 23 && $0.side == .server })
        var before = Opened(recording.secrets)
        for record in records[..<last] { before.receive(record) }
        let content = before.server
        for length in 0..<records[last].fragment.count {
            var cut = records[last]
            cut.fragment = Array(cut.fragment.prefix(length))
            cut.header = TLSRecordHeader(bits: UInt64(cut.header.contentType) << 32 | UInt64(cut.header.version) << 16 | UInt64(length))
            // A new one each time, because an opener's state would say nothing about one record.
            var opened = Opened(recording.secrets)
            for record in records[..<last] where record.fragment.count < 8_000 { opened.receive(record) }
            let opening = opened.receive(cut)
            #expect([.sealed(.notAuthentic), .sealed(.recordTooShort)].contains(opening), "\(length) bytes")
            #expect(opened.server == content)
        }
    }

    @Test("a record with a byte changed stays closed, and the next one opens", arguments: kinds)
    func changed(name: String) throws {
        let recording = try Recording.named(name)
        let records = recording.records
        let data = records.indices.filter {
            records[$0].header.contentType == 23 && records[$0].side == .client && records[$0].fragment.count > 80
        }
        let changed = try #require(data.dropLast().last)
        for index in stride(from: 0, to: records[changed].fragment.count, by: 7) {
            var opened = Opened(recording.secrets)
            for (number, record) in records.enumerated() {
                var record = record
                if number == changed { record.fragment[index] ^= 0x80 }
                opened.receive(record)
            }
            // Where TLS 1.0 chains, what was changed is the next one's vector as well.
            #expect(opened.sealed.first == .notAuthentic, "byte \(index)")
            #expect(opened.sealed.count <= (name.hasPrefix("tls1-") ? 2 : 1))
            #expect(opened.server == recording.server)
        }
    }

    @Test("any bytes in the place of a record are no trouble", arguments: kinds)
    func noise(name: String) throws {
        let recording = try Recording.named(name)
        var noise = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            var opened = Opened(recording.secrets)
            for record in recording.records {
                var record = record
                if UInt8.random(in: 0..<4, using: &noise) == 0 {
                    let length = Int.random(in: 0..<600, using: &noise)
                    record.fragment = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &noise) }
                    let type = UInt64.random(in: 20...24, using: &noise)
                    record.header = TLSRecordHeader(bits: type << 32 | 0x0303 << 16 | UInt64(length))
                }
                opened.receive(record)
            }
            #expect(opened.openings.count == recording.records.count)
        }
    }
}
