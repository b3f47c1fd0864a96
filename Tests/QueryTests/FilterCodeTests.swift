import Dissection
import Foundation
import Query
import Reports
import Support
import Testing

/// What an expression costs, counted in tests that are made, and that the way it is taken changes nothing of what it means.
@Suite struct FilterCodeTests {
    /// The tests that an expression makes for one message of five bytes, and whether it picks it.
    private func tests(_ expression: String, _ text: String = "Hallo") throws -> (made: UInt64, picks: Bool) {
        let talk = try FilteredTalk(expression)
        talk.open()
        let before = talk.testsMade
        let picks = talk.message(.client, text)
        return (talk.testsMade - before, picks)
    }

    @Test(
        arguments: [
            // The kind alone says no: nothing is asked.
            ("http.response.code == 200", 0, false), ("tls or http.request", 0, false), ("closed.how == reset and message", 0, false),
            ("http.request.uri contains \"x\" and finding.severity > note", 0, false),
            // One test, also where several kinds have such a field.
            ("message.length == 5", 1, true), ("websocket.opcode == 1", 1, true), ("data.length > 3 or message.length > 3", 1, true),
            ("kind == message", 1, true), ("not message", 1, false), ("kind in {request, message}", 1, true),
            // What costs little is asked first.
            ("message.text matches \"x\" and from == server", 1, false), ("json[\"a.b\"] == 1 and message.length > 9", 1, false),
            ("message.text contains \"Ha\" or from == client", 1, true), ("tcp.port == 80 and message.length == 4", 1, false),
            ("message.length == 5 and from == client and message.text contains \"all\"", 3, true),
        ] as [(String, UInt64, Bool)])
    func `an event is asked no more than it takes`(_ expression: String, _ made: UInt64, _ picks: Bool) throws {
        let tests = try tests(expression)
        #expect(tests.made == made && tests.picks == picks, "\(tests)")
    }

    @Test func `a long list of alternatives is one test each, and stops at the first that holds`() throws {
        let lengths = (1...500).map { "message.length == \($0)" }.joined(separator: " or ")
        #expect(try tests(lengths).made == 5)
        #expect(try tests("not (\(lengths))").picks == false)
        let set = "message.length in {\((1...500).map(String.init).joined(separator: ", "))}"
        #expect(try tests(set).made == 1 && tests(set).picks)
    }

    @Test func `xor in xor takes as many tests as there are, not twice as many for each`() throws {
        let many = Array(repeating: "message.length == 5", count: 199).joined(separator: " xor ")
        let tests = try tests(many)
        #expect(tests.made == 199 + 198 && tests.picks)
    }

    @Test func `the error codes of HTTP/2 are those of one type of frame, and control has both`() throws {
        for (expression, picks) in [
            ("http2.goaway.error == 0", [true, false, false]), ("http2.rst_stream.error == 8", [false, true, false]),
            ("http2.rst_stream.error", [false, true, false]), ("control.code < 9", [true, true, false]),
        ] {
            let talk = try FilteredTalk(expression)
            talk.say(.server, .control(ControlFrame(.goAway, code: 0, lastStream: 1)))
            talk.say(.client, .control(ControlFrame(.reset, code: 8)))
            talk.say(.client, .control(ControlFrame(.ping)))
            #expect(talk.picked == picks, "\(expression)")
        }
    }

    /// Each short form beside a long one that goes another way through the program and means the same.
    @Test(arguments: [
        ("message.length > 4", "len(message.payload) > 4"), ("message.text contains \"all\"", "message.text[0:] contains \"all\""),
        ("message.text matches \"^h\"", "message.text[0:] matches \"^h\""), ("from == client", "string(from) == \"client\""),
        ("kind == message", "string(kind) == \"message\""), ("text contains \"o\"", "string(text) contains \"o\""),
        ("json[\"a\"] == 1", "string(json[\"a\"]) == \"1\""), ("message.length in {3, 5..6}", "string(message.length) matches \"^[356]$\""),
        ("message.length != 5", "message.length < 5 or message.length > 5"), ("all text == \"x\"", "all string(text) == \"x\""),
        ("message.payload contains 61", "message.payload[0:] contains 61"), ("websocket contains \"l\"", "websocket[0:] contains \"l\""),
        ("kind != message", "not kind == message"), ("message.opcode in {text, binary}", "string(message.opcode) matches \"^[12]$\""),
    ])
    func `both ways through a program say the same`(_ short: String, _ long: String) throws {
        let texts = [
            "", "Hallo", "x", "a\u{0}b", "{\"a\": 1}", "{\"\\u0061\": 1}", "{\"b\": 1}", "hhh", String(repeating: "lo", count: 40),
        ]
        for (index, text) in texts.enumerated() {
            for expression in [(short, long), ("not (\(short))", "not (\(long))"), ("\(short) and message", "message and (\(long))")] {
                let (one, other) = (try FilteredTalk(expression.0), try FilteredTalk(expression.1))
                for talk in [one, other] {
                    talk.open()
                    talk.request("GET", "/x", "Host: a\r\n", exchange: 1)
                    talk.body(.client, text)
                    talk.upgrade(host: "a", target: "/")
                    talk.message(.client, text)
                    talk.message(.server, Array(text.utf8) + [0xff], opcode: 2)
                    talk.say(.server, .ping, Array(text.utf8))
                    talk.say(.server, .data(DataRun(length: UInt64(text.utf8.count))), Array(text.utf8))
                    talk.say(nil, .closed(Closing(by: .client, how: .fin)))
                }
                #expect(one.picked == other.picked, "\(expression) of \(index)")
            }
        }
    }

    @Test func `text that is cut is text up to where it is cut`() throws {
        let talk = try FilteredTalk("message.text contains \"\u{c3}\u{a4}\" or message.text matches \"b$\"")
        talk.open()
        // The last character is not whole: it is no part of the text, and what comes before it is its end.
        let message = Message(opcode: 1, length: 9, wireLength: 9, fragments: 1, compressed: false)
        #expect(talk.say(.client, .message(message), Array("ab".utf8) + [0xc3]))
        #expect(!talk.say(.client, .message(message), Array("ac".utf8) + [0xc3]))
    }
}
