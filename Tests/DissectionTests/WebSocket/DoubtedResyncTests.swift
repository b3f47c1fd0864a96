import Dissection
import Support
import Testing

/// Boundaries that were found by accident, or only seem likely: what follows has to bear them out before a peer is accused.
@Suite struct DoubtedResyncTests {
    private let texts = (0..<8).map { "{\"seq\":\($0),\"text\":\"message number \($0)\"}" }

    private let upgrade =
        "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    private let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    private func findings(_ lines: [String]) -> [String] { lines.filter { $0.contains("!") } }

    @Test func aClientWhoseBeginningIsLostIsSearched() {
        // The first packet of the client is missing: the next begins in the middle of a masked frame.
        var random = SplitMix(seed: 4)
        for _ in 0..<40 {
            let key = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let long = frame(1, Array(String(repeating: "{\"a\":\"fgeahgggaccdbfc\"}", count: 120).utf8), key: key)
            let rest = Array(long.dropFirst(1_400))
            let talk = Talk(
                [.gap(.client, 1_600, .missing), .client(rest)] + texts.flatMap { [.clientText($0), .serverText($0)] as [Talk.Step] }
                    + [.finish(.client), .finish(.server)])
            let lines = talk.transcript()
            #expect(findings(lines).allSatisfy { $0.contains("websocket.resynchronised") }, "\(lines)")
            #expect(lines.filter { $0.contains("> ") && $0.contains("message text") }.count >= texts.count - 1, "\(lines)")
        }
    }

    @Test func whatRepeatsItselfInAPayloadBearsOutNothing() {
        // Masked again and again with one key, a period of text looks like frame after frame.
        var random = SplitMix(seed: 11)
        let text = String(repeating: "lorem ipsum dolor sit amet ", count: 60)
        for _ in 0..<150 {
            let key = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let long = frame(2, Array(text.utf8), key: key)
            let talk = Talk(
                [
                    .client(upgrade), .server(switching), .gap(.client, 1, .missing), .client(Array(long.dropFirst(1))),
                ] + texts.prefix(2).map { .clientText($0) } + [.finish(.client), .finish(.server)])
            let lines = talk.transcript()
            #expect(!findings(lines).contains { $0.contains("reserved") || $0.contains("mask") || $0.contains("rsv") }, "\(lines)")
        }
    }

    @Test func aServerThatIsReadRightBehindALostAnswerIsSearched() {
        let long = frame(1, Array(String(repeating: "{\"a\":\"fgeahgggaccdbfc\"}", count: 40).utf8))
        let talk = Talk(
            [
                .client("GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
                .server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"), .gap(.server, 300, .missing),
                .server(Array(long.dropFirst(200))),
            ] + texts.map { .serverText($0) } + [.finish(.server)])
        let lines = talk.transcript()
        let told = findings(lines).filter { $0.contains("websocket.") && !$0.contains("key-missing") && !$0.contains("version-missing") }
        #expect(told.count == 1 && told[0].contains("resynchronised"), "\(lines)")
        #expect(lines.filter { $0.contains("message text") }.count == texts.count, "\(lines)")
    }

    @Test func theRestOfARequestsHeadBehindALossIsNoFrame() {
        let head = "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nCookie: "
        for rest in ["xxxxxxxx=yyyyyyyyyyyyyyyy; z=zzzzzzzz\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", "\r\n\r\n", "abc\r\n"]
        {
            let talk = Talk(
                [
                    .client(head), .gap(.client, 40, .missing), .client(rest),
                    .server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
                ] + texts.flatMap { [.clientText($0), .serverText($0)] as [Talk.Step] } + [.finish(.client), .finish(.server)])
            let lines = talk.transcript()
            #expect(
                !findings(lines).contains { $0.contains("> ") && $0.contains("websocket.") && !$0.contains("resynchronised") }, "\(lines)")
            #expect(lines.filter { $0.contains("> ") && $0.contains("message text") }.count == texts.count, "\(lines)")
        }
    }

