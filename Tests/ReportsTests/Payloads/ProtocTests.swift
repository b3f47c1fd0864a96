import Dissection
import Foundation
import Support
import Testing

@testable import Reports

/// protoc's reading of the same messages as a second opinion.
@Suite struct ProtocTests {
    /// Every kind of field in the order of the numbers, one that the type does not have at the end.
    private static let sample = hex(
        """
        08 96 01 12 02 6d 65 1a 03 01 ac 02 20 01 2a 06 0a 02 6d 65 18 01 3a 09 0a 01 61 12 04 0a 02 6d 65 42 04 08 05 10 01
        4a 03 0a 01 61 4a 00 52 06 08 80 a8 a8 aa 06 5a 02 0a 00 60 01 68 03 75 01 00 00 00 79 ff ff ff ff ff ff ff ff
        81 01 00 00 00 00 00 00 f8 3f 8d 01 00 00 c0 3f 90 01 01 9a 01 02 08 05 a2 01 01 78 f8 05 05
        """)

    private func run(_ arguments: [String], input: [UInt8]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["protoc"] + arguments
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input))
        try stdin.fileHandleForWriting.close()
        let text = String(decoding: stdout.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return text
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("protoc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // protoc wants to know the options, which we pass over.
        let plain = ProtobufSchemaTests.chat.split(separator: "\n").map { line in
            line.contains("rpc Say") ? "rpc Say(Envelope) returns (stream Envelope.Inner);" : String(line)
        }.filter { !$0.contains("option java_package") && !$0.contains("option (x)") && !$0.contains("extend Envelope") }
            .joined(separator: "\n").replacingOccurrences(of: " [deprecated = true, (check) = { max: [1, 2] }]", with: "")
        try plain.write(to: folder.appendingPathComponent("chat.proto"), atomically: true, encoding: .utf8)
        try (ProtobufSchemaTests.files["common.proto"] ?? "").write(
            to: folder.appendingPathComponent("common.proto"), atomically: true, encoding: .utf8)
        try body(folder.path)
    }

    @Test func `decode_raw`() throws {
        guard PeerProgram.has("protoc") else { return print("skipped: protoc is not installed") }
        let bytes = Self.sample
        let said = ValueTalk.decode("protobuf", bytes)
        guard case .items(let fields)? = said.payload.entries.first?.value else {
            Issue.record("\(said.json)")
            return
        }
        #expect(try raw(fields, bytes, indent: "") == run(["--decode_raw"], input: bytes))
    }

    /// Fields by number as `--decode_raw` prints them: what is packed and what is a negative or a floating-point number it does not guess.
    private func raw(_ fields: [DecodedPayload.Value.Member], _ bytes: [UInt8], indent: String) throws -> String {
        var text = ""
        for field in fields {
            guard case .object(let parts) = field.value, case .number(let number) = parts[0].value, case .word(let wire) = parts[1].value
            else {
                continue
            }
            let range = try #require(parts[2].range)
            let content = Array(bytes[range.start..<range.end])
            let bits = content.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            switch (wire, parts[2].value) {
            case ("i32", _): text += "\(indent)\(number): 0x" + padded(bits, 8) + "\n"
            case ("i64", _): text += "\(indent)\(number): 0x" + padded(bits, 16) + "\n"
            case (_, .number(let value)): text += "\(indent)\(number): \(value)\n"
            case (_, .text(let letters)): text += "\(indent)\(number): \"\(String(decoding: letters, as: UTF8.self))\"\n"
            case (_, .items(let inner)):
                if case .object? = inner.first?.value {
                    text += "\(indent)\(number) {\n" + (try raw(inner, bytes, indent: indent + "  ")) + "\(indent)}\n"
                } else {
                    text += "\(indent)\(number): \"" + content.map { "\\" + octal($0) }.joined() + "\"\n"
                }
            case (_, let other): Issue.record("\(other)")
            }
        }
        return text
    }

    private func padded(_ bits: UInt64, _ digits: Int) -> String {
        let text = String(bits, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }

    private func octal(_ byte: UInt8) -> String {
        let text = String(byte, radix: 8)
        return String(repeating: "0", count: 3 - text.count) + text
    }

    @Test func `decode with the type, and the descriptor set that protoc writes`() throws {
        guard PeerProgram.has("protoc") else { return print("skipped: protoc is not installed") }
        try withFolder { folder in
            let type = "im.chat.Envelope"
            let schema = try ProtobufSchemaTests.schema(ProtobufSchemaTests.files)
            let said = ValueTalk.decode("protobuf", Self.sample, schema: schema, argument: type)
            guard case .object(let fields)? = said.payload.entries.last?.value else {
                Issue.record("\(said.json)")
                return
            }
            let theirs = try run(["--proto_path=\(folder)", "--decode=\(type)", "chat.proto"], input: Self.sample)
            #expect(typed(fields, indent: "") == theirs)

            let set = folder + "/chat.pb"
            _ = try run(["--proto_path=\(folder)", "--include_imports", "--descriptor_set_out=\(set)", "chat.proto"], input: [])
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: set)))
            let described = try ProtobufSchema.load([ProtoSource(name: "chat.pb", bytes: bytes)]) { _ in nil }
            #expect(ValueTalk.decode("protobuf", Self.sample, schema: described, argument: type).json == said.json)
            #expect(described.method(at: "/im.chat.Chat/stream") != nil && described.method(at: "/im.chat.Chat/Say") != nil)
            // No end of it traps, and none is taken for the whole.
            for end in stride(from: 0, to: bytes.count, by: 7) {
                _ = try? ProtobufSchema.load([ProtoSource(name: "chat.pb", bytes: Array(bytes[..<end]))]) { _ in nil }
            }
        }
    }

    /// Fields by name as `--decode` prints them.
    private func typed(_ fields: [DecodedPayload.Value.Member], indent: String) -> String {
        fields.map { field in
            let name = String(decoding: field.name, as: UTF8.self)
            switch field.value {
            case .items(let items): return items.map { typed(name, $0.value, indent) }.joined()
            case .object(let entries) where name == "people" || name == "flags":
                return entries.map { entry in
                    let key = String(decoding: entry.name, as: UTF8.self)
                    return "\(indent)\(name) {\n\(indent)  key: \(name == "people" ? "\"\(key)\"" : key)\n"
                        + typed("value", entry.value, indent + "  ") + "\(indent)}\n"
                }.joined()
            case let value: return typed(name, value, indent)
            }
        }.joined()
    }

    private func typed(_ name: String, _ value: DecodedPayload.Value, _ indent: String) -> String {
        switch value {
        case .object(let fields): return "\(indent)\(name) {\n" + typed(fields, indent: indent + "  ") + "\(indent)}\n"
        case .text(let letters):
            let text = String(decoding: letters, as: UTF8.self)
            return "\(indent)\(name): \(name == "kind" ? text : "\"\(text)\"")\n"
        case .number(let number): return "\(indent)\(name): \(number)\n"
        case .signed(let number): return "\(indent)\(name): \(number)\n"
        case .real(let number): return "\(indent)\(name): \(number)\n"
        case .flag(let flag): return "\(indent)\(name): \(flag)\n"
        case let other:
            Issue.record("\(other)")
            return ""
        }
    }
}
