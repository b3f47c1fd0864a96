import Dissection
import Testing

@testable import Reports

/// What the user says about payloads with `--payload-as`, and what comes of it.
@Suite struct PayloadRuleTests {
    private static let one: [UInt8] = [0x81, 0xa1, 0x61, 0x01]
    private static let told = #"{"as":"msgpack","value":{"a":1}}"#

    private func talk(_ rules: String...) throws -> ValueTalk { ValueTalk(try PayloadTable.standard.with(rules: rules)) }

    @Test func `a rule for everything says what bytes are that nothing else knows`() throws {
        var talk = ValueTalk()
        #expect(talk.message(Self.one) == nil)
        talk = try self.talk("*=msgpack")
        #expect(talk.message(Self.one)?.json == Self.told)
        #expect(talk.message(Self.one, from: .server)?.line == "{a: 1}")
    }

    @Test func `a port is that of the server, and taken from the beginning of the conversation`() throws {
        for (port, fits) in [(UInt16(7_000), true), (7_001, false), (50_000, false)] {
            var talk = try talk("tcp.port=7000=msgpack")
            talk.open(port: port)
            #expect((talk.message(Self.one) != nil) == fits, "\(port)")
        }
        var talk = try talk("tcp.port==7000,from=server=msgpack")
        talk.open(port: 7_000)
        #expect(talk.message(Self.one) == nil)
        #expect(talk.message(Self.one, from: .server)?.json == Self.told)
    }

    @Test(arguments: [
        ("host=chat.example.org", "chat.example.org", true), ("host=chat.example.org", "CHAT.example.org:8080", true),
        ("host=*.example.org", "a.b.example.org", true), ("host=*.example.org", "example.org", false),
        ("host=::1", "[::1]:80", true), ("host=chat", "chat.example.org", false), ("host=*", "", true),
    ])
    func `hosts are patterns`(rule: String, host: String, fits: Bool) throws {
        var talk = try talk(rule + "=msgpack")
        talk.upgrade(host: host)
        #expect((talk.message(Self.one) != nil) == fits)
        // The name that the source gives, where no request has one.
        var dialled = try self.talk(rule + "=msgpack")
        dialled.open(host: host, port: 80)
        #expect((dialled.message(Self.one) != nil) == fits)
    }

    @Test(arguments: [
        ("path=/ws", "/ws", true), ("path=/ws", "/ws?token=a", true), ("path=/ws", "/ws/2", false),
        ("path=/chat/*/ws", "/chat/7/a/ws", true),
        ("path=/ws", "http://example.org/ws?x", true), ("path=", "/", false), ("path=/*", "http://example.org", false),
    ])
    func `paths are patterns, and have no query`(rule: String, target: String, fits: Bool) throws {
        guard rule != "path=" else {
            #expect(throws: PayloadRuleError.self) { try PayloadRule(rule + "=msgpack") }
            return
        }
        var talk = try talk(rule + "=msgpack")
        talk.upgrade(target)
        #expect((talk.message(Self.one) != nil) == fits)
    }

    @Test func `subprotocols and content types choose`() throws {
        var talk = try talk("subprotocol=im.v2=msgpack", "content-type=application/*=cbor")
        talk.upgrade(subprotocol: "IM.v2")
        #expect(talk.message(Self.one)?.json == Self.told)
        talk = try self.talk("subprotocol=im.v2=msgpack", "content-type=application/*=cbor")
        talk.upgrade(subprotocol: "im.v3")
        #expect(talk.message(Self.one) == nil)
        #expect(talk.body([0x01], type: "application/octet-stream; x=1")?.json == #"{"as":"cbor","value":1}"#)
        #expect(talk.body([0x01], type: "text/plain") == nil)
    }

    @Test func `the first rule that fits counts, and none switches decoding off`() throws {
        var talk = try talk("from=client=none", "*=msgpack")
        #expect(talk.message(Self.one) == nil)
        #expect(talk.message(Self.one, from: .server) != nil)
        #expect(talk.message(Array(#"{"jsonrpc":"2.0","method":"a"}"#.utf8), opcode: 1) == nil)
    }

    @Test func `a rule beats what was agreed, and another format is believed where the rule is wrong`() throws {
        var talk = try talk("*=cbor")
        talk.upgrade(subprotocol: "mqtt")
        #expect(talk.message([0x01])?.json == #"{"as":"cbor","value":1}"#)
        #expect(
            talk.message([0xc0, 0x00])?.json
                == #"{"as":"cbor","value":{"$tag":0,"value":0}}"#)
        let told = talk.message([0xd0, 0x00, 0xff, 0xff, 0xff])
        let ping = try #require(told)
        #expect(ping.json.contains(#""as":"cbor""#) && ping.json.contains("\"error\":"))
        #expect(
            talk.message([0x40, 0x02, 0xff, 0xff])?.json.hasSuffix(
                #""failed":{"as":"cbor","error":"a break stands where no length is open","at":2}}"#) == true)
    }

    @Test(arguments: [
        ("msgpack", "expected RULE=FORMAT"), ("=msgpack", "the condition is missing"), ("*=", "the format is missing"),
        ("*=mesgpack", "did you mean msgpack?"), ("*=nothing", "is not one of the formats"), ("tcp.port=0=cbor", "\"0\" is not a port"),
        ("tcp.port=65536=cbor", "is not a port"), ("tcp.port=cbor", "tcp.port has no = and value, or the format is missing"),
        ("prot=1=cbor", "is not one of the conditions"), ("hots=a=cbor", "did you mean host?"),
        ("from=both=cbor", "from takes client or server"),
        ("host=a,host=b=cbor", "host is there twice"), ("*=cbor:x", "cbor takes nothing after a colon"),
        ("*=cbor:", "nothing stands after"),
        ("*=none:x", "none takes nothing"), ("host==cbor", "host has no value"), ("*,host=a=cbor", "\"*\" is not one of the conditions"),
    ])
    func `a rule that cannot be read says why`(rule: String, reason: String) {
        let error = #expect(throws: PayloadRuleError.self) { try PayloadTable.standard.with(rules: [rule]) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        #expect(error?.description.hasPrefix(rule + ": ") == true)
    }

    @Test func `without rules nothing is kept of a conversation that has no payload`() throws {
        var talk = ValueTalk()
        talk.open(host: "example.org", port: 80)
        #expect(talk.reader.heldBytes == 0)
        talk = try self.talk("*=cbor")
        talk.open(host: "example.org", port: 80)
        #expect(talk.reader.heldBytes > 0)
    }
}
