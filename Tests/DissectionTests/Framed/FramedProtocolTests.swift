import Dissection
import Support
import Testing

/// Protocols that frame themselves: known by their first bytes, and cut into what they call a message.
@Suite struct FramedProtocolTests {
    /// What the lines say of messages, without offsets.
    private func messages(_ talk: Talk) -> [String] {
        FramedMessages.told(talk).filter { $0.contains(" message ") }.map {
            String($0.prefix(2)) + ($0.split(separator: " B ", maxSplits: 1).last ?? "")
        }
    }

    // MARK: - MQTT

    static let connect: [UInt8] = [0x10, 0x0D, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 2, 0, 60, 0, 1, 0x61]

    @Test func mqtt() {
        let publish: [UInt8] = [0x30, 5, 0, 1, 0x74, 0x68, 0x69]
        let told = FramedMessages.told(
            Talk([.client(Self.connect), .server([0x20, 2, 0, 0]), .client(publish + [0xC0, 0]), .server(publish)]))
        #expect(
            told == [
                "> @0 message 15 B 10 0d 00 04 4d 51 54 54 04 02 00 3c 00 01 61", "< @0 message 4 B 20 02 00 00",
                "> @15 message 7 B 30 05 00 01 74 68 69", "> @22 message 2 B c0 00", "< @4 message 7 B 30 05 00 01 74 68 69",
            ])
        // Nearly: another name, another level, another packet.
        for (index, byte) in [(4, 0x4C), (8, 7), (0, 0x30)] as [(Int, UInt8)] {
            var other = Self.connect
            other[index] = byte
            #expect(messages(Talk([.client(other), .server([0x20, 2, 0, 0])])) == [], "\(index)")
        }
    }

    // MARK: - AMQP

    @Test func amqp() {
        let greeting = Array("AMQP".utf8) + [0, 0, 9, 1]
        let start: [UInt8] = [1, 0, 0, 0, 0, 0, 4, 0, 10, 0, 10, 0xCE]
        let heartbeat: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0xCE]
        #expect(
            messages(Talk([.client(greeting), .server(start + heartbeat), .client(start)]))
                == [
                    "> 41 4d 51 50 00 00 09 01", "< 01 00 00 00 00 00 04 00 0a 00 0a ce", "< 08 00 00 00 00 00 00 ce",
                    "> 01 00 00 00 00 00 04 00 0a 00 0a ce",
                ])
        // From the middle on: a method, or two other frames.
        let method: [UInt8] = [1, 0, 1, 0, 0, 0, 4, 0, 60, 0, 40, 0xCE]
        #expect(messages(Talk([.client(method), .server(heartbeat)])).count == 2)
        #expect(messages(Talk([.client(heartbeat), .server(heartbeat), .client(method)])).count == 3)
        // Nearly: a class that there is not, another end, one heartbeat alone.
        #expect(messages(Talk([.client([1, 0, 1, 0, 0, 0, 4, 0, 61, 0, 40, 0xCE])])) == [])
        #expect(messages(Talk([.client([1, 0, 1, 0, 0, 0, 4, 0, 60, 0, 40, 0xCD])])) == [])
        #expect(messages(Talk([.client(heartbeat)])) == [])
        // AMQP 1.0 is another protocol.
        #expect(messages(Talk([.client(Array("AMQP".utf8) + [0, 1, 0, 0]), .server(start)])) == [])
        // A frame has an end.
        let broken = FramedMessages.told(Talk([.client(greeting), .server(start.dropLast() + [0]), .server(start)]))
        #expect(broken.contains("< @0 ! framing.not-of-protocol a=0 b=0") && broken.last?.hasPrefix("< @0 data") == true, "\(broken)")
    }

    // MARK: - NATS

    @Test func nats() {
        let told = messages(
            Talk([
                .server("INFO {\"server_id\":\"a\"}\r\n"), .client("CONNECT {}\r\nPUB greet 5\r\nhe\r\no\r\nPING\r\n"),
                .server("MSG greet 1 5\r\nhe\r\no\r\n+OK\r\nPONG\r\n"),
            ]))
        #expect(
            told == [
                "< \"INFO {\"server_id\":\"a\"}\\r\\n\"", "> \"CONNECT {}\\r\\n\"", "> \"PUB greet 5\\r\\nhe\\r\\no\\r\\n\"",
                "> \"PING\\r\\n\"",
                "< \"MSG greet 1 5\\r\\nhe\\r\\no\\r\\n\"", "< \"+OK\\r\\n\"", "< \"PONG\\r\\n\"",
            ])
        // Another order of the keys waits for the client; a log that begins alike is none.
        #expect(messages(Talk([.server("INFO {\"a\":1}\r\n"), .client("CONNECT {}\r\n")])).count == 2)
        #expect(messages(Talk([.server("INFO {\"a\":1}\r\n"), .client("thanks\r\n")])) == [])
        #expect(messages(Talk([.server("INFO all is well\r\n"), .client("CONNECT {}\r\n")])) == [])
    }

    @Test func `both sides of a NATS leaf node are cut, and nothing is wrong with them`() {
        let lines = FramedMessages.told(
            Talk([
                .server("INFO {\"server_id\":\"a\"}\r\n"), .client("CONNECT {}\r\nLS+ svc.*\r\nLMSG svc.0 _INBOX.7 4\r\na\r\nb\r\n"),
                .server("LS+ $SYS.>\r\nLMSG _INBOX.7 2\r\nhi\r\nHMSG a r 12 14\r\nNATS/1.0\r\n\r\nhi\r\nLS- $SYS.>\r\n"),
                .client("HMSG a 12 12\r\nNATS/1.0\r\n\r\n\r\n"),
            ]))
        #expect(lines.filter { $0.contains(" message ") }.count == 9, "\(lines)")
        #expect(!lines.contains { $0.contains("framing.") }, "\(lines)")
    }

    @Test func `both sides of a route between NATS servers are cut, also where the CONNECT is not in the capture`() {
        let server: Talk.Step = .server(
            "INFO {\"server_id\":\"a\"}\r\nRS+ $G svc.*\r\nRS- $G svc.* workers\r\nRMSG $G svc.0 + _INBOX.7 q1 q2 4\r\na\r\nb\r\nA- B\r\n")
        let client: Talk.Step = .client(
            "INFO {\"server_id\":\"b\"}\r\nRS+ $G svc.0 workers 1\r\nRMSG $G svc.0 2\r\nhi\r\nHMSG $G a r 12 14\r\nNATS/1.0\r\n\r\nhi\r\nA+ B\r\nPING\r\n"
        )
        let connect: Talk.Step = .client("CONNECT {}\r\n")
        for steps in [[server, connect, client], [server, client], [server, .gap(.client, 40, .missing), client]] {
            let lines = FramedMessages.told(Talk(steps))
            #expect(lines.filter { $0.contains(" message ") }.count >= 11, "\(lines)")
            #expect(!lines.contains { $0.contains("framing.not") || $0.contains("framing.length") }, "\(lines)")
        }
    }

    // MARK: - Redis

    @Test func redis() {
        let told = messages(
            Talk([
                .client("*2\r\n$3\r\nGET\r\n$1\r\na\r\n*1\r\n$4\r\nPING\r\n"), .server("$5\r\na\r\nb.\r\n+PONG\r\n"),
                .client("*1\r\n$4\r\nexec\r\n"), .server("*3\r\n:1\r\n*-1\r\n*2\r\n$-1\r\n$0\r\n\r\n%1\r\n+a\r\n:2\r\n-ERR no\r\n"),
            ]))
        #expect(
            told == [
                "> \"*2\\r\\n$3\\r\\nGET\\r\\n$1\\r\\na\\r\\n\"", "> \"*1\\r\\n$4\\r\\nPING\\r\\n\"", "< \"$5\\r\\na\\r\\nb.\\r\\n\"",
                "< \"+PONG\\r\\n\"",
                "> \"*1\\r\\n$4\\r\\nexec\\r\\n\"", "< \"*3\\r\\n:1\\r\\n*-1\\r\\n*2\\r\\n$-1\\r\\n$0\\r\\n\\r\\n\"",
                "< \"%1\\r\\n+a\\r\\n:2\\r\\n\"",
                "< \"-ERR no\\r\\n\"",
            ])
        for text in ["*2 apples\r\n", "*\r\n", "*1\n$4\nPING\n", "*1\r\n$4\r\n1234\r\n", "*12345\r\n$1\r\na\r\n", "* list\r\n"] {
            #expect(messages(Talk([.client(text), .server("+OK\r\n")])) == [], "\(text)")
        }
    }

    // MARK: - STOMP

    @Test func stomp() {
        let told = messages(
            Talk([
                .client("CONNECT\naccept-version:1.2\n\n\0"), .server("CONNECTED\nversion:1.2\n\n\0\n"),
                .client("SEND\ndestination:/a\ncontent-length:3\n\na\0b\0\r\n"),
                .server("MESSAGE\r\ncontent-length:1\r\ncontent-length:9\r\n\r\nx\0"),
            ]))
        // The line end after the client's last frame is a heartbeat, which is known at its end.
        #expect(told.count == 5 && told.last == #"> "\r\n""#, "\(told)")
        let message = told.dropLast().last
        #expect(message?.hasPrefix("< 4d 45 53 53 41 47 45 0d 0a") == true && message?.hasSuffix(" 0d 0a 0d 0a 78 00") == true, "\(told)")
        #expect(messages(Talk([.client("CONNECT\nhost:a\n\n\0"), .server("NO\n")])) == [])
        #expect(messages(Talk([.client("CONNECTION\nhost:a\n\n\0"), .server("CONNECTED\n\n\0")])) == [])
    }

    // MARK: - IRC

    @Test func irc() {
        let told = messages(
            Talk([
                .client("NICK a\r\nUSER a 0 * :A\r\n"), .server(":irc.example 001 a :Welcome\r\n:irc.example 002 a :Host\r\n"),
                .client("JOIN #x\r\n"),
            ]))
        #expect(
            told == [
                "> \"NICK a\"", "> \"USER a 0 * :A\"", "< \":irc.example 001 a :Welcome\"", "< \":irc.example 002 a :Host\"",
                "> \"JOIN #x\"",
            ])
        #expect(messages(Talk([.server("NOTICE AUTH :*** Looking up\r\n"), .client("CAP LS 302\r\n")])).count == 2)
        // A welcome of any length, in one run.
        let welcome = String(repeating: ":b 372 a :- and so on\r\n", count: 200)
        #expect(messages(Talk([.client("NICK a\r\n"), .server(welcome)])).count == 201)
        // FTP and mail begin with the same words.
        #expect(messages(Talk([.server("220 ftp\r\n"), .client("USER a\r\n"), .server("331 x\r\n"), .client("PASS b\r\n")])) == [])
        #expect(messages(Talk([.client("USER a\r\n"), .server("+OK\r\n"), .client("PASS b\r\n"), .server("+OK\r\n")])) == [])
        #expect(messages(Talk([.client("PASS b\r\n"), .server(":-)\r\n")])) == [])
    }

    // MARK: - XMPP

    private let opening =
        "<?xml version='1.0'?><stream:stream to='a' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

    @Test func xmpp() {
        let told = messages(
            Talk([
                .client(opening), .server(opening + "<stream:features><a/><b>x</b></stream:features>"),
                .client("<message to='a>b'><body>1 &lt; 2<!-- > --><![CDATA[</body>]]></body></message> <presence/>"),
                .server("<success/>"), .client(opening), .client("</stream:stream>"),
            ]))
        #expect(
            told.dropFirst(2) == [
                "< \"<stream:features><a/><b>x</b></stream:features>\"",
                "> \"<message to='a>b'><body>1 &lt; 2<!-- > --><![CDATA[</body>]]></body></message>\"",
                "> \" \"", "> \"<presence/>\"", "< \"<success/>\"", told[7], "> \"</stream:stream>\"",
            ], "\(told)")
        #expect(messages(Talk([.client("<?xml version='1.0'?><policy-file-request/>"), .server("<x/>")])) == [])
        #expect(messages(Talk([.client("<stream>"), .server("<stream>")])) == [])
    }

    @Test func `what follows the agreement of XMPP to compress is data on both sides, and nothing is wrong with it`() {
        func lines(_ answer: String) -> [String] {
            FramedMessages.told(
                Talk([
                    .client(opening), .server(opening), .client("<compress><method>zlib</method></compress>"),
                    .bytes(.server, Array(answer.utf8) + [0x78, 0x9C, 0x3C]), .client([0x78, 0x9C, 0x0B, 0xC9]),
                    .server([0x3E, 0x3C, 0x01]),
                ]))
        }
        let compressed = lines("<compressed xmlns='http://jabber.org/protocol/compress'/>")
        #expect(compressed.filter { $0.contains(" message ") }.count == 4, "\(compressed)")
        #expect(compressed.filter { $0.contains(" data ") }.count == 3, "\(compressed)")
        #expect(!compressed.contains { $0.contains("framing.") }, "\(compressed)")
        // Where the server does not agree, such bytes are no stanzas.
        #expect(lines("<failure><setup-failed/></failure>").contains { $0.contains("framing.not-of-protocol") })
    }

    @Test func starttlsInsideIsReadAsTLS() {
        let hello = Hello.bytes(name: "a.example")
        let talk = Talk([
            .client(opening), .server(opening), .client("<starttls/>"), .server("<proceed/>"), .client(hello), .finish(.client),
        ])
        let lines = talk.transcript()
        #expect(lines.contains { $0.contains("| ") }, "\(lines)")
        #expect(talk.difference(from: lines) == nil)
    }
}
