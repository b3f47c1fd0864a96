import Dissection
import Testing

@testable import Reports

/// `.proto` files, and messages whose types they declare.
@Suite struct ProtobufSchemaTests {
    static let chat = """
        // A chat.
        syntax = "proto3";
        package im.chat;
        import public "google/protobuf/timestamp.proto";
        import 'common.proto';
        option java_package = "org.example"; option (custom) = { a: 1 b: { c: "}" } };
        /* What is
           sent */
        message Envelope {
          reserved 100 to max, 90; reserved "old";
          uint64 id = 1;
          string text = 2 [deprecated = true, (check) = { max: [1, 2] }];
          repeated int32 numbers = 3;
          Kind kind = 4;
          oneof body { Inner inner = 5; bytes raw = 6; }
          map<string, Inner> people = 7;
          map<int32, bool> flags = 8;
          repeated Inner all = 9;
          google.protobuf.Timestamp sent = 10;
          .common.Shared shared = 11;
          sint32 zigzag = 12; sint64 far = 13; fixed32 f32 = 14; sfixed64 sf64 = 15; double real = 16; float half = 17; bool yes = 18;
          optional Nested.Deep deep = 0x13;
          message Inner { string name = 1; Envelope again = 2; Kind kind = 3; enum Kind { A = 0; B = 1; } }
          message Nested { message Deep { int32 a = 1; } }
          string message = 20;
        }
        enum Kind { option allow_alias = true; NONE = 0; TEXT = 1; ALIAS = 1; BAD = -1 [deprecated = true]; }
        service Chat {
          option (x) = 1;
          rpc Say(Envelope) returns (stream Envelope.Inner) { option (http) = { get: "/a" }; }
          rpc stream(stream common.Shared) returns (stream .im.chat.Envelope);
        }
        extend Envelope { string more = 200; }
        """

    static func schema(_ files: [String: String], _ names: String...) throws -> ProtobufSchema {
        try ProtobufSchema.load(
            (names.isEmpty ? ["chat.proto"] : names).map { ProtoSource(name: $0, bytes: Array((files[$0] ?? "").utf8)) }
        ) {
            files[$0].map { Array($0.utf8) }
        }
    }

    static let files = ["chat.proto": chat, "common.proto": "syntax = \"proto3\"; package common; message Shared { Shared shared = 1; }"]

