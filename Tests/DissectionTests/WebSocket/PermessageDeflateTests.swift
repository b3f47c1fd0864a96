import Dissection
import Support
import Testing

/// permessage-deflate (RFC 7692) as frames carry it.
@Suite struct PermessageDeflateTests {
    private func agreed(
        clientTakeover: Bool = true, serverTakeover: Bool = true, clientBits: UInt8 = 15, serverBits: UInt8 = 15
    ) -> WebSocketNegotiation {
        WebSocketNegotiation(
            compression: Upgrade.Compression(
                clientTakeover: clientTakeover, serverTakeover: serverTakeover, clientWindowBits: clientBits,
                serverWindowBits: serverBits))
    }

    private func deflate(_ texts: [String], windowBits: Int32 = 15) -> [[UInt8]] {
        InflaterTests.deflate(texts.map { Array($0.utf8) }, windowBits: windowBits)
    }

    private let talk = [
        "{\"room\":7,\"text\":\"hello there\"}", "{\"room\":7,\"text\":\"hello again\"}", "{\"room\":7,\"text\":\"hello and bye\"}",
    ]

    private func told(_ texts: [String], _ mark: String, _ sizes: [Int]) -> [String] {
        var offset = 0
        return zip(texts, sizes).map { text, size in
            defer { offset += size + (mark == ">" ? 6 : 2) }
            return "\(mark) @\(offset) message text \(text.utf8.count) B deflated \(size) \"\(text)\""
        }
    }

