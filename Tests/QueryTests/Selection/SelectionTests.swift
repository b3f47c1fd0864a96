import Dissection
import Query
import Reports
import Testing

/// The short filters: what is shown of which conversation.
@Suite struct SelectionTests {
    private func selection(_ change: (inout Selection) throws -> Void) rethrows -> Selection {
        var selection = Selection()
        try change(&selection)
        return selection
    }

    private static func chat(_ speech: inout Speech) {
        for number in [1, 2] as [UInt64] { speech.open(number) }
        for index in 1...5 {
            for number in [1, 2] as [UInt64] {
                speech.conversation = number
                speech.message(index % 2 == 1 ? .client : .server, number == 2 && index == 3 ? "order-4711" : "m\(index)")
            }
        }
        for number in [1, 2] as [UInt64] {
            speech.conversation = number
            speech.close()
        }
    }

    private static let http: @Sendable (inout Speech) -> Void = { speech in
        speech.open(1)
        speech.request("/api/items?x=1", "Host: A.example\r\nX-Id: secret-7\r\n", exchange: 1)
        speech.request("/login", "Host: b.example:8080\r\n", exchange: 2)
        speech.response(200, "Content-Type: text/plain\r\n", to: 1)
        speech.body(.server, "first")
        speech.response(404, to: 2)
        speech.body(.server, "second")
        speech.close()
    }

