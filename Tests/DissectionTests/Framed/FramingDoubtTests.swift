import Dissection
import Support
import Testing

/// Guesses that turn out to be wrong, and waiting that takes too long.
@Suite struct FramingDoubtTests {
    private func message(_ count: Int) -> [UInt8] { FramedMessages.number(count, .u32be) + [UInt8](repeating: 7, count: count) }

    /// A talk that is guessed to have lengths of four bytes, and then goes on.
    private func talk(_ steps: [Talk.Step]) -> Talk {
        Talk([.client(message(5)), .server(message(2)), .client(message(3))] + steps)
    }

    /// Plays steps at times, in seconds.
    private func told(_ steps: [(Int64, Talk.Step)]) -> [String] {
        let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
        var conversation = Conversation(
            number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake, forced: nil, limits: Limits(),
            place: Place())
        var sink = Transcript()
        conversation.open(sink: &sink)
        for (second, step) in steps {
            guard case .bytes(let side, let bytes) = step else { continue }
            let place = Place(time: Timestamp(nanoseconds: second * 1_000_000_000))
            conversation.receive(.bytes(bytes.rawBytes), direction: side == .client ? .first : .second, place: place, sink: &sink)
        }
        return Array(sink.finished().dropFirst())
    }

    // MARK: - Lengths that announce much

