import Dissection
import Testing

@testable import Reports

/// Protocols that frame themselves on raw TCP: Redis, AMQP, NATS, IRC, and STOMP.
@Suite struct FramedFormatTests {
    @Test func `Redis replies are those of the commands, in order`() {
        var talk = FramedMessagingTalk("redis")
        #expect(
            talk.say("*3\r\n$3\r\nset\r\n$1\r\na\r\n$2\r\nhi\r\n")?.json
                == #"{"as":"redis","type":"command","command":"SET","args":["a","hi"]}"#)
        #expect(talk.say("*2\r\n$3\r\nGET\r\n$1\r\na\r\n")?.line == "GET a")
        #expect(
            talk.say("+OK\r\n", from: .server)?.json == #"{"as":"redis","type":"simple","value":"OK","command":"SET","latency":0.01}"#)
        #expect(talk.say("$2\r\nhi\r\n", from: .server)?.line == "bulk hi, of GET, after 10 ms")
        #expect(talk.say("-ERR no\r\n", from: .server)?.json == #"{"as":"redis","type":"error","message":"ERR no"}"#)
        _ = talk.say("PING\r\n")
        #expect(
            talk.say("*3\r\n:-1\r\n$-1\r\n*1\r\n#t\r\n", from: .server)?.json.contains(#""value":[-1,null,[true]],"command":"PING""#)
                == true)
        #expect(talk.say("%1\r\n+a\r\n,1.5\r\n", from: .server)?.json == #"{"as":"redis","type":"map","value":{"a":1.5}}"#)
        #expect(talk.say("*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n")?.json == #"{"as":"redis","type":"command","command":"AUTH"}"#)
        // A published message answers nothing; a list that looks like one does.
        _ = talk.say("+OK\r\n", from: .server)
        #expect(talk.say("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n", from: .server)?.json.contains(#""pushed":true"#) == true)
        _ = talk.say("LRANGE l 0 -1\r\n")
        #expect(talk.say("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n", from: .server)?.line.contains("of LRANGE") == true)
        // A reply that cannot be read to its end is a reply all the same.
        _ = talk.say("KEYS *\r\n")
        _ = talk.say("GET b\r\n")
        #expect(talk.say("*2\r\n+a\r\n", from: .server)?.json.contains(#""command":"KEYS""#) == true)
        #expect(talk.say("+b\r\n", from: .server)?.line.contains("of GET") == true)
        // After bytes that were not seen nothing is matched.
        _ = talk.say("GET a\r\n")
        talk.memory.lose(bytesOf: .server)
        #expect(talk.say("+OK\r\n", from: .server)?.json == #"{"as":"redis","type":"simple","value":"OK"}"#)
    }

    @Test func `Redis replies are paired again after a loss, once both sides were silent`() {
        var talk = FramedMessagingTalk("redis")
        func isOf(_ name: String) -> Bool { talk.say("+OK\r\n", from: .server)?.line.contains("of \(name)") == true }
        _ = talk.say("GET a\r\n")
        talk.memory.lose(bytesOf: .server)
        #expect(!isOf("GET"))
        // A reply may still be due where nobody waited.
        _ = talk.say("GET b\r\n")
        #expect(!isOf("GET"))
        talk.wait(seconds: 1)
        _ = talk.say("GET c\r\n")
        _ = talk.say("INCR d\r\n")
        #expect(isOf("GET") && isOf("INCR"))
        // Silence behind a command says nothing.
        talk.memory.lose(bytesOf: .client)
        _ = talk.say("GET e\r\n")
        talk.wait(seconds: 5)
        _ = talk.say("GET f\r\n")
        #expect(!isOf("GET") && !isOf("GET"))
        // Nor does it where something was lost in it.
        talk.memory.lose(bytesOf: .client)
        talk.wait(seconds: 5)
        _ = talk.say("GET g\r\n")
        #expect(!isOf("GET"))
        talk.wait(seconds: 5)
        _ = talk.say("GET h\r\n")
        #expect(isOf("GET"))
        // A reply too many: what is due is not known after all.
        #expect(!isOf("GET"))
        _ = talk.say("GET i\r\n")
        #expect(!isOf("GET"))
    }

