import Dissection
import Support
import Testing

/// Losses, and finding the frames again.
@Suite struct ResyncTests {
    private let texts = (0..<12).map { "{\"seq\":\($0),\"text\":\"message number \($0)\"}" }

    @Test func aLossInsideAPayloadKeepsSynchronisation() {
        let first = frame(1, Array("0123456789".utf8))
        let talk = FrameTalk(
            [.server(Array(first.prefix(6))), .gap(.server, 3, .missing), .server(Array(first.suffix(3))), .serverText("next")],
            showsFrames: true)
        #expect(
            talk.difference(from: [
                "< @6 gap 3 missing",
                "< @0 frame 1 fin rsv 0 2+10 B",
                "< @0 message text 10 B cut \"0123\"",
                "< @12 frame 1 fin rsv 0 2+4 B",
                "< @12 message text 4 B \"next\"",
            ]) == nil)
    }

    @Test func aLossUpToTheEndOfAFrameKeepsSynchronisation() {
        let first = frame(2, [1, 2, 3, 4, 5])
        let talk = FrameTalk([.server(Array(first.prefix(4))), .gap(.server, 3, .truncated), .serverText("next")])
        #expect(
            talk.difference(from: [
                "< @4 gap 3 truncated", "< @0 message binary 5 B cut 01 02", "< @7 message text 4 B \"next\"",
            ]) == nil)
    }

    @Test func aLossInAControlFrameIsNotTakenForItsContent() {
        let talk = FrameTalk([.server([0x89, 4, 1]), .gap(.server, 3, .missing), .clientFrame(10, [1, 0, 0, 0])])
        #expect(talk.difference(from: ["< @3 gap 3 missing", "< @0 ping 01", "> @0 pong 01 00 00 00 unsolicited"]) == nil)
    }

    @Test func behindALossOverAHeaderTheNextBoundaryIsFound() {
        let stream = texts.flatMap { frame(1, Array($0.utf8), key: Talk.Step.key) }
        let each = texts.map { $0.utf8.count + 6 }
        // The loss takes the end of the first message and the beginning of the second.
        let cut = 20
        let lost = each[0] + 10 - cut
        let rest = Array(stream.dropFirst(cut + lost))
        let talk = FrameTalk([.client(Array(stream.prefix(cut))), .gap(.client, lost, .missing), .client(rest), .finish(.client)])
        let lines = talk.transcript(.whole)
        let skipped = each[1] - 10
        #expect(
            Array(lines.prefix(4)) == [
                "> @\(cut) gap \(lost) missing",
                "> @0 message text \(texts[0].utf8.count) B cut \"\(texts[0].prefix(cut - 6))\"",
                "> @\(cut + lost) gap \(skipped) resync",
                "> @\(cut + lost + skipped) ! websocket.resynchronised a=\(skipped) b=0",
            ])
        #expect(lines.count == 14)
        #expect(lines.last?.hasSuffix("\"\(texts[11])\"") == true)
        #expect(talk.difference(from: lines) == nil)
    }

    @Test func gapsAreToldInTheOrderOfTheirBytes() {
        // Nothing in the first bytes is a frame; the loss comes before the search has ended.
        let searched = Talk(
            [.server([0xF7, 0xF7, 0xF7]), .gap(.server, 5, .missing), .finish(.server)], start: .midstream, forced: .webSocket)
        #expect(
            searched.transcript().filter { $0.contains("gap") } == ["< @0 gap 3 resync", "< @3 gap 5 missing"])
        let cut = Talk([.server([0x82, 0x7E, 0x01]), .gap(.server, 5, .missing), .finish(.server)], forced: .webSocket)
        #expect(cut.transcript().filter { $0.contains("gap") } == ["< @0 gap 3 undecodable", "< @3 gap 5 missing"])
    }

    @Test func eachDirectionIsSearchedFromItsOwnBeginning() {
        // The answer's head is cut, so that frames follow in a stream that began before both.
        let noise = [UInt8](repeating: 0xF7, count: 20)
        let talk = Talk(
            [
                .client("GET /chat HTTP/1.1\r\nUpgrade: websocket\r\n"), .gap(.client, 50, .truncated), .server("HTTP/1.1 101 Switching"),
                .gap(.server, 60, .truncated), .clientText("one"), .clientText("two"), .server(noise), .finish(.server),
            ], start: .midstream, forced: .http)
        #expect(talk.transcript().contains("< @82 gap 20 resync"), "\(talk.transcript())")
    }

    @Test func aLossOfWholeFramesResumesAtOnce() {
        let talk = FrameTalk(
            [.serverText(texts[0]), .gap(.server, 100, .missing)] + texts[1...].map { .serverText($0) } + [.finish(.server)])
        let lines = talk.transcript(.whole)
        #expect(lines[1].hasSuffix("gap 100 missing"))
        #expect(lines[2].hasSuffix("! websocket.resynchronised a=0 b=0"))
        #expect(lines.count == 14)
        #expect(talk.difference(from: lines) == nil)
    }

    @Test func fewFramesAreEnoughWhereTheyEndWithTheDirection() {
        let talk = FrameTalk([.serverText("a"), .gap(.server, 9, .missing), .serverText("ok then"), .finish(.server)])
        #expect(
            talk.difference(from: [
                "< @0 message text 1 B \"a\"",
                "< @3 gap 9 missing",
                "< @12 ! websocket.resynchronised a=0 b=0",
                "< @12 message text 7 B \"ok then\"",
            ]) == nil)
    }

    @Test func aLossBehindACloseChangesNothing() {
        let talk = FrameTalk([.serverFrame(8, [3, 0xE8]), .server("junk"), .gap(.server, 9, .missing), .server("more"), .finish(.server)])
        #expect(
            talk.difference(from: [
                "< @0 close 1000 \"\"",
                "< @4 ! websocket.bytes-after-close a=0 b=0",
                "< @4 data \"junk\"",
                "< @8 gap 9 missing",
                "< @17 data \"more\"",
            ]) == nil)
    }

    @Test func noiseBehindALossIsSkipped() {
        let talk = FrameTalk([
            .serverText("a"), .gap(.server, 9, .missing), .server("no frames at all in here, only text"), .finish(.server),
        ])
        #expect(
            talk.difference(from: [
                "< @0 message text 1 B \"a\"",
                "< @3 gap 9 missing",
                "< @12 gap 35 resync",
                "< @12 ! websocket.not-resynchronised a=35 b=0",
            ]) == nil)
    }

    @Test func aContinuationBehindALossIsNoViolation() {
        let talk = FrameTalk(
            [.serverFrame(1, [65], fin: false), .gap(.server, 50, .missing), .serverFrame(0, Array("tail".utf8))]
                + texts.map { .serverText($0) } + [.finish(.server)])
        let lines = talk.transcript(.whole)
        #expect(lines.contains("< @53 message opcode 0 4 B \"tail\""))
        #expect(talk.findings == ["message-unfinished a=1 b=0", "resynchronised a=0 b=0"])
    }

    @Test func aStreamWithoutABeginningIsReadFromItsFirstFrame() {
        let steps = texts.flatMap { [Talk.Step.clientText($0), Talk.Step.serverText($0)] }
        let talk = Talk(steps + [.finish(.client), .finish(.server)], knowsRoles: false, start: .midstream)
        let lines = talk.transcript(.whole)
        #expect(lines.first == "opened midstream by content")
        #expect(lines.filter { $0.contains(" message text ") }.count == 24)
        #expect(!lines.contains { $0.contains("!") })
        for cutting in Talk.cuttings { #expect(talk.transcript(cutting).sorted() == lines.sorted()) }
    }

    @Test func aStreamThatBeginsInTheMiddleOfAFrameSaysWhatItSkipped() {
        let bytes = texts.flatMap { frame(1, Array($0.utf8), key: Talk.Step.key) }
        let talk = FrameTalk(
            [.client(Array(bytes.dropFirst(9))), .finish(.client)], WebSocketNegotiation(isKnown: false), startsMidstream: true)
        let lines = talk.transcript(.whole)
        let skipped = texts[0].utf8.count + 6 - 9
        #expect(lines[0] == "> @0 gap \(skipped) resync")
        #expect(lines[1] == "> @\(skipped) ! websocket.resynchronised a=\(skipped) b=0")
        #expect(lines.count == 13)
        #expect(talk.difference(from: lines) == nil)
    }

    @Test func noiseIsRarelyTakenForFrames() {
        var random = SplitMix(seed: 5)
        var (likely, anywhere) = (0, 0)
        let rounds = 400
        for _ in 0..<rounds {
            let noise = (0..<4_096).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            var effort = ResyncEffort()
            if case .yes = WebSocketResync.clientBoundary(noise.rawBytes, effort: &effort) { likely += 1 }
            if WebSocketResync.boundary(in: noise.rawBytes, from: 0, masked: true) != nil { anywhere += 1 }
            if WebSocketResync.boundary(in: noise.rawBytes, from: 0, masked: false) != nil { anywhere += 1 }
        }
        #expect(likely == 0)
        #expect(anywhere <= 1)
    }

    @Test func textInOtherScriptsIsNotTakenForFrames() {
        let text = Array(String(repeating: "Съешь ещё этих мягких французских булок, да выпей чаю. ", count: 600).utf8)
        #expect(WebSocketResync.boundary(in: text.rawBytes, from: 0, masked: false) == nil)
        #expect(WebSocketResync.boundary(in: text.rawBytes, from: 0, masked: true) == nil)
    }

    @Test func lengthsOfTwoBytesAreNotTakenForFragments() {
        let prefixed = (0..<60).flatMap { index -> [UInt8] in
            let payload = [UInt8](repeating: 0xD5, count: 20 + index)
            return [0, UInt8(payload.count)] + payload
        }
        #expect(WebSocketResync.boundary(in: prefixed.rawBytes, from: 0, masked: false) == nil)
        let (sawtooth, zeros) = ((0..<4_096).map { UInt8($0 % 112) }, [UInt8](repeating: 0, count: 4_096))
        #expect(WebSocketResync.boundary(in: sawtooth.rawBytes, from: 0, masked: false) == nil)
        #expect(WebSocketResync.boundary(in: zeros.rawBytes, from: 0, masked: false) == nil)
    }
}
