import Query
import Testing

/// What a shell proposes for the expression that is being typed.
@Suite struct ExpressionCompletionTests {
    @Test(
        arguments: [
            ("tcp.po", ["tcp.port"]), ("'tcp.sr", ["tcp.srcport"]), ("\"kind == message and tcp.po", ["kind == message and tcp.port"]),
            ("not (http.request.uri.q", ["not (http.request.uri.query"]), ("!websocket.op", ["!websocket.opcode"]), ("no", ["not"]),
            // The words that a field may have.
            ("kind == mess", ["kind == message"]), ("from == ", ["from == client", "from == server"]),
            ("kind in {request, resp", ["kind in {request, response"]),
            ("websocket.opcode == bi", ["websocket.opcode == binary"]), ("message.compressed == t", ["message.compressed == true"]),
            ("finding.id == websocket.utf8", ["finding.id == websocket.utf8-invalid"]), ("closed.how != time", ["closed.how != timeout"]),
            // Operators after a field, and what joins conditions after a value.
            ("tcp.port cont", ["tcp.port contains"]), ("message.length == 5 a", ["message.length == 5 and"]),
            ("message.length == 5 ", ["message.length == 5 and", "message.length == 5 or", "message.length == 5 xor"]),
            ("kind in {message} o", ["kind in {message} or"]),
            // Nothing is known of a text.
            ("message.text contains \"tcp.po", []), ("message.length == ", []), ("nosuchfield", []), ("kind == message", []),
        ] as [(String, [String])])
    func `is the expression with the word that it may go on with`(_ typed: String, _ proposed: [String]) {
        #expect(ExpressionCompletion.candidates(for: typed) == proposed)
    }

    @Test func `begins with few words, and goes on to all of them`() {
        let first = ExpressionCompletion.candidates(for: "")
        #expect(
            first.contains("tcp") && first.contains("tcp.") && first.contains("message.") && first.count < FilterPage.completions.count / 2,
            "\(first.count)")
        #expect(ExpressionCompletion.candidates(for: "http.").count > 20)
        for candidate in ExpressionCompletion.candidates(for: "message.") {
            #expect(throws: Never.self, "\(candidate)") { try DisplayFilter(candidate) }
        }
    }

    @Test func `takes what is no expression as it is`() {
        for text in ["((((", "\u{0}", "a = b and tc", "é", "}", "in {", "== ", String(repeating: "(", count: 5_000) + "tc"] {
            for candidate in ExpressionCompletion.candidates(for: text) { #expect(candidate.hasPrefix(text)) }
        }
    }
}
