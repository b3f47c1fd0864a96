import Dissection
import Support
import Testing

/// What its sender did not finish has a mark, and the length that was announced, where it is known.
@Suite struct UnfinishedMarkTests {
    private typealias Frames = HTTP2Frames

    private struct Marks: ConversationSink {
        /// Of each message and last part of a body: its announced length, `-` where there is none, nothing where it was finished.
        var marks: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .message(let message): note(message.isUnfinished, message.announced)
            case .body(let part) where part.final: note(part.isUnfinished, part.announced)
            case .body(let part): #expect(!part.isUnfinished && part.announced == nil)
            default: return
            }
        }

        private mutating func note(_ isUnfinished: Bool, _ announced: UInt64?) {
            #expect(isUnfinished || announced == nil)
            marks.append(isUnfinished ? announced.map { "\($0)" } ?? "-" : "")
        }
    }

    private func marks(_ talk: Talk) -> [String] {
        var sink = Marks()
        talk.play(into: &sink)
        return sink.marks
    }

    private func marks(_ steps: [Talk.Step], _ negotiation: WebSocketNegotiation = WebSocketNegotiation()) -> [String] {
        var sink = Marks()
        FrameTalk(steps, negotiation).play(.whole, into: &sink)
        return sink.marks
    }

    @Test func `of a WebSocket message the last frame says how long it was to be`() {
        #expect(marks([.server([0x81, 5] + Array("hello".utf8)), .finish(.server)]) == [""])
        #expect(marks([.server([0x81, 5] + Array("hell".utf8)), .finish(.server)]) == ["5"])
        #expect(marks([.serverFrame(1, Array("ab".utf8), fin: false), .server([0x80, 4, 0x63]), .finish(.server)]) == ["6"])
        // A frame that is not the last one announces itself alone, and between two frames nothing does.
        #expect(marks([.server([0x01, 5] + Array("hell".utf8)), .finish(.server)]) == ["-"])
        #expect(marks([.serverFrame(1, Array("ab".utf8), fin: false), .finish(.server)]) == ["-"])
        #expect(marks([.serverFrame(1, Array("ab".utf8), fin: false), .serverFrame(1, Array("cd".utf8)), .finish(.server)]) == ["-", ""])
        // What was lost inside of it counts, and what begins a character at its end.
        #expect(marks([.server([0x82, 9, 1]), .gap(.server, 3, .missing), .server([2]), .finish(.server)]) == ["9"])
        #expect(marks([.server([0x81, 9, 0x63, 0xC3]), .finish(.server)]) == ["9"])
    }

    @Test func `of a message cut out of raw bytes its header says it`() {
        let length = StreamFraming.length(LengthPrefix(.u32be))
        func talk(_ framing: StreamFraming, _ bytes: [UInt8]) -> Talk { Talk(framing, [.client(bytes), .finish(.client)]) }
        #expect(marks(talk(length, [0, 0, 0, 2, 1, 2])) == [""])
        #expect(marks(talk(length, [0, 0, 0, 2, 1, 2, 0, 0, 0, 9, 3])) == ["", "9"])
        #expect(marks(talk(.lines, Array("a\nhalf".utf8))) == ["", "-"])
    }

    @Test func `of a body Content-Length says it`() {
        func talk(_ head: String, _ body: String, _ end: Talk.Step = .finish(.server)) -> Talk {
            Talk([.client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n\(body)"), end])
        }
        #expect(marks(talk("Content-Length: 5", "hello")) == [""])
        #expect(marks(talk("Content-Length: 5", "hell")) == ["5"])
        #expect(marks(talk("Content-Length: 5", "hell", .reset(.server))) == ["5"])
        #expect(marks(talk("Transfer-Encoding: chunked", "4\r\nhell\r\n0\r\n\r\n")) == [""])
        #expect(marks(talk("Transfer-Encoding: chunked", "9\r\nhell")) == ["-"])
        // The end of the connection ends it, as far as it is captured.
        #expect(marks(talk("Connection: close", "hell")) == [""])
        #expect(marks(talk("Connection: close", "hell", .finish(.client))) == ["-"])
    }

    @Test func `of a body in a stream of HTTP/2 it is the same`() {
        func talk(_ fields: [(String, String)], _ body: [UInt8]) -> Talk {
            Talk([
                .client(Frames.client + Frames.get(1)), .server(Frames.accepted + Frames.ok(1, fields) + body),
            ])
        }
        #expect(marks(talk([("content-length", "5")], Frames.data(1, "hello", end: true))) == [""])
        #expect(marks(talk([("content-length", "5")], Frames.data(1, "hell"))) == ["5"])
        #expect(marks(talk([], Frames.data(1, "hell"))) == ["-"])
    }
}
