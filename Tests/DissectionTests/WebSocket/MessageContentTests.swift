import Support
import Testing

@testable import Dissection

/// The table of how the payload of a message is read, row by row, and what holds in any order of events.
@Suite struct MessageContentTests {
    // MARK: The table

    /// The states, in the order in which the rows give what becomes of each.
    private static let states: [MessageContent] = [
        .none, .plain, .torn, .inflating, .overLimit(unread: 7), .broken(.malformed), .undecodable,
    ]

    static let rows: [(event: String, becomes: [String])] = [
        ("lose", ["none", "torn", "torn", "undecodable", "undecodable", "undecodable", "undecodable"]),
        (
            "exceed",
            ["none", "plain", "torn", "overLimit(unread: 5)", "overLimit(unread: 7)", "broken(Fault.malformed)", "undecodable"]
        ),
        (
            "stop",
            [
                "none", "plain", "torn", "broken(Fault.beyondWindow)", "overLimit(unread: 7)",
                "broken(Fault.malformed)", "undecodable",
            ]
        ),
        (
            "inflate",
            ["none", "plain", "torn", "inflating!", "overLimit(unread: 10)", "broken(Fault.malformed)", "undecodable"]
        ),
        ("end", ["none", "none", "none", "none", "none", "none", "none"]),
    ]

    private static func happens(_ event: String, to content: inout MessageContent) -> Bool {
        switch event {
        case "lose": content.lose()
        case "exceed": content.exceed(unread: 5)
        case "stop": content.stop(at: .beyondWindow)
        case "inflate": return content.mayInflate(3)
        default: _ = content.end()
        }
        return false
    }

    @Test(arguments: rows.indices) func aRow(_ row: Int) {
        let (event, becomes) = Self.rows[row]
        for (state, expected) in zip(Self.states, becomes) {
            var content = state
            let mayInflate = Self.happens(event, to: &content)
            let told = "\(content)".replacing("Dissection.Inflater.", with: "") + (mayInflate ? "!" : "")
            #expect(told == expected, "\(state) \(event)")
        }
    }

    @Test func textIsJudgedAsFarAsItCame() {
        var text = TextCheck.valid(UTF8Validator())
        text.check([0x61, 0xC3].rawBytes)
        #expect(text.isUnderWay && text.badByte == nil)
        var (torn, ended, bad) = (text, text, text)
        torn.lose()
        torn.check([0xFF].rawBytes)
        torn.finish()
        #expect(!torn.isUnderWay && torn.badByte == nil)
        ended.finish()
        #expect(ended.badByte == 1)
        bad.check([0x61].rawBytes)
        bad.lose()
        bad.check([0xFF].rawBytes)
        bad.finish()
        #expect(bad.badByte == 1)
        var none = TextCheck.none
        none.check([0xFF].rawBytes)
        none.finish()
        #expect(none.badByte == nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func whatHoldsInAnyOrderOfEvents(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        for start in Self.states {
            var (content, hasLost, unread) = (start, false, UInt64(0))
            for _ in 0..<30 {
                let event = ["lose", "exceed", "stop", "inflate"][Int(random.next() % 4)]
                let mayInflate = Self.happens(event, to: &content)
                hasLost = hasLost || event == "lose"
                #expect(content.isOpen == start.isOpen)
                #expect(content.isPlain == start.isPlain)
                // Bytes that were lost are held against nobody.
                if hasLost { #expect(!content.isCompressed && !mayInflate) }
                if case .overLimit(let now) = content {
                    #expect(now >= unread)
                    unread = now
                }
            }
            let ended = content.end()
            #expect(ended.isOpen == start.isOpen && !content.isOpen)
        }
    }

    // MARK: The same in frames

