import Dissection
import Query
import Testing

@Suite("an expression picks the events for which it holds")
struct ExpressionTests {
    private static let text = #"{"user": {"id": 17, "name": "Zoë"}, "tags": ["a", "b"], "ratio": 0.1, "ok": true, "none": null, "a\tb": 1}"#

    @Test(
        "of a message",
        arguments: [
            // Comparisons.
            ("message.length == 5", true), ("message.length eq 5", true), ("message.length != 5", false), ("message.length ne 6", true),
            ("message.length > 4", true), ("message.length gt 5", false), ("message.length >= 5", true), ("message.length le 4", false),
            ("message.length < 0x6", true), ("message.length == 0b101", true), ("message.length == 05", true),
            ("message.length == '\\x05'", true), ("5 == message.length", true), ("4 < message.length", true), ("6 < message.length", false),
            // Texts and bytes.
            ("message.text == \"Hallo\"", true), ("message.text == r\"Hallo\"", true), ("message.text == \"\\x48\\141llo\"", true),
            ("message.text contains \"all\"", true), ("message.text contains \"ALL\"", false), ("message.text matches \"^HAL{2}\"", true),
            ("message.text ~ r\"h\\w+\"", true), ("message.text matches \"(?-i)hallo\"", false), ("message.payload contains 6c:6c", true),
            ("message.payload == 48:61:6c:6c:6f", true), ("message.payload == 48616c6c6f", true), ("message.payload contains 0x6f", true),
            ("message.payload == \"Hallo\"", true), ("message.text < \"Halma\"", true), ("message.text > \"Hall\"", true),
            // Parts.
            ("message.text[0:2] == \"Ha\"", true), ("message.text[1-3] == \"all\"", true), ("message.text[:2] == 48:61", true),
            ("message.text[-2:] == \"lo\"", true), ("message.text[4] == \"o\"", true), ("message.text[-1:1] == 0x6f", true),
            ("message.text[0,4] == \"Ho\"", true), ("message.text[1:4][1:2] == \"ll\"", true), ("message.text[3:4]", false),
            ("message.text[0:4] matches \"ALL\"", true), ("websocket[0:1] == \"H\"", true),
            // Functions.
            ("upper(message.text) == \"HALLO\"", true), ("lower(message.text[0:1]) == \"h\"", true), ("len(message.text) == 5", true),
            ("count(message.text) == 1", true), ("count(tcp.port) == 2", true), ("string(message.length) matches \"^5$\"", true),
            ("string(ip.addr) contains \"192.\"", true), ("len(message.text) > message.length", false),
            // Sets.
            ("message.length in {1, 5}", true), ("message.length in {1..4, 6..9}", false), ("message.length in {1..5}", true),
            ("message.text in {\"a\", \"Hallo\"}", true), ("not message.length in {5}", false), ("from in {server}", false),
            ("ip.addr in {10.0.0.0/8}", true), ("ip.addr in {10.0.0.1..10.0.0.9}", true), ("tcp.port in {80, 8000..8080}", true),
            // Words and flags.
            ("kind == message", true), ("kind == \"message\"", true), ("kind in {request, response}", false), ("message", true),
            ("request", false),
            ("from == client", true), ("from != client", false), ("message.compressed == false", true), ("message.compressed == 1", false),
            ("websocket.opcode == 1", true), ("websocket.opcode == text", true), ("message.opcode == binary", false),
            // Being there.
            ("message.text", true), ("message.base64", false), ("tls", false), ("websocket", true), ("http", false), ("!tls", true),
            // The conversation.
            ("ip.addr == 10.0.0.5", true), ("ip.addr == 10.0.0.0/8", true), ("ip.addr != 10.0.0.5", false),
            ("ip.addr != 10.1.0.0/16", true),
            ("ip.src == 10.0.0.5", true), ("ip.dst == 10.0.0.5", false), ("ip.src == ip.dst", false), ("ip.src != ip.dst", true),
            ("ipv6.addr", false), ("tcp.port == 8080", true), ("tcp.srcport == 51422", true), ("tcp.dstport == 51422", false),
            ("all tcp.port > 1024", true), ("all tcp.port > 9000", false), ("any tcp.port != 8080", true), ("tcp.port === 8080", false),
            ("tcp.port !== 8080", true), ("tcp.port ~= 8080", true), ("server.name == \"chat.example\"", true),
            ("client.address == 10.0.0.5", true), ("server.port == 8080", true), ("client.port == server.port", false),
            // Place and time.
            ("frame.number == 2", true), ("frame.number == 1", false), ("frame.number < 3", true), ("packets > 2", false),
            ("frame.number in {2..4}", true),
            ("frame.time > \"2026-11-20 21:47:59\"", true), ("frame.time < \"2026-11-20T21:48\"", false),
            ("frame.time >= \"Nov 20, 2026 21:48:00.125\"", true), ("time == \"2026-11-20T21:48:00.125456789Z\"", true),
            ("time == \"2026-11-20T22:48:00.125456789+01:00\"", true), ("frame.time_epoch > 1795211280.125", true),
            ("time >= 2026-11-20", true),
        ] as [(String, Bool)])
    func message(expression: String, holds: Bool) throws {
        #expect(try FilteredTalk.picks(expression, "Hallo") == holds, "\(expression)")
    }

