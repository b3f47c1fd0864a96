import Dissection
import Foundation
import Support
import Testing

@testable import Reports

/// Every value of a decoded payload says which bytes of the payload it stands in, of every format; what stands in none is known from elsewhere,
/// and is one of a few.
@Suite struct NodeRangeTests {
    /// What does not stand in the payload: known from what was said before, from a request or from a schema, or counted.
    private static let noted: [String: Set<String>] = [
        "": ["as", "error", "at", "failed", "latency"],
        "actioncable": ["type"],
        "amqp": ["received", "contentLength"],
        "bson": ["$undefined", "$minKey", "$maxKey"],
        "cbor": [],
        "engine.io": ["protocol", "sid", "late", "type", "attachment"],
        "form": [],
        "graphql-ws": ["name", "duration"],
        "grpc": ["service", "method", "status", "statusName", "statusMessage", "trailers", "type"],
        "image": [],
        "irc": [],
        "json": [],
        "json-lines": ["count"],
        "json-rpc": ["type", "method", "count"],
        "mqtt": ["topic", "awaits"],
        "msgpack": [],
        "multipart": [],
        "nats": [],
        "phoenix": [],
        "protobuf": ["type"],
        "redis": ["type", "command", "pushed", "count"],
        "signalr": ["type"],
        "socket.io": ["namespace", "sid", "abandoned"],
        "sockjs": ["type"],
        "sse": [],
        "stomp": [],
        "wamp": [],
        "ocpp": [], "pusher": [], "centrifugo": ["type", "count"],
        "xml": ["elements"],
        "xmpp": [], "compression": ["coding", "stream", "size", "content"],
    ]

    /// Words of ours for a number or a mark that the bytes are.
    private static let named: [String: Set<String>] = [
        "amqp": ["type", "method", "version"], "engine.io": ["type"], "grpc": ["statusName"], "image": ["type"],
        "irc": ["name"], "mqtt": ["type", "reasonName", "version", "begins"], "protobuf": ["wire"], "redis": ["type"], "signalr": ["type"],
        "socket.io": ["type"], "sockjs": ["type"], "stomp": ["command"], "wamp": ["type"], "ocpp": ["type"], "xmpp": ["stanza"],
        "cbor": ["$undefined"],
    ]

    /// What is a part of a longer text.
    private static let within: [String: Set<String>] = [
        "actioncable": ["channel", "action"], "graphql-ws": ["operation", "name"], "pusher": ["channel"],
    ]

    /// Holds what is said of a payload against its bytes.
    static func check(_ decoded: DecodedPayload?, _ payload: [UInt8], _ name: String = "") {
        guard let decoded else { return }
        // What of it is said by a format inside of it: the path to that, and its name.
        var formats: [(path: String, name: String)] = [("", decoded.format.description)]
        var withoutBytes: [String] = []
        let nodes = decoded.nodes
        let isUnwrapped = isScript(payload, formats[0].name) || formats[0].name == "grpc" && payload.allSatisfy { 0x2b...0x7a ~= $0 }
        for node in nodes {
            if node.key == "as", case .word(let inner) = node.value, node.range == nil {
                formats.append((String(node.path.dropLast(3)), inner))
            }
            let (inside, format) = formats.last { node.path.hasPrefix($0.path) } ?? formats[0]
            guard node.isInside(payload.count) else {
                complain(node, payload, "\(name): lies outside")
                continue
            }
            guard let range = node.range else {
                if withoutBytes.contains(where: { node.path.hasPrefix($0) }) { continue }
                withoutBytes.append(node.path)
                let isKnown = noted[""]?.contains(node.key) == true || noted[format]?.contains(node.key) == true
                if !isKnown, !isEarlier(node, nodes, payload) { complain(node, payload, "\(name): has no bytes in \(format)") }
                continue
            }
            let isWhole = !inside.isEmpty && node.outer.map { $0.count - range.count <= 2 } == true
            let isWrapped = isUnwrapped || isWhole || within[format]?.contains(node.key) == true
            if named[format]?.contains(node.key) == true, range.count <= 16 || isWrapped { continue }
            // Its attachments stand where it has marks for them.
            if format == "socket.io", node.key == "args", case .json(let text) = node.value, text.rawBytes.contains("$binary") { continue }
            // An enumerator has its name from the schema; `{` begins a query.
            if format == "protobuf", case .text = node.value, 1...12 ~= range.count, payload[range.end - 1] < 0x20 { continue }
            if node.key == "operation", node.value == .word("query"), payload.dropFirst(range.start + 1).first == UInt8(ascii: "{") {
                continue
            }
            let evidence = NodeEvidence(bytes: Array(payload[range.start..<range.end]))
            if isWrapped ? !evidence.saysAmongOthers(node.value) : !evidence.says(node.value, key: node.key) {
                complain(node, payload, "\(name): is not what its bytes say")
            }
        }
    }

