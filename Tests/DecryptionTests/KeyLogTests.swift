import Decryption
import Dissection
import Foundation
import Testing

@Suite("Key logs")
struct KeyLogTests {
    static let random = String(repeating: "0a", count: 32)

    static func secrets(_ text: String, isEnded: Bool = true) -> KeyLogSecrets {
        let secrets = KeyLogSecrets()
        secrets.receive(Array(text.utf8).rawBytes)
        if isEnded { secrets.finish() }
        return secrets
    }

    static func key(_ digits: String = random) throws -> TLSRandom {
        let bytes = hex(digits)
        let random = TLSRandom(bytes.rawBytes)
        return try #require(random)
    }

    @Test("each label of RFC 9850 names its secret")
    func labels() throws {
        let rows: [(name: String, label: TLSSecretLabel)] = [
            ("CLIENT_RANDOM", .master), ("CLIENT_EARLY_TRAFFIC_SECRET", .early),
            ("CLIENT_HANDSHAKE_TRAFFIC_SECRET", .handshake(.client)), ("SERVER_HANDSHAKE_TRAFFIC_SECRET", .handshake(.server)),
            ("CLIENT_TRAFFIC_SECRET_0", .traffic(.client, generation: 0)), ("SERVER_TRAFFIC_SECRET_0", .traffic(.server, generation: 0)),
            ("SERVER_TRAFFIC_SECRET_17", .traffic(.server, generation: 17)), ("EXPORTER_SECRET", .exporter),
            ("EARLY_EXPORTER_SECRET", .earlyExporter), ("EARLY_EXPORTER_MASTER_SECRET", .earlyExporter),
        ]
        for row in rows {
            let secrets = Self.secrets("\(row.name) \(Self.random) \(String(repeating: "Bc", count: 48))\n")
            #expect(secrets.secret(row.label, of: try Self.key()) == [UInt8](repeating: 0xBC, count: 48), "\(row.name)")
            #expect(secrets.counts == KeyLogSecrets.Counts(secrets: 1))
        }
    }

    @Test("comments, empty lines and both ends of lines are no trouble; other lines are counted as what they are")
    func lines() {
        let secret = String(repeating: "11", count: 48)
        let rows: [(line: String, counts: KeyLogSecrets.Counts)] = [
            ("", .init()), ("# CLIENT_RANDOM", .init()), ("   ", .init()), ("\r", .init()),
            ("CLIENT_RANDOM \(Self.random) \(secret)\r", .init(secrets: 1)),
            ("\u{FEFF}CLIENT_RANDOM \(Self.random) \(secret)", .init(secrets: 1)), ("\u{FEFF}", .init()),
            ("RSA 0123456789abcdef \(secret)", .init(unused: 1)),
            ("PMS_CLIENT_RANDOM \(Self.random) \(secret)", .init(unused: 1)),
            ("ECH_SECRET \(Self.random) \(secret)", .init(unused: 1)),
            ("ECH_CONFIG \(Self.random) \(String(repeating: "00", count: 900))", .init(unused: 1)),
            ("CLIENT_TRAFFIC_SECRET_N \(Self.random) \(secret)", .init(unused: 1)),
            ("CLIENT_TRAFFIC_SECRET_99999 \(Self.random) \(secret)", .init(unused: 1)),
            ("CLIENT_RANDOM", .init(damaged: 1)),
            ("CLIENT_RANDOM \(Self.random)", .init(damaged: 1)),
            ("CLIENT_RANDOM \(Self.random) ", .init(damaged: 1)),
            ("CLIENT_RANDOM \(Self.random.dropLast(2)) \(secret)", .init(damaged: 1)),
            ("CLIENT_RANDOM \(Self.random) \(secret.dropLast(1))", .init(damaged: 1)),
            ("CLIENT_RANDOM \(Self.random) \(secret.dropLast(2))", .init(damaged: 1)),
            ("CLIENT_RANDOM \(Self.random) \(secret.dropLast(1))g", .init(damaged: 1)),
            ("CLIENT_RANDOM  \(Self.random) \(secret)", .init(damaged: 1)),
            ("CLIENT_RANDOM \(Self.random) \(secret)\(String(repeating: "00", count: 2_000))", .init(damaged: 1)),
            ("EXPORTER_SECRET \(Self.random) 00", .init(damaged: 1)),
            ("client_random \(Self.random) \(secret)", .init(damaged: 1)),
            ("\u{0}\u{1}\u{2}", .init(damaged: 1)), (" CLIENT_RANDOM", .init(damaged: 1)),
        ]
        for row in rows {
            #expect(Self.secrets(row.line + "\n").counts == row.counts, "\(row.line.prefix(60))")
            #expect(Self.secrets(row.line).counts == row.counts, "\(row.line.prefix(60)), without an end")
        }
    }