    @Test(
        "by precedence: not before and before xor before or",
        arguments: [
            ("kind == message or tls and tls", true), ("(kind == message or tls) and tls", false), ("not tls and message", true),
            ("not (tls or message)", false), ("!tls && !http || tls", true), ("not not message", true), ("! ! ! message", false),
            ("message xor websocket", false), ("message xor tls", true), ("tls ^^ http", false),
            ("tls or message xor message or tls", false),
            ("message and\n not\ttls", true), ("not tls == tls", true),
        ] as [(String, Bool)])
    func precedence(expression: String, holds: Bool) throws {
        #expect(try FilteredTalk.picks(expression, "Hallo") == holds, "\(expression)")
    }

    @Test(
        "by what JSON says",
        arguments: [
            ("json", true), ("json[\"user.id\"] == 17", true), ("json[\"user.id\"] > 16.5", true), ("json[\"user.id\"] == \"17\"", false),
            ("json[\"user.name\"] == \"Zoë\"", true), ("json[\"user.name\"] matches \"^zo\"", true), ("json[\"tags[0]\"] == a", true),
            ("json[\"tags[1]\"] == \"a\"", false), ("json[\"tags[*]\"] == \"b\"", true), ("json[\"tags[2]\"]", false),
            ("count(json[\"tags[*]\"]) == 2", true), ("json[\"ratio\"] == 0.1", true), ("json[\"ok\"] == true", true),
            // What is true is not 1, and 1 is not true.
            ("json[\"ok\"] != false", true), ("json[\"ok\"] == 1", false), ("json[\"ok\"] > 0", false), ("json[\"ok\"] in {1}", false),
            ("json[\"ok\"] in {true}", true), ("json[\"user.id\"] == true", false), ("json[\"user.id\"] != true", true),
            ("json[\"none\"]", true),
            ("json[\"none\"] == null", true), ("json[\"ok\"] == null", false), ("json[\"user\"] contains \"17\"", true),
            ("json[\"/user/id\"] == 17", true), ("json[\"/tags/1\"] == \"b\"", true), ("json[\"a\\tb\"] == 1", true),
            ("json[\"id\"]", false), ("json[\"$.user.id\"] == 17", true), ("json[\"user['id']\"] == 17", true),
            ("json[\"$['user'].*\"] == 17", true), ("json[\"tags.*\"] == \"b\"", true), ("json[\"user[*]\"]", false),
            ("json[\"user.name\"][0:2] == \"Zo\"", true), ("json[\"user.id\"] in {1..20}", true), ("json[\"user.id\"] != 17", false),
        ] as [(String, Bool)])
    func json(expression: String, holds: Bool) throws {
        #expect(try FilteredTalk.picks(expression, Self.text) == holds, "\(expression)")
    }

