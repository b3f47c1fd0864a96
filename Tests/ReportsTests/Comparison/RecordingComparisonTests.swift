import Dissection
import Reports
import Testing

/// Two recordings of the same talk, and what is said to differ.
@Suite struct RecordingComparisonTests {
    /// One message of a session: who, when in milliseconds, what.
    private typealias Line = (from: Side, at: Int64, text: String)

    private func recording(
        _ lines: [Line], _ settings: ComparisonSettings, host: String = "chat.example:1234", path: String = "/room",
        ending: Closing.Manner = .fin,
        mostBytes: Int = 64 << 20
    ) -> Recording {
        var recorder = ConversationRecorder(settings, mostBytes: mostBytes)
        tell(lines, to: &recorder, number: 1, host: host, path: path, ending: ending)
        return recorder.finish()
    }

    private func tell(
        _ lines: [Line], to recorder: inout ConversationRecorder, number: UInt64, host: String, path: String, ending: Closing.Manner = .fin
    ) {
        func say(_ fact: Fact, _ content: [UInt8] = [], _ from: Side?, _ milliseconds: Int64, to recorder: inout ConversationRecorder) {
            let time = Timestamp(nanoseconds: RecordScript.time.nanoseconds + milliseconds * 1_000_000)
            RecordScript.send(fact, content, conversation: number, from: from, at: time, to: &recorder)
        }
        say(.opened(RecordScript.opening), [], nil, 0, to: &recorder)
        let fields = "Host: \(host)\r\nDate: \(lines.count)\r\nX-App: 1\r\n"
        let (bytes, parts) = RecordScript.content("GET".bytes, path.bytes, "HTTP/1.1".bytes, fields.bytes)
        let head = RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: 1)
        say(.request(head), bytes, .client, 0, to: &recorder)
        for line in lines {
            let length = UInt64(line.text.utf8.count)
            let message = Message(opcode: 1, length: length, wireLength: length, fragments: 1, compressed: false)
            say(.message(message), line.text.bytes, line.from, line.at, to: &recorder)
        }
        say(.closed(Closing(by: .server, how: ending)), [], nil, 0, to: &recorder)
    }

    private func compare(_ old: [Line], _ new: [Line], _ settings: ComparisonSettings = ComparisonSettings()) -> RecordingComparison {
        RecordingComparison(recording(old, settings), recording(new, settings, host: "chat.example:9"), settings)
    }

    private func text(_ comparison: RecordingComparison) -> String { String(decoding: comparison.text(width: nil), as: UTF8.self) }

    private func client(_ texts: [String]) -> [Line] { texts.map { (.client, 0, $0) } }

    /// A session of a game: 300 moves of the client, each answered.
    private func session(seq first: Int, answerAfter milliseconds: Int64) -> [Line] {
        let moves = ["left", "right", "jump", "wait", "turn", "run", "stop"]
        return (0..<300).flatMap { turn -> [Line] in
            let time = Int64(turn) * 1_000
            let move = moves[(turn * turn + turn / 7) % moves.count]
            return [
                (.client, time, #"{"type":"move","seq":\#(first + turn),"move":"\#(move)","turn":"\#(move)-\#(turn / 3)x"}"#),
                (
                    .server, time + milliseconds,
                    #"{"type":"state","seq":\#(first + turn),"score":\#(turn * 10),"name":"ana of \#(move) \#(turn / 5)x"}"#
                ),
            ]
        }
    }

    @Test func `two runs of 600 messages make a page, with the faults of the bad one`() {
        let good = session(seq: 1, answerAfter: 5)
        var bad = session(seq: 7_001, answerAfter: 40)
        // From the end to the beginning, so that places stay.
        bad.append((.server, 300_000, #"{"type":"error","code":"full"}"#))
        bad.swapAt(580, 584)
        bad[401].text = bad[401].text.replacing("\"name\":\"ana", with: "\"name\":\"bob")
        bad.removeSubrange(200..<210)
        let settings = ComparisonSettings(slower: 2)
        let comparison = RecordingComparison(
            recording(good, settings), recording(bad, settings, host: "chat.example:9", ending: .reset), settings)
        let page = text(comparison)
        #expect(comparison.differs && page.split(separator: "\n", omittingEmptySubsequences: false).count <= 60, "\(page)")
        #expect(page.contains("chat.example /room 1\n"), "\(page)")
        #expect(page.contains("lost client messages 101 to 105 (5): \"{\"type\":\"move\",\"seq\":101"), "\(page)")
        #expect(page.contains("lost server messages 101 to 105 (5): "), "\(page)")
        #expect(page.contains("added server message 296: \"{\"type\":\"error\",\"code\":\"full\"}\""), "\(page)")
        #expect(page.contains("$.seq (first 1 → 7001)"), "\(page)")
        #expect(page.contains("changed in server message 201 → 196: $.name: \"ana of"), "\(page)")
        #expect(page.contains("reordered client message 291 → 288: "), "\(page)")
        #expect(page.contains("slower in 294 server messages, most 5.0 ms → "), "\(page)")
        #expect(page.contains("ended: closed by the server (FIN) → cut off by the server (RST)"), "\(page)")
        // What only says the same with other numbers is no difference once these are ignored.
        let ignoring = ComparisonSettings(ignoredPaths: ["$.seq"])
        #expect(!compare(good, session(seq: 7_001, answerAfter: 90), ignoring).differs)
    }

    @Test func `the same talk has no differences, whatever the port and the date`() {
        let lines = client(["a", #"{"x":1,"y":2}"#, "c"])
        let comparison = compare(lines, client(["a", #"{"y":2,"x":1}"#, "c"]))
        #expect(!comparison.differs && text(comparison) == "no differences in 1 conversation\n")
    }

    @Test(arguments: [
        (#"{"user":{"name":"a"}}"#, #"{"user":{"name":"b"}}"#, #"$.user.name: "a" → "b""#),
        (#"{"a":1}"#, #"{"a":1,"b":[1,2]}"#, "$.b: nothing → 2 elements"),
        (#"{"a":[1,2,3]}"#, #"{"a":[1,2]}"#, "$.a[2]: 3 → nothing"),
        (#"42["chat",{"n":true}]"#, #"42["chat",{"n":null}]"#, "$[1].n: true → null"),
        ("hello world", "hello there", #"text: "hello world" → "hello there""#),
    ])
    func `a change is told by its place`(old: String, new: String, words: String) {
        let page = text(compare(client(["first", old, "last"]), client(["first", new, "last"])))
        #expect(page.contains("  3 equal, 1 changed\n  changed in client message 2: \(words)\n"), "\(page)")
    }

    @Test func `a path is left out by itself, by a pattern, and in lists`() {
        let (old, new) = (
            client([#"{"id":1,"a":{"timestamp":"x"},"l":[{"id":3}]}"#]), client([#"{"id":2,"a":{"timestamp":"y"},"l":[{"id":4}]}"#])
        )
        func differing(_ patterns: [String]) -> [String] {
            let settings = ComparisonSettings(ignoredPaths: patterns)
            return compare(old, new, settings).talks[0].changes.map(\.path)
        }
        #expect(differing([]) == ["$.a.timestamp", "$.id", "$.l[*].id"])
        #expect(differing(["$.id"]) == ["$.a.timestamp", "$.l[*].id"])
        #expect(differing(["*.id", "*.timestamp"]).isEmpty)
        #expect(differing(["$.l[*].id", "$.a"]) == ["$.id"])
        #expect(differing(["$..id"]) == ["$.a.timestamp"])
        #expect(differing(["$..[0]", "$..timestamp"]) == ["$.id"])
    }

    @Test func `a path that no message has is said, with how to write one at any depth`() {
        func hints(_ patterns: [String]) -> [String] {
            let settings = ComparisonSettings(ignoredPaths: patterns)
            _ = compare(client([#"{"echo":{"ts":1},"id":1}"#]), client([#"{"echo":{"ts":2},"id":1}"#]), settings)
            return settings.ignoredPaths.hints
        }
        #expect(hints(["$.ts"]) == ["--ignore $.ts: no message has such a path; --ignore '$..ts' leaves ts out at any depth"])
        #expect(hints(["$..tx"]) == ["--ignore $..tx: no message has such a path"])
        // Neither one that is found, nor one that another one covers.
        #expect(hints(["$..ts", "*.ts", "$.id"]).isEmpty)
    }

    @Test func `a header that is left out is compared where the user names it`() {
        func changes(_ compared: [String]) -> [String] {
            let settings = ComparisonSettings(ignoredFields: ComparisonSettings.fields(ignoring: ["Date"], comparing: compared))
            // The two are captured with other ports in Host.
            return compare(client(["a"]), client(["a"]), settings).talks[0].changes.map(\.path)
        }
        #expect(changes([]).isEmpty && changes(["ETag"]).isEmpty)
        #expect(changes(["host"]) == ["header host"] && changes(["*"]) == ["header host"])
    }

    @Test func `a conversation that only one has counts its messages without the request that opened it`() {
        let settings = ComparisonSettings()
        let nothing = ConversationRecorder(settings, mostBytes: 1 << 20).finish()
        let comparison = RecordingComparison(recording(client(["a", "b"]), settings), nothing, settings)
        #expect(comparison.lost.map(\.elements) == [2])
        #expect(RecordingComparison(recording([], settings), nothing, settings).lost.map(\.elements) == [1])
    }

    @Test func `conversations are aligned by host, path and order`() {
        let settings = ComparisonSettings()
        func record(_ talks: [(String, String)]) -> Recording {
            var recorder = ConversationRecorder(settings, mostBytes: 1 << 20)
            for (index, (path, word)) in talks.enumerated() {
                tell(client([word]), to: &recorder, number: UInt64(index) + 1, host: "h", path: path)
            }
            return recorder.finish()
        }
        let comparison = RecordingComparison(
            record([("/a", "x"), ("/b", "y"), ("/a", "z"), ("/item/1", "p"), ("/gone", "q")]),
            record([("/b", "y"), ("/a", "x"), ("/item/77", "p"), ("/a", "z"), ("/new", "r")]), settings)
        #expect(comparison.talks.map(\.new.number) == [2, 1, 4, 3])
        #expect(comparison.talks.map(\.differs) == [false, false, false, true])
        #expect(comparison.lost.map(\.name) == ["h /gone 5"] && comparison.added.map(\.name) == ["h /new 5"])
    }

    @Test func `content that has no room is known to differ, and not in what`() {
        let settings = ComparisonSettings()
        let (old, new) = ((0..<200).map { "message \($0)" }, (0..<200).map { $0 == 150 ? "other" : "message \($0)" })
        // Somewhere between having room for all content and for no element there is room for the elements.
        let isBetween = stride(from: 9_000, through: 100_000, by: 1_000).contains { bytes in
            let comparison = RecordingComparison(
                recording(client(old), settings, mostBytes: bytes), recording(client(new), settings, mostBytes: bytes), settings)
            return comparison.withoutContent > 0 && comparison.dropped == 0 && comparison.differs
        }
        #expect(isBetween)
        let dropping = RecordingComparison(
            recording(client(old), settings, mostBytes: 9_000), recording(client(new), settings, mostBytes: 9_000), settings)
        #expect(dropping.dropped > 0 && text(dropping).contains("not compared; raise --memory"))
    }
}