    @Test("a log says the same however its bytes are cut, and a line counts once it has ended")
    func cuts() throws {
        for recording in Recording.kept.prefix(5) {
            let whole = recording.secrets
            let bytewise = KeyLogSecrets()
            for byte in recording.keys { bytewise.receive([byte].rawBytes) }
            #expect(bytewise.counts == whole.counts)
            #expect(bytewise.heldBytes == whole.heldBytes)
        }
        let line = "CLIENT_RANDOM \(Self.random) \(String(repeating: "11", count: 48))"
        let secrets = Self.secrets(line, isEnded: false)
        #expect(secrets.secret(.master, of: try Self.key()) == nil)
        secrets.receive([0x0A].rawBytes)
        #expect(secrets.secret(.master, of: try Self.key()) != nil)
    }

    @Test("a secret that comes again counts once; another one for the same session is kept beside it, at most four of a label")
    func again() throws {
        let first = "CLIENT_RANDOM \(Self.random) \(String(repeating: "11", count: 48))\n"
        let second = "CLIENT_RANDOM \(Self.random) \(String(repeating: "22", count: 48))\n"
        let secrets = Self.secrets(first + first + second)
        #expect(secrets.counts.secrets == 2)
        #expect(secrets.secret(.master, of: try Self.key())?.first == 0x11)
        #expect(secrets.otherSecrets(.master, of: try Self.key()).map(\.first) == [0x22])
        #expect(secrets.sessionCount == 1)
        for digit in 3...9 {
            let line = "CLIENT_RANDOM \(Self.random) \(String(repeating: "\(digit)", count: 96))\n"
            secrets.receive(Array(line.utf8).rawBytes)
        }
        #expect(secrets.otherSecrets(.master, of: try Self.key()).map(\.first) == [0x22, 0x33, 0x44])
        #expect(secrets.counts.secrets == 4 && secrets.counts.givenUp == 5)
    }

    @Test("over its limit the first sessions are given up, and it stays within it")
    func bound() throws {
        let secrets = KeyLogSecrets(limit: 100_000)
        func name(_ number: Int) -> String { String(repeating: "0", count: 56) + String(0x1000_0000 + number, radix: 16) }
        for number in 0..<20_000 {
            secrets.receive(Array("CLIENT_RANDOM \(name(number)) \(String(repeating: "11", count: 48))\n".utf8).rawBytes)
            #expect(secrets.heldBytes <= 100_000)
        }
        #expect(secrets.counts.secrets == 20_000)
        #expect(secrets.counts.givenUp == 20_000 - UInt64(secrets.sessionCount))
        #expect(secrets.secret(.master, of: try Self.key(name(19_999))) != nil)
        #expect(secrets.secret(.master, of: try Self.key(name(0))) == nil)
        // One session with more secrets than any has.
        for number in 0..<1_000 {
            secrets.receive(Array("CLIENT_TRAFFIC_SECRET_\(number) \(Self.random) \(String(repeating: "11", count: 32))\n".utf8).rawBytes)
        }
        #expect(secrets.heldBytes <= 100_000)
    }

    @Test("a line without an end costs no more than the longest that there is")
    func endless() {
        let secrets = KeyLogSecrets()
        for _ in 0..<1_000 { secrets.receive([UInt8](repeating: 0x41, count: 10_000).rawBytes) }
        secrets.receive(Array("\nCLIENT_RANDOM \(Self.random) \(String(repeating: "11", count: 48))\n".utf8).rawBytes)
        #expect(secrets.counts.secrets == 1)
        #expect(secrets.counts.damaged + secrets.counts.unused == 1)
    }

