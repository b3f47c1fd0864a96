import Decryption
import Dissection
import Foundation
import Testing

/// A connection that is read while a program writes its key log beside it.
@Suite("A key log that grows while packets come", .serialized)
struct GrowingKeyTests {
    /// A connection under way, and the key log that it is read with.
    private struct Watched: ~Copyable {
        let recording: Recording
        let path = NSTemporaryDirectory() + "/unmask-growing-\(UUID().uuidString)"
        private var conversation: Conversation
        private var inside = Inside()
        private var now = Timestamp(nanoseconds: 1_000_000_000_000)
        private var next = 0

        init(_ recording: Recording) throws {
            self.recording = recording
            let secrets = try GrowingKeyLog(path: path, known: KeyLogSecrets())
            let layers = LayerTable.standard.opening(with: TLSDecryption(secrets: secrets, ciphers: RecordCiphers()))
            let endpoint = Endpoint(address: IPAddress(ipv4: 0x7F00_0001), port: 50_000)
            conversation = Conversation(
                number: 1, first: endpoint, second: Endpoint(address: IPAddress(ipv4: 0x7F00_0001), port: 443), sideOfFirst: .client,
                start: .handshake, forced: nil, layers: layers, limits: Limits(), place: Place(time: now))
            conversation.open(sink: &inside)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// So many of the connection's packets come, one a millisecond; all that are left where no number is given.
        mutating func packets(_ count: Int = .max) {
            let records = recording.records
            for record in records[next..<min(records.count, next + min(count, records.count))] {
                now = Timestamp(nanoseconds: now.nanoseconds + 1_000_000)
                let header = [
                    record.header.contentType, UInt8(record.header.version >> 8), UInt8(record.header.version & 0xFF),
                    UInt8(record.fragment.count >> 8), UInt8(record.fragment.count & 0xFF),
                ]
                let bytes = header + record.fragment
                conversation.receive(
                    .bytes(bytes.rawBytes), direction: record.side == .client ? .first : .second, place: Place(time: now), sink: &inside)
                next += 1
            }
        }

        /// Nothing happens for a while.
        mutating func pause(seconds: Int64) { now = Timestamp(nanoseconds: now.nanoseconds + seconds * 1_000_000_000) }

        func append(_ bytes: some Sequence<UInt8>) throws {
            if !FileManager.default.fileExists(atPath: path) { FileManager.default.createFile(atPath: path, contents: nil) }
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(bytes))
            try handle.close()
        }

        mutating func end() -> Inside {
            conversation.close(.endOfCapture, sink: &inside)
            return inside
        }
    }

    /// What is told of the channel inside, and what is found.
    struct Inside: ConversationSink {
        var client: [UInt8] = []
        var server: [UInt8] = []
        var lost: UInt64 = 0
        var found: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .data where event.channel.depth == 1:
                if event.from == .client { client.append(copying: event.content) } else { server.append(copying: event.content) }
            case .gap(let gap) where event.channel.depth == 1: lost += gap.length
            case .finding(let finding): found.append(finding.row.id)
            default: return
            }
        }
    }

    static let names = ["tls1_3-TLS_AES_128_GCM_SHA256", "tls1_2-ECDHE-ECDSA-AES128-GCM-SHA256"]

    private func expectAll(_ inside: Inside, of recording: Recording, _ location: SourceLocation = #_sourceLocation) {
        #expect(inside.client == recording.client, sourceLocation: location)
        #expect(inside.server == recording.server, sourceLocation: location)
        #expect(inside.lost == 0 && !inside.found.contains { $0.hasPrefix("tls.key") }, "\(inside.found)", sourceLocation: location)
    }

    @Test("the keys are there before the packets", arguments: names)
    func before(name: String) throws {
        var watched = try Watched(try Recording.named(name))
        try watched.append(watched.recording.keys)
        watched.packets()
        expectAll(watched.end(), of: watched.recording)
    }

    @Test("the keys come a moment after the packets that need them, in a file that was not there before", arguments: names)
    func after(name: String) throws {
        for count in [1, 2, 3, 4, 6] {
            var watched = try Watched(try Recording.named(name))
            watched.packets(count)
            try watched.append(watched.recording.keys)
            watched.packets()
            expectAll(watched.end(), of: watched.recording)
        }
    }

    @Test("a line is written in two halves, with packets between them", arguments: names)
    func halves(name: String) throws {
        var watched = try Watched(try Recording.named(name))
        watched.packets(2)
        let keys = watched.recording.keys
        try watched.append(keys.prefix(keys.count / 2))
        watched.packets(2)
        try watched.append(keys.dropFirst(keys.count / 2))
        watched.packets()
        expectAll(watched.end(), of: watched.recording)
    }

    @Test("each secret is written when it is made: those of the handshake first", arguments: names.prefix(1))
    func line(name: String) throws {
        var watched = try Watched(try Recording.named(name))
        watched.packets(2)
        for line in watched.recording.keys.split(separator: UInt8(ascii: "\n")) {
            try watched.append(line + [UInt8(ascii: "\n")])
            watched.packets(1)
        }
        watched.packets()
        expectAll(watched.end(), of: watched.recording)
    }

    @Test("without the secrets of the handshake all that follows it is read, and nothing is missing inside", arguments: names.prefix(1))
    func traffic(name: String) throws {
        var watched = try Watched(try Recording.named(name))
        for line in watched.recording.keys.split(separator: UInt8(ascii: "\n")) {
            guard String(decoding: line, as: UTF8.self).contains("TRAFFIC_SECRET_0") else { continue }
            try watched.append(line + [UInt8(ascii: "\n")])
        }
        watched.packets()
        let inside = watched.end()
        #expect(inside.client == watched.recording.client && inside.server == watched.recording.server)
        #expect(inside.lost == 0)
    }

    @Test("keys that come when nothing waits for them any more open what follows; what was before is a gap", arguments: ["tls1_3-many"])
    func tooLate(name: String) throws {
        var watched = try Watched(try Recording.named(name))
        watched.packets(40)
        watched.pause(seconds: 3)
        watched.packets(10)
        try watched.append(watched.recording.keys)
        watched.pause(seconds: 1)
        watched.packets()
        let inside = watched.end()
        #expect(inside.found.contains("tls.key-awaited"))
        #expect(!inside.found.contains("tls.record-not-authentic") && !inside.found.contains("tls.secrets-unfit"), "\(inside.found)")
        #expect(!inside.client.isEmpty && watched.recording.client.suffix(inside.client.count) == inside.client[...])
        #expect(inside.lost > 0)
    }
}
