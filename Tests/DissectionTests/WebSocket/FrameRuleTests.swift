import Dissection
import Support
import Testing

/// Each rule about frames: what breaks it, and what nearly does.
@Suite struct FrameRuleTests {
    private func findings(_ steps: [Talk.Step], _ negotiation: WebSocketNegotiation = WebSocketNegotiation()) -> [String] {
        FrameTalk(steps, negotiation).findings
    }

    private let key = Talk.Step.key

    @Test func aClientMasksAndAServerDoesNot() {
        #expect(findings([.client(frame(1, [65]))]) == ["mask-missing a=0 b=0"])
        #expect(findings([.server(frame(1, [65], key: key))]) == ["mask-unexpected a=0 b=0"])
        #expect(findings([.client(frame(1, [65], key: key)), .server(frame(1, [65]))]) == [])
        // A key of zeros is a key.
        #expect(findings([.client(frame(1, [65], key: [0, 0, 0, 0]))]) == [])
    }

    @Test func reservedBitsNeedAnAgreement() {
        #expect(findings([.serverFrame(1, [65], rsv: 4)]) == ["rsv-unexpected a=4 b=0"])
        #expect(findings([.serverFrame(1, [65], rsv: 2)]) == ["rsv-unexpected a=2 b=0"])
        #expect(findings([.serverFrame(1, [0x02, 0], rsv: 6)], FrameTalk.deflate) == ["rsv-unexpected a=2 b=0"])
        #expect(findings([.serverFrame(1, [0x02, 0], rsv: 4)], FrameTalk.deflate) == [])
        #expect(findings([.serverFrame(2, [65], rsv: 7)], WebSocketNegotiation(hasUnknownExtension: true)) == [])
    }

    @Test func bytesThatSomebodyCompressedWithoutAgreementAreShownAsTheyAre() {
        let talk = FrameTalk([.serverFrame(1, [0xF2, 0x48, 0xFF], rsv: 4)])
        #expect(talk.difference(from: ["< @0 message text 3 B f2 48 ff", "< @0 ! websocket.rsv-unexpected a=4 b=0"]) == nil)
    }

    @Test func onlyTheFirstFrameSaysThatItIsCompressed() {
        let wrong: [Talk.Step] = [
            .serverFrame(1, [0xF2, 0x48], fin: false, rsv: 4), .serverFrame(0, [0xCD, 0xC9, 0xC9, 0x07, 0], rsv: 4),
        ]
        #expect(findings(wrong, FrameTalk.deflate) == ["rsv1-on-continuation a=0 b=0"])
        let right: [Talk.Step] = [.serverFrame(1, [0xF2, 0x48], fin: false, rsv: 4), .serverFrame(0, [0xCD, 0xC9, 0xC9, 0x07, 0])]
        #expect(findings(right, FrameTalk.deflate) == [])
        #expect(findings([.serverFrame(9, [65], rsv: 4)], FrameTalk.deflate) == ["rsv1-on-control a=9 b=0"])
        #expect(findings([.serverFrame(9, [65])], FrameTalk.deflate) == [])
    }

    @Test func someOpcodesAreReserved() {
        for opcode: UInt8 in [3, 7, 11, 15] {
            #expect(findings([.serverFrame(opcode, [65])]) == ["opcode-reserved a=\(opcode) b=0"])
        }
        #expect(findings([.serverFrame(3, [65])], WebSocketNegotiation(hasUnknownExtension: true)) == [])
        #expect(findings([.serverFrame(2, [65]), .serverFrame(10, [65])]) == [])
    }

