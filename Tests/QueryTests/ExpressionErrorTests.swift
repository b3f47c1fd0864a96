import Dissection
import Query
import Support
import Testing

@Suite("an expression that is wrong is refused")
struct ExpressionErrorTests {
    @Test(
        "with the place and, where there is one, the name that was meant",
        arguments: [
            ("", "there is no condition", ""),
            ("http.response.code == \"abc\"", "response.code is a whole number, and \"abc\" is none", "                      ^~~~~"),
            ("tcp.port == 70000", "70000 is too large: tcp.port is at most 65535", "            ^~~~~"),
            (
                "finding.severity == warnin", "finding.severity is one of note, warning, violation; did you mean warning?",
                "                    ^~~~~~"
            ),
            ("http.hots == \"a\"", "there is no field \"http.hots\"; did you mean http.host?", "^~~~~~~~~"),
            ("message.lenght > 3", "there is no field \"message.lenght\"; did you mean message.length?", "^~~~~~~~~~~~~~"),
            ("http.status == 200", "there is no field \"http.status\". The status of a response is http.response.code", "^~~~~~~~~~~"),
            ("tcp.stream == 3", "there is no field \"tcp.stream\". conversations have numbers of their own: conversation", "^~~~~~~~~~"),
            ("length > 3", "\"length\" is of several: say which, ", "^~~~~~"),
            ("tcp.port = 80", "to compare for equality write ==", "         ^"),
            ("tcp.port == 80 and", "the expression ends too early", "                  ^"),
            ("(tcp.port == 80", "the parenthesis is not closed", "^"),
            ("tcp.port == 80)", "there is no parenthesis that this one closes", "              ^"),
            ("tcp.port == 80 tls", "\"tls\" cannot stand here: and or or is missing before it", "               ^~~"),
            ("tcp.port in 80", "after in comes a set", "            ^~"),
            ("tcp.port in {80 81}", "\"81\" cannot stand here: values are parted by commas", "                ^~"),
            ("tcp.port in {9..5}", "the range ends before it begins", "                ^"),
            ("tcp.port in {", "the set is not closed", ""),
            ("tcp.port[0:1] == 1", "tcp.port is a whole number, which has no parts", "^~~~~~~~"),
            ("http.host[a] == 1", "a part is written as 0:4", "          ^"),
            ("http.host[0", "the bracket is not closed", "         ^"),
            ("tcp.port contains 80", "in which nothing is contained; string(tcp.port) is text", "^~~~~~~~"),
            ("http.host matches r\"a(b\"", "the regular expression is none: missing closing parenthesis", "                       ^"),
            ("http.host matches \"a\\.b\"", "stands for no character; in r\"…\" a backslash is one", "                    ^~"),
            ("http.host matches abc", "a regular expression is text in quotes", "                  ^~~"),
            ("http.host == abc", "http.host is compared with text in quotes: \"abc\"", "             ^~~"),
            ("http.host == \"abc", "the text is not closed", "             ^~~~"),
            ("finding.id == websocket.mask-mising", "did you mean websocket.mask-missing?", "              ^~~~~~~~~~~~~~~~~~~~~"),
            ("ip.addr == fe80::1", "ip.addr has addresses of IPv4, and \"fe80::1\" is none; did you mean ipv6.addr?", "           ^~~~~~~"),
            ("ip.addr == 10.0.0.0/33", "is no address and no network", "           ^~~~~~~~~~~"),
            ("frame.time > \"2020\"", "is a time such as", "             ^~~~~~"),
            ("kind < message", "the words of kind have no order", "       ^~~~~~~"),
            ("ip.src == tcp.port", "they cannot be compared", "          ^~~~~~~~"),
            ("80 == 80", "\"80\" is a value: a field has to stand before the operator", "^~"),
            ("1 < tcp.port < 100", "a test has one comparison", "             ^"),
            ("uppr(http.host) == \"A\"", "there is no function \"uppr\"", "^~~~"),
            ("len(tcp.port) == 2", "which has no length", "    ^~~~~~~~"),
            ("header[\"a\"", "the bracket is not closed", "      ^"),
            ("http.host[\"a\"]", "http.host has no keys", "          ^~~"),
            ("json[\"a..b\"]", "the way to a value is written as", "        ^"),
            ("json[\".a\"]", "the way to a value is written as", "      ^"),
            ("json[\"a[x]\"]", "the way to a value is written as", "        ^"),
            ("tcp.port & 2", "there are no operations on bits", "         ^"),
            ("socketio.evnt == \"a\"", "did you mean socketio.event?", "^~~~~~~~~~~~~"),
            ("tcp.port == 80 \u{0}", "means nothing here", "               ^"),
            ("tcp.port == “80”", "text is quoted with \"", "            ^"),
        ] as [(String, String, String)])
    func refused(expression: String, words: String, pointer: String) throws {
        let problem = #expect(throws: DisplayFilterProblem.self, "\(expression)") { try DisplayFilter(expression) }
        let description = try #require(problem?.description)
        #expect(description.contains(words), "\(description)")
        let lines = description.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3)
        if !pointer.isEmpty { #expect(lines.last.map { String($0.dropFirst(2)) } == pointer, "\(description)") }
    }

