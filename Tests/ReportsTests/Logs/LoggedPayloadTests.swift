import Dissection
import Support
import Testing

@testable import Reports

/// A log gives its sinks what a dissector would give them: frames where they take them, and of a payload as much as they show.
@Suite("Payloads and frames of logs") struct LoggedPayloadTests {
    private struct Listener: ConversationSink {
        let takesFrames: Bool
        var seen: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .frame: seen.append("frame")
            case .message(let message): seen.append("message \(message.length) \(text(event.content))")
            case .body(let part): seen.append("body \(part.length) \(text(event.bytes(part.payload))) \(text(event.bytes(part.trailers)))")
            case .ping: seen.append("ping \(text(event.content))")
            case _: return
            }
        }

        private func text(_ bytes: RawSpan) -> String { String(decoding: Transcript.copy(bytes), as: UTF8.self) }
    }

    private static let log = [
        #"{"kind":"frame","conversation":1,"from":"client","offset":0,"opcode":1,"fin":true,"rsv":0,"masked":false,"length":5,"headerLength":2}"#,
        #"{"kind":"message","conversation":1,"from":"client","opcode":"text","length":5,"wireLength":5,"fragments":1,"compressed":false,"text":"hello"}"#,
        #"{"kind":"body","conversation":2,"from":"server","length":5,"wireLength":5,"part":1,"final":true,"trailers":[["a","b"]],"text":"world"}"#,
        #"{"kind":"ping","conversation":1,"from":"server","text":"still here"}"#,
    ]

    @Test(
        "messages and bodies are cut to what is kept, control frames are whole, and frames are for who takes them",
        arguments: [
            (Int.max, true, ["frame", "message 5 hello", "body 5 world a: b\r\n", "ping still here"]),
            (5, false, ["message 5 hello", "body 5 world a: b\r\n", "ping still here"]),
            (2, true, ["frame", "message 5 he", "body 5 wo a: b\r\n", "ping still here"]),
            (0, false, ["message 5 ", "body 5  a: b\r\n", "ping still here"]),
        ])
    func demand(payloadBytes: Int, takesFrames: Bool, seen: [String]) {
        var listener = Listener(takesFrames: takesFrames)
        var teller = LogTeller(payloadBytes: payloadBytes)
        teller.begin(CaptureSource(kind: .file, name: "log", tool: "test"), after: Totals())
        for line in Self.log {
            let outcome = teller.tell(Array(line.utf8).rawBytes, into: &listener) { _, _ in }
            if case .problem(let words) = outcome { Issue.record("\(words)") }
        }
        #expect(listener.seen == seen)
    }
}
