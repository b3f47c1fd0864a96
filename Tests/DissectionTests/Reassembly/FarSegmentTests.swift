import Dissection
import Support
import Testing

/// Segments outside the window that go on from each other: they are followed when the other side acknowledges them, or when the place
/// that was expected never goes on. Beside a stream that goes on they hide nothing.
@Suite struct FarSegmentTests {
    /// Two exchanges, with `forged` between them.
    private func talk(_ forged: (Segments) -> Segments) -> [String] {
        forged(Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3))
            .client("def", at: 3, ack: 3).server("xyz", at: 3, ack: 6).packet(.client, at: 6, ack: 6).transcript()
    }

    private static let distances = [100_000, 3 << 20, 128 << 20, 1 << 30, (1 << 31) - 200, -(1 << 20), -(100 << 20)]

    /// Segments of nine bytes, one after the other.
    private func far(_ segments: Segments, _ side: Side, at position: Int, count: Int) -> Segments {
        (0..<count).reduce(segments) { $0.packet(side, Array("JUNKJUNK!".utf8), at: position + 9 * $1, flags: [.psh, .ack]) }
    }

    @Test(arguments: distances, [2, 3, 10]) func forgedSegmentsInARowAreToldAndLeftOut(distance: Int, count: Int) {
        for side in [Side.client, .server] {
            let told = talk { far($0, side, at: 3 + distance, count: count) }
            let mark = side == .client ? ">" : "<"
            #expect(told.contains("\(mark) @3 ! tcp.segment-ignored a=\(9 * count) b=\(distance.magnitude)"), "\(told)")
            #expect(told.filter { !$0.contains("!") } == talk { $0 })
        }
    }

    @Test(arguments: distances) func aForgedAcknowledgementOfThemIsNotEnough(distance: Int) {
        for count in [1, 3] {
            let told = talk {
                far($0, .client, at: 3 + distance, count: count).packet(.server, at: 3, ack: 3 + distance + 9 * count).packet(
                    .server, at: 3, ack: 3)
            }
            #expect(told.filter { !$0.contains("!") } == talk { $0 }, "\(told)")
            #expect(told.contains("> @3 ! tcp.segment-ignored a=\(9 * count) b=\(distance.magnitude)"), "\(told)")
            let before = talk { far($0.packet(.server, at: 3, ack: 3 + distance), .client, at: 3 + distance, count: 1) }
            #expect(before.filter { !$0.contains("!") } == talk { $0 }, "\(before)")
        }
    }

    @Test func whatIsForgedForBothSidesBearsNothingOutByOnePacketEach() {
        let distance = 16 << 20
        let told = talk {
            $0.packet(.client, Array("JUNK".utf8), at: 3 + distance, flags: [.psh, .ack], ack: 3 + distance)
                .packet(.server, Array("JUNK".utf8), at: 3 + distance, flags: [.psh, .ack], ack: 7 + distance)
                .packet(.client, at: 3, ack: 3).packet(.server, at: 3, ack: 3)
        }
        #expect(told.filter { !$0.contains("!") } == talk { $0 }, "\(told)")
    }

    @Test func asTheLastOfAnAcknowledgedTalkTheyAreLeftOut() {
        let told = far(Segments().handshake().server("abc", at: 0), .server, at: 128 << 20, count: 2).packet(.client, at: 0, ack: 3)
            .transcript()
        #expect(told.contains("< @3 ! tcp.segment-ignored a=18 b=\((128 << 20) - 3)"), "\(told)")
        #expect(!told.contains { $0.contains("gap") })
    }

    // MARK: - What was real after all

    @Test func anAcknowledgementBearsThemOut() {
        let position = 3 + 1 << 20
        let told = far(Segments().handshake().server("abc", at: 0), .server, at: position, count: 3).packet(.client, at: 0, ack: 3)
            .packet(.client, at: 0, ack: position + 18).server("end", at: position + 27).transcript()
        #expect(told.contains("< @3 gap \(position - 3) missing"), "\(told)")
        #expect(told.contains("< @\(position) data \"JUNKJUNK!JUNKJUNK!JUNKJUNK!end\""))
    }

    @Test func ofOneDirectionAloneManyAreFollowedAtOnceAndFewAtTheEnd() {
        let position = 200 << 20
        for count in [2, 16, 40] {
            let told = far(Segments().server("abc", at: 0), .server, at: position, count: count).transcript()
            #expect(told.contains("< @3 gap \(position - 3) missing"), "\(told)")
            #expect(told.last?.contains("server open \(3 + 9 * count) B \(position - 3) missing") ?? false, "\(told)")
        }
        // The sixteenth is the first that is told without waiting for more.
        var seen: [Int] = []
        var sink = GapSink()
        _ = far(Segments().server("abc", at: 0), .server, at: position, count: 20).dissect(into: &sink) { _ in }
        seen = sink.gapsBefore
        #expect(seen == [1])
    }

    /// How many runs of bytes were told before each gap.
    private struct GapSink: ConversationSink {
        var runs = 0
        var gapsBefore: [Int] = []
        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .data: runs += 1
            case .gap: gapsBefore.append(runs)
            default: break
            }
        }
    }

    @Test func aSecondThatWasNotCapturedIsOneGap() {
        // 40 MiB of a download are missing, and the acknowledgements with them; both sides go on.
        let position = 40 << 20
        var talk = Segments().handshake().client("get", at: 0).server("abc", at: 0, ack: 3).packet(.client, at: 3, ack: 3)
        for index in 0..<6 {
            talk = talk.packet(.server, [UInt8](repeating: 0x61, count: 1_000), at: position + 1_000 * index)
            if index % 2 == 1 { talk = talk.packet(.client, at: 3, ack: position + 1_000 * (index + 1)) }
        }
        let told = talk.transcript()
        #expect(told.contains("< @3 gap \(position - 3) missing"), "\(told)")
        #expect(!told.contains { $0.contains("ignored") })
        #expect(told.last?.contains("server open 6003 B \(position - 3) missing") ?? false, "\(told)")
    }

    // MARK: - Inside the window

    @Test func anAcknowledgementThatItsSideTakesBackHidesNothing() {
        // Forged: bytes 1,000 ahead, and an acknowledgement of them.
        var talk = Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3).packet(.client, at: 3, ack: 3)
            .client("JUNK", at: 1_003).packet(.server, at: 3, ack: 1_007)
        for index in 0..<12 {
            talk = talk.client("def", at: 3 + 3 * index, ack: 3 + 3 * index).packet(.server, at: 3 + 3 * index, ack: 6 + 3 * index)
                .server("xyz", at: 3 + 3 * index, ack: 6 + 3 * index)
        }
        let told = talk.fin(.client, at: 39, ack: 39).fin(.server, at: 39, ack: 40).packet(.client, at: 40, ack: 40).transcript()
        #expect(told.filter { $0.contains("\"def\"") }.count == 12 && told.filter { $0.contains("\"xyz\"") }.count == 12, "\(told)")
        #expect(!told.contains { $0.contains("gap") }, "\(told)")
        #expect(told.contains { $0.contains("tcp.ack-ignored a=1000") || $0.contains("tcp.ack-ignored a=997") }, "\(told)")
        #expect(told.contains { $0.contains("tcp.segment-ignored a=4") }, "\(told)")
        #expect(told.last == "closed client fin  client fin 39 B  server fin 39 B", "\(told)")
    }

    @Test func aHoleThatWasAcknowledgedOnceIsAGap() {
        // The real loss of a packet: no later packet of the server acknowledges less.
        var talk = Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3).packet(.client, at: 3, ack: 3)
            .client("ghi", at: 6).packet(.server, at: 3, ack: 9)
        for index in 0..<6 { talk = talk.server("xyz", at: 3 + 3 * index, ack: 9).packet(.client, at: 9, ack: 6 + 3 * index) }
        let told = talk.transcript()
        #expect(told.contains("> @3 gap 3 missing") && told.contains("> @6 data \"ghi\""), "\(told)")
        #expect(!told.contains { $0.contains("ignored") }, "\(told)")
    }

    @Test func whatIsForgedInsideTheWindowAndAcknowledgedIsToldWhenTheRealBytesCome() {
        let told = Segments().handshake().client("abc", at: 0).client("JUNKJUNK", at: 9).packet(.server, at: 0, ack: 17)
            .packet(.server, at: 0, ack: 17).packet(.server, at: 0, ack: 17).packet(.server, at: 0, ack: 17).pause(seconds: 3)
            .client("defghi", at: 3).client("realreal", at: 9).client("!", at: 17).packet(.server, at: 0, ack: 18).transcript()
        #expect(told.contains { $0.contains("tcp.overlap-conflict") }, "\(told)")
        #expect(told.contains { $0.contains("tcp.data-after-gap") || $0.contains("\"abcdefghi") }, "\(told)")
    }
}