    @Test func afterPacketsThatAreCutShortAFrameIsExpectedAndDoubted() {
        let opening: [Talk.Step] = [
            .client("GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
            .server("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"), .gap(.server, 60, .truncated),
        ]
        // One frame alone, also cut, is read at once.
        let cut = Talk(opening + [.server([0x82, 100, 1, 2, 3]), .gap(.server, 97, .truncated), .finish(.server)])
        #expect(cut.transcript().contains { $0.contains("message binary 100 B cut 01 02 03") }, "\(cut.transcript())")
        // What cannot be a frame is none.
        let none = Talk(opening + [.server([0xC5, 0x90, 1, 2, 3, 4, 5])] + texts.map { .serverText($0) } + [.finish(.server)])
        let lines = none.transcript()
        #expect(!findings(lines).contains { $0.contains("reserved") || $0.contains("mask") || $0.contains("rsv") }, "\(lines)")
        #expect(lines.filter { $0.contains("message text") }.count == texts.count, "\(lines)")
    }

    @Test func aBoundaryThatWasFoundByAccidentIsGivenUp() {
        // Two small frames are enough right behind a loss; what follows them is none.
        let accident = frame(1, Array("abc".utf8)) + frame(2, [0]) + [0xC5, 0x90, 0x33, 0x44]
        let talk = FrameTalk(
            [.serverText("a"), .gap(.server, 9, .missing), .server(accident)] + texts.map { .serverText($0) } + [.finish(.server)])
        let lines = talk.transcript(.whole)
        #expect(
            findings(lines).map { $0.split(separator: " ")[3] } == ["websocket.resynchronised", "websocket.resynchronised"], "\(lines)")
        #expect(lines.filter { $0.contains("\"seq\"") }.count == texts.count, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("gap 4 resync") }, "\(lines)")
        #expect(talk.difference(from: lines) == nil)
    }

    @Test func aPeerThatBreaksARuleBetweenGoodFramesIsStillAccused() {
        let talk = FrameTalk(
            [.serverText("a"), .gap(.server, 9, .missing)] + texts.map { .serverText($0) } + [.serverFrame(3, [1]), .finish(.server)])
        #expect(findings(talk.transcript(.whole)).contains { $0.contains("opcode-reserved") })
    }

    @Test func doubtsAreFewWhateverComes() {
        // Boundaries that are well supported, and refuted at once, over and over.
        let good: [UInt8] = (0..<5).flatMap { (index: Int) -> [UInt8] in frame(1, Array("well supported \(index)".utf8)) }
        let unit: [UInt8] = good + [0xC5, 0x90, 0x33]
        var bytes: [UInt8] = []
        while bytes.count < 60_000 { bytes += unit }
        let talk = FrameTalk([.serverText("a"), .gap(.server, 9, .missing), .server(bytes), .finish(.server)])
        #expect(findings(talk.transcript(.whole)).filter { $0.contains("resynchronised") }.count <= 6)
    }

    // MARK: - Order

    @Test func aReservedControlFrameWaitsForTheMessageThatItInterrupts() {
        let talk = FrameTalk([
            .serverFrame(1, Array("he".utf8), fin: false), .serverFrame(11, [1, 2]), .serverFrame(12, []),
            .serverFrame(0, Array("llo".utf8)), .serverFrame(11, [3]),
        ])
        #expect(
            talk.difference(from: [
                "< @0 message text 5 B in 2 \"hello\"",
                "< @4 message opcode 11 2 B 01 02",
                "< @4 ! websocket.opcode-reserved a=11 b=0",
                "< @8 message opcode 12 0 B \"\"",
                "< @8 ! websocket.opcode-reserved a=12 b=0",
                "< @15 message opcode 11 1 B 03",
                "< @15 ! websocket.opcode-reserved a=11 b=0",
            ]) == nil, "\(talk.transcript(.whole))")
        let unfinished = FrameTalk([
            .serverFrame(1, Array("he".utf8), fin: false), .serverFrame(11, [1, 2]), .finish(.server),
        ])
        #expect(
            unfinished.difference(from: [
                "< @0 message text 2 B \"he\"",
                "< @0 ! websocket.message-unfinished a=2 b=0",
                "< @4 message opcode 11 2 B 01 02",
                "< @4 ! websocket.opcode-reserved a=11 b=0",
            ]) == nil, "\(unfinished.transcript(.whole))")
    }

    @Test func interruptingFramesAreToldWhereNoPayloadIsKept() {
        var limits = Limits()
        limits.messageBytes = 0
        let talk = FrameTalk(
            [.serverFrame(1, Array("he".utf8), fin: false), .serverFrame(11, [1, 2]), .serverFrame(0, Array("llo".utf8))], limits: limits)
        #expect(
            talk.difference(from: [
                "< @0 message text 5 B in 2 cut \"\"",
                "< @4 message opcode 11 2 B cut \"\"",
                "< @4 ! websocket.opcode-reserved a=11 b=0",
            ]) == nil, "\(talk.transcript(.whole))")
    }

    @Test func aFloodOfInterruptingFramesIsBounded() {
        var limits = Limits()
        limits.messageBytes = 4_096
        let flood: [UInt8] = (0..<500).flatMap { _ -> [UInt8] in frame(11, [UInt8](repeating: 7, count: 100)) }
        let talk = FrameTalk(
            [.serverFrame(1, Array("he".utf8), fin: false), .server(flood), .serverFrame(0, []), .finish(.server)], limits: limits)
        let lines = talk.transcript(.whole)
        #expect(lines.filter { $0.contains("message opcode 11") }.count < 60)
        #expect(lines.filter { $0.contains("gap 102 limit") }.count > 440)
    }
}