    @Test("and of a long one only the place is shown")
    func long() throws {
        let expression = String(repeating: "tcp.port == 80 or ", count: 1_000) + "tcp.prt" + String(repeating: " or tcp", count: 1_000)
        let problem = try #require(throws: DisplayFilterProblem.self) { try DisplayFilter(expression) }
        #expect(problem.columns == 18_000..<18_007)
        #expect(problem.nearest == "tcp.port")
        let lines = problem.description.split(separator: "\n")
        #expect(lines[1].count < 150)
        let start = try #require(lines[1].firstRange(of: "tcp.prt")?.lowerBound)
        #expect(lines[2].prefix { $0 == " " }.count == lines[1].distance(from: lines[1].startIndex, to: start))
    }

    @Test("also where it is cut at any place, and where it nests too deep or is too long")
    func cut() throws {
        let expression =
            #"not (http.host[0:2] == "a\x41" or (len(json["a.b[0]"]) in {1, 2..5}) xor upper(http.host) matches r"a(b)+") and ip.addr == 10.0.0.0/8"#
        _ = try DisplayFilter(expression)
        for length in 0..<expression.count {
            _ = try? DisplayFilter(String(expression.prefix(length)))
            _ = try? DisplayFilter(String(expression.suffix(length)))
        }
        let deep = String(repeating: "(", count: 10_000)
        #expect(throws: DisplayFilterProblem.self) { try DisplayFilter(deep + "tls" + String(repeating: ")", count: 10_000)) }
        _ = try DisplayFilter(String(repeating: "(", count: 200) + "tls" + String(repeating: ")", count: 200))
        #expect(throws: DisplayFilterProblem.self) { try DisplayFilter(String(repeating: "upper(", count: 10_000)) }
        #expect(throws: DisplayFilterProblem.self) { try DisplayFilter("text" + String(repeating: "[0:1]", count: 10_000)) }
        _ = try DisplayFilter(String(repeating: "not ", count: 10_000) + "tls")
        #expect(throws: DisplayFilterProblem.self) { try DisplayFilter(String(repeating: "tls or ", count: 150_000) + "tls") }
        _ = try DisplayFilter(String(repeating: "tls or ", count: 9_000) + "tls")
        let bytes: [UInt8] = [0x74, 0x6c, 0x73, 0x20, 0xff, 0xc3, 0x28]
        #expect(throws: DisplayFilterProblem.self) { try DisplayFilter(String(decoding: bytes, as: UTF8.self)) }
    }

    @Test("and no soup of words and signs does any harm")
    func soup() throws {
        let words = [
            "and", "or", "not", "xor", "!", "&&", "||", "(", ")", "{", "}", "[", "]", "==", "!=", "<", ">=", "===", "~", "~=", "in",
            "contains",
            "matches", "any", "all", "tcp.port", "http.host", "message.text", "json", "json[\"a[0].b\"]", "header[\"x\"]", "message.length",
            "kind",
            "from", "client", "80", "0x1f", "-1", "1.5", "\"a\"", "r\"(a+)+$\"", "'a'", "10.0.0.0/8", "::1", "de:ad", "..", ",", "len",
            "upper(",
            "count(", "string(", "[0:2]", "[-1:]", "[1-2,3]", "frame.number", "frame.time", "\"2026-01-01 00:00\"", "socketio.event",
            "finding.id",
            "severity", ">", "warning", "\"", "\\", "\u{0}", "é", "=", "&",
        ]
        var generator = SplitMix(seed: 11)
        var accepted = 0
        for _ in 0..<5_000 {
            let expression = (0..<Int.random(in: 1...12, using: &generator)).map { _ in words.randomElement(using: &generator) ?? "" }
                .joined(separator: Bool.random(using: &generator) ? " " : "")
            guard let talk = try? FilteredTalk(expression) else { continue }
            accepted += 1
            talk.open()
            talk.message(.client, "{\"a\": [{\"b\": 1}]}")
            talk.request("GET", "/", "Host: a\r\nx: y\r\n", exchange: 1)
            _ = talk.highlight("aaa")
        }
        #expect(accepted > 50)
    }
}
