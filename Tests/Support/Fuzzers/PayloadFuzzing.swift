internal import Dissection
private import Foundation
import Reports

/// Any bytes as payloads of one conversation, read in one format as a rule of the user's has it, and in those that come after it.
///
/// The first byte chooses the format, in the order of the table; the second what carries the payloads (0 text and 1 binary WebSocket
/// messages, 2 framed messages, 3 bodies, in bits 0 and 1) and whether the format is ruled (bit 2 clear) or found; the third what the
/// conversation said of them. Then for each payload one byte (0 the client's, 1 the server's, in bit 0), a length in two bytes, most
/// significant first, and that many bytes.
package enum PayloadFuzzing {
    /// What a conversation may say of its payloads; scripts/fuzz_seeds.py knows the numbers.
    private static let settings: [(target: String, subprotocol: String, contentType: String)] = [
        ("/", "", "application/octet-stream"), ("/socket.io/?EIO=4&transport=websocket", "", "text/plain"),
        ("/socket.io/?EIO=3&transport=polling", "", "text/plain"), ("/a/123/abcd1234/websocket", "", "application/json"),
        ("/s?vsn=2.0.0", "graphql-transport-ws", "application/x-ndjson"), ("/cable", "actioncable-v1-json", "text/event-stream"),
        ("/ws", "wamp.2.json", "multipart/form-data; boundary=b"), ("/ws", "wamp.2.msgpack", "application/grpc-web+proto"),
        ("/mqtt", "mqtt", "application/grpc-web-text"), ("/stomp", "v12.stomp", "application/x-www-form-urlencoded"),
        ("/xmpp", "xmpp", "text/xml"), ("/irc", "text.ircv3.net", "image/webp"),
        ("/socket.io/?EIO=3&transport=polling&j=0", "", "text/javascript"),
        ("/a/123/abcd1234/jsonp?c=_jp.a", "wamp.2.cbor", "application/javascript"), ("/ocpp/CP1", "ocpp1.6", "application/json"),
        ("/app/key?protocol=7", "", "text/plain"), ("/connection/websocket", "", "text/plain"),
    ]

    /// The names of the formats, in the order of the table.
    package static let formats = PayloadTable.standard.rows.map { $0.name.description }

    static func complaints(about input: [UInt8]) -> [String] {
        var cursor = InputCursor(input)
        let format = formats[Int(cursor.byte()) % formats.count]
        let choice = cursor.byte()
        let setting = settings[Int(cursor.byte()) % settings.count]
        var records = RecordSettings()
        guard let table = try? PayloadTable.standard.with(rules: choice & 4 == 0 ? ["*=\(format)"] : []) else {
            return ["\(format) is no name for a rule"]
        }
        records.payloads = table
        var report = RecordReport(Output(), settings: records)
        begin(setting, carrier: choice & 3, into: &report)
        while !cursor.isAtEnd {
            let side: Side = cursor.byte() & 1 == 0 ? .client : .server
            let bytes = cursor.run(cursor.length())
            tell(fact(carrier: choice & 3, format, bytes), bytes, from: side, to: &report)
        }
        return report.takeBytes().split(separator: 0x0A).compactMap { line in
            let isRecord = (try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]) != nil
            return isRecord && line.allSatisfy { $0 >= 0x20 } ? nil : "no record: \(String(decoding: line, as: UTF8.self))"
        }
    }

    /// Says what the payloads belong to.
    private static func begin(
        _ setting: (target: String, subprotocol: String, contentType: String), carrier: UInt8, into report: inout RecordReport
    ) {
        if carrier < 2 {
            var upgrade = Upgrade(protocolName: ByteRange(), accepted: true)
            upgrade.target = ByteRange(0..<setting.target.utf8.count)
            upgrade.subprotocol = ByteRange(setting.target.utf8.count..<setting.target.utf8.count + setting.subprotocol.utf8.count)
            tell(.upgrade(upgrade), Array((setting.target + setting.subprotocol).utf8), from: .server, to: &report)
        } else if carrier == 3 {
            let fields = Array("Content-Type: \(setting.contentType)\r\n".utf8)
            let content = fields + setting.target.utf8
            let target = ByteRange(fields.count..<content.count)
            let request = RequestHead(
                method: ByteRange(), target: target, version: ByteRange(), fields: ByteRange(0..<fields.count), exchange: 1)
            tell(.request(request), content, from: .client, to: &report)
            let response = ResponseHead(
                status: 200, version: ByteRange(), reason: ByteRange(), fields: ByteRange(0..<fields.count), latency: nil, asked: nil)
            tell(.response(response), content, from: .server, to: &report)
        }
    }

    private static func fact(carrier: UInt8, _ format: String, _ bytes: [UInt8]) -> Fact {
        let length = UInt64(bytes.count)
        switch carrier {
        case 0, 1: return .message(Message(opcode: carrier + 1, length: length, wireLength: length, fragments: 1, compressed: false))
        case 2:
            let framing = FramedProtocol.known.first { "\($0)" == format }.map { StreamFraming.protocol($0) }
            return .message(Message(cut: MessageFrame(framing ?? .lines), length: length, wireLength: length))
        case _:
            return .body(
                BodyPart(length: length, wireLength: length, part: 1, final: true, payload: ByteRange(0..<bytes.count), element: nil))
        }
    }

    private static func tell(_ fact: Fact, _ bytes: [UInt8], from side: Side, to report: inout RecordReport) {
        report.receive(
            ConversationEvent(
                conversation: 1, from: side, place: Place(time: Timestamp(nanoseconds: 1)), offset: 0, fact: fact, content: bytes.rawBytes))
    }
}