    @Test("by what payloads say in their formats")
    func formats() throws {
        func picks(_ expression: String, _ payload: String, subprotocol: String = "") throws -> Bool {
            let talk = try FilteredTalk(expression)
            #expect(talk.wantsDecoded)
            talk.open()
            talk.upgrade(host: "chat.example", target: "/socket.io/?EIO=4", subprotocol: subprotocol)
            return talk.message(.client, payload)
        }
        let event = #"42/admin,7["chat",{"text":"hi","n":3}]"#
        #expect(try picks("socketio.event == \"chat\"", event))
        #expect(try picks("socketio.event == chat", event))
        #expect(try picks("socket.io.event == chat", event))
        #expect(try picks("socketio", event))
        #expect(try !picks("mqtt", event))
        #expect(try picks("socketio.namespace matches \"^/adm\"", event))
        #expect(try picks("socketio.id == 7", event))
        #expect(try picks("socketio.args[\"[0].text\"] == \"hi\"", event))
        #expect(try picks("socketio.args[\"[0].n\"] > 2", event))
        #expect(try !picks("socketio.args[\"[1].n\"]", event))
        #expect(try !FilteredTalk("message.text contains \"chat\" and json[\"a\"]").wantsDecoded)
    }

    @Test("by what holds for the whole conversation, from the event on that told it")
    func conversation() throws {
        let talk = try FilteredTalk("http.host contains \"b.example\" and path == \"/two\"")
        talk.open()
        talk.request("GET", "/one?x=1", "Host: a.example\r\n", exchange: 1)
        #expect(talk.request("GET", "/two?y", "host: b.example\r\n", exchange: 2))
        #expect(!talk.response(200, "", to: (1, "GET", "/one?x=1")))
        #expect(!talk.body(.server, "of the first"))
        #expect(talk.response(200, "", to: (2, "GET", "/two?y")))
        #expect(talk.body(.server, "of the second"))
        talk.conversation = 2
        #expect(!talk.open())
        #expect(!talk.message(.client, "of another"))
    }

    @Test("by names that stand for a WebSocket as long as it is open")
    func webSocket() throws {
        let talk = try FilteredTalk("host == \"chat.example\" and server.address == 192.168.1.9")
        #expect(!talk.open())
        #expect(talk.request("GET", "/ws", "Host: chat.example\r\n", exchange: 1))
        #expect(talk.response(101, "", to: (1, "GET", "/ws")))
        #expect(talk.upgrade(host: "chat.example", target: "/ws"))
        #expect(talk.message(.server, "hello"))
        #expect(talk.say(.client, .ping))
        #expect(talk.say(nil, .closed(Closing(by: .client, how: .fin))))
        #expect(talk.heldBytes > 0)
    }

    @Test("and keeps little of many conversations")
    func memory() throws {
        let talk = try FilteredTalk("http.host == \"x\" and tls.handshake.extensions_server_name")
        for number in 1...5_000 as ClosedRange<UInt64> {
            talk.conversation = number
            talk.open()
            for exchange in 1...100 as ClosedRange<UInt64> where number == 1 {
                talk.request("GET", "/" + String(repeating: "a", count: 3_000), "Host: x\r\n", exchange: exchange)
            }
            talk.say(nil, .closed(Closing(by: .client, how: .fin)))
        }
        #expect(talk.heldBytes < 600_000)
    }

    @Test("by the fields of a head")
    func heads() throws {
        func picks(_ expression: String) throws -> [Bool] {
            let talk = try FilteredTalk(expression)
            talk.open()
            talk.request(
                "POST", "/api/items?page=2", "Host: shop.example\r\nX-ID: 7\r\nCookie: a=b\r\nContent-Length: 12\r\nX-Id: 8\r\n",
                exchange: 1)
            talk.response(
                404, "Content-Type: application/json\r\nSet-Cookie: c=d\r\n", to: (1, "POST", "/api/items?page=2"), latency: 600_000_000)
            return Array(talk.picked.dropFirst())
        }
        #expect(try picks("http.request.method == \"POST\"") == [true, true])
        #expect(try picks("http.request and http.request.uri contains \"items\"") == [true, false])
        #expect(try picks("http.request.full_uri == \"http://shop.example/api/items?page=2\"") == [true, false])
        let tunnel = try FilteredTalk("http.request.full_uri == \"shop.example:443\"")
        tunnel.open()
        #expect(tunnel.request("CONNECT", "shop.example:443", "Host: shop.example:443\r\n", exchange: 1))
        #expect(try picks("http.request.uri.path == \"/api/items\"") == [true, false])
        #expect(try picks("http.request.uri.query == \"page=2\"") == [true, false])
        #expect(try picks("http.response_for.uri contains \"page\"") == [false, true])
        #expect(try picks("http.response.code >= 400 and http.request.method == \"POST\"") == [false, true])
        #expect(try picks("http.response.code in {400..499}") == [false, true])
        #expect(try picks("latency > 0.5") == [false, true])
        #expect(try picks("http.time == 0.6") == [false, true])
        #expect(try picks("http.cookie") == [true, false])
        #expect(try picks("http.set_cookie == \"c=d\"") == [false, true])
        #expect(try picks("http.content_type[0:11] == \"application\"") == [false, true])
        #expect(try picks("http.content_length == 12") == [true, false])
        #expect(try picks("http.request.line contains \"X-ID: 7\"") == [true, false])
        #expect(try picks("request.headers[\"x-id\"] == \"7\"") == [true, false])
        #expect(try picks("request.headers[\"x-id\"] === \"7\"") == [false, false])
        #expect(try picks("request.headers[\"x-id\"] != \"9\"") == [true, false])
        #expect(try picks("count(header[\"X-Id\"]) == 2") == [true, false])
        #expect(try picks("header[\"content-type\"] matches \"json$\"") == [false, true])
        #expect(try picks("http contains \"shop\"") == [true, false])
        #expect(try picks("status == 404") == [false, true])
    }