    @Test func aLengthThatIsNotKeptIsNoneAndTheBytesAreToldInOrder() {
        let far: [UInt8] = [0, 2, 0, 8, 1, 2, 3, 4]
        let steps = (0..<5).flatMap { index in [Talk.Step.client(far + [UInt8(index)]), .server([0, 2, 0, 9, UInt8(index)])] }
        let told = FramedMessages.told(talk(steps))
        let drop = told.firstIndex { $0.contains("framing.guess-dropped") } ?? 0
        #expect(told[drop] == "> @16 ! framing.guess-dropped a=3 b=0", "\(told)")
        #expect(
            told[(drop + 1)...].prefix(4) == [
                "> @16 data 00 02 00 08 01 02 03 04 00", "< @6 data 00 02 00 09 00", "> @25 data 00 02 00 08 01 02 03 04 01",
                "< @11 data 00 02 00 09 01",
            ], "\(told)")
        #expect(told.count { $0.contains(" data ") } == 10)
    }

    /// Structures of 8 bytes, the first of which look like a length of two bytes that counts itself, and of four.
    @Test(arguments: [2, 3, 40]) func structuresOfEightBytesAreNeverSwallowed(_ turns: Int) {
        let steps = (0..<turns).map { turn in
            Talk.Step.bytes(turn % 2 == 0 ? .client : .server, [8, 0, UInt8(turn), 0, UInt8(turn), 0, 0, 0])
        }
        let told = FramedMessages.told(Talk(steps))
        #expect(told.count { $0.contains(" data ") || $0.contains(" message ") } == turns, "\(told)")
        let several = (0..<turns).map { turn in
            Talk.Step.bytes(
                turn % 2 == 0 ? .client : .server, (0..<6).flatMap { [8, 0, UInt8($0), 0, UInt8(turn), 0, 0, 0] })
        }
        var bytes = 0
        for line in FramedMessages.told(Talk(several)) where line.contains(" data ") { bytes += line.split(separator: " ").count - 3 }
        #expect(bytes == turns * 48)
    }

    @Test func whatIsLongAndComesIsAMessage() {
        // A file of which a fifth comes with each turn, while the other side answers each.
        let file = message(50_000)
        let parts = stride(from: 0, to: file.count, by: 10_001).map { Array(file[$0..<min($0 + 10_001, file.count)]) }
        let told = FramedMessages.told(talk(parts.flatMap { [.client($0), .server(message(1))] } + [.finish(.client), .finish(.server)]))
        #expect(
            told.contains { $0.hasPrefix("> @16 message guessed 50000/50004 B") } && !told.contains { $0.contains(" data ") }, "\(told)")
    }

    @Test func timeIsEvidenceAsWell() {
        let start = [(0, Talk.Step.client(message(5))), (0, .server(message(2))), (0, .client(message(3)))] as [(Int64, Talk.Step)]
        let far: [UInt8] = [0, 2, 0, 8, 1]
        let late = told(start + [(1, .client(far)), (20, .client([2])), (40, .client([3]))])
        #expect(late.contains { $0.contains("framing.guess-dropped") }, "\(late)")
        let early = told(start + [(1, .client(far)), (20, .client([2])), (30, .client([3]))])
        #expect(!early.contains { $0.contains("framing.guess-dropped") }, "\(early)")
    }

    @Test func whatNeverCameIsToldAtTheEnd() {
        let told = FramedMessages.told(talk([.client([0, 2, 0, 8, 1, 2]), .finish(.client), .finish(.server)]))
        #expect(told.suffix(2) == ["> @16 ! framing.guess-dropped a=3 b=0", "> @16 data 00 02 00 08 01 02"], "\(told)")
        // Where the capture ended, it may have come.
        let unseen = FramedMessages.told(talk([.client([0, 2, 0, 8, 1, 2])]))
        #expect(!unseen.contains { $0.contains("guess-dropped") } && unseen.contains { $0.contains("framing.message-cut") }, "\(unseen)")
    }

    // MARK: - Turns that end inside of messages

    private static func words(_ told: [String]) -> String { told.filter { $0.contains("framing.") }.joined(separator: "; ") }

    /// The middle of a session of MQTT, whose lengths are of one byte while packets are short.
    private func mqtt(publishes: Int, finishes: Bool = true) -> Talk {
        let steps = (0..<publishes).flatMap { number -> [Talk.Step] in
            let text = #"{"v":\#(number)\#(String(repeating: " ", count: number < 6 ? 3 : 150 + number * 29 % 200))}"#
            let body = [0, 3] + Array("t/1".utf8) + [0, UInt8(number)] + Array(text.utf8)
            let length = body.count < 128 ? [UInt8(body.count)] : [UInt8(body.count % 128) | 0x80, UInt8(body.count / 128)]
            return [.client([0x32] + length + body), .server([0x40, 2, 0, UInt8(number)])]
        }
        return Talk(steps + (finishes ? [.finish(.client), .finish(.server)] : []))
    }

    @Test(arguments: [true, false]) func aLengthOfOneByteIsNoneOnceLongerPacketsOfMQTTCome(_ finishes: Bool) {
        let told = FramedMessages.told(mqtt(publishes: 40, finishes: finishes))
        let drop = told.firstIndex { $0.contains("framing.guess-dropped") } ?? 0
        #expect(told[..<drop].contains { $0.contains(" message guessed") }, "\(told)")
        #expect(told[drop...].count { $0.contains(" data ") } > 60, "\(told)")
        #expect(!told[drop...].contains { $0.contains(" message") || $0.contains("framing.guessed") }, "\(told)")
        #expect(!told.contains { $0.contains("framing.message-cut") }, "\(told)")
    }

    /// Of a side that ends soon after such a turn, nothing is said to be missing.
    @Test(arguments: 7..<10) func nobodyIsAccusedByAGuessThatWasShaken(_ publishes: Int) {
        let told = FramedMessages.told(mqtt(publishes: publishes))
        #expect(!told.contains { $0.contains("framing.message-cut") }, "\(told)")
    }

    @Test func lengthsOfBERAreNoLengthsOfOneByteOnceTheyHaveTwo() {
        let steps = (0..<40).flatMap { number -> [Talk.Step] in
            let value = [2, 1, UInt8(number), 0x64] + [UInt8](repeating: 0x6E, count: number < 6 ? 20 + number : 140 + number)
            let length = value.count < 128 ? [UInt8(value.count)] : [0x81, UInt8(value.count)]
            return [
                .client([0x30, 12, 2, 1, UInt8(number), 0x63, 7, 4, 5, 0x63, 0x6E, 0x3D, 0x61, 0x62]), .server([0x30] + length + value),
            ]
        }
        let told = FramedMessages.told(Talk(steps + [.finish(.client), .finish(.server)]))
        #expect(Self.words(told).contains("framing.guess-dropped") && !Self.words(told).contains("framing.message-cut"), "\(told)")
    }

    @Test func messagesInPiecesBetweenWhichTheOtherSideSpeaksStay() {
        func turns(_ pieces: (Int) -> [[UInt8]]) -> [Talk.Step] {
            (0..<40).flatMap { pieces($0).flatMap { [.client($0), .server(message(1))] } } + [.finish(.client), .finish(.server)]
        }
        func cut(_ bytes: [UInt8], at count: Int) -> [[UInt8]] { [Array(bytes.prefix(count)), Array(bytes.dropFirst(count))] }
        let talks = [
            // A header that is written by itself; long messages in pieces; a short one of six in two.
            turns { cut(message(20 + $0), at: 4) }, turns { cut(message(3_000 + $0), at: 700) },
            turns { $0 % 6 == 0 ? cut(message(20), at: 9) : [message(20)] },
        ]
        for steps in talks {
            let told = FramedMessages.told(talk(steps))
            #expect(!told.contains { $0.contains(" data ") } && told.last?.contains("framing.guessed") == true, "\(told)")
        }
        // Segments that are full end anywhere.
        let stream = (0..<400).flatMap { message(90 + $0 % 50) }
        let segments = stride(from: 0, to: stream.count, by: 1_448).map { Array(stream[$0..<min($0 + 1_448, stream.count)]) }
        let told = FramedMessages.told(
            talk(segments.flatMap { [.client($0), .server(message(1))] } + [.finish(.client), .finish(.server)]))
        #expect(!told.contains { $0.contains(" data ") }, "\(told)")
    }

    // MARK: - Waiting

    @Test func aSideThatTakesItsTimeIsNotWaitedFor() {
        // Of two bytes, which take four turns.
        func short(_ count: Int) -> [UInt8] { FramedMessages.number(count, .u16be) + [UInt8](repeating: 7, count: count) }
        let steps: [(Int64, Talk.Step)] = [
            (0, .client(short(5))), (1, .client(short(6))), (4, .client(short(7))), (5, .server(short(3))), (6, .client(short(2))),
            (7, .server(short(4))), (8, .client(short(2))),
        ]
        let lines = told(steps)
        #expect(lines.prefix(4).count { $0.contains(" data ") } == 4, "\(lines)")
        // What is certain later is cut from there on.
        #expect(lines.contains { $0.contains("> @") && $0.contains(" message guessed 2/4 B") }, "\(lines)")
        let quick = told(steps.map { (0, $0.1) })
        #expect(!quick.contains { $0.contains(" data ") }, "\(quick)")
    }
}
