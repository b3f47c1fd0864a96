import Dissection
import Support
import Testing

/// Ping, pong and Close.
@Suite struct ControlFrameTests {
    private func findings(_ steps: [Talk.Step]) -> [String] { FrameTalk(steps).findings }

    private func close(_ code: UInt16, _ reason: String = "") -> [UInt8] { bigEndian(UInt64(code), 2) + Array(reason.utf8) }

    @Test func framesAreToldBeforeWhatTheyComplete() {
        let talk = FrameTalk(
            [.serverFrame(1, [65], fin: false), .serverFrame(9, [66]), .serverFrame(0, []), .clientFrame(10, [66])], showsFrames: true)
        #expect(
            talk.difference(from: [
                "< @0 frame 1 rsv 0 2+1 B",
                "< @3 frame 9 fin rsv 0 2+1 B",
                "< @3 ping \"B\"",
                "< @6 frame 0 fin rsv 0 2+0 B",
                "< @0 message text 1 B in 2 \"A\"",
                "> @0 frame 10 fin rsv 0 masked 37fa213d 6+1 B",
                "> @0 pong \"B\"",
            ]) == nil)
    }

    @Test func aPongAnswersTheOldestPingWithItsPayload() {
        let talk = FrameTalk([
            .serverFrame(9, [1]), .serverFrame(9, [2]), .clientFrame(10, [2]), .clientFrame(10, [1]), .clientFrame(10, [2]),
            .serverFrame(10, []),
        ])
        #expect(
            talk.difference(from: [
                "< @0 ping 01", "< @3 ping 02", "> @0 pong 02", "> @7 pong 01",
                "> @14 pong 02 unsolicited", "< @6 pong \"\" unsolicited",
            ]) == nil)
    }

    @Test func pingsThatNobodyAnswersAreForgotten() {
        var limits = Limits()
        limits.pendingPings = 2
        let pings = (0..<3).map { Talk.Step.serverFrame(9, [UInt8($0)]) }
        let talk = FrameTalk(pings + [.clientFrame(10, [0]), .clientFrame(10, [1])], limits: limits)
        #expect(talk.transcript(.whole).suffix(2) == ["> @0 pong 00 unsolicited", "> @7 pong 01"])
    }

    @Test("a ping that is too long has its length where no payload is kept") func longPing() {
        struct Lengths: ConversationSink {
            var pings: [Int] = []
            mutating func receive(_ event: borrowing ConversationEvent) {
                if case .ping = event.fact { pings.append(event.content.byteCount) }
            }
        }
        var limits = Limits()
        limits.messageBytes = 0
        let payload = [UInt8](repeating: 0x61, count: 126)
        for step in [Talk.Step.clientFrame(9, payload), .serverFrame(9, payload)] {
            for cutting in [Talk.Cutting.whole, .bytewise] {
                var sink = Lengths()
                FrameTalk([step], limits: limits).play(cutting, into: &sink)
                #expect(sink.pings == [126], "\(cutting)")
            }
        }
    }

    @Test func aCloseHasACodeAndAReason() {
        let talk = FrameTalk([.serverFrame(8, close(1001, "going")), .clientFrame(8, close(1001))])
        #expect(talk.difference(from: ["< @0 close 1001 \"going\"", "> @0 close 1001 \"\""]) == nil)
        #expect(FrameTalk([.serverFrame(8, [])]).difference(from: ["< @0 close - \"\""]) == nil)
        #expect(
            FrameTalk([.serverFrame(8, [3])]).difference(from: ["< @0 close - \"\"", "< @0 ! websocket.close-payload-one-byte a=0 b=0"])
                == nil)
    }

    @Test func someCodesNeverStandOnTheWire() {
        let rows: [(UInt16, String?)] = [
            (0, "out-of-range"), (999, "out-of-range"), (1000, nil), (1003, nil), (1004, "unassigned"), (1005, "reserved"),
            (1006, "reserved"), (1007, nil), (1009, nil), (1011, nil), (1012, nil), (1013, nil), (1014, nil), (1015, "reserved"),
            (1016, "unassigned"), (2999, "unassigned"), (3000, nil), (4999, nil), (5000, "out-of-range"), (65535, "out-of-range"),
        ]
        for (code, row) in rows {
            #expect(findings([.serverFrame(8, close(code))]) == (row.map { ["close-code-\($0) a=\(code) b=0"] } ?? []))
        }
        #expect(findings([.serverFrame(8, close(1010))]) == ["close-code-of-client a=1010 b=0"])
        #expect(findings([.clientFrame(8, close(1010))]) == [])
    }

    @Test func theReasonIsUTF8() {
        #expect(findings([.serverFrame(8, close(1000) + [0x61, 0xFF])]) == ["close-reason-utf8-invalid a=1 b=0"])
        #expect(findings([.serverFrame(8, close(1000, "für"))]) == [])
    }

    @Test func theAnswerUsuallyEchoesTheCode() {
        #expect(findings([.serverFrame(8, close(1001)), .clientFrame(8, close(1000))]) == ["close-code-not-echoed a=1000 b=1001"])
        #expect(findings([.serverFrame(8, close(1001)), .clientFrame(8, [])]) == [])
    }

    @Test func nothingFollowsAClose() {
        let bye = Talk.Step.serverFrame(8, close(1000))
        #expect(findings([bye, .serverText("more")]) == ["data-after-close a=1 b=0"])
        #expect(findings([bye, .serverFrame(8, close(1000))]) == ["close-repeated a=0 b=0"])
        // The other side may not have read it yet.
        #expect(findings([bye, .clientText("more"), .clientFrame(8, close(1000))]) == [])
        let junk = FrameTalk([bye, .server("HTTP/1.1 400 Bad Request\r\n\r\n")])
        #expect(
            junk.difference(from: [
                "< @0 close 1000 \"\"",
                "< @4 ! websocket.bytes-after-close a=0 b=0",
                "< @4 data \"HTTP/1.1 400 Bad Request\\r\\n\\r\\n\"",
            ]) == nil)
    }

    @Test func theFirstCloseFrameEndsTheTalk() {
        let talk = Talk(
            [.clientFrame(8, close(4000, "bye")), .serverFrame(8, close(4000)), .finish(.server), .finish(.client)], forced: .webSocket)
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 close 4000 \"bye\"",
                "< @0 close 4000 \"\"",
                "closed client closeFrame 4000  client fin 11 B  server fin 4 B",
            ]) == nil)
    }
}
