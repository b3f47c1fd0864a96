import Dissection
import Testing

@testable import Reports

/// Fields whose names only a schema has: what is hidden where the user gave it.
@Suite("Secrets in fields of protobuf") struct SecretFieldsTests {
    private static let proto = """
        syntax = "proto3";
        message Login {
          string user = 1; string password = 2; bytes api_key = 3; uint64 pin = 4; fixed32 session_id = 5; double otp = 6; bool auth = 7;
          Credentials credentials = 8; repeated uint32 tokens_seen = 9; repeated uint32 mfa_code = 10; repeated fixed32 cvv = 11;
          map<string, string> secrets = 12; Kind totp = 13; Login again = 14;
        }
        message Credentials { string name = 1; uint32 number = 2; }
        enum Kind { NONE = 0; SOME = 300; }
        """

    private static func plan(_ rules: [String] = ["*=protobuf:Login"]) throws -> RedactionPlan {
        let schema = try ProtobufSchemaTests.schema(["chat.proto": proto])
        var plan = Redacted.plan
        plan.payloads = try PayloadTable.standard.with(rules: rules, schema: schema)
        return plan
    }

    /// A WebSocket message of the client, as the outputs see it.
    private static func left(of bytes: [UInt8], length: UInt64? = nil, _ plan: RedactionPlan) -> (bytes: [UInt8], places: UInt32) {
        let redactor = Redactor(plan)
        var left: (bytes: [UInt8], places: UInt32) = ([], 0)
        let length = length ?? UInt64(bytes.count)
        let message = Message(opcode: 2, length: length, wireLength: length, fragments: 1, compressed: false)
        let event = ConversationEvent(
            conversation: 1, from: .client, place: Place(), offset: 0, fact: .message(message), content: bytes.rawBytes)
        redactor.take(event) { left = ($0.content.copy, $0.redaction.places) }
        return left
    }

    @Test(
        "the value of a field with a secret name is overwritten, and the message can still be read",
        arguments: [
            ("0a 01 61 12 03 70 77 31", "0a 01 61 12 03 78 78 78", 1), ("1a 02 01 ff", "1a 02 78 78", 1),
            // Numbers become 0 in as many bytes.
            ("20 d2 09", "20 80 00", 1), ("2d 01 02 03 04", "2d 00 00 00 00", 1),
            ("31 01 02 03 04 05 06 07 08", "31 00 00 00 00 00 00 00 00", 1), ("68 ac 02", "68 80 00", 1),
            // True and false are no secrets, nor is 0 or what has another name.
            ("38 01", "38 01", 0), ("20 00", "20 00", 0), ("4a 02 01 02", "4a 02 01 02", 0),
            // All of a message, a list and a map.
            ("42 05 0a 01 61 10 07", "42 05 0a 01 78 10 00", 2), ("52 03 01 d2 09", "52 03 00 80 00", 2),
            ("5a 08 01 00 00 00 02 00 00 00", "5a 08 00 00 00 00 00 00 00 00", 2),
            ("62 06 0a 01 61 12 01 62", "62 06 0a 01 61 12 01 78", 1),
            ("72 05 12 03 70 77 31", "72 05 12 03 78 78 78", 1),
        ])
    func overwritten(message: String, left: String, places: UInt32) throws {
        let told = Self.left(of: hex(message), try Self.plan())
        #expect(told.bytes == hex(left) && told.places == places, "\(told)")
        // What was hidden is no secret any more.
        #expect(Self.left(of: told.bytes, try Self.plan()).places == 0)
    }

    @Test("without the user's word for it a name that is not in the bytes is not known")
    func noSchema() {
        let bytes = hex("0a 01 61 12 03 70 77 31")
        #expect(Self.left(of: bytes, Redacted.plan).bytes == bytes)
    }

    @Test("of a message that is cut nothing is left; of one that is damaged what could be read")
    func cut() throws {
        let bytes = hex("0a 01 61 12 0a 70 77 31")
        #expect(Self.left(of: bytes, length: 100, try Self.plan()).bytes == hex("78 78 78 78 78 78 78 78"))
        #expect(Self.left(of: bytes, try Self.plan()).bytes == hex("0a 01 61 78 78 78 78 78"))
    }

