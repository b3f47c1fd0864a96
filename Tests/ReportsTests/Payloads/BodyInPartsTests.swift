import Dissection
import Testing

@testable import Reports

/// Bodies that come in parts: they are read when they are whole, within bounds.
@Suite struct BodyInPartsTests {
    /// Conversations whose bodies come in parts, 5 ms apart.
    private struct Parts {
        var reader: PayloadReader
        private var now: Int64 = 0
        private var numbers: [UInt64: UInt32] = [:]

        init(_ table: PayloadTable = .standard, mostBytes: Int = 4 << 20) { reader = PayloadReader(table, mostBytes: mostBytes) }

        /// A head whose body follows in parts.
        mutating func head(_ side: Side, type: String, target: String = "/", in conversation: UInt64 = 1) {
            let fields = type.isEmpty ? [] : Array("Content-Type: \(type)\r\n".utf8)
            let bytes = fields + Array(target.utf8)
            let (first, second) = (ByteRange(0..<fields.count), ByteRange(fields.count..<bytes.count))
            numbers[key(side, conversation)] = 0
            guard side == .server else {
                let request = RequestHead(method: ByteRange(), target: second, version: ByteRange(), fields: first, exchange: 1)
                return tell(.request(request), bytes, side, conversation)
            }
            tell(
                .response(ResponseHead(status: 200, version: ByteRange(), reason: ByteRange(), fields: first, latency: nil)), bytes, side,
                conversation)
        }

        /// The next part; what is said by then, as JSON.
        mutating func part(
            _ side: Side, _ bytes: [UInt8], final: Bool = false, element: BodyPart.Element? = nil, trailers: String = "",
            length: Int? = nil,
            in conversation: UInt64 = 1
        ) -> String? {
            now += 5_000_000
            numbers[key(side, conversation), default: 0] += 1
            let content = bytes + Array(trailers.utf8)
            let part = BodyPart(
                length: UInt64(length ?? bytes.count), wireLength: UInt64(bytes.count), part: numbers[key(side, conversation)] ?? 1,
                final: final, payload: ByteRange(0..<bytes.count), trailers: ByteRange(bytes.count..<content.count), element: element)
            let event = ConversationEvent(
                conversation: conversation, from: side, place: Place(time: Timestamp(nanoseconds: now)), offset: 0, fact: .body(part),
                content: content.rawBytes)
            return reader.read(event).map { MessagingTalk.said($0).json }
        }

        /// A whole body, in parts of 64 KiB; what each of them says.
        mutating func body(_ side: Side, _ bytes: [UInt8], in conversation: UInt64 = 1) -> [String?] {
            stride(from: 0, to: bytes.count, by: 65_536).map { start in
                let end = min(start + 65_536, bytes.count)
                return part(side, Array(bytes[start..<end]), final: end == bytes.count, in: conversation)
            }
        }

        mutating func tell(_ fact: Fact, _ content: [UInt8] = [], _ side: Side? = nil, _ conversation: UInt64 = 1) {
            reader.note(
                ConversationEvent(
                    conversation: conversation, from: side, place: Place(time: Timestamp(nanoseconds: now)), offset: 0, fact: fact,
                    content: content.rawBytes))
        }

        private func key(_ side: Side, _ conversation: UInt64) -> UInt64 { conversation * 2 + (side == .client ? 0 : 1) }
    }

    private static let long = String(repeating: "x", count: 70_000)

