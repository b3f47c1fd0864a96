import Decryption
import Dissection
import Testing

@Suite("Lost records")
struct LostRecordTests {
    static let many = ["tls1_3-many", "tls1_2-many-ECDHE-RSA-AES128-GCM-SHA256", "tls1_2-many-AES128-SHA"]

    /// The records of the client with application data.
    static func data(_ records: [Recording.Sealed]) -> [Int] {
        records.indices.filter { records[$0].side == .client && records[$0].header.contentType == 23 && records[$0].fragment.count < 200 }
    }

    /// What was told of the lost records.
    enum Told: CaseIterable { case oneByOne, asOneGap }

    @Test("after up to 63 lost records the next one opens, whether they were counted or not", arguments: many, Told.allCases)
    func lost(name: String, told: Told) throws {
        let recording = try Recording.named(name)
        let records = recording.records
        for count in [1, 2, 7, 40, 63] {
            let data = Self.data(records)
            let first = data[20]
            let after = data[20 + count]
            var opened = Opened(recording.secrets)
            var missing: [UInt8] = []
            var whole = Opened(recording.secrets)
            for (number, record) in records.enumerated() {
                let before = whole.client.count
                whole.receive(record)
                guard record.side == .client, number >= first, number < after else {
                    opened.receive(record)
                    continue
                }
                missing += whole.client[before...]
                if told == .oneByOne {
                    opened.connection.passRecord(from: .client)
                } else {
                    opened.connection.noteGap(UInt64(5 + record.fragment.count), from: .client)
                }
            }
            #expect(opened.sealed == [], "\(count) lost")
            #expect(opened.client.count + missing.count == recording.client.count)
            #expect(opened.server == recording.server)
        }
    }

    @Test("after more than 64 the explicit nonce of TLS 1.2 says where a record stands; without one it stays closed")
    func tooMany() throws {
        for name in Self.many {
            let recording = try Recording.named(name)
            let records = recording.records
            let data = Self.data(records)
            var opened = Opened(recording.secrets)
            for (number, record) in records.enumerated() where record.side == .server || number < data[10] || number >= data[90] {
                if number == data[90] { opened.connection.noteGap(2_000, from: .client) }
                opened.receive(record)
            }
            if name.contains("GCM") {
                #expect(opened.sealed == [])
                #expect(recording.client.suffix(100) == opened.client.suffix(100))
            } else {
                #expect(Set(opened.sealed).isSubset(of: [.notAuthentic, .unsynchronised]))
                #expect(!opened.sealed.isEmpty)
            }
        }
    }

    @Test("a long gap stands for as many records as it has to hold")
    func longGap() throws {
        // 100 records of full length are lost in thought: the numbers tried begin where they would end.
        let recording = try Recording.named("tls1_3-many")
        let records = recording.records
        var opened = Opened(recording.secrets)
        let data = Self.data(records)
        for record in records[..<data[10]] { opened.receive(record) }
        opened.connection.noteGap(100 * 16_645, from: .client)
        // It stands before where the search begins.
        #expect(opened.receive(records[data[11]]) == .sealed(.notAuthentic))
        #expect(opened.receive(records[data[112]]) != .sealed(.notAuthentic))
    }

    @Test("secrets that come late open what comes after them", arguments: many + ["tls1-ECDHE-ECDSA-AES128-SHA"])
    func late(name: String) throws {
        let recording = try Recording.named(name)
        let records = recording.records
        let data = Self.data(records)
        let secrets = KeyLogSecrets()
        var opened = Opened(secrets)
        let begin = data[data.count / 2]
        for (number, record) in records.enumerated() {
            if number == begin { secrets.receive(recording.keys.rawBytes) }
            opened.receive(record)
        }
        #expect(!opened.client.isEmpty)
        #expect(recording.client.suffix(opened.client.count) == opened.client[...])
        // With TLS 1.0 the first record tells only the vector of the second.
        let after = opened.openings[begin...].filter { $0 == .sealed(.unsynchronised) }
        #expect(after.count == (name.hasPrefix("tls1-") ? 2 : 0))
        #expect(Set(opened.sealed).isSubset(of: [.secretMissing, .unsynchronised]))
    }

    @Test("an update of keys that was lost is found", arguments: ["128_GCM_SHA256", "256_GCM_SHA384"])
    func lostUpdate(suite: String) throws {
        let recording = try Recording.named("tls1_3-TLS_AES_\(suite)-update")
        let records = recording.records
        // The record that holds the client's first update.
        var whole = Opened(recording.secrets)
        var update: Int?
        for (number, record) in records.enumerated() {
            guard case .plaintext(let plaintext) = whole.receive(record), record.side == .client, plaintext.contentType == 22 else {
                continue
            }
            if whole.client.count > 100, update == nil { update = number }
        }
        let lost = try #require(update)
        for isGap in [false, true] {
            var opened = Opened(recording.secrets)
            for (number, record) in records.enumerated() {
                guard number == lost else {
                    opened.receive(record)
                    continue
                }
                if isGap { opened.connection.noteGap(30, from: .client) } else { opened.connection.passRecord(from: .client) }
            }
            #expect(opened.sealed == [])
            #expect(opened.client == recording.client)
            #expect(opened.server == recording.server)
        }
    }

    @Test("a record that fits no key costs no more once enough have failed")
    func givenUp() throws {
        let recording = try Recording.named("tls1_3-TLS_AES_128_GCM_SHA256")
        var opened = Opened(recording.secrets)
        for record in recording.records { opened.receive(record) }
        opened.connection.noteGap(1_000, from: .server)
        let header = TLSRecordHeader(bits: 0x17_0303_4000)
        let noise = Recording.Sealed(side: .server, header: header, fragment: [UInt8](repeating: 0x5A, count: 16_384))
        var reasons: [TLSOpening] = []
        for _ in 0..<100 { reasons.append(opened.receive(noise)) }
        #expect(reasons.prefix(32).allSatisfy { $0 == .sealed(.notAuthentic) })
        #expect(reasons.dropFirst(32).allSatisfy { $0 == .sealed(.unsynchronised) })
    }

    /// TLS 1.2 changes keys by messages, any of which may be lost.
    static let changed = [
        "tls1_2-renegotiated-AES128-SHA", "tls1_2-renegotiated-ECDHE-RSA-AES128-GCM-SHA256",
        "tls1_2-resumed-AES128-SHA", "tls1_2-resumed-ECDHE-RSA-AES128-GCM-SHA256",
    ]

    @Test("whichever record is lost, what cannot be opened is not taken for changed", arguments: changed)
    func lostHandshake(name: String) throws {
        let recording = try Recording.named(name)
        let records = recording.records
        for lost in records.indices {
            var opened = Opened(recording.secrets)
            for (number, record) in records.enumerated() {
                guard number == lost else {
                    opened.receive(record)
                    continue
                }
                opened.connection.noteGap(UInt64(5 + record.fragment.count), from: record.side)
            }
            #expect(!opened.sealed.contains(.notAuthentic), "record \(lost): \(opened.sealed)")
        }
    }

    @Test("the change of keys may be lost", arguments: many.filter { $0.hasPrefix("tls1_2") }, [Side.client, .server])
    func lostChange(name: String, side: Side) throws {
        let recording = try Recording.named(name)
        var opened = Opened(recording.secrets)
        for record in recording.records {
            if record.side == side, record.header.contentType == 20 {
                opened.connection.noteGap(6, from: side)
            } else {
                opened.receive(record)
            }
        }
        #expect(opened.sealed == [] && opened.client == recording.client && opened.server == recording.server)
    }
}
