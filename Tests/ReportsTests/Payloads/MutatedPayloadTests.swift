import Dissection
import Support
import Testing

@testable import Reports

/// Payloads that are cut, changed and mixed: no format traps, and what it says is one line of valid JSON.
@Suite struct MutatedPayloadTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let format: String
        var type = ""
        let bytes: [UInt8]
        var testDescription: String { format }
    }

    static let samples = [
        Sample(
            format: "compression",
            bytes: hex(
                "1f8b0800000000000203ab56ca2f50b232d0512a51b2520a727574895402b2f3b353f380fc62e3e4a2d492b2c49cd254a55a00cfb483f82a000000"
            )),
        Sample(
            format: "msgpack",
            bytes: hex(
                "85 a1 61 93 01 ca 3d cc cc cd c4 02 01 02 a1 62 d7 ff 00 00 00 04 00 00 00 01 a1 63 dc 00 02 c0 c3 05 db 00 00 00 01 78 a1 64 de 00 00"
            )),
        Sample(
            format: "cbor",
            bytes: hex(
                "bf 61 61 9f 01 82 02 f9 3c 00 ff 61 62 5f 41 01 42 02 03 ff 61 63 c1 fb 3f f8 00 00 00 00 00 00 61 64 a1 05 7f 61 61 ff ff"
            )),
        Sample(
            format: "bson",
            bytes: hex(
                "3a 00 00 00 01 64 00 00 00 00 00 00 00 f8 3f 03 6f 00 0f 00 00 00 02 73 00 02 00 00 00 78 00 00 04 61 00 0c 00 00 00 10 30 00 01 00 00 00 00 0b 72 00 61 00 69 00 08 74 00 01 00"
            )),
        Sample(
            format: "protobuf",
            bytes: hex(
                "08 96 01 12 02 68 69 1a 03 01 ac 02 2a 06 0a 02 6d 65 18 01 3a 09 0a 01 61 12 04 0a 02 6d 65 0b 08 01 0c 75 01 00 00 00 79 ff ff ff ff ff ff ff ff f8 05 05"
            )),
        Sample(
            format: "grpc", type: "application/grpc-web",
            bytes: hex("00 00000005 0a 03 6d 65 21 01 00000001 00 80 0000000f") + Array("grpc-status: 5\n".utf8)),
        Sample(format: "grpc", type: "application/grpc-web-text", bytes: Array("AAAAAAUKA21lIQ==AAAAAAUKA21lIQ==".utf8)),
        Sample(format: "form", type: "application/x-www-form-urlencoded", bytes: Array("a=1&b=x+y%20%C3%BC&a=&c&&%zz=%4".utf8)),
        Sample(
            format: "multipart", type: "multipart/form-data; boundary=b",
            bytes: Array("--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"x\\\"y\"\r\n\r\nme\r\n--b\r\n\r\n\r\n--b--".utf8)),
        Sample(
            format: "xml", type: "text/xml",
            bytes: Array(
                "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e ''>]><a b=\"&lt;\"><!-- - --><![CDATA[x]]><b>&#10;</b><?p?></a>".utf8)),
        Sample(
            format: "image", type: "image/jpeg",
            bytes: hex("ffd8ffe0 0010 4a46494600010100000100010000 ffc4 0003 00 ffc2 0011 08 01e0 0280 03")),
        Sample(
            format: "image", type: "image/webp", bytes: hex("52494646 24000000 57454250 5650384c 18000000 2f 7fc27700 000000000000000000")),
        Sample(format: "image", type: "image/svg+xml", bytes: Array("<svg width=\"16px\" height='24.6'/>".utf8)),
    ]

    private func check(_ sample: Sample, _ bytes: [UInt8], _ schema: ProtobufSchema) {
        guard let row = PayloadTable.standard.rows.first(where: { $0.name.description == sample.format }) else { return }
        for typed in [false, true] where !typed || sample.format == "protobuf" {
            var context = PayloadContext(from: .client, opcode: 2, isCut: false)
            if !sample.type.isEmpty { context.carrier = .body }
            context.contentType = Array(sample.type.utf8)
            if typed {
                context.schema = schema
                context.argument = Array("im.chat.Envelope".utf8)
            }
            var memory = PayloadMemory()
            var decoded = DecodedPayload(format: row.name)
            _ = row.format.likelihood(of: bytes.rawBytes, in: context)
            row.format.decode(bytes.rawBytes, in: context, memory: &memory, into: &decoded)
            let json = ValueTalk.Said(decoded).json
            var reader = JSONReader(Array(json.utf8).rawBytes)
            #expect((try? reader.whole()) != nil && json.utf8.allSatisfy { $0 >= 0x20 }, "\(json)")
            for node in decoded.nodes where !node.isInside(bytes.count) { Issue.record("\(json): \(node.path) lies outside") }
            if case .number(let position)? = decoded.entries.last(where: { $0.key.elementsEqual("at".utf8) })?.value, decoded.hasStopped {
                #expect(position <= UInt64(bytes.count), "\(json)")
            }
        }
    }

    @Test(arguments: samples)
    func `cut at each byte`(sample: Sample) throws {
        let schema = try ProtobufSchemaTests.schema(ProtobufSchemaTests.files)
        for end in 0...sample.bytes.count { check(sample, Array(sample.bytes[..<end]), schema) }
    }

    @Test(arguments: samples)
    func `changed at random`(sample: Sample) throws {
        let schema = try ProtobufSchemaTests.schema(ProtobufSchemaTests.files)
        var numbers = SplitMix(seed: UInt64(sample.bytes.count))
        for _ in 0..<3_000 {
            var bytes = sample.bytes
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0..<max(1, bytes.count), using: &numbers)
                switch Int.random(in: 0..<5, using: &numbers) {
                case 0: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: min(place, bytes.count))
                case 1 where !bytes.isEmpty: bytes.remove(at: place)
                case 2 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
                case 3 where !bytes.isEmpty: bytes[place] = [0, 0x7f, 0x80, 0xff].randomElement(using: &numbers) ?? 0
                case _: bytes += bytes.suffix(place % 16)
                }
            }
            check(sample, bytes, schema)
        }
    }

    @Test func `proto files are changed at random`() {
        let letters = Array("{}[]<>();=.,\"'/*0 1a\n\u{e4}".utf8)
        var numbers = SplitMix(seed: 3)
        for _ in 0..<2_000 {
            var bytes = Array(ProtobufSchemaTests.chat.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: bytes.remove(at: place)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 30))
                case _: bytes.insert(letters.randomElement(using: &numbers) ?? 0, at: place)
                }
            }
            _ = try? ProtobufSchema.load([ProtoSource(name: "chat.proto", bytes: bytes)]) {
                Array((ProtobufSchemaTests.files[$0] ?? "").utf8)
            }
        }
    }
}