    @Test func `grep finds payloads, targets and header fields`() throws {
        #expect(try Speech.shown(selection { $0.patterns = [try PatternText("order-\\d+")] }, Self.chat) == ["2 message order-4711"])
        #expect(try Speech.shown(selection { $0.patterns = [try PatternText("(?i)ORDER")] }, Self.chat) == ["2 message order-4711"])
        #expect(try Speech.shown(selection { $0.patterns = [try PatternText("ORDER")] }, Self.chat) == [])
        #expect(try Speech.shown(selection { $0.patterns = [try PatternText("secret-7")] }, Self.http) == ["1 request /api/items?x=1"])
        #expect(try Speech.shown(selection { $0.patterns = [try PatternText("^/login$")] }, Self.http) == ["1 request /login"])
        #expect(
            try Speech.shown(selection { $0.patterns = [try PatternText("text/plain"), try PatternText("second")] }, Self.http)
                == ["1 response 200", "1 body second"])
    }

    @Test func `grep finds what a message says once it is decoded`() throws {
        let shown = try Speech.shown(selection { $0.patterns = [try PatternText("grüß dich")] }) {
            $0.open(1)
            $0.request("/socket.io/?EIO=4&transport=websocket", "Host: a\r\n")
            $0.upgrade("/socket.io/?EIO=4&transport=websocket")
            $0.message(.server, #"42["chat","gr\u00fc\u00df dich"]"#)
            $0.message(.server, #"42["chat","hello"]"#)
        }
        #expect(shown == [#"1 message 42["chat","gr\u00fc\u00df dich"]"#], "\(shown)")
    }

    @Test(arguments: [
        ("add", [#"{"jsonrpc":"2.0","method":"add","id":1}"#]), ("notification", []),
        ("resul", [#"{"jsonrpc":"2.0","result":3,"id":1}"#]),
    ])
    func `grep finds what stands in a message, decoded or not, and no word that its format has for it`(_ pattern: String, _ found: [String])
        throws
    {
        for decodes in [false, true] {
            let shown = try Speech.shown(selection { $0.patterns = [try PatternText(pattern)] }, decodes: decodes) {
                $0.open(1)
                $0.upgrade("/")
                $0.message(.client, #"{"jsonrpc":"2.0","method":"add","id":1}"#)
                // The answer to `add` is known to be that, and a call without an id to be a notification; neither says so.
                $0.message(.server, #"{"jsonrpc":"2.0","result":3,"id":1}"#)
                $0.message(.client, #"{"jsonrpc":"2.0","method":"tell"}"#)
            }
            #expect(shown == found.map { "1 message \($0)" }, "\(shown)")
        }
    }

    @Test(arguments: [
        (#"{"a":"gr\u00FC\u00df"}"#, "grüß", true), (#"{"a":"\ud83d\ude00"}"#, "😀", true), (#"{"a":"\\u00fc"}"#, "ü", false),
        (#"{"a":"\ud83d"}"#, "\\\\ud83d", true), (#"\u00f"#, "ü", false), (#"\u00fc"#, "^ü$", true), (#"\n\u00fc\"#, "ü", true),
        (#"a["{\"type\":\"join\"}"]"#, #""type":"join""#, true), (#"{"a":"x\ty\/z"}"#, "x\ty/z", true),
        (#"{"a":"\\n"}"#, "\n", false), (#"\"#, #"^\\$"#, true),
    ])
    func `grep knows how JSON writes characters`(_ text: String, _ pattern: String, _ isFound: Bool) throws {
        let picked = try selection { $0.patterns = [try PatternText(pattern)] }
        #expect(Speech.shown(picked) { $0.message(.client, text) }.isEmpty != isFound)
    }

    @Test func `grep finds what a form says, and the names of its fields`() throws {
        for (pattern, isFound) in [("grüß dich", true), ("^to$", true), ("gr%C3", true), ("form", false), ("fields", false)] {
            let shown = Speech.shown(try selection { $0.patterns = [try PatternText(pattern)] }) {
                $0.open(1)
                $0.request("/chat", "Host: a\r\nContent-Type: application/x-www-form-urlencoded\r\n")
                $0.body(.client, "to=ana&text=gr%C3%BC%C3%9F+dich")
            }
            #expect(shown.contains { $0.hasPrefix("1 body") } == isFound, "\(pattern): \(shown)")
        }
    }

    @Test func `a call of gRPC that fails without a message is picked by its status`() throws {
        let shown = Speech.shown(try selection { $0.expression = try DisplayFilter("grpc.status == 5") }) {
            $0.open(1)
            for (exchange, status) in [(1, 5), (2, 0)] as [(UInt64, Int)] {
                $0.request("/chat.Rooms/Join", "Content-Type: application/grpc\r\n", exchange: exchange)
                $0.response(200, "Content-Type: application/grpc\r\nGrpc-Status: \(status)\r\n", to: exchange)
            }
        }
        #expect(shown == ["1 response 200"], "\(shown)")
    }

    @Test func `grep finds no service and no method of gRPC in its messages, which stand in the path`() throws {
        func shown(_ pattern: String) throws -> [String] {
            Speech.shown(try selection { $0.patterns = [try PatternText(pattern)] }) {
                $0.open(1)
                $0.request("/chat.Rooms/Join", "Host: a\r\nContent-Type: application/grpc-web\r\n")
                $0.body(.client, "\u{0}\u{0}\u{0}\u{0}\u{5}\u{0a}\u{03}ana")
            }
        }
        #expect(try shown("Rooms") == ["1 request /chat.Rooms/Join"])
        #expect(try shown("ana").count == 1)
        #expect(try shown("protobuf").isEmpty)
    }

    @Test func `the beginning and the end that grep looks for are those of a payload, a target, a header field`() throws {
        func shown(_ pattern: String) throws -> [String] {
            Speech.shown(try selection { $0.patterns = [try PatternText(pattern)] }) {
                $0.open(1)
                $0.request("/a", "Host: b\r\nX-Id: 7\r\n")
                $0.message(.client, "")
                $0.message(.client, "one\ntwo")
                $0.body(.server, "")
            }
        }
        #expect(try shown("^X-Id: 7$") == ["1 request /a"])
        #expect(try shown("^Host: b$") == ["1 request /a"])
        #expect(try shown("^/a$") == ["1 request /a"])
        // An empty message was sent; an empty body is none.
        #expect(try shown("^$") == ["1 message "])
        #expect(try shown("^two$") == [])
        #expect(try shown("(?m)^two$") == ["1 message one\ntwo"])
        #expect(try shown("b.*X") == [])
    }

    @Test func `grep finds a match over the boundary of two parts of a body, of the same body alone`() throws {
        let picked = try selection { $0.patterns = [try PatternText("needle")] }
        let shown = Speech.shown(picked) {
            $0.open(1)
            $0.body(.server, "hay nee", part: 1, final: false)
            $0.body(.client, "dle", part: 1)
            $0.body(.server, "dle hay nee", part: 2)
            $0.body(.server, "dle", part: 1)
        }
        #expect(shown == ["1 body dle hay nee"], "\(shown)")
    }

    @Test func `a match over the boundary of two parts is one of a stream of HTTP/2, however others come between them`() throws {
        let picked = try selection { $0.patterns = [try PatternText("needle")] }
        let shown = Speech.shown(picked) {
            $0.open(1)
            $0.body(.server, "hay nee", part: 1, final: false, stream: 1)
            $0.body(.server, "hay nee", part: 1, final: false, stream: 3)
            $0.body(.server, "dle", part: 1, final: false, stream: 5)
            $0.body(.server, "dle of 1", part: 2, stream: 1)
        }
        #expect(shown == ["1 body dle of 1"], "\(shown)")
    }

    @Test func `an expression that takes too many steps matches nothing, in bounded time`() throws {
        let picked = try selection { $0.patterns = [try PatternText("(a+)+$")] }
        let clock = ContinuousClock()
        let taken = clock.measure {
            #expect(
                Speech.shown(picked) {
                    $0.open(1)
                    for _ in 0..<5 { $0.message(.client, String(repeating: "a", count: 5_000) + "b") }
                } == [])
        }
        #expect(taken < .seconds(20))
    }

    @Test(arguments: [
        ("a.example", ["opened", "request /api/items?x=1", "response 200", "body first", "closed"]),
        (
            "*.example",
            ["opened", "request /api/items?x=1", "request /login", "response 200", "body first", "response 404", "body second", "closed"]
        ),
        ("B.example:8080", ["opened", "request /login", "response 404", "body second", "closed"]),
        ("a.example:8080", ["opened", "request /api/items?x=1", "response 200", "body first", "closed"]),
        (
            "10.0.0.9",
            ["opened", "request /api/items?x=1", "request /login", "response 200", "body first", "response 404", "body second", "closed"]
        ),
        ("a.example:80", []), ("example", []), ("10.0.0.5", []),
    ])
    func `a host is that of the conversation or of the exchange`(_ pattern: String, _ shown: [String]) {
        let told = Speech.shown(selection { $0.hosts = [WildcardPattern(pattern, ignoresCase: true)] }, Self.http)
        #expect(told == shown.map { "1 \($0)" }, "\(told)")
    }

    @Test func `what comes before the host is known is shown once it is`() {
        let shown = Speech.shown(selection { $0.hosts = [WildcardPattern("*.example", ignoresCase: true)] }) {
            for (number, name) in [(1, "chat.example"), (2, "other.org")] as [(UInt64, String)] {
                $0.open(number)
                $0.finding(.note)
                $0.hello(name)
                $0.message(.client, "hello")
                $0.close()
            }
        }
        #expect(shown == ["1 opened", "1 finding test.note", "1 tls chat.example", "1 message hello", "1 closed"], "\(shown)")
    }

    @Test(arguments: [
        ("/api/*", ["opened", "request /api/items?x=1", "response 200", "body first", "closed"]),
        ("/api/items", ["opened", "request /api/items?x=1", "response 200", "body first", "closed"]),
        ("/api/items?x=1", ["opened", "request /api/items?x=1", "response 200", "body first", "closed"]),
        ("/api", []), ("*login", ["opened", "request /login", "response 404", "body second", "closed"]),
    ])
    func `a path is that of the exchange, with or without its query`(_ pattern: String, _ shown: [String]) {
        let told = Speech.shown(selection { $0.paths = [WildcardPattern(pattern)] }, Self.http)
        #expect(told == shown.map { "1 \($0)" }, "\(told)")
    }

    @Test func `messages after an upgrade belong to the exchange that asked for it`() {
        let shown = Speech.shown(selection { $0.paths = [WildcardPattern("/chat")] }) {
            $0.open(1)
            $0.request("http://a.example/other?/chat", "Host: a\r\n", exchange: 1)
            $0.request("http://a.example/chat?v=1", "Host: a\r\n", exchange: 2)
            $0.message(.server, "hello")
        }
        #expect(shown == ["1 opened", "1 request http://a.example/chat?v=1", "1 message hello"], "\(shown)")
    }

    @Test func `sides and sizes are those of messages, and of bodies that come in parts`() {
        #expect(
            Speech.shown(selection { $0.from = .server }, Self.chat) == [
                "1 message m2", "2 message m2", "1 message m4", "2 message m4",
            ])
        let large = Speech.shown(selection { $0.leastBytes = 10 }) {
            Self.chat(&$0)
            $0.body(.server, "123456", part: 1, final: false)
            $0.body(.server, "7890", part: 2)
            $0.body(.server, "123456", part: 1)
        }
        #expect(large == ["2 message order-4711", "2 body 7890"], "\(large)")
    }

    @Test func `times are between two moments, both of them inside`() throws {
        let shown = Speech.shown(
            selection {
                $0.since = TimeBound("+3ms")
                $0.until = TimeBound("+5ms")
            }, Self.chat)
        #expect(shown == ["2 message m1", "1 message m2", "2 message m2"], "\(shown)")
    }

    @Test(arguments: [false, true]) func `context is of the same conversation`(_ inTwo: Bool) throws {
        func shown(_ context: Int) throws -> [String] {
            try Speech.shown(
                selection {
                    $0.patterns = [try PatternText("order")]
                    $0.context = context
                }, inTwo: inTwo, Self.chat)
        }
        #expect(try shown(0) == ["2 message order-4711"])
        #expect(try shown(1) == ["2 message m2", "2 message order-4711", "2 message m4"])
        #expect(try shown(9).filter { $0.contains("message") } == ["m1", "m2", "order-4711", "m4", "m5"].map { "2 message \($0)" })
    }

    @Test(arguments: [false, true]) func `whole conversations are shown where something is picked`(_ inTwo: Bool) throws {
        let shown = try Speech.shown(
            selection {
                $0.patterns = [try PatternText("order")]
                $0.whole = true
            }, inTwo: inTwo, Self.chat)
        #expect(shown == ["2 opened"] + ["m1", "m2", "order-4711", "m4", "m5"].map { "2 message \($0)" } + ["2 closed"], "\(shown)")
    }

    @Test(arguments: [false, true]) func `problems are findings from warning on, and abrupt ends`(_ inTwo: Bool) {
        let talk: @Sendable (inout Speech) -> Void = { speech in
            let ends: [(Severity?, Closing.Manner)] = [
                (nil, .endOfCapture), (.note, .endOfCapture), (.warning, .endOfCapture), (nil, .reset), (nil, .fin), (nil, .timeout),
                (nil, .closeFrame),
            ]
            for (index, (severity, how)) in ends.enumerated() {
                speech.open(UInt64(index) + 1)
                speech.message(.client, "hello")
                if let severity { speech.finding(severity) }
                // A WebSocket without a Close frame, but for the last.
                if how == .closeFrame { speech.say(.client, .close(CloseFrame(code: 1_000))) }
                speech.close(how)
            }
        }
        let shown = Speech.shown(selection { $0.problems = true }, inTwo: inTwo, talk)
        #expect(shown.filter { $0.contains("message") } == [3, 4, 5, 6].map { "\($0) message hello" }, "\(shown)")
        #expect(shown.filter { $0.contains("opened") || $0.contains("closed") }.count == 8)
        let clients = selection {
            $0.problems = true
            $0.from = .client
        }
        #expect(Speech.shown(clients, inTwo: true, talk).filter { $0.hasPrefix("3") } == ["3 message hello", "3 finding test.warning"])
    }

    @Test(arguments: [false, true]) func `all filters have to hold`(_ inTwo: Bool) throws {
        let picked = try selection {
            $0.patterns = [try PatternText("m")]
            $0.from = .client
            $0.leastBytes = 2
            $0.hosts = [WildcardPattern("10.0.0.*")]
        }
        #expect(
            Speech.shown(picked, inTwo: inTwo, Self.chat) == [
                "1 message m1", "2 message m1", "1 message m3", "1 message m5", "2 message m5",
            ])
    }

    @Test func `the numbers of conversations are kept within their bound, and it is said where that is not enough`() {
        var numbers = ConversationSet(mostBytes: 480)
        for number in 1...640 as ClosedRange<UInt64> { numbers.insert(number) }
        #expect(numbers.contains(1) && numbers.contains(639) && !numbers.contains(641) && numbers.isCut)
        for number in [.max, 1 << 60, 1_000_000] as [UInt64] { numbers.insert(number) }
        #expect(!numbers.contains(.max) && numbers.contains(300))
    }
}