    @Test func aReservedControlFrameDoesNotDisturbTheMessageAroundIt() {
        let talk = FrameTalk([
            .serverFrame(1, Array("ab".utf8), fin: false), .serverFrame(11, [1, 2]), .serverFrame(0, Array("cd".utf8)),
        ])
        #expect(
            talk.difference(from: [
                "< @0 message text 4 B in 2 \"abcd\"",
                "< @4 message opcode 11 2 B 01 02",
                "< @4 ! websocket.opcode-reserved a=11 b=0",
            ]) == nil)
    }

    @Test func controlFramesAreWholeAndShort() {
        #expect(findings([.serverFrame(9, [65], fin: false)]) == ["control-fragmented a=9 b=0"])
        let long = [UInt8](repeating: 65, count: 126)
        #expect(findings([.serverFrame(9, long)]) == ["control-too-long a=126 b=0"])
        #expect(findings([.serverFrame(9, Array(long.dropLast()))]) == [])
    }

    @Test func fragmentsFollowEachOther() {
        #expect(findings([.serverFrame(0, [65])]) == ["continuation-unexpected a=0 b=0"])
        #expect(
            findings([.serverFrame(1, [65], fin: false), .serverFrame(1, [66])])
                == ["message-unfinished a=1 b=0", "continuation-missing a=0 b=0"])
        #expect(findings([.serverFrame(1, [65], fin: false), .serverFrame(9, []), .serverFrame(0, [66])]) == [])
        // The directions have nothing to do with each other.
        #expect(
            findings([
                .serverFrame(1, [65], fin: false), .clientFrame(2, [1], fin: false), .serverFrame(0, [66]), .clientFrame(0, [2]),
            ]) == [])
    }

    @Test func lengthsTakeNoMoreBytesThanTheyNeed() {
        #expect(findings([.server(frame(2, [UInt8](repeating: 0, count: 125), form: 16))]) == ["length-not-minimal a=125 b=0"])
        #expect(findings([.server(frame(2, [UInt8](repeating: 0, count: 126)))]) == [])
        #expect(findings([.server(frame(2, [UInt8](repeating: 0, count: 65_535), form: 64))]) == ["length-not-minimal a=65535 b=0"])
        #expect(findings([.server(frame(2, [UInt8](repeating: 0, count: 65_536)))]) == [])
    }

    @Test func anAbsurdLengthIsCountedAsItComes() {
        let header: [UInt8] = [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]
        let talk = FrameTalk([.server(header + [1, 2, 3]), .finish(.server)])
        #expect(
            talk.difference(from: [
                "< @0 message binary 3 B 01 02 03",
                "< @0 ! websocket.message-unfinished a=3 b=0",
                "< @0 ! websocket.length-top-bit a=9223372036854775808 b=0",
            ]) == nil)
        // The largest length that is allowed is only long.
        let largest: [UInt8] = [0x82, 127, 0x7F] + [UInt8](repeating: 0xFF, count: 7)
        #expect(findings([.server(largest + [1]), .finish(.server)]) == ["message-unfinished a=1 b=0"])
        // Fragments whose lengths add up beyond 64 bits.
        let all = [UInt8](repeating: 0xFF, count: 8)
        #expect(
            findings([.server([0x02, 127] + all), .gap(.server, .max, .missing), .server([1]), .finish(.server)]).count == 2)
    }

    @Test func textIsUTF8() {
        let bad = FrameTalk([.serverFrame(1, [0x61, 0x62, 0xC3, 0x28])])
        #expect(bad.difference(from: ["< @0 message text 4 B 61 62 c3 28", "< @0 ! websocket.utf8-invalid a=2 b=0"]) == nil)
        #expect(findings([.clientFrame(1, Array("grün, 値段, 🦊".utf8))]) == [])
        // Binary may be anything.
        #expect(findings([.serverFrame(2, [0xFF])]) == [])
        // A character cut by the end of the message, and one that goes on in the next fragment.
        #expect(findings([.serverFrame(1, [0x61, 0xE2, 0x82])]) == ["utf8-invalid a=1 b=0"])
        #expect(
            findings([.serverFrame(1, [0xE2], fin: false), .serverFrame(0, [0x82], fin: false), .serverFrame(0, [0xAC])]) == [])
        #expect(findings([.clientFrame(1, [0xE2], fin: false), .clientFrame(0, [0x41])]) == ["utf8-invalid a=0 b=0"])
    }

    @Test func textIsCheckedBeyondWhatIsKept() {
        var limits = Limits()
        limits.messageBytes = 16
        let text = [UInt8](repeating: 0x61, count: 9_000)
        for mask in [nil, key] {
            let side: Side = mask == nil ? .server : .client
            let bad = FrameTalk([.bytes(side, frame(1, text + [0xFF] + text, key: mask))], limits: limits)
            #expect(bad.findings == ["utf8-invalid a=9000 b=0"])
            let good = FrameTalk([.bytes(side, frame(1, text + Array("ü".utf8), key: mask))], limits: limits)
            #expect(good.transcript(.whole) == ["\(side == .client ? ">" : "<") @0 message text 9002 B cut \"aaaaaaaaaaaaaaaa\""])
            #expect(good.findings == [])
        }
    }

    @Test func longMaskedTextIsWhole() {
        // tshark cuts such a message after 256 KiB and does not say so.
        let text = (0..<400_000).map { UInt8(0x61 + $0 % 26) }
        struct Whole: ConversationSink {
            var content: [UInt8] = []
            mutating func receive(_ event: borrowing ConversationEvent) {
                if case .message = event.fact { content = Transcript.copy(event.content) }
            }
        }
        var sink = Whole()
        var layer = WebSocketLayer(negotiation: WebSocketNegotiation())
        var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
        let bytes = frame(1, text, key: key)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 1_447)
            let arrival = Arrival(side: .client, offset: UInt64(start), place: Place())
            _ = layer.receive(bytes.rawBytes.extracting(start..<end), at: arrival, context: &context, sink: &sink)
            start = end
        }
        #expect(sink.content == text)
    }

    @Test func anUnfinishedMessageIsToldWithWhatCame() {
        let talk = FrameTalk([.client(Array(frame(1, Array("half of it".utf8), key: key).prefix(10))), .finish(.client)])
        #expect(
            talk.difference(from: ["> @0 message text 4 B \"half\"", "> @0 ! websocket.message-unfinished a=4 b=0"]) == nil)
        let header = FrameTalk([.server([0x81]), .finish(.server)])
        #expect(header.difference(from: ["< @0 gap 1 undecodable"]) == nil)
        let ping = FrameTalk([.server([0x89, 4, 1]), .finish(.server)])
        #expect(ping.difference(from: ["< @0 gap 3 undecodable", "< @0 ! websocket.message-unfinished a=1 b=0"]) == nil)
    }
}
