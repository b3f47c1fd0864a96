import CaptureFiles
import Dissection
import Reports
import Testing

@testable import WebConsole

/// Replies among the messages of a live run, where conversations without any are left out for a while.
@Suite struct CallSinkTests {
    /// Reads messages as a session file has them, with the numbers of their records.
    private struct Run {
        var sink = CallSink()
        var teller = LogTeller()
        var record: Int64 = 0

        init(skips: Bool) {
            sink.skips = skips
            teller.begin(CaptureSource(kind: .file, name: "", tool: ""), after: Totals())
            take(#"{"kind":"capture","version":1,"tool":"unmask","source":{"type":"file","name":"run"},"firstPacket":1}"#)
        }

        mutating func take(_ line: String) {
            record += 1
            sink.record = record
            let outcome = teller.tell(Array(line.utf8).rawBytes, into: &sink) { _, _ in }
            guard case .told = outcome else {
                Issue.record("\(outcome) of \(line)")
                return
            }
        }

        mutating func message(_ text: String, from side: String, in conversation: Int = 1) {
            let second = 10 + record / 1_000
            let time = "2026-11-20T21:00:\(second).\(String(1_000 + record % 1_000).dropFirst())000000Z"
            let escaped = text.replacing("\"", with: "\\\"")
            take(
                #"{"kind":"message","conversation":\#(conversation),"time":"\#(time)","from":"\#(side)","packets":[1,1],"offset":\#(record * 40),"#
                    + #""opcode":"text","length":\#(text.utf8.count),"wireLength":60,"fragments":1,"compressed":false,"text":"\#(escaped)"}"#
            )
        }

        mutating func call(_ id: Int, in conversation: Int = 1) {
            message(#"{"jsonrpc":"2.0","id":\#(id),"method":"sum","params":[1]}"#, from: "client", in: conversation)
            message(#"{"jsonrpc":"2.0","id":\#(id),"result":1}"#, from: "server", in: conversation)
        }

        mutating func news(_ count: Int, in conversation: Int = 1) {
            for number in 0..<count {
                message(#"{"jsonrpc":"2.0","method":"news","params":[\#(number)]}"#, from: "server", in: conversation)
            }
        }
    }

    @Test func `a reply is found with its record and how long its call took`() {
        var run = Run(skips: false)
        run.call(1)
        run.news(2)
        run.call(2)
        #expect(run.sink.found.map(\.record) == [3, 7])
        #expect(run.sink.found.map(\.took) == [1_000_000, 1_000_000])
    }

    @Test func `a live conversation without replies is left out for a while, and another is not`() {
        var run = Run(skips: true)
        for number in 0..<512 {
            run.news(1)
            if number % 100 == 0 { run.call(number, in: 2) }
        }
        #expect(run.sink.leftOut(through: run.record + 100) == [1])
        #expect(run.sink.hasSkipped)
        #expect(run.sink.leftOut(through: run.record + 10_000) == [])
        // 64 messages without a reply are enough then.
        run.news(63)
        #expect(run.sink.leftOut(through: run.record) == [])
        run.news(1)
        #expect(run.sink.leftOut(through: run.record) == [1])
    }

    @Test func `a reply has its conversation looked at as before`() {
        var run = Run(skips: true)
        run.news(500)
        run.call(1)
        run.news(500)
        #expect(run.sink.leftOut(through: run.record) == [])
    }

    @Test func `what was called before a pause has no reply after it`() {
        var run = Run(skips: true)
        run.news(511)
        run.message(#"{"jsonrpc":"2.0","id":7,"method":"sum"}"#, from: "client")
        #expect(run.sink.leftOut(through: run.record) == [1])
        #expect(run.sink.leftOut(through: run.record + 10_000) == [])
        run.message(#"{"jsonrpc":"2.0","id":7,"result":1}"#, from: "server")
        #expect(run.sink.found.isEmpty)
    }

    @Test func `a run that is over has nothing left out`() {
        var run = Run(skips: false)
        run.news(2_000)
        #expect(run.sink.leftOut(through: run.record) == [] && !run.sink.hasSkipped)
    }
}