    @Test("nothing is left of MessagePack, CBOR and BSON that are cut", arguments: ["msgpack", "cbor", "bson"])
    func cutFormats(name: String) throws {
        let whole = [
            "msgpack": [0x81, 0xa6] + "secret".bytes + [0x81, 0xa1, 0x61, 0xa3] + "pw1".bytes,
            "cbor": [0xa1, 0x66] + "secret".bytes + [0xa1, 0x61, 0x61, 0x63] + "pw1".bytes,
            "bson": hex("25 00 00 00 03 63 72 65 64 65 6e 74 69 61 6c 73 00 13 00 00 00 02 75 73 65 72 00 04 00 00 00 70 77 31 00 00"),
        ]
        let bytes = Array(try #require(whole[name]).dropLast())
        #expect(!Self.left(of: bytes, length: 100, try Self.plan(["*=\(name)"])).bytes.contains("w".bytes[0]))
    }

    @Test("what a message of a broker carries is looked into where a rule says what it is")
    func carried() throws {
        // PUBLISH to `t`, a number and a text under secret names.
        let bytes = hex("30 0b 00 01 74 20 d2 09 12 03 70 77 31")
        let left = Self.left(of: [0x30, 0x0b, 0, 1, 0x74] + bytes[5...], try Self.plan(["*=mqtt", "topic=t=protobuf:Login"]))
        #expect(left.bytes == hex("30 0b 00 01 74 20 80 00 12 03 78 78 78") && left.places == 2, "\(left)")
    }

    @Test("cut and changed bytes reach nowhere")
    func damaged() throws {
        let plan = try Self.plan()
        let bytes = hex("0a 01 61 12 03 70 77 31 42 05 0a 01 61 10 07 52 03 01 d2 09 5a 04 01 00 00 00 62 06 0a 01 61 12 01 62")
        for cut in bytes.indices { #expect(Self.left(of: Array(bytes[..<cut]), length: 100, plan).bytes.count == cut) }
        for place in bytes.indices {
            for value in [0, 0x0b, 0x7f, 0x80, 0xff] as [UInt8] {
                var changed = bytes
                changed[place] = value
                #expect(Self.left(of: changed, plan).bytes.count == bytes.count)
            }
        }
    }

    @Test("an object under a secret name in MessagePack is hidden whole where a rule says that it is one")
    func object() throws {
        // {"secret": {"a": "pw1", "b": ["x1"]}}
        let bytes = [0x81, 0xa6] + "secret".bytes + [0x82, 0xa1, 0x61, 0xa3] + "pw1".bytes + [0xa1, 0x62, 0x91, 0xa2] + "x1".bytes
        let told = Self.left(of: bytes, try Self.plan(["*=msgpack"]))
        #expect(told.bytes == bytes.map { $0 == 0x31 || $0 == 0x70 || $0 == 0x77 ? 0x78 : $0 } && told.places == 2, "\(told)")
    }

    @Test("so is one in BSON, and a text of CBOR in pieces")
    func otherFormats() throws {
        // {credentials: {user: "pw1"}}
        let bson = hex("25 00 00 00 03 63 72 65 64 65 6e 74 69 61 6c 73 00 13 00 00 00 02 75 73 65 72 00 04 00 00 00 70 77 31 00 00 00")
        let left = Self.left(of: bson, try Self.plan(["*=bson"])).bytes
        #expect(left == bson.map { $0 == 0x70 || $0 == 0x77 || $0 == 0x31 ? 0x78 : $0 }, "\(left)")
        // {"token": (_ "pw", "1")}
        let cbor = hex("a1 65 74 6f 6b 65 6e 7f 62 70 77 61 31 ff")
        let pieces = Self.left(of: cbor, try Self.plan(["*=cbor"])).bytes
        #expect(pieces.prefix(7) == cbor.prefix(7) && !pieces.contains(0x31) && !pieces.contains(0x77), "\(pieces)")
    }
}
