import Dissection
import Testing

@testable import Reports

/// MessagePack, CBOR and BSON: values that describe themselves.
@Suite struct ValueFormatTests {
    private func value(_ format: String, _ digits: String) -> String {
        let json = ValueTalk.decode(format, hex(digits)).json
        return String(json.dropFirst("{\"as\":\"\(format)\",".count).dropLast())
    }

    @Test(arguments: [
        ("00", "0"), ("7f", "127"), ("ff", "-1"), ("e0", "-32"), ("c0", "null"), ("c2", "false"), ("c3", "true"), ("cc ff", "255"),
        ("cd 01 00", "256"), ("ce ff ff ff ff", "4294967295"), ("cf ff ff ff ff ff ff ff ff", "18446744073709551615"), ("d0 80", "-128"),
        ("d1 80 00", "-32768"), ("d2 80 00 00 00", "-2147483648"), ("d3 80 00 00 00 00 00 00 00", "-9223372036854775808"),
        ("ca 3d cc cc cd", "0.1"), ("cb 3f f8 00 00 00 00 00 00", "1.5"), ("cb 7f f0 00 00 00 00 00 00", "\"inf\""), ("a2 68 69", "\"hi\""),
        ("d9 01 61", "\"a\""), ("a1 ff", #"{"$binary":1}"#), ("c4 03 01 02 03", #"{"$binary":3}"#), ("93 01 a1 61 90", #"[1,"a",[]]"#),
        ("82 a1 61 01 a1 61 02", #"{"a":1,"a":2}"#), ("81 05 c3", #"{"5":true}"#), ("81 92 01 02 c0", #"{"[1, 2]":null}"#),
        ("d4 07 ff", #"{"$type":7,"$binary":1}"#), ("d6 ff 65 53 f1 00", #"{"$time":1700000000}"#),
        ("d7 ff 00 00 00 04 00 00 00 01", #"{"$time":1.000000001}"#), ("c7 02 05 01 02", #"{"$type":5,"$binary":2}"#),
        ("dc 00 01 01", "[1]"), ("df 00 00 00 01 a1 61 01", #"{"a":1}"#),
    ])
    func `MessagePack`(digits: String, json: String) { #expect(value("msgpack", digits) == "\"value\":" + json) }

    @Test(arguments: [
        // RFC 8949, appendix A.
        ("00", "0"), ("17", "23"), ("18 18", "24"), ("1b 00 00 00 e8 d4 a5 10 00", "1000000000000"),
        ("1b ff ff ff ff ff ff ff ff", "18446744073709551615"), ("3b ff ff ff ff ff ff ff ff", "-18446744073709551616"), ("20", "-1"),
        ("38 63", "-100"), ("3b 80 00 00 00 00 00 00 00", "-9223372036854775809"), ("f9 00 00", "0.0"), ("f9 3c 00", "1.0"),
        ("f9 3e 00", "1.5"), ("f9 7b ff", "65504.0"), ("fa 47 c3 50 00", "100000.0"), ("f9 00 01", "5.960464477539063e-08"),
        ("f9 c4 00", "-4.0"),
        ("fb c0 10 66 66 66 66 66 66", "-4.1"), ("f9 7c 00", "\"inf\""), ("f9 7e 00", "\"nan\""), ("f4", "false"), ("f6", "null"),
        ("f7", #"{"$undefined":true}"#), ("f8 ff", #"{"$simple":255}"#), ("f0", #"{"$simple":16}"#),
        ("c1 1a 51 4b 67 b0", #"{"$tag":1,"value":1363896240}"#), ("d9 d9 f7 01", "1"), ("44 01 02 03 04", #"{"$binary":4}"#),
        ("62 c3 bc", "\"ü\""), ("a3 01 02 03 04 01 05", #"{"1":2,"3":4,"1":5}"#), ("5f 42 01 02 43 03 04 05 ff", #"{"$binary":5}"#),
        ("7f 65 73 74 72 65 61 64 6d 69 6e 67 ff", "\"streaming\""), ("9f ff", "[]"),
        ("9f 01 82 02 03 04 05 9f 06 ff ff", "[1,[2,3],4,5,[6]]"),
        ("bf 61 61 01 61 62 9f 02 03 ff ff", #"{"a":1,"b":[2,3]}"#),
    ])
    func `CBOR`(digits: String, json: String) { #expect(value("cbor", digits) == "\"value\":" + json) }

    @Test(arguments: [
        ("msgpack", "81 a1 61 01", #"{"as":"msgpack","value":{"a":1}}"#), ("v1.msgpack", "01", #"{"as":"msgpack","value":1}"#),
        ("Chat-MsgPack", "c3", #"{"as":"msgpack","value":true}"#), ("cbor", "a1 61 61 01", #"{"as":"cbor","value":{"a":1}}"#),
        ("foo+cbor", "f5", #"{"as":"cbor","value":true}"#), ("json", "7b 7d", #"{"as":"json"}"#), ("v2.json", "31", #"{"as":"json"}"#),
        ("protobuf", "08 01", #"{"as":"protobuf","fields":[{"number":1,"wire":"varint","value":1}]}"#),
        ("chat.protobuf", "08 01", #"{"as":"protobuf","fields":[{"number":1,"wire":"varint","value":1}]}"#),
    ]) func `the subprotocol says how the first binary message is encoded`(subprotocol: String, digits: String, json: String) {
        var talk = ValueTalk()
        talk.upgrade(subprotocol: subprotocol)
        #expect(talk.message(hex(digits))?.json == json)
        // Text says what it is by itself, and so does what other conversations say.
        #expect(talk.message(hex(digits), opcode: 1)?.json == (digits == "7b 7d" ? json : nil))
        var other = ValueTalk()
        other.upgrade()
        #expect(other.message(hex(digits)) == nil)
    }

    @Test(arguments: [
        ("msgpack", "c1 00"), ("msgpack", "92 01"), ("cbor", "a1 61"), ("json", "7b"), ("json", "ff fe"), ("protobuf", "0a 09 01"),
        ("notcbor", "a1 61 61 01"), ("msgpacks", "81 a1 61 01"), ("msgpack.v1", "81 a1 61 01"), ("xjson", "7b 7d"),
    ]) func `what cannot be read so, and what other names stand for, is shown as before`(subprotocol: String, digits: String) {
        var talk = ValueTalk()
        talk.upgrade(subprotocol: subprotocol)
        #expect(talk.message(hex(digits)) == nil)
    }

    @Test func `an encoding that a subprotocol names gives way to a protocol, and to what the bytes are`() {
        var wamp = ValueTalk()
        wamp.upgrade(subprotocol: "wamp.2.msgpack")
        // [6, {}, "x"]
        #expect(wamp.message(hex("93 06 80 a1 78"))?.json.hasPrefix(#"{"as":"wamp","type":"GOODBYE""#) == true)
        // The first bytes of a picture can hardly be anything else.
        var talk = ValueTalk()
        talk.upgrade(subprotocol: "msgpack")
        let picture = hex("89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 00 00 00 01 00 00 00 02 08 06 00 00 00")
        #expect(talk.message(picture)?.json.hasPrefix(#"{"as":"image","type":"png""#) == true)
    }

    @Test func `BSON`() {
        #expect(value("bson", "16 00 00 00 02 68 65 6c 6c 6f 00 06 00 00 00 77 6f 72 6c 64 00 00") == #""value":{"hello":"world"}"#)
        let all = """
            01 64 00 00 00 00 00 00 00 f8 3f 08 74 00 01 0a 6e 00 10 69 00 ff ff ff ff 12 6c 00 00 00 00 00 00 00 00 80
            05 62 00 02 00 00 00 00 01 02 07 6f 00 00 01 02 03 04 05 06 07 08 09 0a ff 09 77 00 e8 03 00 00 00 00 00 00
            0b 72 00 61 2b 00 69 00 11 73 00 01 00 00 00 02 00 00 00 ff 6b 00 7f 78 00
            04 61 00 13 00 00 00 10 30 00 01 00 00 00 10 31 00 02 00 00 00 00
            """
        let document = hex(all)
        let length = UInt8(document.count + 5)
        let said = ValueTalk.decode("bson", [length, 0, 0, 0] + document + [0])
        #expect(
            said.json
                == #"{"as":"bson","value":{"d":1.5,"t":true,"n":null,"i":-1,"l":-9223372036854775808,"b":{"$binary":2,"$type":0},"#
                + #""o":{"$oid":"000102030405060708090aff"},"w":{"$date":1000},"r":{"$regex":"a+","$options":"i"},"#
                + #""s":{"$timestamp":{"t":2,"i":1}},"k":{"$minKey":1},"x":{"$maxKey":1},"a":[1,2]}}"#)
        // People see how many bytes there are, as everywhere.
        #expect(ValueTalk.decode("bson", hex("0f 00 00 00 05 62 00 02 00 00 00 00 01 02 00")).line == "{b: <2 bytes>}")
        #expect(ValueTalk.decode("bson", hex("0e 00 00 00 05 62 00 01 00 00 00 04 01 00")).line == "{b: <1 byte> of type 4}")
    }

    @Test func `several values stand beside each other, each with its bytes`() throws {
        #expect(value("msgpack", "01 a1 61 c0") == #""values":[1,"a",null]"#)
        #expect(value("cbor", "01 61 61 f6") == #""values":[1,"a",null]"#)
        let said = ValueTalk.decode("msgpack", hex("82 a1 61 cd 01 00 a1 62 92 01 a1 63"))
        let entry = try #require(said.payload.entries.first)
        #expect(entry.range == ByteRange(0..<12))
        guard case .object(let members) = entry.value, case .items(let items) = members[1].value else {
            Issue.record("\(said.json)")
            return
        }
        #expect(members.map(\.range) == [ByteRange(3..<6), ByteRange(8..<12)])
        #expect(items.map(\.range) == [ByteRange(9..<10), ByteRange(10..<12)])
    }

    @Test func `they are recognised by content type alone`() {
        var talk = ValueTalk()
        #expect(talk.body([0x93, 1, 2, 3], type: "application/msgpack")?.line == "[1, 2, 3]")
        #expect(talk.body([0x93, 1, 2, 3], type: "application/vnd.example+msgpack", from: .server) != nil)
        #expect(talk.body([0xa3, 1, 2, 3, 4, 5, 6], type: "Application/CBOR; x=y")?.line == "{1: 2, 3: 4, 5: 6}")
        #expect(talk.body([5, 0, 0, 0, 0], type: "application/bson")?.json == #"{"as":"bson","value":{}}"#)
        for type in ["application/octet-stream", "text/plain", "application/msgpacked", ""] {
            #expect(talk.body([0x93, 1, 2, 3], type: type) == nil, "\(type)")
        }
        #expect(talk.message([0x93, 1, 2, 3]) == nil)
    }

    @Test(arguments: [
        ("msgpack", "c1", "stands for nothing", 0), ("msgpack", "92 01", "ends in the middle", 2),
        ("msgpack", "dd ff ff ff ff 00", "ends in the middle", 6),
        ("msgpack", "df ff ff ff ff 00", "ends in the middle", 6), ("msgpack", "db ff ff ff ff 61", "larger than what is left", 0),
        ("msgpack", "93 01 a5 61", "larger than what is left", 2), ("msgpack", "c7 ff", "ends in the middle", 2),
        ("cbor", "1c", "reserved", 0), ("cbor", "ff", "a break stands", 0), ("cbor", "9b ff ff ff ff ff ff ff ff", "ends in the middle", 9),
        ("cbor", "bb ff ff ff ff ff ff ff ff", "ends in the middle", 9),
        ("cbor", "7b ff ff ff ff ff ff ff ff 61", "larger than what is left", 0),
        ("cbor", "5f 61 61 ff", "a piece of another type", 1), ("cbor", "5f 41", "larger than what is left", 1),
        ("cbor", "9f 01", "ends in the middle", 2),
        ("cbor", "f8 10", "below 32", 0), ("cbor", "c1", "ends in the middle", 1),
        ("bson", "05 00 00 00 01", "does not end with a zero byte", 4), ("bson", "04 00 00 00", "the length of a document is wrong", 0),
        ("bson", "ff ff ff ff 00", "the length of a document is wrong", 0), ("bson", "08 00 00 00 77 61 00 00", "an unknown type", 4),
        ("bson", "0c 00 00 00 02 61 00 ff ff ff 7f 00", "larger than what is left", 11),
        ("bson", "09 00 00 00 08 61 00 07 00", "neither 0 nor 1", 7),
        ("bson", "08 00 00 00 0a 61 61 00", "a name does not end", 5), ("bson", "05 00", "ends in the middle", 0),
    ])
    func `what cannot be read says where`(format: String, digits: String, reason: String, position: Int) {
        let json = ValueTalk.decode(format, hex(digits)).json
        #expect(json.contains(reason) && json.hasSuffix("\"at\":\(position)}"), "\(json)")
    }

    @Test func `what was read before stays`() {
        #expect(value("msgpack", "93 01 02 c1").hasPrefix(#""value":[1,2],"error":"#))
        #expect(value("cbor", "a2 61 61 01 61 62 ff").hasPrefix(#""value":{"a":1},"error":"#))
    }

    @Test(arguments: ["msgpack", "cbor", "bson"])
    func `nesting and the number of values are bounded`(format: String) {
        let deep: [UInt8]
        switch format {
        case "msgpack": deep = Array(repeating: 0x91, count: 10_000)
        case "cbor": deep = Array(repeating: 0x81, count: 10_000)
        case _:
            // Each document holds the next: its length, type 3 and an empty name.
            let lengths = (0..<10_000).map { UInt32(80_005 - 7 * $0) }
            deep =
                lengths.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8), UInt8($0 >> 16), 0, 3, 0] }
                + Array(repeating: 0, count: 20_005)
        }
        #expect(ValueTalk.decode(format, deep).json.contains("nested deeper than 100 levels"))
        let many: [UInt8]
        switch format {
        case "bson":
            let elements = Array(repeating: [0x0a, 0x61, 0x00] as [UInt8], count: 70_000).flatMap { $0 }
            let length = UInt32(elements.count + 5)
            many = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) } + elements + [0]
        case _: many = Array(repeating: 0x01, count: 70_000)
        }
        let said = ValueTalk.decode(format, many)
        #expect(said.json.contains("it has more than 65536 values"))
        #expect(said.line.utf8.count < 600)
    }
}