    @Test func `a call and its result of 70 kB are read with their last part, and the call has its latency`() {
        var parts = Parts()
        parts.head(.client, type: "application/json")
        let call = parts.body(.client, Array(#"{"jsonrpc":"2.0","id":1,"method":"list","params":["\#(Self.long)"]}"#.utf8))
        #expect(call == [nil, #"{"as":"json-rpc","type":"call","method":"list","id":1}"#])
        parts.head(.server, type: "application/json")
        let result = parts.body(.server, Array(#"{"jsonrpc":"2.0","id":1,"result":"\#(Self.long)\#(Self.long)"}"#.utf8))
        #expect(result == [nil, nil, #"{"as":"json-rpc","type":"result","id":1,"method":"list","latency":0.015}"#])
        // Without a content type it is known by its first byte.
        parts.head(.server, type: "")
        #expect(parts.body(.server, Array(#"{"a":"\#(Self.long)"}"#.utf8)) == [nil, #"{"as":"json"}"#])
    }

    @Test func `the end of a body may bring nothing but trailers`() {
        var parts = Parts()
        parts.head(.server, type: "application/json")
        #expect(parts.part(.server, Array(#"{"a":"#.utf8)) == nil)
        #expect(parts.part(.server, Array("1}".utf8)) == nil)
        #expect(parts.part(.server, [], final: true, trailers: "Digest: x\r\n") == #"{"as":"json"}"#)
    }

    @Test func `a picture is told with its first part, once`() {
        let picture = hex("89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52 00 00 02 80 00 00 01 68 08 06 00 00 00")
        var parts = Parts()
        parts.head(.server, type: "image/png")
        let told = parts.body(.server, picture + [UInt8](repeating: 7, count: 140_000))
        #expect(told == [#"{"as":"image","type":"png","width":640,"height":360}"#, nil, nil])
        let held = parts.reader.heldBytes
        #expect(held < 16_384, "\(held)")
    }

    @Test func `an upload has its parts`() {
        var parts = Parts()
        parts.head(.client, type: "multipart/form-data; boundary=b")
        let told = parts.body(
            .client,
            Array("--b\r\nContent-Disposition: form-data; name=f; filename=a.bin\r\n\r\n\(Self.long)\r\n--b--\r\n".utf8))
        #expect(told == [nil, #"{"as":"multipart","parts":[{"name":"f","filename":"a.bin","length":70000}]}"#])
    }

    @Test func `an element of a stream is read with the part that ends it`() {
        var parts = Parts()
        parts.head(.server, type: "text/event-stream")
        #expect(parts.part(.server, Array("data: a\n\n".utf8), element: .event) == #"{"as":"sse","data":"a"}"#)
        #expect(parts.part(.server, Array("data: b".utf8)) == nil)
        #expect(parts.part(.server, Array("c\n\n".utf8), element: .event) == #"{"as":"sse","data":"bc"}"#)
        #expect(parts.part(.server, Array("data: d\n\n".utf8), element: .event) == #"{"as":"sse","data":"d"}"#)
        // One that does not end is none.
        #expect(parts.part(.server, Array("data: e".utf8)) == nil)
        #expect(parts.part(.server, Array("f".utf8), final: true) == nil)
    }

    @Test func `what is missing joins nothing`() {
        var parts = Parts()
        parts.head(.server, type: "application/json")
        #expect(parts.part(.server, Array("[1,".utf8)) == nil)
        parts.tell(.gap(Gap(length: 2, cause: .missing)), [], .server)
        #expect(
            parts.part(.server, Array("2]".utf8), final: true)
                == #"{"as":"json","error":"bytes of it are missing, or are not kept","at":3}"#)
        // Of the other direction, or of a part that is not kept whole.
        parts.head(.server, type: "application/json")
        #expect(parts.part(.server, Array("[1,".utf8)) == nil)
        parts.tell(.gap(Gap(length: 2, cause: .missing)), [], .client)
        #expect(parts.part(.server, Array("2]".utf8), final: true) == #"{"as":"json"}"#)
        parts.head(.server, type: "")
        #expect(parts.part(.server, Array("[1,".utf8), length: 9) == nil)
        #expect(parts.part(.server, Array("2]".utf8), final: true) == nil)
    }

    @Test func `a body of more than 1 MiB is not put together, and says so where its format is known`() {
        let limit = 1 << 20
        func told(_ type: String, _ count: Int) -> String? {
            var parts = Parts()
            parts.head(.server, type: type)
            let last = parts.body(.server, Array("[".utf8) + [UInt8](repeating: 0x20, count: count - 2) + Array("]".utf8)).last ?? nil
            #expect(parts.reader.heldBytes < 16_384)
            return last
        }
        #expect(told("application/json", limit) == #"{"as":"json"}"#)
        #expect(
            told("application/json", limit + 1)
                == #"{"as":"json","error":"a body, or an element of one, in parts that come to more than 1 MiB is not put together","at":1048576}"#
        )
        #expect(told("", limit) == #"{"as":"json"}"# && told("", limit + 1) == nil)
        #expect(told("video/mp4", 100_000) == #"{"as":"json"}"#)
    }

    @Test func `all together stay within a bound, and are given back`() {
        var parts = Parts(mostBytes: 1 << 20)
        let empty = parts.reader.heldBytes
        let piece = Array("[".utf8) + [UInt8](repeating: 0x20, count: 65_535)
        for number in 1...64 as ClosedRange<UInt64> {
            parts.head(.client, type: "application/json", in: number)
            #expect(parts.part(.client, piece, in: number) == nil)
            #expect(parts.reader.heldBytes < (1 << 20) + 131_072 + 4_096 * Int(number), "\(parts.reader.heldBytes)")
        }
        // Those that were not used for longest were given up.
        #expect(parts.part(.client, Array("]".utf8), final: true, in: 64) == #"{"as":"json"}"#)
        #expect(
            parts.part(.client, Array("]".utf8), final: true, in: 1)
                == #"{"as":"json","error":"it was given up, to stay within the memory for bodies that come in parts","at":65536}"#)
        for number in 1...64 as ClosedRange<UInt64> { parts.tell(.closed(Closing(by: .client, how: .fin)), [], nil, number) }
        #expect(parts.reader.heldBytes == empty, "\(parts.reader.heldBytes) \(empty)")
    }

    @Test func `what no format reads is not kept`() throws {
        var parts = Parts()
        parts.head(.server, type: "video/mp4")
        #expect(parts.body(.server, [UInt8](repeating: 0xaa, count: 100_000)) == [nil, nil])
        parts.head(.server, type: "application/octet-stream")
        #expect(parts.part(.server, [UInt8](repeating: 0xaa, count: 65_536)) == nil)
        #expect(parts.reader.heldBytes < 16_384)
        // Neither is anything where nothing of the payloads is at hand.
        parts.head(.server, type: "application/json")
        #expect(parts.part(.server, [], length: 65_536) == nil)
        #expect(parts.part(.server, [], final: true, length: 10) == nil)
        // Unless the user says what it is.
        var ruled = Parts(try PayloadTable.standard.with(rules: ["content-type=application/octet-stream=msgpack"]))
        ruled.head(.server, type: "application/octet-stream")
        #expect(ruled.part(.server, [0x92, 0x01]) == nil)
        #expect(ruled.part(.server, [0x02], final: true) == #"{"as":"msgpack","value":[1,2]}"#)
    }
}
