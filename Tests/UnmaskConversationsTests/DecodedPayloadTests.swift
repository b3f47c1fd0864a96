import Testing
import UnmaskConversations

@Suite struct DecodedPayloadTests {
    /// Bytes, the format that is named or nil, what they came with, the format that is found and the JSON.
    private static let payloads: [(bytes: [UInt8], named: String?, type: String?, format: String, json: String)] = [
        (Array(#"{"room":7}"#.utf8), nil, nil, "json", #"{"room":7}"#),
        ([0x81, 0xA2, 0x68, 0x69, 0x05], "msgpack", nil, "msgpack", #"{"as":"msgpack","value":{"hi":5}}"#),
        ([0xA1, 0x62, 0x68, 0x69, 0x05], nil, "application/cbor", "cbor", #"{"as":"cbor","value":{"hi":5}}"#),
        (
            [0x08, 0x07], "protobuf", nil, "protobuf", #"{"as":"protobuf","fields":[{"number":1,"wire":"varint","value":7}]}"#
        ),
    ]

    @Test(arguments: payloads)
    func `a payload is read as what it is`(bytes: [UInt8], named: String?, type: String?, format: String, json: String) {
        let decoded = DecodedPayload(bytes, as: named, contentType: type)
        #expect(decoded?.format == format && decoded?.json == json && decoded?.problem == nil, "\(decoded?.json ?? "nil")")
    }

    @Test func `what no format knows is nil, and what is cut says so`() {
        #expect(DecodedPayload("hello".utf8) == nil)
        #expect(DecodedPayload([1, 2, 3], as: "no such format") == nil && DecodedPayload([1], as: "*=json") == nil)
        #expect(DecodedPayload([0x82, 0xA2, 0x68], as: "msgpack")?.problem != nil)
    }

    @Test func `the formats have names`() {
        #expect(DecodedPayload.formats.contains("socket.io") && DecodedPayload.formats.contains("cbor"))
        #expect(Set(DecodedPayload.formats).count == DecodedPayload.formats.count)
    }
}