    @Test("a file that grows is read on; one that is shortened or replaced is read from its beginning")
    func growingFile() throws {
        let path = NSTemporaryDirectory() + "/unmask-keys-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func line(_ number: Int) -> String {
            "CLIENT_RANDOM \(String(repeating: "0\(number)", count: 32)) \(String(repeating: "11", count: 48))\n"
        }
        func append(_ text: String) throws {
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        }
        #expect(throws: KeyLogFile.Failure.self) { _ = try KeyLogFile(path: path) }
        try Data(line(1).utf8).write(to: URL(fileURLWithPath: path))
        var file = try KeyLogFile(path: path)
        let secrets = KeyLogSecrets()
        #expect(try file.read(into: secrets) == line(1).utf8.count)
        #expect(try file.read(into: secrets) == 0)
        try append(String(line(2).dropLast(30)))
        try file.read(into: secrets)
        #expect(secrets.sessionCount == 1)
        try append(String(line(2).suffix(30)))
        try file.read(into: secrets)
        #expect(secrets.sessionCount == 2)
        // Cut to nothing, and shorter than before.
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(line(3).utf8))
        try handle.close()
        try file.read(into: secrets)
        #expect(secrets.sessionCount == 3)
        // What was appended last before another file took its name is not lost.
        try append(line(4))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        defer { try? FileManager.default.removeItem(atPath: path + ".old") }
        try Data(line(5).utf8).write(to: URL(fileURLWithPath: path))
        try file.read(into: secrets)
        #expect(secrets.sessionCount == 5)
        #expect(secrets.counts.damaged == 0)
    }

    @Test("a log that is looked into when a secret is wanted, and that is made later than its reader")
    func growingLog() throws {
        let path = NSTemporaryDirectory() + "/unmask-keys-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let log = try GrowingKeyLog(path: path, known: KeyLogSecrets())
        let random = try Self.key(Self.random)
        #expect(log.secret(.master, of: random) == nil)
        try Data("CLIENT_RANDOM \(Self.random) ".utf8).write(to: URL(fileURLWithPath: path))
        #expect(log.secret(.master, of: random) == nil)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("\(String(repeating: "11", count: 48))\n".utf8))
        try handle.close()
        #expect(log.secret(.master, of: random) == [UInt8](repeating: 0x11, count: 48))
    }

    @Test("a file that is not a key log ends with the reason, and a key log with comments and unknown labels does not")
    func boundedLog() throws {
        let path = NSTemporaryDirectory() + "/unmask-keys-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func outcome(of text: String) throws -> KeyLogFile.Failure? {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            var file = try KeyLogFile(path: path)
            do { try file.read(into: KeyLogSecrets()) } catch let failure as KeyLogFile.Failure { return failure }
            return nil
        }
        var zeros = try KeyLogFile(path: "/dev/zero")
        #expect(throws: KeyLogFile.Failure.unfit(.lineLength)) { try zeros.read(into: KeyLogSecrets()) }
        #expect(throws: KeyLogFile.Failure.unfit(.lineLength)) { _ = try GrowingKeyLog(path: "/dev/zero", known: KeyLogSecrets()) }
        let line = "CLIENT_RANDOM \(Self.random) \(String(repeating: "11", count: 48))\n"
        #expect(try outcome(of: String(repeating: "no line of a key log\n", count: 10_001)) == .unfit(.damagedLines))
        #expect(try outcome(of: String(repeating: "no line of a key log\n", count: 10_000)) == nil)
        // One secret is enough for a damaged log, and what is not used is not damaged.
        #expect(try outcome(of: line + String(repeating: "no line of a key log\n", count: 10_001)) == nil)
        #expect(try outcome(of: String(repeating: "# a comment\nECH_SECRET 00 00\n", count: 10_001)) == nil)
        #expect(try outcome(of: line + "#" + String(repeating: "-", count: 16 << 10)) == .unfit(.lineLength))
        #expect(try outcome(of: "#" + String(repeating: "-", count: 16 << 10) + "\n" + line) == nil)
    }
}
