import Dissection
import Testing

@testable import Reports

/// What formats say of where they come, and how they begin, leaves out nothing that they would know.
@Suite struct PayloadOccasionTests {
    /// Texts of which some format is sure, and some of which none is.
    private static let texts: [String] = [
        #"42["chat","hi"]"#, "2", "3probe", #"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#, #"a["{\"a\":1}"]"#,
        "o", "h",
        #"c[3000,"Go away!"]"#, #"["x"]"#, "CONNECTED\nversion:1.2\n\n\0", "SEND\ndestination:/a\n\nhi\0", "\n", "PING",
        #"{"topic":"room:1","event":"phx_join","payload":{},"ref":"1"}"#, #"["1","1","room:1","phx_join",{}]"#,
        "{\"type\":1,\"target\":\"send\",\"arguments\":[\"a\"]}\u{1e}", "{\"protocol\":\"json\",\"version\":1}\u{1e}", "{}\u{1e}",
        #"{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}"#, #" [{"jsonrpc":"2.0","method":"tick"}]"#, #"{"a":1}"#, "[1,2,3]",
        "{\"a\":1}\n{\"a\":2}\n", "<?xml version=\"1.0\"?><a/>", "\u{feff}<?xml version=\"1.0\"?><a/>", "<svg xmlns=\"x\"/>", "GIF89a",
        "hello",
        "data: x\n\n", "a=1&b=2", "[48,1,{},\"add\",[1]]", "<message/>", "[2,\"19\",\"Heartbeat\",{}]",
        #"{"event":"pusher:ping"}"#,
    ]

    private static let subprotocols = [
        "", "wamp.2.json", "v12.stomp", "mqtt", "xmpp", "graphql-transport-ws", "actioncable-v1-json", "v1.msgpack", "chat+cbor",
        "text.ircv3.net",
        "v1.json", "ocpp1.6",
    ]

    private static func contexts() -> [PayloadContext] {
        var contexts: [PayloadContext] = []
        for carrier in [PayloadContext.Carrier.message, .framed, .body, .data, .head] {
            for subprotocol in carrier == .message ? subprotocols : [""] {
                for target in [
                    "/", "/socket.io/?EIO=4&transport=websocket", "/echo/123/abcdefgh/websocket", "/live/websocket?vsn=2.0.0",
                    "/app/key?protocol=7",
                ] {
                    for opcode in carrier == .message ? [1, 2] as [UInt8] : [0] {
                        var context = PayloadContext(from: .server, opcode: opcode, isCut: false)
                        context.carrier = carrier
                        context.subprotocol = Array(subprotocol.utf8)
                        context.target = Array(target.utf8)
                        contexts.append(context)
                    }
                }
            }
        }
        for type in [
            "application/json", "application/grpc", "text/event-stream", "application/cbor", "multipart/mixed; boundary=a", "image/gif",
        ] {
            var context = PayloadContext(from: .server, opcode: 0, isCut: false)
            context.carrier = .body
            context.contentType = Array(type.utf8)
            contexts.append(context)
        }
        for framing in ["mqtt", "stomp", "redis", "amqp", "nats", "irc", "xmpp"] {
            var context = PayloadContext(from: .server, opcode: 0, isCut: false)
            context.carrier = .framed
            context.framing = Array(framing.utf8)
            contexts.append(context)
        }
        return contexts
    }

    @Test("a format is in question wherever it would be sure of a payload")
    func inQuestion() {
        var sure = 0
        for context in Self.contexts() {
            for text in Self.texts {
                let bytes = Array(text.utf8)
                for row in PayloadTable.standard.rows where row.format.likelihood(of: bytes.rawBytes, in: context) > .no {
                    sure += 1
                    let isAsked = row.isInQuestion(context.occasion, first: bytes.first ?? 0)
                    #expect(isAsked, "\(row.name) of \(text.debugDescription) in \(context.occasion)")
                }
            }
        }
        #expect(sure > 500)
    }

    @Test("a format that is sure of an object of JSON finds one of its marks in it, or in the target")
    func marks() {
        let more = [
            "{\"protocol\":\"json\",\"version\":1}", #"{"push":{"channel":"a","pub":{"data":1}}}"#, #"{"id":1,"connect":{}}"#, "{}",
        ]
        var sure = 0
        for context in Self.contexts() where context.occasion == .text {
            for target in ["", "/connection/websocket", "/live/websocket?vsn=1.0.0"] {
                for from in [Side.client, .server] {
                    var context = context
                    if !target.isEmpty { context.target = Array(target.utf8) }
                    context.from = from
                    for text in Self.texts + more {
                        let bytes = Array(text.utf8)
                        guard bytes.rawBytes.isInBraces else { continue }
                        let marks = PayloadMarks(ofObject: bytes.rawBytes).union(context.targetMarks)
                        for row in PayloadTable.standard.rows where row.format != PlainJSON.self {
                            guard row.format.likelihood(of: bytes.rawBytes, in: context) > .no else { continue }
                            sure += 1
                            #expect(!row.format.marks.isDisjoint(with: marks), "\(row.name) of \(text.debugDescription)")
                        }
                    }
                }
            }
        }
        #expect(sure > 20)
        #expect(PayloadTable.standard.marksBesideJSON != nil)
    }

    @Test("a table puts the same formats in question as their rows do, for each occasion and first byte")
    func rowsInQuestion() {
        let rows = PayloadTable.standard.rows
        let inQuestion = RowsInQuestion(rows)
        for occasion in 0..<PayloadOccasions.count {
            let occasion = PayloadOccasions(rawValue: 1 << UInt16(occasion))
            for byte in 0...255 as ClosedRange<UInt8> {
                let asked = rows.indices.filter { rows[$0].isInQuestion(occasion, first: byte) }
                #expect(Array(inQuestion[occasion, first: byte]) == asked, "\(occasion) \(byte)")
            }
        }
    }

    @Test("a JSON text without a subprotocol is looked at by seven formats of 32")
    func few() {
        let asked = PayloadTable.standard.rows.filter { $0.isInQuestion(.text, first: UInt8(ascii: "{")) }.map { "\($0.name)" }
        #expect(asked == ["phoenix", "signalr", "json-rpc", "json-lines", "json", "pusher", "centrifugo"], "\(asked)")
    }
}
