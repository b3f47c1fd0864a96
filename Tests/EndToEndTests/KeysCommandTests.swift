import Foundation
import Support
import Testing

/// Captures of TLS that are read with keys, by the built program.
@Suite struct KeysCommandTests {
    private static let sealed = "fixtures/tls-keys/capture.pcapng"
    private static let log = "fixtures/tls-keys/keys.log"

    /// The records, without the one that names the file.
    private func records(_ arguments: [String], environment: [String: String] = [:]) throws -> [String] {
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "--frames"] + arguments, environment: environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        return Array(outcome.lines.dropFirst())
    }

    @Test("a key log says the same as the secrets in the capture, whichever way it is named")
    func sources() throws {
        let inside = try records(["fixtures/tls-keys-inside/capture.pcapng"])
        #expect(inside.contains { $0.contains("\"secrets\":\"keylog\"") && $0.contains("\"alpn\":\"http/1.1\"") })
        #expect(inside.contains { $0.contains("\"kind\":\"message\"") && $0.contains("\"channel\":1") && $0.contains("GOOD MORNING") })
        #expect(try records(["--keys", Self.log, Self.sealed]) == inside)
        #expect(try records([Self.sealed], environment: ["SSLKEYLOGFILE": Self.log]) == inside)
        // What is named comes before what is in the environment, which may lead nowhere.
        #expect(try records(["--keys", Self.log, Self.sealed], environment: ["SSLKEYLOGFILE": "/nowhere"]) == inside)
        #expect(try records([Self.sealed], environment: ["SSLKEYLOGFILE": "/nowhere"]) == records([Self.sealed]))
        let capture = try Data(contentsOf: UnmaskProcess.project.appendingPathComponent(Self.sealed))
        let piped = try UnmaskProcess.run(["read", "--format", "ndjson", "--frames", "--keys", Self.log, "-"], input: capture)
        #expect(Array(piped.lines.dropFirst()) == inside)
    }

    @Test("a file that is not a key log is an error, for packets of a file and of a pipe")
    func unfit() throws {
        let capture = try Data(contentsOf: UnmaskProcess.project.appendingPathComponent(Self.sealed))
        for outcome in [
            try UnmaskProcess.run(["read", "--keys", "/dev/zero", Self.sealed]),
            try UnmaskProcess.run(["read", "--keys", "/dev/zero", "-"], input: capture),
        ] {
            #expect(outcome.status == 2 && outcome.text.isEmpty)
            #expect(
                outcome.errors.contains("/dev/zero: the keys cannot be read: not a key log: a line of more than 16 KiB"),
                "\(outcome.errors)")
        }
    }

    @Test("secrets that stand between the packets are used by connections that had begun before them")
    func interleaved() throws {
        let inside = try records(["fixtures/tls-keys-inside/capture.pcapng"])
        let capture = try Data(contentsOf: UnmaskProcess.project.appendingPathComponent(Self.sealed))
        let log = try Data(contentsOf: UnmaskProcess.project.appendingPathComponent(Self.log))
        let blocks = Self.blocks(capture)
        // The first says that more follow; what all need stands behind the ClientHello of the first connection.
        let first = try #require(blocks.firstIndex { $0.first == 6 })
        let head = blocks[..<first]
        let begun = blocks[first..<first + 4]
        let rest = blocks[(first + 4)...]
        var late = Data(head.joined())
        late += Self.secrets(Data("# secrets\n".utf8))
        late += Data(begun.joined()) + Self.secrets(log) + Data(rest.joined())
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "--frames", "-"], input: late)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(Array(outcome.lines.dropFirst()) == inside)
        // Without the first block nothing is kept of a connection that no secret is known for.
        var unannounced = Data(head.joined())
        unannounced += Data(begun.joined()) + Self.secrets(log) + Data(rest.joined())
        let opened = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: unannounced).lines
        #expect(opened.filter { $0.contains("\"secrets\":\"missing\"") }.count == 1)
    }

    /// The blocks of a little-endian pcapng file.
    private static func blocks(_ file: Data) -> [Data] {
        var blocks: [Data] = []
        var rest = file
        while rest.count >= 12 {
            let length = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            blocks.append(Data(rest.prefix(length)))
            rest = Data(rest.dropFirst(length))
        }
        return blocks
    }

    /// A Decryption Secrets Block with a key log.
    private static func secrets(_ log: Data) -> Data {
        func word(_ value: Int) -> Data { withUnsafeBytes(of: UInt32(value).littleEndian) { Data($0) } }
        let padded = log + Data(repeating: 0, count: (4 - log.count % 4) % 4)
        let words = [10, 20 + padded.count, 0x544C_534B, log.count].map(word)
        return Data(words.joined()) + padded + word(20 + padded.count)
    }

    /// The capture with secrets inside, with these after its last packet, or after the packet of that number.
    private func captureWithLateSecrets(after packet: Int = .max) throws -> Data {
        let data = try Data(contentsOf: UnmaskProcess.project.appendingPathComponent("fixtures/tls-keys-inside/capture.pcapng"))
        let bytes = [UInt8](data)
        var (others, secrets): ([[UInt8]], [[UInt8]]) = ([], [])
        var (position, packets, place) = (0, 0, Int.max)
        while position + 12 <= bytes.count {
            func word(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
            let block = Array(bytes[position..<position + word(position + 4)])
            if word(position) == 0x0A { secrets.append(block) } else { others.append(block) }
            if word(position) == 6 {
                packets += 1
                if packets == packet { place = others.count }
            }
            position += block.count
        }
        #expect(!secrets.isEmpty && position == bytes.count)
        let split = min(place, others.count)
        return Data((others[..<split] + secrets + others[split...]).joined())
    }

    @Test("secrets that stand after the packets of a file are used all the same")
    func lateSecrets() throws {
        let inside = try records(["fixtures/tls-keys-inside/capture.pcapng"])
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).pcapng")
        defer { try? FileManager.default.removeItem(at: file) }
        try captureWithLateSecrets().write(to: file)
        #expect(try records([file.path]) == inside)
        // What can be read once alone brings them as they come; without any before, nothing waits.
        let capture = try Data(contentsOf: file)
        let piped = try UnmaskProcess.run(["read", "--format", "ndjson", "--frames", "-"], input: capture)
        #expect(Array(piped.lines.dropFirst()) == (try records([Self.sealed])))
        // Several readings of a file are one look for its secrets.
        let picked = try UnmaskProcess.run([
            "read", "--format", "ndjson", "--frames", "--whole", "-Y", "message", "-w", "/dev/null", file.path,
        ])
        #expect(picked.status == 0 && picked.errors.isEmpty, "\(picked.errors)")
        #expect(picked.lines.count { $0.contains(#""kind":"message""#) } == 4)
    }

    @Test("through a pipe a session waits for its secrets, where the capture has brought some before")
    func awaitedSecrets() throws {
        let inside = try records(["fixtures/tls-keys-inside/capture.pcapng"])
        let other = "CLIENT_RANDOM \(String(repeating: "ab", count: 32)) \(String(repeating: "cd", count: 48))\n"
        let late = [UInt8](try captureWithLateSecrets(after: 14))
        // Section header and interface come first, then secrets of a session that is not there.
        var position = 0
        while late[position] != 6 { position += Int(late[position + 4]) | Int(late[position + 5]) << 8 }
        func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        let padded = Array(other.utf8) + [UInt8](repeating: 0, count: (4 - other.utf8.count % 4) % 4)
        let length = little(20 + padded.count)
        let block = little(0x0A) + length + little(0x544C_534B) + little(other.utf8.count) + padded + length
        let input = Data(late[..<position] + block + late[position...])
        let piped = try UnmaskProcess.run(["read", "--format", "ndjson", "--frames", "-"], input: input)
        #expect(piped.status == 0 && piped.errors.isEmpty, "\(piped.errors)")
        #expect(Array(piped.lines.dropFirst()).sorted() == inside.sorted())
    }

    @Test("keys that are none of the capture's change nothing")
    func otherKeys() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let other = folder.appendingPathComponent("other.log").path
        let line = "CLIENT_RANDOM \(String(repeating: "ab", count: 32)) \(String(repeating: "cd", count: 48))\n"
        try Data(line.utf8).write(to: URL(fileURLWithPath: other))
        #expect(try records(["--keys", other, Self.sealed]) == records([Self.sealed]))
    }

    @Test("what cannot be read is said, and what is no key log")
    func trouble() throws {
        let missing = try UnmaskProcess.run(["read", "--keys", "/nowhere/keys.log", Self.sealed])
        #expect(missing.status == 2)
        #expect(missing.errors.contains("/nowhere/keys.log: the keys cannot be read"), "\(missing.errors)")
        let wrong = try UnmaskProcess.run(["read", "--keys", "fixtures/tls-keys/README.md", Self.sealed])
        #expect(wrong.status == 0)
        #expect(wrong.errors.contains("of a key log"), "\(wrong.errors)")
    }
}