    @Test func `replies that the client does not want are not waited for`() {
        var talk = FramedMessagingTalk("redis")
        func answered(_ text: String) -> String? {
            let json = talk.say(text, from: .server)?.json ?? ""
            return json.split(separator: "\"command\":\"").dropFirst().first?.split(separator: "\"").first.map(String.init)
        }
        for text in ["CLIENT REPLY OFF\r\n", "SET a 1\r\n", "CLIENT REPLY SKIP\r\n", "SET b 1\r\n"] { _ = talk.say(text) }
        _ = talk.say("*3\r\n$6\r\nclient\r\n$5\r\nreply\r\n$2\r\non\r\n")
        _ = talk.say("GET a\r\n")
        #expect(answered("+OK\r\n") == "CLIENT" && answered("+1\r\n") == "GET")
        for text in ["CLIENT REPLY SKIP\r\n", "SET a 1\r\n", "INCR a\r\n", "CLIENT REPLY\r\n"] { _ = talk.say(text) }
        #expect(answered(":2\r\n") == "INCR" && answered("-ERR\r\n") == "CLIENT")
    }

    @Test(arguments: [
        "$5\r\nhi\r\n", "$2\r\nhiXX", "*2\r\n+a\r\n", "$99999999999999999999\r\n", ":x\r\n", "*1000000000\r\n", "?\r\n", "+a\n",
        "+OK\r\n+OK\r\n",
    ])
    func `replies of Redis that are not valid say why`(text: String) {
        var talk = FramedMessagingTalk("redis")
        #expect(talk.say(text, from: .server)?.json.contains("\"error\":") == true)
    }

    @Test func `Redis nests no deeper than we follow`() {
        var talk = FramedMessagingTalk("redis")
        let deep = String(repeating: "*1\r\n", count: 10_000)
        #expect(talk.say(deep, from: .server)?.json.contains("nested deeper than 100 levels") == true)
    }