    /// Bodies that are calls and forms: what they say stands in them in escapes.
    private static func isScript(_ payload: [UInt8], _ format: String) -> Bool {
        let heads = ["___eio[", "/**/", "_jp.", "d="].map { Array($0.utf8) }
        return ["socket.io", "engine.io", "sockjs"].contains(format) && heads.contains { payload.starts(with: $0) }
    }

    /// Whether it is of something that began in a payload before: an event whose attachments came in this one, a content, a packet.
    private static func isEarlier(_ node: DecodedNode, _ nodes: [DecodedNode], _ payload: [UInt8]) -> Bool {
        // A content whose last frame this is.
        if node.path.hasPrefix("payload."), nodes.contains(where: { $0.path == "received" && $0.range == nil }) { return true }
        let place = node.path.dropLast(node.key.count)
        if nodes.contains(where: { $0.path == place + "attachments" && $0.range == nil }) { return true }
        // A packet of MQTT that began in a message before: its type does not stand here.
        return nodes.contains {
            guard $0.key == "type" || $0.key == "begins", $0.range == nil, case .word(let type) = $0.value, let first = payload.first else {
                return false
            }
            return node.path.hasPrefix($0.path.dropLast($0.key.count)) && MQTTGrammar.types[Int(first >> 4)].description != type
        }
    }

    private static func complain(_ node: DecodedNode, _ payload: [UInt8], _ what: String) {
        let range = node.range.map { max(0, $0.start)..<min(payload.count, max(0, $0.end)) } ?? 0..<0
        let words = payload[range].prefix(64).map { 0x20..<0x7f ~= $0 ? $0 : 0x2e }
        let value = String("\(node.value)".prefix(200))
        Issue.record(
            "\(what): \(node.path) = \(value) at \(range), \(String(decoding: words, as: UTF8.self)), \(payload[range].prefix(16))")
    }

    @Test func `each sample of a format says where its values stand`() {
        var formats: Set<String> = []
        for sample in PayloadMutationTests.samples {
            var memory = PayloadMemory()
            guard let decoded = PayloadTable.standard.decode(sample.bytes.rawBytes, in: sample.context, memory: &memory) else { continue }
            formats.insert(decoded.format.description)
            Self.check(decoded, sample.bytes, sample.name)
        }
        for sample in MutatedPayloadTests.samples {
            guard let row = PayloadTable.standard.rows.first(where: { $0.name.description == sample.format }) else { continue }
            var context = PayloadContext(from: .client, opcode: 2, isCut: false)
            if !sample.type.isEmpty { context.carrier = .body }
            context.contentType = Array(sample.type.utf8)
            var memory = PayloadMemory()
            var decoded = DecodedPayload(format: row.name)
            row.format.decode(sample.bytes.rawBytes, in: context, memory: &memory, into: &decoded)
            formats.insert(decoded.format.description)
            Self.check(decoded, sample.bytes, sample.format)
        }
        #expect(formats.subtracting(["engine.io"]) == Set(PayloadFuzzing.formats))
        #expect(Set(Self.noted.keys).subtracting(["", "engine.io"]) == Set(PayloadFuzzing.formats))
    }

    /// Reads the payloads of a capture, as outputs do.
    private struct Sink: ConversationSink {
        let name: String
        var reader = PayloadReader(.standard)
        var nodes = 0

        mutating func receive(_ event: borrowing ConversationEvent) {
            guard let decoded = reader.read(event) else { return }
            nodes += decoded.nodes.count
            let payload: [UInt8]
            switch event.fact {
            case .body(let part): payload = event.bytes(part.payload).copy
            case .response: payload = []
            case _: payload = event.content.copy
            }
            let place = "\(name), conversation \(event.conversation) at \(event.offset ?? 0)"
            NodeRangeTests.check(decoded, payload, place)
        }
    }

    @Test func `so does each payload of the captures`() throws {
        let folder = UnmaskProcess.project.appendingPathComponent("fixtures")
        var nodes = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            for file in ["capture.pcap", "capture.pcapng"] {
                let path = folder.appendingPathComponent(name).appendingPathComponent(file).path
                guard FileManager.default.fileExists(atPath: path) else { continue }
                var sink = Sink(name: name)
                try tell(capture: path, to: &sink)
                nodes += sink.nodes
            }
        }
        #expect(nodes > 1_000, "\(nodes)")
    }
}