    @Test("by findings and ends")
    func ends() throws {
        func picks(_ expression: String) throws -> [Bool] {
            let talk = try FilteredTalk(expression)
            talk.open()
            talk.say(.client, .finding(Finding(.connectionIdleClosed, a: 60)), Array("server closed it".utf8))
            talk.say(.client, .close(CloseFrame(code: 1001)), Array("bye".utf8))
            talk.say(nil, .closed(Closing(by: .server, how: .closeFrame, code: 1001, duration: 90_000_000_000)))
            return Array(talk.picked.dropFirst())
        }
        #expect(try picks("finding.id == connection.idle-closed") == [true, false, false])
        #expect(try picks("finding.severity >= warning") == [false, false, false])
        #expect(try picks("finding.severity < warning") == [true, false, false])
        #expect(try picks("finding.detail contains \"60 s\"") == [true, false, false])
        #expect(try picks("close.code == 1001") == [false, true, false])
        #expect(try picks("close.reason == \"bye\"") == [false, true, false])
        #expect(try picks("close.name == \"going away\"") == [false, true, false])
        #expect(try picks("websocket.opcode == close") == [false, true, false])
        #expect(try picks("closed.manner == close-frame and closed.by == server") == [false, false, true])
        #expect(try picks("duration > 60 and closed.code == 1001") == [false, false, true])
        #expect(try picks("closed.server.bytes == 0") == [false, false, true])
    }

    @Test("shows what was found, and not what was not to be found")
    func highlight() throws {
        #expect(try FilteredTalk("message.text contains \"llo\" or text matches \"w\\\\w+\"").highlight("Hallo world") == "llo")
        #expect(try FilteredTalk("message.text matches \"w\\\\w+\"").highlight("Hallo world") == "world")
        #expect(try FilteredTalk("not message.text contains \"llo\"").highlight("Hallo") == nil)
        #expect(try FilteredTalk("http.host contains \"llo\"").highlight("Hallo") == nil)
    }

    @Test("gives up a regular expression that takes too many steps, and counts that")
    func costly() throws {
        let talk = try FilteredTalk("message.text matches r\"(a+)+$\"")
        talk.open()
        #expect(!talk.message(.client, String(repeating: "a", count: 64) + "b"))
        #expect(!talk.message(.client, "b"))
        #expect(talk.message(.client, "aaa"))
        #expect(talk.givenUp == 1)
    }

    @Test("finds bytes wherever they stand, also among those that nearly are")
    func contained() throws {
        for place in [0, 1, 30, 31, 32, 33, 63, 64, 200] {
            let text = String(repeating: "ab", count: place) + "abc" + String(repeating: "b", count: place)
            #expect(try FilteredTalk.picks("message.text contains \"abc\"", text), "\(place)")
            #expect(try !FilteredTalk.picks("message.text contains \"abcc\"", text), "\(place)")
        }
        let needle = String(repeating: "a", count: 200)
        #expect(try !FilteredTalk.picks("message.text contains \"\(needle)b\(needle)\"", String(repeating: "a", count: 200_000)))
        #expect(try FilteredTalk.picks("message.text contains \"\(needle)b\"", String(repeating: "a", count: 200_000) + "b"))
    }
}
