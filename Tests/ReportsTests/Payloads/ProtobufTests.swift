import Dissection
import Support
import Testing

@testable import Reports

/// Messages of Protocol Buffers, without their types and with them.
@Suite struct ProtobufTests {
    private func fields(_ digits: String) -> String {
        let said = ValueTalk.decode("protobuf", hex(digits))
        return said.payload.hasStopped ? said.json : said.line
    }

    @Test(arguments: [
        ("08 96 01", "{1: 150}"), ("0a 03 61 62 63", #"{1: "abc"}"#), ("1a 03 08 96 01", "{3: {1: 150}}"),
        ("08 ff ff ff ff ff ff ff ff ff 01", "{1: -1}"), ("0d 00 00 c0 3f", "{1: 1.5}"), ("0d 40 e2 01 00", "{1: 123456}"),
        ("09 00 00 00 00 00 00 f8 3f", "{1: 1.5}"), ("09 00 00 2a 36 fe 9c 97 17", "{1: 1700000000000000000}"), ("12 00", #"{2: ""}"#),
        ("22 06 03 8e 02 9e a7 05", "{4: <6 bytes>}"), ("22 03 03 09 1b", "{4: [3, 9, 27]}"), ("22 04 ac 02 90 03", "{4: [300, 400]}"),
        ("0a 02 c3 28", "{1: <2 bytes>}"), ("0b 08 01 0c 10 02", "{1: {1: 1}, 2: 2}"), ("0a 05 0a 03 61 62 63", #"{1: {1: "abc"}}"#),
        ("0a 04 61 31 32 33", #"{1: "a123"}"#), ("0a 09 61 31 32 33 34 35 36 37 38", #"{1: "a12345678"}"#),
        // Text with other bytes in it is bytes, and floating point is not a list of varints.
        ("0a 03 61 1b 62", "{1: <3 bytes>}"), ("0a 04 61 62 00 63", "{1: <4 bytes>}"), ("0a 04 03 00 05 07", "{1: [3, 0, 5, 7]}"),
        ("0a 10 00 00 00 00 00 00 f8 3f 00 00 00 00 00 00 00 40", "{1: [1.5, 2.0]}"), ("0a 08 00 00 c0 3f 00 00 00 40", "{1: [1.5, 2.0]}"),
        ("0a 0c 00 00 c0 3f 00 00 00 00 00 00 20 c1", "{1: [1.5, 0.0, -10.0]}"),
        ("0a 08 18 2d 44 54 fb 21 09 40", "{1: [3.141592653589793]}"), ("0a 03 05 ac 02", "{1: [5, 300]}"),
        ("08 01 08 02", "{1: 1, 1: 2}"), ("", ""),
    ])
    func `without a type the likely reading is told`(digits: String, line: String) {
        if digits.isEmpty { return #expect(ValueTalk.decode("protobuf", []).json == #"{"as":"protobuf","fields":[]}"#) }
        #expect(fields(digits) == line)
    }

    @Test func `every field knows its bytes`() throws {
        let said = ValueTalk.decode("protobuf", hex("08 96 01 1a 05 0a 03 61 62 63"))
        #expect(
            said.json
                == #"{"as":"protobuf","fields":[{"number":1,"wire":"varint","value":150},{"number":3,"wire":"len","value":[{"number":1,"wire":"len","value":"abc"}]}]}"#
        )
        guard case .items(let fields)? = said.payload.entries.first?.value, case .object(let second) = fields[1].value,
            case .items(let inner) = second[2].value, case .object(let parts) = inner[0].value
        else {
            Issue.record("\(said.json)")
            return
        }
        #expect(fields.map(\.range) == [ByteRange(0..<3), ByteRange(3..<10)])
        #expect(second[2].range == ByteRange(5..<10) && inner[0].range == ByteRange(5..<10) && parts[2].range == ByteRange(7..<10))
    }

    @Test(arguments: [
        ("08", "in the middle of a number", 1), ("08 80 80 80 80 80 80 80 80 80 80 01", "more than 10 bytes", 1),
        ("0a 05 61", "larger than what is left", 0),
        ("0d 01", "in the middle of a field", 0), ("08 01 06", "unknown wire type", 2), ("00 01", "number out of range", 0),
        ("0b 08 01", "a group does not end", 3), ("0c", "a group ends that was not begun", 0),
        ("0b 14", "a group ends that was not begun", 1),
        ("0a ff ff ff ff ff ff ff ff ff 01", "larger than what is left", 0),
    ])
    func `what cannot be read says where`(digits: String, reason: String, position: Int) {
        let json = ValueTalk.decode("protobuf", hex(digits)).json
        #expect(json.contains(reason) && json.hasSuffix("\"at\":\(position)}"), "\(json)")
    }

    @Test func `nesting and the number of fields are bounded`() {
        // Groups in groups, and messages in messages, each as long as it can be.
        #expect(ValueTalk.decode("protobuf", Array(repeating: 0x0b, count: 10_000)).json.contains("nested deeper than 100 levels"))
        var nested: [UInt8] = []
        for _ in 0..<10_000 {
            var length = nested.count
            var head: [UInt8] = [0x0a]
            while length > 0x7f {
                head.append(UInt8(length & 0x7f | 0x80))
                length >>= 7
            }
            nested = head + [UInt8(length)] + nested
        }
        let said = ValueTalk.decode("protobuf", nested)
        #expect(!said.payload.hasStopped && said.json.contains(#""$binary":"#))
        #expect(
            ValueTalk.decode("protobuf", (0..<70_000).flatMap { _ in [0x08, 0x01] as [UInt8] }).json.contains("more than 65536 values"))
        // What is text or not is looked at once a level, and then no more.
        let clock = ContinuousClock()
        let most = clock.measure { _ = ValueTalk.decode("protobuf", Array((0..<200).flatMap { _ in nested.prefix(20_000) })) }
        #expect(most < .seconds(20))
    }

    @Test func `a message is taken for protobuf only where that is nearly certain`() throws {
        let envelope = hex("08 96 01 12 05 68 65 6c 6c 6f 1a 08 0a 03 62 6f 62 10 85 4d")
        var talk = ValueTalk()
        #expect(talk.message([0x08, 0x01]) == nil)
        #expect(talk.message(envelope)?.line == #"{1: 150, 2: "hello", 3: {1: "bob", 2: 9861}}"#)
        // Where it was spoken before, less is enough.
        #expect(talk.message([0x08, 0x01])?.line == "{1: 1}")
        #expect(talk.message(envelope, opcode: 1) == nil)
        #expect(talk.message(envelope + [0x07]) == nil)
        #expect(talk.body(envelope, type: "application/octet-stream") == nil)
        #expect(talk.body(envelope, type: "application/x-protobuf")?.line == #"{1: 150, 2: "hello", 3: {1: "bob", 2: 9861}}"#)
    }

    @Test func `what is something else is not taken for protobuf`() {
        let others: [[UInt8]] = [
            Array("hello, world".utf8), Array("\n$ls -la\n".utf8), Array(#"{"a":1,"b":[true,null]}"#.utf8), Array("42[\"a\",1]".utf8),
            hex("89504e470d0a1a0a 0000000d 49484452 00000280 000001e0 08"), hex("ffd8ffe0 0010 4a46494600010100"),
            hex("78 9c 4b 4c 4a 06 00 02 4d 01 27"), hex("1f 8b 08 00 00 00 00 00 00 03 4b 4c 4a 06 00 c2 41 24 35 03 00 00 00"),
            hex("82 a1 61 01 a1 62 a5 68 65 6c 6c 6f"), hex("93 01 02 a5 68 65 6c 6c 6f"), hex("a2 61 61 01 61 62 65 68 65 6c 6c 6f"),
            hex("16 00 00 00 02 68 65 6c 6c 6f 00 06 00 00 00 77 6f 72 6c 64 00 00"),
            hex("10 0e 00 04 4d 51 54 54 04 02 00 3c 00 02 6d 65"),
            hex("00 00 00 05 08 96 01 10 01"), Array(repeating: 0, count: 64), Array(repeating: 8, count: 64),
            hex("00000018 66747970 61766966"),
        ]
        for bytes in others {
            var talk = ValueTalk()
            #expect(talk.message(bytes)?.payload.format.description != "protobuf", "\(bytes)")
        }
        // Bytes without any order.
        var numbers = SplitMix(seed: 7)
        var (claimed, text) = (0, 0)
        for round in 0..<40_000 {
            let bytes = (0..<(2 + round % 63)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            if ProtobufEvidence(bytes.rawBytes).judge(0..<bytes.count).map({ $0.points >= 14 && $0.fields > 1 }) == true { claimed += 1 }
            let letters = (0..<(2 + round % 63)).map { _ in UInt8.random(in: 0x09...0x7e, using: &numbers) }
            if Protobuf.likelihood(of: letters.rawBytes, in: PayloadContext(from: .client, opcode: 2, isCut: false)) > .no { text += 1 }
        }
        #expect(claimed <= 1 && text <= 2, "\(claimed) of random bytes, \(text) of bytes up to 0x7e")
    }
}