    private func fields(_ digits: String, _ type: String = "im.chat.Envelope") throws -> String {
        let said = ValueTalk.decode("protobuf", hex(digits), schema: try Self.schema(Self.files), argument: type)
        return String(said.json.dropFirst(#"{"as":"protobuf","type":"\#(type)","fields":"#.count).dropLast())
    }

    @Test(arguments: [
        ("08 96 01 12 02 68 69", #"{"id":150,"text":"hi"}"#), ("1a 02 01 02 18 03", #"{"numbers":[1,2,3]}"#),
        ("18 ff ff ff ff ff ff ff ff ff 01", #"{"numbers":[-1]}"#), ("20 01", #"{"kind":"TEXT"}"#), ("20 07", #"{"kind":7}"#),
        ("20 ff ff ff ff ff ff ff ff ff 01", #"{"kind":"BAD"}"#), ("2a 06 0a 02 6d 65 18 01", #"{"inner":{"name":"me","kind":"B"}}"#),
        ("32 03 01 02 03", #"{"raw":{"$binary":3}}"#),
        ("3a 09 0a 01 61 12 04 0a 02 6d 65 3a 03 0a 01 62", #"{"people":{"a":{"name":"me"},"b":{}}}"#),
        ("42 04 08 05 10 01 42 02 10 01", #"{"flags":{"5":true,"0":true}}"#), ("4a 03 0a 01 61 4a 00", #"{"all":[{"name":"a"},{}]}"#),
        ("52 06 08 80 a8 a8 aa 06", #"{"sent":{"seconds":1699353600}}"#), ("5a 02 0a 00", #"{"shared":{"shared":{}}}"#),
        ("60 01 68 03", #"{"zigzag":-1,"far":-2}"#), ("75 01 00 00 00 79 ff ff ff ff ff ff ff ff", #"{"f32":1,"sf64":-1}"#),
        ("81 01 00 00 00 00 00 00 f8 3f 8d 01 cd cc cc 3d 90 01 01", #"{"real":1.5,"half":0.1,"yes":true}"#),
        ("9a 01 02 08 05 a2 01 01 78", #"{"deep":{"a":5},"message":"x"}"#), ("08 01 08 02", #"{"id":1,"id":2}"#),
        ("f8 05 05", #"{"95":5}"#), ("0a 02 68 69", #"{"1":"hi"}"#), ("12 01 ff", #"{"text":{"$binary":1}}"#), ("", "{}"),
        ("fb 05 08 01 fc 05", #"{"95":[{"number":1,"wire":"varint","value":1}]}"#),
    ])
    func `fields have their names`(digits: String, json: String) throws { #expect(try fields(digits) == json) }

    @Test func `what cannot be read of a type says where, and what came before stays`() throws {
        #expect(try fields("08 01 12 05 68") == #"{"id":1},"error":"a length is larger than what is left","at":2"#)
        #expect(try fields("2a 03 0a 05 61") == #"{"inner":{}},"error":"a length is larger than what is left","at":2"#)
        #expect(try fields("1a 01 80") == #"{"numbers":[]},"error":"it ends in the middle of a number","at":2"#)
        // Inner and Envelope in turn.
        var nested: [UInt8] = []
        for level in 0..<300 {
            let length = nested.count
            nested = [level % 2 == 0 ? 0x12 : 0x2a, UInt8(length & 0x7f | 0x80), UInt8(length >> 7)] + nested
        }
        let deep = ValueTalk.decode("protobuf", nested, schema: try Self.schema(Self.files), argument: "im.chat.Envelope")
        #expect(deep.json.contains("nested deeper than 100 levels"))
    }

    @Test func `rules, content types and methods name the type`() throws {
        let schema = try Self.schema(Self.files)
        let table = try PayloadTable.standard.with(
            rules: ["path=/ws,from=client=protobuf:im.chat.Envelope", "path=/ws=protobuf"], schema: schema)
        var talk = ValueTalk(table)
        talk.upgrade("/ws")
        #expect(talk.message([8, 5])?.line == "im.chat.Envelope {id: 5}")
        #expect(talk.message([8, 5], from: .server)?.line == "{1: 5}")
        #expect(
            talk.body([8, 5], type: "application/vnd.google.protobuf; proto=im.chat.Envelope; encoding=raw")?.line
                == "im.chat.Envelope {id: 5}")
        #expect(talk.body([8, 5], type: "application/x-protobuf; messageType=\"no.Such\"")?.line == "{1: 5}")
        let call: [UInt8] = [0, 0, 0, 0, 2, 8, 5]
        #expect(
            talk.body(call, type: "application/grpc-web+proto", target: "/im.chat.Chat/Say")?.line
                == "im.chat.Chat/Say  im.chat.Envelope {id: 5}")
        let answer: [UInt8] = [0, 0, 0, 0, 4, 10, 2, 0x6d, 0x65]
        #expect(
            talk.body(answer, type: "application/grpc-web+proto", target: "/im.chat.Chat/Say", from: .server)?.line
                == #"im.chat.Chat/Say  im.chat.Envelope.Inner {name: "me"}"#)
        for (rule, reason) in [
            ("*=protobuf:im.chat.Envelop", "did you mean im.chat.Envelope?"), ("*=protobuf:x", "--proto has no message type x"),
        ] {
            let error = #expect(throws: PayloadRuleError.self) { try PayloadTable.standard.with(rules: [rule], schema: schema) }
            #expect(error?.reason.contains(reason) == true)
        }
        let error = #expect(throws: PayloadRuleError.self) { try PayloadTable.standard.with(rules: ["*=protobuf:a.B"]) }
        #expect(error?.reason.contains("needs --proto") == true)
    }

    /// What a type of `any.proto` costs: how many fields are looked at for the types of bytes in others.
    private func looks(_ bytes: [UInt8], _ schema: ProtobufSchema, _ type: String, _ bindings: [FieldBinding] = []) throws -> Int {
        let index = try #require(schema.message(named: type))
        var typed = ProtobufTyped(bytes.rawBytes, schema, bindings)
        _ = typed.message(index, in: 0..<bytes.count)
        return typed.looks
    }

    @Test func `bytes whose type another field says cost as much as there are fields`() throws {
        let schema = try Self.schema(Self.files)
        let file = "syntax = \"proto3\"; message E { int32 type = 1; bytes content = 2; message L { } }"
        let other = try Self.schema(["e.proto": file], "e.proto")
        let bindings = [
            try other.binding(field: "E.content", where: "type:1", to: "E.L"),
            try other.binding(field: "E.content", where: "type:2", to: "E.L"),
        ]
        let any = try Self.schema(["a.proto": "syntax = \"proto3\"; import \"google/protobuf/any.proto\";"], "a.proto")
        for count in [1_000, 2_000] {
            let bytes = (0..<count).flatMap { _ in [0x12, 0] as [UInt8] }
            #expect(try looks(bytes, any, "google.protobuf.Any") == count)
            #expect(try looks(bytes, other, "E", bindings) == 2 * count)
            #expect(try looks(bytes, schema, "im.chat.Envelope") == 0)
        }
        // The last of each counts, for all.
        let said = ValueTalk.decode(
            "protobuf", hex("12 02 08 01 0a 03 78 2f 45 12 02 08 02"),
            schema: try Self.schema(
                ["a.proto": "syntax = \"proto3\"; import \"google/protobuf/any.proto\"; message E { int32 a = 1; }"], "a.proto"),
            argument: "google.protobuf.Any")
        #expect(
            said.line
                == #"google.protobuf.Any {value: {type: "E", fields: {a: 1}}, type_url: "x/E", value: {type: "E", fields: {a: 2}}}"#)
    }

    @Test func `editions say how a message stands in a field, and who may use a type`() throws {
        let file = """
            edition = "2024"; export message M { N n = 1 [features.message_encoding = DELIMITED]; int32 a = 2; local message L { int32 x = 1; }
            L l = 3; local local = 4; export enum Q { Z = 0; Y = 1; } Q q = 5; message local { } }
            message N { string s = 1; int32 q = 2; M m = 3 [(opt) = { a: 1; b: "};" }]; } local enum E { A = 0; }
            """
        let schema = try Self.schema(["m.proto": file], "m.proto")
        func line(_ digits: String) -> String { ValueTalk.decode("protobuf", hex(digits), schema: schema, argument: "M").line }
        #expect(line("0b 0a 02 68 69 10 05 0c 10 07") == #"M {n: {s: "hi", q: 5}, a: 7}"#)
        // As a message all the same.
        #expect(line("0a 04 0a 02 68 69 1a 02 08 01 28 01") == #"M {n: {s: "hi"}, l: {x: 1}, q: "Y"}"#)
        // A group in a message in a group.
        #expect(line("0b 1a 04 0b 10 05 0c 0c 10 07") == "M {n: {m: {n: {q: 5}}}, a: 7}")
        #expect(throws: ProtoError.self) { try Self.schema(["m.proto": "edition = \"2024\"; export service S { }"], "m.proto") }
        #expect(throws: ProtoError.self) { try Self.schema(["m.proto": "message M { int32 a = 1 [b = 1; c = 2]; }"], "m.proto") }
    }

    @Test func `proto2 has groups and required fields`() throws {
        let file = """
            syntax = "proto2"; message A { required int32 a = 1 [default = -5]; optional group Point = 2 { optional int32 x = 1; }
            repeated group Many = 3 { } extensions 100 to 199; optional string s = 4 [default = "a\\"b"]; extend A { optional group G = 100 { } } }
            """
        let schema = try Self.schema(["a.proto": file], "a.proto")
        #expect(
            ValueTalk.decode("protobuf", hex("08 01 13 08 02 14 1b 1c 1b 1c"), schema: schema, argument: "A").line
                == "A {a: 1, point: {x: 2}, many: [{}, {}]}")
        #expect(ValueTalk.decode("protobuf", hex("13 08 02"), schema: schema, argument: "A").json.contains("a group does not end"))
    }

    @Test(arguments: [
        ("message A { Strin a = 1; } message String {}", "a.proto:1:13: Strin is not declared; did you mean String?"),
        ("message A {\n  int32 a = 0; }", "a.proto:2:13: \"0\" is not a field number"),
        ("message A {\n\tint32 a = 19500; }", "a.proto:2:12: the field numbers 19000 to 19999 are reserved"),
        ("message A { int32 a = 1; int32 b = 1; }", "a.proto:1:32: A has the field number 1 twice: a and b"),
        ("message A {} message A {}", "a.proto:1:22: A is declared already, in a.proto"),
        ("message A {", "a.proto:1:12: expected }, found the end of the file"),
        ("message A { int32 a 1; }", "a.proto:1:21: expected =, found \"1\""),
        ("import \"b.proto\";", "a.proto:1:8: b.proto was not found; --proto-path names the folder that imports start from"),
        ("import \"c.proto\";", "c.proto:1:8: a.proto imports itself: a.proto → c.proto → a.proto"),
        ("import \"a.proto\";", "a.proto:1:8: a.proto imports itself: a.proto → a.proto"),
        ("/* no end", "a.proto:1:1: a comment does not end"), ("option a = \"x\n\";", "a.proto:1:12: a string does not end"),
        ("syntax = \"proto4\";", "a.proto:1:10: the syntax is neither proto2 nor proto3"),
        ("hello", "a.proto:1:1: expected message, enum, service or import, found \"hello\""),
        ("message A { map<bytes, int32> a = 1; }", "a.proto:1:17: \"bytes\" cannot be the key of a map"),
        ("service S { rpc A(B) returns (B); }", "a.proto:1:19: B is not declared"),
        ("enum E { A = 0; } service S { rpc A(E) returns (E); }", "a.proto:1:37: E is not a message type"),
        ("enum E { A = 99999999999; }", "a.proto:1:14: \"99999999999\" is not the number of an enumerator"),
        ("message A { int32 ä = 1; }", "a.proto:1:19: an unexpected character"), ("message ü {}", "a.proto:1:9: an unexpected character"),
        ("package a; message A { b.C c = 1; } ", "a.proto:1:24: b.C is not declared"),
        ("option a", "a.proto:1:9: expected ;, found the end of the file"),
        (String(repeating: "message A {", count: 10_000), "a.proto:1:1111: messages are nested deeper than 100 levels"),
    ])
    func `a mistake has its line and column`(text: String, words: String) {
        let files = ["a.proto": text, "c.proto": "import \"a.proto\";"]
        let error = #expect(throws: ProtoError.self) { try Self.schema(files, "a.proto") }
        #expect(error?.description == words)
    }

    @Test func `names are found from the inside out`() throws {
        let files = [
            "a.proto": """
            package x.y; message T { int32 outer = 1; }
            message A { message T { int32 inner = 1; } T a = 1; .x.y.T b = 2; y.T c = 3; x.y.T d = 4; A.T e = 5; }
            """
        ]
        let schema = try Self.schema(files, "a.proto")
        let line = ValueTalk.decode(
            "protobuf", hex("0a 02 08 01 12 02 08 01 1a 02 08 01 22 02 08 01 2a 02 08 01"), schema: schema, argument: "x.y.A"
        ).line
        #expect(line == "x.y.A {a: {inner: 1}, b: {outer: 1}, c: {outer: 1}, d: {outer: 1}, e: {inner: 1}}")
    }

    @Test func `a file that is given and imported counts once`() throws {
        #expect(try Self.schema(Self.files, "common.proto", "chat.proto").messageNames.filter { $0 == "common.Shared" }.count == 1)
        #expect(throws: ProtoError.self) { try Self.schema(["a.pb": "not a descriptor set"], "a.pb") }
        #expect(throws: ProtoError.self) { try Self.schema(["a.pb": ""], "a.pb") }
    }
}