    /// Frames of a server, in words, and what is told of them, without where:
    ///
    /// - `T` a text, `T(` its first fragment, `c` a continuation, `)` the last one; `D`, `D(`, `d`, `D)` the same compressed;
    /// - `O(` as `D(`, where no more than four bytes may be inflated;
    /// - `X(` a first fragment that is no DEFLATE, `é(` one that ends inside a character, `é)` the rest of it, `ff)` what is no text;
    /// - `~` a continuation of six bytes of which the last three are lost, `end` the end.
    static let dialogues: [(words: String, told: String)] = [
        ("T", "message text 6 B \"abcdef\""),
        ("T( c )", "message text 6 B in 3 \"abcdef\""),
        ("T( end", "message text 2 B \"ab\" | ! websocket.message-unfinished a=2 b=0"),
        (
            "T( T",
            "message text 2 B \"ab\" | ! websocket.message-unfinished a=2 b=0"
                + " | message text 6 B \"abcdef\" | ! websocket.continuation-missing a=0 b=0"
        ),
        ("T( ~ )", "gap 3 missing | message text 10 B in 3 cut \"abghi\""),
        ("T( ~ ff)", "gap 3 missing | message text 9 B in 3 cut \"abghi\""),
        (
            "T( ~ T",
            "gap 3 missing | message text 8 B in 2 cut \"abghi\""
                + " | ! websocket.message-unfinished a=5 b=0 | message text 6 B \"abcdef\" | ! websocket.continuation-missing a=0 b=0"
        ),
        ("é( é)", "message text 3 B in 2 \"aé\""),
        ("é( )", "message text 4 B in 2 61 c3 65 66 | ! websocket.utf8-invalid a=1 b=0"),
        ("é( ~ é)", "gap 3 missing | message text 9 B in 3 cut 61 c3 67 68 69 | ! websocket.utf8-invalid a=1 b=0"),
        ("T( ff)", "message text 3 B in 2 61 62 ff | ! websocket.utf8-invalid a=2 b=0"),
        ("c )", "! websocket.continuation-unexpected a=0 b=0 | message opcode 0 4 B in 2 \"cdef\""),
        ("D", "message text 11 B deflated 13 \"hello there\""),
        ("D( d D)", "message text 11 B in 3 deflated 13 \"hello there\""),
        ("D( ~ D)", "gap 3 missing | gap 18 undecodable"),
        ("D( end", "gap 6 undecodable | ! websocket.message-unfinished a=4 b=0"),
        ("D( ~ end", "gap 3 missing | gap 11 undecodable | ! websocket.message-unfinished a=7 b=0"),
        ("X( D)", "gap 11 undecodable | ! websocket.deflate-invalid a=0 b=0"),
        ("X( ~ D)", "gap 3 missing | gap 16 undecodable"),
        ("X( end", "gap 4 undecodable | ! websocket.message-unfinished a=2 b=0"),
        ("D( ~ D) D( d D)", "gap 3 missing | gap 18 undecodable | message text 11 B in 3 deflated 13 \"hello there\""),
        ("O( d D)", "message text 5 B in 3 deflated 13 \"hello\" | gap 7 limit"),
        ("O( ~ d D)", "gap 3 missing | gap 24 undecodable"),
        ("O( end", "gap 6 undecodable | ! websocket.message-unfinished a=4 b=0"),
        (
            "O( ~ T",
            "gap 3 missing | gap 11 undecodable"
                + " | ! websocket.message-unfinished a=7 b=0 | message text 6 B \"abcdef\" | ! websocket.continuation-missing a=0 b=0"
        ),
    ]

    @Test(arguments: dialogues.indices) func aDialogue(_ row: Int) {
        let (words, expected) = Self.dialogues[row]
        let steps = words.split(separator: " ").flatMap { Self.steps(String($0)) }
        var limits = Limits()
        if words.contains("O(") { limits.inflatedBytes = 4 }
        let talk = FrameTalk(steps, FrameTalk.deflate, limits: limits)
        let lines = talk.transcript(.whole)
        let told = lines.map { $0.split(separator: " ", maxSplits: 2)[2] }.joined(separator: " | ")
        #expect(told == expected, "\(words)")
        #expect(talk.difference(from: lines) == nil, "\(words)")
    }

    private static let deflated = InflaterTests.deflate([Array("hello there".utf8)])[0]

    private static func steps(_ word: String) -> [Talk.Step] {
        switch word {
        case "T": [.serverText("abcdef")]
        case "T(": [.serverFrame(1, [0x61, 0x62], fin: false)]
        case "c": [.serverFrame(0, [0x63, 0x64], fin: false)]
        case ")": [.serverFrame(0, [0x65, 0x66])]
        case "é(": [.serverFrame(1, [0x61, 0xC3], fin: false)]
        case "é)": [.serverFrame(0, [0xA9])]
        case "ff)": [.serverFrame(0, [0xFF])]
        case "D": [.serverFrame(1, deflated, rsv: 4)]
        case "D(", "O(": [.serverFrame(1, Array(deflated.prefix(4)), fin: false, rsv: 4)]
        case "d": [.serverFrame(0, Array(deflated[4..<8]), fin: false)]
        case "D)": [.serverFrame(0, Array(deflated[8...]))]
        case "X(": [.serverFrame(1, [0xFF, 0xFF], fin: false, rsv: 4)]
        case "~": [.bytes(.server, Array(frame(0, Array("ghijkl".utf8), fin: false).dropLast(3))), .gap(.server, 3, .missing)]
        default: [.finish(.server)]
        }
    }
}
