import Dissection
import Reports
import Support
import Testing

/// Each kind of record, key by key, as docs/log-format.md has it.
@Suite(.holdsLogSchema) struct RecordTests {
    typealias Script = RecordScript

    @Test func `every record begins with what all records have`() {
        #expect(
            Script.record(
                .ping, "hb".bytes, conversation: 7, from: .client, at: Script.time, packets: PacketRange(lowest: 3, highest: 12),
                offset: 512)
                == #"{"kind":"ping","conversation":7,"time":"2026-11-20T21:48:00.123456789Z","from":"client","packets":[3,12],"offset":512,"text":"hb"}"#
        )
    }

    @Test func `a finding about the input has no conversation, a source without clock no time`() {
        let row = FindingRow(id: "capture.cut", severity: .warning, reference: "", detail: "the file ends in a packet", explanation: "")
        #expect(
            Script.record(.finding(Finding(row)), conversation: 0)
                == #"{"kind":"finding","id":"capture.cut","severity":"warning","detail":"the file ends in a packet"}"#)
    }

    @Test func `capture and end`() {
        var report = RecordReport(Output())
        report.begin(Script.source)
        report.begin(CaptureSource(kind: .proxy, name: "[::1]:\"8080\"", tool: "unmask 0.1.0"))
        var totals = Totals()
        (totals.packets, totals.conversations, totals.messages, totals.findings, totals.bytes) = (.max, 2, 40, 1, 120_000)
        totals.skipped[0] = 12
        totals.skipped[9] = 3
        report.finish(totals)
        let log = String(decoding: report.takeBytes(), as: UTF8.self)
        LogSchema.collect(log)
        #expect(
            log == #"""
                {"kind":"capture","version":1,"tool":"unmask 0.1.0","source":{"type":"file","name":"talk.pcapng"},"firstPacket":1}
                {"kind":"capture","version":1,"tool":"unmask 0.1.0","source":{"type":"proxy","name":"[::1]:\"8080\""}}
                {"kind":"end","packets":18446744073709551615,"conversations":2,"messages":40,"findings":1,"bytes":120000,"skipped":{"udp":12,"linkType":3}}

                """#)
    }

    @Test func opened() {
        #expect(
            Script.record(.opened(Script.opening))
                == #"{"kind":"opened","conversation":1,"client":{"address":"10.0.0.5","port":51422},"server":{"address":"10.0.0.9","port":8080},"transport":"tcp","start":"handshake","roles":"handshake"}"#
        )
        let unix = Endpoint(address: IPAddress(), port: 0)
        #expect(
            Script.record(.opened(Opening(client: unix, server: unix, transport: .unix, start: .midstream, roles: .guess)))
                == #"{"kind":"opened","conversation":1,"client":{},"server":{},"transport":"unix","start":"midstream","roles":"guess"}"#)
    }

    @Test(
        arguments: [
            (0, 0, "::"), (0, 1, "::1"), (0x2001_0db8_0000_0000, 0x0000_0000_0002_0001, "2001:db8::2:1"),
            (0x2001_0db8_0000_0001, 0x0001_0001_0001_0001, "2001:db8:0:1:1:1:1:1"),
            (0x2001_0000_0000_0001, 0x0000_0000_0000_0001, "2001:0:0:1::1"),
            (0x2001_0db8_0000_0000, 0x0001_0000_0000_0001, "2001:db8::1:0:0:1"), (0xfe80_0000_0000_0000, 0, "fe80::"),
            (0, 0x0000_ffff_c000_0201, "::ffff:192.0.2.1"), (0x0001_0002_0003_0004, 0x0005_0006_0000_0000, "1:2:3:4:5:6::"),
            (0x0000_0002_0003_0004, 0x0005_0006_0007_abcd, "0:2:3:4:5:6:7:abcd"),
        ] as [(UInt64, UInt64, String)])
    func `IPv6 addresses stand in canonical form`(high: UInt64, low: UInt64, text: String) {
        let endpoint = Endpoint(address: IPAddress(ipv6High: high, low: low), port: 1)
        let record = Script.record(.opened(Opening(client: endpoint, server: Script.server, start: .accepted, roles: .content)))
        #expect(record.contains(#""client":{"address":"\#(text)","port":1}"#))
    }

    @Test func tls() {
        let (bytes, parts) = Script.content("chat.example".bytes, "h2".bytes, [2] + "h2".bytes + [8] + "http/1.1".bytes)
        #expect(
            Script.record(
                .tls(
                    TLSFacts(
                        serverName: parts[0], alpn: parts[1], offeredALPN: parts[2], version: 0x0304, cipher: 0x1301, secrets: .missing)),
                bytes)
                == #"{"kind":"tls","conversation":1,"serverName":"chat.example","alpn":"h2","offeredAlpn":["h2","http/1.1"],"version":"TLS 1.3","cipher":"TLS_AES_128_GCM_SHA256","secrets":"missing"}"#
        )
        #expect(
            Script.record(
                .tls(TLSFacts(offeredALPN: ByteRange(0..<3), version: 0x7f12, cipher: 0xfafa, secrets: .keylog)), [9, 0x68, 0x32])
                == #"{"kind":"tls","conversation":1,"version":"TLS 1.3 draft 18","cipher":"0xfafa","secrets":"keylog"}"#)
    }

    @Test func `what was not finished says so, and how long it was to be where that is known`() {
        var message = Message(opcode: 1, length: 4, wireLength: 4, fragments: 1, compressed: false, unfinished: 6)
        message.isUnfinished = true
        #expect(
            Script.record(.message(message), "hell".bytes)
                == #"{"kind":"message","conversation":1,"opcode":"text","length":4,"wireLength":4,"fragments":1,"compressed":false,"unfinished":true,"text":"hell"}"#
        )
        message.announced = 5
        #expect(Script.record(.message(message), "hell".bytes).contains(#""compressed":false,"unfinished":true,"announced":5,"text""#))
        var cut = Message(cut: MessageFrame(.lines), length: 4, wireLength: 4)
        (cut.isUnfinished, cut.announced) = (true, 9)
        #expect(
            Script.record(.message(cut), "half".bytes)
                == #"{"kind":"message","conversation":1,"length":4,"wireLength":4,"framing":{"by":"lines"},"unfinished":true,"announced":9,"text":"half"}"#
        )
        var part = BodyPart(length: 4, wireLength: 4, part: 2, final: true, payload: ByteRange(0..<4))
        (part.isUnfinished, part.announced) = (true, 70_000)
        #expect(
            Script.record(.body(part), "hell".bytes)
                == #"{"kind":"body","conversation":1,"length":4,"wireLength":4,"part":2,"final":true,"unfinished":true,"announced":70000,"text":"hell"}"#
        )
    }

    @Test func aRequestThatSaysHowUrgentItIs() {
        let (bytes, parts) = Script.content("GET".bytes, "/".bytes, "HTTP/2".bytes)
        var head = RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: ByteRange(), exchange: 1)
        head.priority = StreamPriority(dependsOn: 0, weight: 256, isExclusive: true)
        #expect(
            Script.record(.request(head), bytes)
                == #"{"kind":"request","conversation":1,"exchange":1,"method":"GET","target":"/","version":"HTTP/2","headers":[],"dependsOn":0,"weight":256,"exclusive":true}"#
        )
    }

    @Test func request() {
        let (bytes, parts) = Script.content("GET".bytes, "/ré".bytes, "HTTP/1.1".bytes, "Host: a\r\nx-Y:1\r\n 2\r\nHost: b\n".bytes)
        #expect(
            Script.record(
                .request(RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: 1)), bytes)
                == #"{"kind":"request","conversation":1,"exchange":1,"method":"GET","target":"/ré","version":"HTTP/1.1","headers":[["Host","a"],["x-Y","1\r\n 2"],["Host","b"]]}"#
        )
    }

    @Test func `bytes of a head that are not UTF-8 are read as Latin-1`() {
        let (bytes, parts) = Script.content("GET".bytes, [0x2f, 0xe9, 0x85], [], "A: é".bytes + [0x0a])
        #expect(
            Script.record(
                .request(RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: 1)), bytes)
                == #"{"kind":"request","conversation":1,"exchange":1,"method":"GET","target":"/é\u0085","headers":[["A","é"]],"latin1":true}"#
        )
    }

    @Test func `a response and its request`() {
        let (bytes, parts) = Script.content("HTTP/1.1".bytes, "OK".bytes, "A: b\r\n".bytes)
        let (request, names) = Script.content("GET".bytes, "/r\"é".bytes)
        let asked = AskedRequest(exchange: 7, method: names[0], target: names[1], isCut: true)
        #expect(
            Script.record(
                .response(ResponseHead(status: 200, version: parts[0], reason: parts[1], fields: parts[2], latency: 1, asked: asked)),
                bytes,
                asked: request)
                == #"{"kind":"response","conversation":1,"exchange":7,"method":"GET","target":"/r\"é","status":200,"reason":"OK","version":"HTTP/1.1","headers":[["A","b"]],"latency":0.000000001,"truncated":true}"#
        )
    }

    @Test func response() {
        let (bytes, parts) = Script.content("HTTP/1.1".bytes, "Switching Protocols".bytes, "Upgrade: websocket\r\n".bytes)
        #expect(
            Script.record(
                .response(ResponseHead(status: 101, version: parts[0], reason: parts[1], fields: parts[2], latency: 4_100_000)), bytes)
                == #"{"kind":"response","conversation":1,"status":101,"reason":"Switching Protocols","version":"HTTP/1.1","headers":[["Upgrade","websocket"]],"latency":0.0041}"#
        )
    }

    @Test(
        arguments: [
            (0, "0"), (1, "0.000000001"), (1_000_000_000, "1"), (-3_000_000, "-0.003"), (86_400_123_456_789_000, "86400123.456789"),
            (Int64.max, "9223372036.854775807"), (Int64.min, "-9223372036.854775808"),
        ] as [(Int64, String)])
    func `seconds are decimals made from whole nanoseconds`(nanoseconds: Int64, text: String) {
        #expect(
            Script.record(.pong(Pong(roundTrip: nanoseconds, unsolicited: false)))
                == #"{"kind":"pong","conversation":1,"text":"","roundTrip":\#(text)}"#)
    }

    @Test func body() {
        let (bytes, parts) = Script.content("gzip".bytes, "hello".bytes, "X-Sum: 5\r\n".bytes)
        #expect(
            Script.record(
                .body(BodyPart(length: 5, wireLength: 25, part: 2, final: true, encoding: parts[0], payload: parts[1], trailers: parts[2])),
                bytes)
                == #"{"kind":"body","conversation":1,"length":5,"wireLength":25,"encoding":"gzip","part":2,"final":true,"trailers":[["X-Sum","5"]],"text":"hello"}"#
        )
    }

    @Test func upgrade() {
        let (bytes, parts) = Script.content(
            "websocket".bytes, "chat.example".bytes, "/room/7".bytes, "chat.v2".bytes, "permessage-deflate".bytes)
        #expect(
            Script.record(
                .upgrade(
                    Upgrade(
                        protocolName: parts[0], accepted: true, host: parts[1], target: parts[2], subprotocol: parts[3],
                        extensions: parts[4],
                        compression: Upgrade.Compression(serverTakeover: false, clientWindowBits: 12))), bytes)
                == #"{"kind":"upgrade","conversation":1,"protocol":"websocket","accepted":true,"host":"chat.example","target":"/room/7","subprotocol":"chat.v2","extensions":"permessage-deflate","compression":{"clientTakeover":true,"serverTakeover":false,"clientWindowBits":12,"serverWindowBits":15}}"#
        )
        #expect(
            Script.record(.upgrade(Upgrade(protocolName: ByteRange(0..<3), accepted: false)), "h2c".bytes)
                == #"{"kind":"upgrade","conversation":1,"protocol":"h2c","accepted":false}"#)
    }

    @Test func `frames only when asked for`() {
        let frame = FrameHeader(opcode: 1, fin: false, rsv: 4, masked: true, maskingKey: 0x00ab_cdef, length: 31, headerLength: 6)
        #expect(Script.record(.frame(frame)) == "")
        #expect(
            Script.record(.frame(frame), settings: RecordSettings(showsFrames: true))
                == #"{"kind":"frame","conversation":1,"opcode":1,"fin":false,"rsv":4,"masked":true,"maskingKey":"00abcdef","length":31,"headerLength":6}"#
        )
    }

    @Test func message() {
        #expect(
            Script.record(
                .message(Message(opcode: 1, length: 13, wireLength: 9, fragments: 2, compressed: true)), #"{"a":"b\c/"}"#.bytes + [0x0a])
                == #"{"kind":"message","conversation":1,"opcode":"text","length":13,"wireLength":9,"fragments":2,"compressed":true,"text":"{\"a\":\"b\\c/\"}\n"}"#
        )
        #expect(
            Script.record(.message(Message(opcode: 2, length: 0, wireLength: 0, fragments: 1, compressed: false)))
                == #"{"kind":"message","conversation":1,"opcode":"binary","length":0,"wireLength":0,"fragments":1,"compressed":false,"text":""}"#
        )
        #expect(
            Script.record(.message(Message(opcode: 11, length: 1, wireLength: 1, fragments: 1, compressed: false)), [0xff]).contains(
                #""opcode":11,"#))
    }

    @Test func `pings and pongs`() {
        #expect(Script.record(.ping, [0xff, 0x00]) == #"{"kind":"ping","conversation":1,"base64":"/wA="}"#)
        #expect(
            Script.record(.pong(Pong(roundTrip: nil, unsolicited: true)), "x".bytes)
                == #"{"kind":"pong","conversation":1,"text":"x","unsolicited":true}"#)
    }

    @Test func close() {
        #expect(
            Script.record(.close(CloseFrame(code: 1007)), "bad UTF-8".bytes)
                == #"{"kind":"close","conversation":1,"code":1007,"name":"invalid frame payload data","text":"bad UTF-8"}"#)
        #expect(Script.record(.close(CloseFrame(code: nil))) == #"{"kind":"close","conversation":1}"#)
        #expect(Script.record(.close(CloseFrame(code: 2999))) == #"{"kind":"close","conversation":1,"code":2999}"#)
        #expect(Script.record(.close(CloseFrame(code: 4001))) == #"{"kind":"close","conversation":1,"code":4001,"name":"private"}"#)
    }

    @Test func `data, and sealed TLS records`() {
        #expect(
            Script.record(.data(DataRun(length: 4)), "EHLO".bytes, from: .client)
                == #"{"kind":"data","conversation":1,"from":"client","length":4,"text":"EHLO"}"#)
        #expect(
            Script.record(.data(DataRun(length: 1_400, framing: .tlsRecord(contentType: 23))))
                == #"{"kind":"data","conversation":1,"length":1400,"framing":"tls","decoded":{"as":"tls","type":"application-data"}}"#)
        #expect(
            Script.record(.data(DataRun(length: 9, framing: .tlsRecord(contentType: 22), handshakeMessage: 4)))
                .hasSuffix(#""decoded":{"as":"tls","type":"handshake","handshake":"NewSessionTicket"}}"#))
        #expect(
            Script.record(.data(DataRun(length: 9, framing: .tlsRecord(contentType: 99)))).hasSuffix(#""decoded":{"as":"tls","type":99}}"#))
    }

    @Test func gap() {
        #expect(
            Script.record(.gap(Gap(length: 1_448, cause: .missing)), from: .server, offset: 9_000)
                == #"{"kind":"gap","conversation":1,"from":"server","offset":9000,"length":1448,"cause":"missing"}"#)
    }

    @Test func finding() {
        let row = FindingRow(
            id: "websocket.x", severity: .violation, reference: "RFC 6455 5.2",
            detail: #"bit {a} of {b} is {a:hex}, {c} and {text} say "no""#, explanation: "")
        #expect(
            Script.record(.finding(Finding(row, a: 31, b: .max)), [0x41, 0xe9, 0x1b])
                == #"{"kind":"finding","conversation":1,"id":"websocket.x","severity":"violation","reference":"RFC 6455 5.2","detail":"bit 31 of 18446744073709551615 is 0x1f, {c} and Aé\u001b say \"no\"","latin1":true}"#
        )
    }

    @Test func closed() {
        var client = SideTotals()
        (client.bytes, client.messages, client.frames, client.missing) = (3_400, 12, 14, 0)
        var server = SideTotals()
        (server.bytes, server.messages, server.frames, server.missing) = (120_000, 40, 41, 1_448)
        #expect(
            Script.record(
                .closed(
                    Closing(
                        by: .server, how: .closeFrame, code: 1007, answered: 3_000_000, clientEnd: .fin, serverEnd: .reset,
                        duration: 4_200_000_000,
                        client: client, server: server)))
                == #"{"kind":"closed","conversation":1,"by":"server","how":"close-frame","code":1007,"answered":0.003,"ends":{"client":"fin","server":"reset"},"duration":4.2,"client":{"bytes":3400,"messages":12,"frames":14,"missing":0},"server":{"bytes":120000,"messages":40,"frames":41,"missing":1448}}"#
        )
        let ways: [(Closing.Manner, String)] = [
            (.closeFrame, "close-frame"), (.fin, "fin"), (.reset, "reset"), (.timeout, "timeout"), (.endOfCapture, "end-of-capture"),
            (.evicted, "evicted"), (.connectFailed, "connect-failed"), (.tlsFailed, "tls-failed"), (.shutdown, "shutdown"),
            (.limit, "limit"), (.refused, "refused"),
        ]
        for (how, word) in ways {
            #expect(
                Script.record(.closed(Closing(by: .unknown, how: how))).contains(
                    #""by":"unknown","how":"\#(word)","ends":{"client":"open","server":"open"},"client":"#))
        }
    }
}
