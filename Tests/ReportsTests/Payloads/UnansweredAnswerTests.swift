import Dissection
import Testing

@testable import Reports

// What answers a call, or need not: matched by value, in order, or by what says that a call has failed.
extension UnansweredCallTests {
    /// A message of each side, in turn: the client's first.
    private func talk(_ messages: [String], _ subprotocol: String = "") -> String? {
        record(subprotocol) { dialogue in
            for (index, message) in messages.enumerated() {
                dialogue.message(1_000 * Int64(index + 1), index.isMultiple(of: 2) ? .client : .server, message.bytes)
            }
        }
    }

    @Test(
        arguments: [
            ("", #"{"jsonrpc":"2.0","method":"a","id":"chat/1"}"#, #"{"jsonrpc":"2.0","result":1,"id":"chat\/1"}"#),
            ("", #"{"jsonrpc":"2.0","method":"a","id":"é😀"}"#, #"{"jsonrpc":"2.0","result":1,"id":"\u00e9\ud83d\uDE00"}"#),
            ("", #"{"jsonrpc":"2.0","method":"a","id":1}"#, #"{"jsonrpc":"2.0","result":1,"id":1.0}"#),
            ("", #"{"jsonrpc":"2.0","method":"a","id":1200}"#, #"{"jsonrpc":"2.0","result":1,"id":1.2e+3}"#),
            (
                "graphql-transport-ws", #"{"id":"a/b","type":"subscribe","payload":{"query":"{a}"}}"#,
                #"{"id":"a\/b","type":"next","payload":{"data":{}}}"#
            ),
            (
                "graphql-transport-ws", #"{"id":"a/b","type":"subscribe","payload":{"query":"{a}"}}"#,
                #"{"id":"a\/b","type":"complete"}"#
            ),
            (
                "actioncable-v1-json", #"{"command":"subscribe","identifier":"{\"channel\":\"A/C\",\"room\":\"A&B\"}"}"#,
                #"{"identifier":"{\"channel\":\"A\/C\",\"room\":\"A\u0026B\"}","type":"confirm_subscription"}"#
            ),
            ("", #"["1","1","room/1","phx_join",{}]"#, #"["1","\u0031","room\/1","phx_reply",{"status":"ok","response":{}}]"#),
            (
                "", "{\"type\":1,\"invocationId\":\"a/1\",\"target\":\"T\",\"arguments\":[]}\u{1e}",
                "{\"type\":3,\"invocationId\":\"a\\/1\",\"result\":1}\u{1e}"
            ),
            ("wamp.2.json", #"[48,5,{},"p"]"#, #"[50,5.0,{}]"#),
        ] as [(String, String, String)])
    func `an answer may write what it answers in another notation of JSON`(subprotocol: String, call: String, answer: String) {
        #expect(talk([call], subprotocol) != nil)
        #expect(talk([call, answer], subprotocol) == nil)
    }

    @Test func `values that differ are different calls, in whatever notation`() {
        let call = #"{"jsonrpc":"2.0","method":"a","id":1}"#
        for other in [#""1""#, "10", "-1", "1.5", "1e1", "1e9999999999", "[1]", "true"] {
            #expect(talk([call, #"{"jsonrpc":"2.0","result":1,"id":\#(other)}"#]) != nil, "\(other)")
        }
    }

    @Test func `a key of JSON is its value, and no longer than is needed`() {
        func key(_ json: String) -> String { String(decoding: json.bytes.rawBytes.jsonKey, as: UTF8.self) }
        for same in ["100", "100.0", "1e2", "1E+2", "10000e-2", "0.1e3"] { #expect(key(same) == key("100")) }
        for zero in ["0", "-0", "0.0", "0e5"] { #expect(key(zero) == "0") }
        #expect(key("-5") != key("5") && key("9007199254740993") != key("9007199254740992"))
        #expect(key(#""\ud83d\ude00""#) == key(#""😀""#) && key(#""1""#) != key("1"))
        #expect(key(#"""#) == #"""#)
        let long = key(#"""# + String(repeating: #"\u0061"#, count: 10_000) + #"""#)
        #expect((129...800).contains(long.utf8.count))
        #expect(key(String(repeating: "1", count: 10_000)).utf8.count <= 800)
    }

    @Test func `an error without a number may answer any call`() {
        let error = #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad"},"id":null}"#
        #expect(talk([#"{"jsonrpc":"2.0","method":"a","id":5}"#, error]) == nil)
        // What is called after it is not meant.
        let later = talk([#"{"jsonrpc":"2.0","method":"a","id":5}"#, error, #"{"jsonrpc":"2.0","method":"b","id":6}"#])
        #expect(later == #"[{"from":"client","call":"b (id 6)","waited":7}]"#)
        // Nor is what its own side has called.
        let own = record { dialogue in
            dialogue.message(1_000, .server, #"{"jsonrpc":"2.0","method":"a","id":5}"#.bytes)
            dialogue.message(2_000, .server, error.bytes)
            dialogue.message(3_000, .client, #"{"jsonrpc":"2.0","method":"note"}"#.bytes)
        }
        #expect(own == #"[{"from":"server","call":"a (id 5)","waited":9}]"#)
    }

    @Test func `an answer that leaves the member jsonrpc out is one to the caller`() {
        let call = #"{"jsonrpc":"2.0","method":"a","id":5}"#
        #expect(talk([call, #"{"id":5,"result":1}"#]) == nil)
        #expect(talk([call, #"{"error":{"code":1,"message":"no"},"id":5.0}"#]) == nil)
        // Not to another call, nor is an event one that has a number.
        #expect(talk([call, #"{"id":6,"result":1}"#]) != nil)
        #expect(talk([call, #"{"id":5,"event":"joined"}"#]) != nil)
        // What its own side says is none.
        #expect(asked([call, #"{"id":5,"result":1}"#]) != nil)
    }

    @Test func `a document that only the server has may be a subscription`() {
        let kept = #"{"id":"1","type":"subscribe","payload":{"query":"","operationName":"S","extensions":{"persistedQuery":{}}}}"#
        #expect(talk([kept], "graphql-transport-ws") == nil)
        #expect(talk([#"{"id":"1","type":"subscribe","payload":{"query":"{ me }"}}"#], "graphql-transport-ws") != nil)
    }

    /// The client's messages, and nothing of the server.
    private func asked(_ messages: [String], _ subprotocol: String = "") -> String? {
        record(subprotocol) { dialogue in
            for (index, message) in messages.enumerated() { dialogue.message(1_000 * Int64(index + 1), .client, message.bytes) }
        }
    }

    @Test(arguments: [("5", "5.0"), (#""5""#, #""5""#)]) func `a call that is cancelled in MCP need not be answered`(
        id: String, same: String
    ) {
        let call = #"{"jsonrpc":"2.0","method":"a","id":\#(id)}"#
        func cancel(_ id: String) -> String { #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"# }
        #expect(asked([call]) != nil)
        #expect(asked([call, cancel(same)]) == nil)
        // Not one of another number, nor one that is made again.
        #expect(asked([call, cancel("55")]) != nil)
        #expect(asked([call, cancel(same), call]) != nil)
    }

    @Test func `a call that is cancelled in LSP or WAMP is answered all the same`() {
        let cancelled = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}}"#
        #expect(asked([#"{"jsonrpc":"2.0","method":"a","id":5}"#, cancelled]) != nil)
        #expect(asked([#"[48,5,{},"p"]"#, "[49,5,{}]"], "wamp.2.json") != nil)
    }

    @Test func `a channel of Phoenix that is closed has answered what was asked in it`() {
        let leave = #"["1","2","room/1","phx_leave",{}]"#
        #expect(talk([leave]) != nil)
        for event in ["phx_close", "phx_error"] {
            #expect(talk([leave, #"["1","1","room\/1","\#(event)",{}]"#]) == nil)
            #expect(talk([leave, #"["1","1","room/2","\#(event)",{}]"#]) != nil)
            #expect(talk([leave, #"["1","1","room/1","\#(event)",{}]"#, #"["3","3","room/1","phx_join",{}]"#]) != nil)
        }
    }

    @Test func `a subscription of ActionCable that its client gives up need not be confirmed`() {
        func command(_ name: String, _ channel: String) -> [UInt8] {
            #"{"command":"\#(name)","identifier":"{\"channel\":\"\#(channel)\"}"}"#.bytes
        }
        func unanswered(_ commands: (String, String)...) -> String? {
            record("actioncable-v1-json") { dialogue in
                for (index, (name, channel)) in commands.enumerated() {
                    dialogue.message(1_000 * Int64(index + 1), .client, command(name, channel))
                }
            }
        }
        #expect(unanswered(("subscribe", "C"), ("unsubscribe", "C")) == nil)
        #expect(unanswered(("subscribe", "C"), ("unsubscribe", "D")) != nil)
        #expect(unanswered(("subscribe", "C"), ("unsubscribe", "C"), ("subscribe", "C")) != nil)
    }

    @Test func `where the capture ends and not the conversation, the last second is too short for an answer`() {
        func unanswered(_ how: Closing.Manner, at milliseconds: Int64) -> Bool {
            record(how: how) { dialogue in
                dialogue.message(milliseconds, .client, #"{"jsonrpc":"2.0","method":"a","id":5}"#.bytes)
            } != nil
        }
        for how in [Closing.Manner.endOfCapture, .shutdown] {
            #expect(!unanswered(how, at: 10_000))
            #expect(!unanswered(how, at: 9_001))
            #expect(unanswered(how, at: 9_000))
        }
        #expect(unanswered(.fin, at: 10_000) && unanswered(.reset, at: 9_001))
    }
}