    @Test func ofAMessageOfWhichNothingCameTheHeaderIsAGap() {
        let talk = FrameTalk([.server([0xC1, 5]), .gap(.server, 5, .missing), .serverText("next")], FrameTalk.deflate)
        #expect(
            talk.difference(from: ["< @2 gap 5 missing", "< @0 gap 2 undecodable", "< @7 message text 4 B \"next\""]) == nil)
    }

    @Test func theExamplesOfTheRFC() {
        // Section 7.2.3: one block; the same again with the window; no compression; a final block; two blocks; and
        // section 7.2.3.6: an empty message.
        let examples: [[UInt8]] = [
            [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0xF2, 0x00, 0x11, 0x00, 0x00],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        ]
        let talk = FrameTalk(examples.map { .serverFrame(1, $0, rsv: 4) } + [.serverFrame(1, [0x00], rsv: 4)], FrameTalk.deflate)
        let lines = talk.transcript(.whole)
        #expect(lines.count == 6)
        #expect(lines.dropLast().allSatisfy { $0.hasSuffix("\"Hello\"") })
        #expect(lines.last?.hasSuffix("message text 0 B deflated 1 \"\"") == true)
        #expect(talk.difference(from: lines) == nil)
    }

    @Test func eachDirectionKeepsOrResetsItsWindow() {
        let kept = deflate(talk)
        let fresh = talk.map { deflate([$0])[0] }
        #expect(kept[1].count < fresh[1].count)
        // tshark fails at the client's second message once the server alone resets its window.
        let steps = kept.map { Talk.Step.clientFrame(1, $0, rsv: 4) } + fresh.map { Talk.Step.serverFrame(1, $0, rsv: 4) }
        let talk = FrameTalk(steps, agreed(serverTakeover: false))
        #expect(
            talk.difference(from: told(self.talk, ">", kept.map(\.count)) + told(self.talk, "<", fresh.map(\.count))) == nil)
    }

    @Test func aPeerThatKeepsItsWindowAgainstTheAgreementIsFoundOut() {
        let kept = deflate(talk)
        let talk = FrameTalk(kept.prefix(2).map { .serverFrame(1, $0, rsv: 4) }, agreed(serverTakeover: false))
        #expect(talk.findings == ["deflate-invalid a=0 b=0"])
        #expect(talk.transcript(.whole)[1] == "< @\(kept[0].count + 2) gap \(kept[1].count + 2) undecodable")
    }

    @Test func compressedMessagesMayBeFragmentedWithControlFramesBetween() {
        let bytes = deflate(talk)
        var steps: [Talk.Step] = []
        for message in bytes {
            steps.append(.clientFrame(1, Array(message.prefix(3)), fin: false, rsv: 4))
            steps.append(.clientFrame(9, [1]))
            for byte in message.dropFirst(3) { steps.append(.clientFrame(0, [byte], fin: false)) }
            steps.append(.clientFrame(0, []))
            // A message that is not compressed does not enter the window.
            steps.append(.clientText("plain"))
        }
        let lines = FrameTalk(steps, FrameTalk.deflate).transcript(.whole).filter { !$0.contains("ping") && !$0.contains("\"plain\"") }
        #expect(lines.count == 3)
        for (line, text) in zip(lines, talk) { #expect(line.hasSuffix("\"\(text)\"") && line.contains(" in ")) }
        #expect(FrameTalk(steps, FrameTalk.deflate).findings == [])
    }

    @Test func aDistanceBeyondTheAgreedWindowIsFoundAndReadingGoesOn() {
        var random = SplitMix(seed: 3)
        let noise = (0..<600).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let wide = InflaterTests.deflate([noise, noise], windowBits: 15)
        let narrow = InflaterTests.deflate([noise, noise], windowBits: 9)
        func findings(_ messages: [[UInt8]], _ bits: UInt8) -> [String] {
            FrameTalk(messages.map { .serverFrame(2, $0, rsv: 4) } + [.serverText("still here")], agreed(serverBits: bits)).findings
        }
        #expect(findings(wide, 9) == ["deflate-window-exceeded a=512 b=0"])
        #expect(findings(wide, 15) == [])
        #expect(findings(narrow, 9) == [])
        // zlib writes for a window of 8 bits as it does for 9, and stays within 256 bytes.
        #expect(findings([InflaterTests.deflate([noise], windowBits: 9)[0]], 8) == [])
    }

    @Test func afterALossOnlyWhatNeedsTheLostWindowIsUndecodable() {
        let bytes = deflate(talk + ["0123456789 abcdefghijk"])
        let fresh = deflate(["something new"])[0]
        let first = frame(1, bytes[0], rsv: 4)
        let lost = 5
        let talk = FrameTalk(
            [
                .server(Array(first.dropLast(lost))), .gap(.server, lost, .missing), .serverFrame(1, bytes[1], rsv: 4),
                .serverFrame(1, bytes[2], rsv: 4), .serverFrame(1, fresh, rsv: 4),
            ], FrameTalk.deflate)
        let second = first.count
        let third = second + bytes[1].count + 2
        let fourth = third + bytes[2].count + 2
        #expect(
            talk.difference(from: [
                "< @\(first.count - lost) gap \(lost) missing",
                "< @0 gap \(bytes[0].count + 2 - lost) undecodable",
                "< @\(second) gap \(bytes[1].count + 2) undecodable",
                "< @\(second) ! websocket.deflate-context-lost a=0 b=0",
                "< @\(third) gap \(bytes[2].count + 2) undecodable",
                "< @\(fourth) message text 13 B deflated \(fresh.count) \"something new\"",
            ]) == nil)
    }

    @Test func aLostMessageTakesTheWindowWithIt() {
        let noise = (0..<40).map { "\($0 &* 7_919)" }.joined()
        let bytes = deflate(["first of all", noise, noise, noise])
        let talk = FrameTalk(
            [.serverFrame(1, bytes[0], rsv: 4), .gap(.server, bytes[1].count + 4, .missing)]
                + bytes[2...].map { .serverFrame(1, $0, rsv: 4) } + [.serverText("plain text")] + [.finish(.server)], FrameTalk.deflate)
        #expect(talk.findings == ["resynchronised a=0 b=0", "deflate-context-lost a=0 b=0"])
    }

    @Test func whatIsNoDeflateIsToldOnceForEachMessage() {
        let good = deflate(["good"])[0]
        let talk = FrameTalk(
            [.serverFrame(1, [0xFF, 0xFF, 0xFF], rsv: 4), .serverFrame(1, good, rsv: 4), .serverFrame(1, [0x07], rsv: 4)], FrameTalk.deflate
        )
        #expect(
            talk.difference(from: [
                "< @0 gap 5 undecodable",
                "< @0 ! websocket.deflate-invalid a=0 b=0",
                "< @5 message text 4 B deflated \(good.count) \"good\"",
                "< @\(7 + good.count) gap 3 undecodable",
                "< @\(7 + good.count) ! websocket.deflate-invalid a=0 b=0",
            ]) == nil)
    }

    @Test func aMessageEndsWithAFlush() {
        let whole = deflate(["well ended"])[0]
        let talk = FrameTalk([.serverFrame(1, whole + [0, 0, 0xFF, 0xFF], rsv: 4)], FrameTalk.deflate)
        #expect(
            talk.difference(from: [
                "< @0 message text 10 B deflated \(whole.count + 4) \"well ended\"", "< @0 ! websocket.deflate-unterminated a=0 b=0",
            ]) == nil)
        #expect(FrameTalk([.serverFrame(1, whole, rsv: 4)], FrameTalk.deflate).findings == [])
    }

    @Test func inflatedTextIsCheckedAndCut() {
        let bad = InflaterTests.deflate([Array("abc".utf8) + [0xFF]])[0]
        #expect(FrameTalk([.serverFrame(1, bad, rsv: 4)], FrameTalk.deflate).findings == ["utf8-invalid a=3 b=0"])
        var limits = Limits()
        limits.messageBytes = 8
        let long = deflate([String(repeating: "word ", count: 40_000) + "ü"])[0]
        let talk = FrameTalk([.clientFrame(1, long, rsv: 4)], FrameTalk.deflate, limits: limits)
        #expect(talk.difference(from: ["> @0 message text 200002 B deflated \(long.count) cut \"word wor\""]) == nil)
    }

    @Test func inflatingStopsAtItsLimit() {
        var limits = Limits()
        limits.inflatedBytes = 100_000
        limits.messageBytes = 4
        let long = InflaterTests.deflate([[UInt8](repeating: 0x61, count: 3_000_000)])[0]
        let next = deflate(["next"])[0]
        let talk = FrameTalk([.serverFrame(1, long, rsv: 4), .serverFrame(1, next, rsv: 4)], FrameTalk.deflate, limits: limits)
        let lines = talk.transcript(.whole)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("< @0 message text 100") && lines[0].hasSuffix("cut \"aaaa\""))
        #expect(lines[1].hasPrefix("< @0 gap ") && lines[1].hasSuffix(" limit"))
        #expect(lines[2].hasSuffix("\"next\""))
        #expect(talk.difference(from: lines) == nil)
        limits.inflatedBytes = 3_000_000
        #expect(FrameTalk([.serverFrame(1, long, rsv: 4)], FrameTalk.deflate, limits: limits).transcript(.whole).count == 1)
    }

    @Test func aSmallFrameThatInflatesEnormouslyStaysSmall() {
        let size = 20_000_000
        let bytes = InflaterTests.deflate([[UInt8](repeating: 0x30, count: size)], level: 9)[0]
        var sink = Transcript()
        var layer = WebSocketLayer(negotiation: FrameTalk.deflate)
        var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
        let wire = frame(1, bytes, rsv: 4)
        var most = 0
        var position = 0
        while position < wire.count {
            let count = min(1_448, wire.count - position)
            _ = layer.receive(
                wire.rawBytes.extracting(position..<position + count),
                at: Arrival(side: .server, offset: UInt64(position), place: Place()), context: &context, sink: &sink)
            most = max(most, layer.heldBytes)
            position += count
        }
        #expect(sink.finished().first?.hasPrefix("< @0 message text \(size) B deflated \(bytes.count) cut") == true)
        #expect(most < Limits().messageBytes * 2 + 65_536)
    }

    @Test func withoutAHandshakeRSV1IsTakenForDeflate() {
        let kept = deflate(talk)
        let talk = FrameTalk(kept.map { .clientFrame(1, $0, rsv: 4) }, WebSocketNegotiation(isKnown: false))
        #expect(talk.difference(from: told(self.talk, ">", kept.map(\.count))) == nil)
    }
}