    /// A frame of AMQP.
    private func frame(_ type: UInt8, _ channel: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [type, 0, channel, 0, 0, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)] + payload + [0xce]
    }

    private func short(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test func `AMQP methods are named with what they carry, and answers have their time`() {
        var talk = FramedMessagingTalk("amqp")
        #expect(talk.say(Array("AMQP".utf8) + [0, 0, 9, 1])?.json == #"{"as":"amqp","type":"protocol","version":"0-9-1"}"#)
        let start: [UInt8] = [0, 10, 0, 10, 0, 9, 0, 0, 0, 0, 0, 0, 0, 5] + Array("PLAIN".utf8) + [0, 0, 0, 0]
        #expect(
            talk.say(frame(1, 0, start), from: .server)?.json.contains(#""method":"connection.start","channel":0,"versionMajor":0"#) == true
        )
        let answer: [UInt8] = [0, 10, 0, 11, 0, 0, 0, 0] + short("PLAIN") + [0, 0, 0, 6] + Array("secret".utf8) + short("en")
        let said = talk.say(frame(1, 0, answer))
        #expect(said?.json.hasSuffix(#""mechanism":"PLAIN","response":{"$binary":6},"locale":"en","latency":0.005}"#) == true)
        let declare: [UInt8] = [0, 50, 0, 10, 0, 0] + short("tasks") + [2, 0, 0, 0, 0]
        #expect(
            talk.say(frame(1, 1, declare))?.json
                == #"{"as":"amqp","type":"method","method":"queue.declare","channel":1,"queue":"tasks","durable":true,"arguments":{"$binary":0}}"#
        )
        let declared: [UInt8] = [0, 50, 0, 11] + short("tasks") + [0, 0, 0, 3, 0, 0, 0, 1]
        // An answer on another channel is another's.
        #expect(talk.say(frame(1, 2, declared), from: .server)?.json.contains("latency") == false)
        #expect(talk.say(frame(1, 1, declared), from: .server)?.line == "queue.declare-ok on channel 1  tasks, after 10 ms")
        let publish: [UInt8] = [0, 60, 0, 40, 0, 0] + short("logs") + short("a.b") + [0]
        #expect(talk.say(frame(1, 1, publish))?.line == "basic.publish on channel 1  logs a.b")
        let header: [UInt8] = [0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x90, 0] + short("text/plain") + [2]
        #expect(
            talk.say(frame(2, 1, header))?.json
                == #"{"as":"amqp","type":"header","channel":1,"length":2,"contentType":"text/plain","deliveryMode":2}"#)
        #expect(talk.say(frame(3, 1, Array("hi".utf8)))?.json == #"{"as":"amqp","type":"body","channel":1,"length":2,"payload":"hi"}"#)
        let deliver: [UInt8] = [0, 60, 0, 60] + short("c1") + [0, 0, 0, 0, 0, 0, 0, 9, 1] + short("logs") + short("a.b")
        #expect(
            talk.say(frame(1, 1, deliver), from: .server)?.json
                == #"{"as":"amqp","type":"method","method":"basic.deliver","channel":1,"consumerTag":"c1","deliveryTag":9,"redelivered":true,"#
                + #""exchange":"logs","routingKey":"a.b"}"#)
        #expect(talk.say(frame(8, 0, []))?.line == "heartbeat")
    }

    @Test func `a content of AMQP in several frames is read with the last of them`() {
        func begin(_ talk: inout FramedMessagingTalk, _ length: UInt8, channel: UInt8 = 1) {
            _ = talk.say(frame(1, channel, [0, 60, 0, 40, 0, 0] + short("logs") + short("a.b") + [0]))
            _ = talk.say(
                frame(2, channel, [0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, length, 0x80, 0] + short("application/x-www-form-urlencoded")))
        }
        var talk = FramedMessagingTalk("amqp")
        begin(&talk, 9)
        let first = talk.say(frame(3, 1, Array("a=1&".utf8)))
        #expect(first?.json == #"{"as":"amqp","type":"body","channel":1,"length":4,"received":4,"contentLength":9}"#)
        #expect(first?.line == "body on channel 1, 4 of 9 bytes  a=1&")
        // Frames of another channel come between.
        begin(&talk, 3, channel: 2)
        #expect(
            talk.say(frame(3, 2, Array("x=7".utf8)))?.json
                == #"{"as":"amqp","type":"body","channel":2,"length":3,"payload":{"as":"form","fields":[["x","7"]]}}"#)
        let last = talk.say(frame(3, 1, Array("b=222".utf8)))
        #expect(
            last?.json
                == #"{"as":"amqp","type":"body","channel":1,"length":5,"received":9,"contentLength":9,"#
                + #""payload":{"as":"form","fields":[["a","1"],["b","222"]]}}"#, "\(last?.json ?? "")")
        #expect(last?.line.hasPrefix("body on channel 1, 9 of 9 bytes in 2 frames") == true)
        // What comes after it is of no content.
        #expect(talk.say(frame(3, 1, Array("c=3".utf8)))?.json == #"{"as":"amqp","type":"body","channel":1,"length":3,"payload":"c=3"}"#)
    }

    @Test func `of a content of AMQP no more is kept than fits, and nothing after a loss`() {
        var talk = FramedMessagingTalk("amqp")
        let header: [UInt8] = [0, 60, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0]
        for channel in 1...9 as ClosedRange<UInt8> {
            _ = talk.say(frame(1, channel, [0, 60, 0, 40, 0, 0] + short("logs") + short("a.b") + [0]))
            _ = talk.say(frame(2, channel, header))
            for _ in 0..<6 { _ = talk.say(frame(3, channel, [UInt8](repeating: 0x61, count: 60_000))) }
        }
        #expect(talk.memory.heldBytes < 300 << 10)
        talk.memory.lose(bytesOf: .client)
        #expect(talk.memory.heldBytes < 2 << 10)
    }

    @Test func `frames of AMQP that are not valid say why`() {
        var talk = FramedMessagingTalk("amqp")
        let valid = frame(1, 1, [0, 60, 0, 40, 0, 0] + short("logs") + short("a.b") + [0])
        for (bytes, error) in [
            (Array(valid.dropLast()) + [0], "does not end with 0xCE"), (Array(valid.dropLast(2)), "is not that of the message"),
            (frame(1, 1, [0, 60, 0, 40, 0, 0, 9, 1]), "in the middle of a field"), (frame(1, 1, [0, 60, 9, 9]), "its method is not known"),
            (frame(9, 1, []), "the type of its frame"), (frame(8, 1, []), "a heartbeat has"), ([1, 2], "shorter than 8 bytes"),
        ] {
            #expect(talk.say(bytes)?.json.contains(error) == true, "\(error)")
        }
    }

    @Test func `NATS has subjects, and requests are matched with their reply`() {
        var talk = FramedMessagingTalk("nats")
        #expect(
            talk.say("INFO {\"server_name\":\"n1\",\"nonce\":\"x\"}\r\n", from: .server)?.json
                == #"{"as":"nats","command":"INFO","options":{"server_name":"n1"}}"#)
        #expect(talk.say("CONNECT {\"user\":\"u\",\"pass\":\"secret\"}\r\n")?.json.contains("secret") == false)
        #expect(
            talk.say("PUB help _INBOX.1 2\r\nhi\r\n")?.json
                == #"{"as":"nats","command":"PUB","subject":"help","reply":"_INBOX.1","length":2,"payload":"hi"}"#)
        let answer = talk.say("MSG _INBOX.1 9 2\r\n{}\r\n", from: .server)
        #expect(
            answer?.json == #"{"as":"nats","command":"MSG","subject":"_INBOX.1","sid":"9","length":2,"payload":{},"latency":0.005}"#)
        #expect(answer?.line == "MSG _INBOX.1  {}, of help, after 5 ms")
        #expect(talk.say("sub a.> q 1\r\n")?.json == #"{"as":"nats","command":"SUB","subject":"a.>","queue":"q","sid":"1"}"#)
        #expect(talk.say("HMSG a 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n", from: .server)?.json.contains(#""payload":"hi""#) == true)
        _ = talk.say("PING\r\n")
        #expect(talk.say("PONG\r\n", from: .server)?.line == "PONG, after 5 ms")
        #expect(talk.say("-ERR 'Unknown'\r\n", from: .server)?.line == "-ERR 'Unknown'")
        for text in [
            "PUB a 9\r\nhi\r\n", "PUB a\r\n", "PUB a 1\r\nhi\r\n", "HELLO\r\n", "PING", "HMSG a 1 99 2\r\nhi\r\n", "INFO {\r\n",
            "PUB a 99999999999999999999\r\n",
        ] {
            #expect(talk.say(text)?.json.contains("\"error\":") == true, "\(text)")
        }
    }

    @Test func `NATS between a server and its leaf has the same parts without numbers of subscriptions`() {
        var talk = FramedMessagingTalk("nats")
        #expect(talk.say("LS+ svc.* workers 3\r\n")?.json == #"{"as":"nats","command":"LS+","subject":"svc.*","queue":"workers"}"#)
        #expect(talk.say("LS- svc.*\r\n", from: .server)?.line == "LS- svc.*")
        #expect(
            talk.say("LMSG svc.0 _INBOX.7 2\r\nhi\r\n")?.json
                == #"{"as":"nats","command":"LMSG","subject":"svc.0","reply":"_INBOX.7","length":2,"payload":"hi"}"#)
        #expect(talk.say("LMSG _INBOX.7 4\r\npong\r\n", from: .server)?.line == "LMSG _INBOX.7  pong, of svc.0, after 5 ms")
        for (text, reply) in [
            ("LMSG a + r.1 q1 q2 2\r\nhi\r\n", #""reply":"r.1","#), ("HMSG a r.1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n", #""reply":"r.1","#),
            ("HMSG a 3 r.1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n", #""sid":"3","reply":"r.1","#),
        ] {
            #expect(talk.say(text, from: .server)?.json.contains(reply) == true, "\(text)")
        }
        #expect(talk.say("LMSG a | q1 q2 2\r\nhi\r\n")?.json.contains("reply") == false)
        #expect(talk.say("LS+\r\n")?.json.contains("\"error\":") == true)
    }

    @Test func `NATS between the servers of a cluster names the account`() {
        var talk = FramedMessagingTalk("nats")
        #expect(
            talk.say("RS+ $G svc.* workers 3\r\n")?.json
                == #"{"as":"nats","command":"RS+","account":"$G","subject":"svc.*","queue":"workers"}"#)
        #expect(talk.say("RS- svc.*\r\n", from: .server)?.line == "RS- svc.*")
        #expect(talk.say("A- B\r\n", from: .server)?.json == #"{"as":"nats","command":"A-","account":"B"}"#)
        #expect(
            talk.say("RMSG $G svc.0 _INBOX.7 2\r\nhi\r\n")?.json
                == #"{"as":"nats","command":"RMSG","account":"$G","subject":"svc.0","reply":"_INBOX.7","length":2,"payload":"hi"}"#)
        #expect(talk.say("RMSG $G _INBOX.7 4\r\npong\r\n", from: .server)?.line == "RMSG _INBOX.7  pong, of svc.0, after 5 ms")
        #expect(talk.say("RMSG $G a + r.1 q1 q2 2\r\nhi\r\n")?.json.contains(#""reply":"r.1""#) == true)
        #expect(talk.say("RS+\r\n")?.json.contains("\"error\":") == true)
    }

    @Test func `IRC lines have their parts, and numerics their names`() {
        var talk = FramedMessagingTalk("irc")
        #expect(
            talk.say("@time=1 :alice!a@h PRIVMSG #room :Hello there\r\n", from: .server)?.json
                == ##"{"as":"irc","tags":"time=1","prefix":"alice!a@h","command":"PRIVMSG","params":["#room","Hello there"]}"##)
        #expect(
            talk.say(":s 433 * nick :Nickname is already in use\r\n", from: .server)?.line
                == "ERR_NICKNAMEINUSE * nick  Nickname is already in use, from s")
        #expect(talk.say("PASS secret\r\n")?.json == #"{"as":"irc","command":"PASS"}"#)
        _ = talk.say("PING :x\r\n", from: .server)
        #expect(talk.say("PONG x\r\n")?.line == "PONG x, after 5 ms")
        #expect(talk.say("PRIVMSG #a :\r\n")?.json == ##"{"as":"irc","command":"PRIVMSG","params":["#a",""]}"##)
        for text in [":only\r\n", "12 a\r\n", "A\r\nB\r\n", "é\r\n"] {
            #expect(talk.say(text)?.json.contains("\"error\":") == true, "\(text)")
        }
    }

    /// STOMP 1.2, "Connecting": the server "MUST respond back with an ERROR frame".
    @Test func `a login of STOMP that is refused is answered by an ERROR`() {
        var talk = FramedMessagingTalk("stomp")
        _ = talk.say("STOMP\naccept-version:1.2\nhost:/\n\n\0")
        #expect(talk.say("ERROR\nmessage:Bad CONNECT\n\naccess denied\0", from: .server)?.line.hasSuffix("after 5 ms") == true)
        // A later one answers nothing.
        #expect(talk.say("ERROR\nmessage:gone\n\n\0", from: .server)?.json.contains("latency") == false)
    }

    @Test func `STOMP receipts are matched with what asked for them`() {
        var talk = FramedMessagingTalk("stomp")
        #expect(talk.say("CONNECT\naccept-version:1.2\npasscode:secret\n\n\0")?.json.contains("secret") == false)
        #expect(talk.say("CONNECTED\nversion:1.2\n\n\0", from: .server)?.line == "CONNECTED 1.2, after 5 ms")
        // Line breaks before a frame are heartbeats.
        #expect(talk.say("\n\nSEND\ndestination:/q\nreceipt:r\\c1\n\nhi\0\n")?.json.contains(#"["receipt","r:1"]"#) == true)
        #expect(
            talk.say("RECEIPT\nreceipt-id:r\\c1\n\n\0", from: .server)?.json
                == #"{"as":"stomp","command":"RECEIPT","headers":[["receipt-id","r:1"]],"length":0,"latency":0.005}"#)
        // Of several headers with one name the first counts (1.2).
        #expect(
            talk.say("SEND\ncontent-length:3\ncontent-length:9\n\na\0b\0")?.json.contains(#""length":3,"payload":{"$binary":3}}"#) == true)
        #expect(talk.say("SEND\ncontent-length:x\n\na\0")?.json.contains("its content-length is not a number") == true)
        // What is no escape stays: STOMP 1.0 has none.
        #expect(talk.say("SEND\na:\\t\n\na\0")?.json.contains(#"["a","\\t"]"#) == true)
    }

    @Test func `JSON-RPC is read in framed messages as well`() {
        var talk = FramedMessagingTalk("")
        #expect(talk.say(#"{"jsonrpc":"2.0","method":"m","id":1}"#)?.line == "call m")
        #expect(talk.say(#"{"jsonrpc":"2.0","result":1,"id":1}"#, from: .server)?.line == "result of m after 5 ms  1")
        #expect(talk.say(#"{"a":1}"#)?.json == #"{"as":"json"}"#)
        #expect(talk.say("hello") == nil)
    }

    @Test func `GraphQL operations are tracked until they are complete`() {
        var talk = MessagingTalk(subprotocol: "graphql-transport-ws")
        _ = talk.say(#"{"id":"7","type":"subscribe","payload":{"query":"subscription News { a }"}}"#)
        #expect(
            talk.say(#"{"id":"7","type":"next","payload":{"data":{"a":1}}}"#, from: .server)?.line.hasSuffix(
                "of News, first after 5 ms  {\"data\":{\"a\":1}}") == true)
        #expect(
            talk.say(#"{"id":"7","type":"next","payload":{"errors":[{"message":"no"}]}}"#, from: .server)?.json.contains(
                #""errors":[{"message":"no"}]"#) == true)
        let complete = talk.say(#"{"id":"7","type":"complete"}"#, from: .server)
        #expect(complete?.json == #"{"as":"graphql-ws","type":"complete","id":"7","name":"News","duration":0.015}"#)
        #expect(complete?.line == "complete 7 of News, after 15 ms")
        // A client that ends its own operation.
        _ = talk.say(#"{"id":"8","type":"subscribe","payload":{"query":"query A { a }"}}"#)
        #expect(talk.say(#"{"id":"8","type":"complete"}"#)?.line == "complete 8 of A, after 5 ms")
        #expect(talk.say(#"{"id":"8","type":"next","payload":{}}"#, from: .server)?.json.contains("latency") == false)
        _ = talk.say(#"{"id":"9","type":"subscribe","payload":{"query":"{ b }"}}"#)
        #expect(
            talk.say(#"{"id":"9","type":"error","payload":[{"message":"no"}]}"#, from: .server)?.json.hasSuffix(
                #""errors":[{"message":"no"}],"duration":0.005}"#) == true)
    }
}
