import Dissection
import Support
import Testing

/// Packets that were captured in another order than they were sent, across both directions: everything is told as if they had
/// come in order, and nobody is accused.
@Suite struct DisplacedPacketTests {
    /// Exchanges over HTTP, with a close.
    private func exchanges(_ count: Int, hasHandshake: Bool = true, hasAcknowledgements: Bool = false) -> Segments {
        var talk = hasHandshake ? Segments().handshake() : Segments()
        var (asked, answered) = (0, 0)
        for index in 0..<count {
            let request = "GET /\(index) HTTP/1.1\r\nHost: a\r\n\r\n"
            let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nr\(index)"
            talk = talk.client(request, at: asked, ack: answered)
            asked += request.utf8.count
            if hasAcknowledgements { talk = talk.packet(.server, at: answered, ack: asked) }
            talk = talk.server(response, at: answered, ack: asked)
            answered += response.utf8.count
            if hasAcknowledgements { talk = talk.packet(.client, at: asked, ack: answered) }
        }
        return talk.fin(.client, at: asked, ack: answered).fin(.server, at: answered, ack: asked + 1)
            .packet(.client, at: asked + 1, ack: answered + 1)
    }

    /// Who closed is told by the clock, which here is the order of capture.
    private func told(_ talk: Segments) -> [String] {
        talk.transcript().map { $0.hasPrefix("closed server fin") ? "closed client fin" + $0.dropFirst(17) : $0 }
    }

    /// `talk` with the packet at `from` captured as that at `to`.
    private func moved(_ talk: Segments, _ from: Int, _ to: Int) -> Segments {
        talk.reordered { $0.insert($0.remove(at: from), at: to) }
    }

    @Test(arguments: [false, true]) func onePacketFarFromItsPlaceChangesNothing(hasAcknowledgements: Bool) {
        let talk = exchanges(3, hasAcknowledgements: hasAcknowledgements)
        let truth = told(talk)
        for from in 3..<talk.packetCount {
            for to in max(3, from - 2)..<min(talk.packetCount, from + 3) {
                #expect(told(moved(talk, from, to)) == truth, "\(from) at \(to)")
            }
        }
    }

    @Test func theHandshakeMayComeInAnyOrder() {
        let talk = exchanges(2)
        let truth = told(talk)
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let displaced = told(talk.reordered { $0.replaceSubrange(0..<3, with: order) })
            #expect(displaced[1...] == truth[1...], "\(order)")
            // A capture that begins with the last of them begins in the middle.
            #expect(order[0] == 2 || displaced == truth)
        }
        // With data before a SYN it begins in the middle, but nothing is held against anybody.
        for order in [[3, 0, 1, 2], [1, 3, 0, 2], [3, 1, 0, 2], [2, 3, 1, 0], [0, 3, 1, 2]] {
            let displaced = told(talk.reordered { $0.replaceSubrange(0..<4, with: order) })
            #expect(displaced.dropFirst().filter { !$0.contains("data") } == truth[1...], "\(order)")
        }
    }

    @Test func aSegmentAheadOfTheHandshakeIsNotTheFirst() {
        let request = "GET /0 HTTP/1.1\r\nHost: a\r\n\r\n"
        let talk = Segments().handshake().client(String(request.prefix(10)), at: 0, ack: 0)
            .client(String(request.dropFirst(10)), at: 10, ack: 0).server("HTTP/1.1 204 N\r\n\r\n", at: 0, ack: 28)
        let truth = talk.transcript()
        for order in [[4, 1, 0, 2, 3], [4, 0, 1, 2, 3], [1, 4, 0, 2, 3], [4, 1, 3, 0, 2]] {
            let told = talk.reordered { $0.replaceSubrange(0..<5, with: order) }.transcript()
            #expect(told[1...] == truth[1...], "\(order): \(told)")
        }
    }

    @Test func aResponseBeforeItsRequestIsReadAfterIt() {
        let talk = exchanges(3, hasHandshake: false)
        // The first packets of a capture that begins in the middle as well.
        for from in [0, 2, 4] { #expect(told(moved(talk, from, from + 1)) == told(talk), "\(from)") }
    }

    @Test func anUpgradeBeforeItsRequestIsReadAfterIt() {
        let request =
            "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        let response =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        for start in [Segments(), Segments().handshake()] {
            let talk = start.client(request, at: 0, ack: 0).server(response, at: 0, ack: request.utf8.count)
                .packet(.server, [0x81, 2, 0x68, 0x69], at: response.utf8.count)
            let first = start.packetCount
            #expect(talk.transcript().contains("< @\(response.utf8.count) message text 2 B \"hi\""))
            #expect(moved(talk, first + 1, first).transcript() == talk.transcript())
            #expect(moved(talk, first, first + 2).transcript() == talk.transcript())
        }
    }

    /// Each side has something that was sent after bytes of the other that are still missing; the client's FIN may be among it.
    @Test func eachSideMayWaitForTheOther() {
        let requests = (0..<5).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
        let responses = (0..<5).map { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nr\($0)" }
        var talk = Segments().handshake()
        var (asked, answered) = (0, 0)
        for (request, response) in zip(requests, responses) {
            talk = talk.client(request, at: asked, ack: answered)
            asked += request.utf8.count
            talk = talk.server(response, at: answered, ack: asked)
            answered += response.utf8.count
        }
        talk = talk.fin(.client, at: asked, ack: answered).packet(.server, at: answered, ack: asked + 1)
        let truth = talk.transcript()
        // Packets 3 to 12 are the exchanges, 13 is the FIN.
        for order in [[5, 4, 3], [7, 6, 5], [9, 8, 7], [11, 10, 9], [13, 12, 11]] {
            let displaced = talk.reordered { $0.replaceSubrange(order.min()!...order.max()!, with: order) }
            #expect(displaced.transcript() == truth, "\(order)")
        }
        #expect(talk.reordered { $0.replaceSubrange(5...9, with: [7, 6, 9, 8, 5]) }.transcript() == truth)
        #expect(talk.reordered { $0.replaceSubrange(9...13, with: [13, 10, 12, 11, 9]) }.transcript() == truth)
    }

    @Test func whatIsOwedIsWaitedForOnlySoLong() {
        // The request was not captured: its response is told after a few packets, not at the end.
        var talk = Segments().handshake().server("uvw", at: 0, ack: 28)
        for index in 0..<12 { talk = talk.server("x", at: 3 + index, ack: 28) }
        var live = Transcript()
        var lines: [Int] = []
        _ = talk.dissect(into: &live) { lines.append($0) }
        #expect(lines.max() ?? 0 < 20_000)
        #expect(talk.transcript().contains("< @0 data \"uvwxxxxxxxxxxxx\""))
        #expect(talk.transcript().contains("> @0 gap 28 missing"))
    }

    @Test func bytesBehindBothFinsAreInTheStream() {
        let closed = Segments().handshake().server("abc", at: 0).fin(.server, at: 6).fin(.client, at: 0, ack: 7)
        #expect(
            closed.packet(.server, at: 7, ack: 1).server("def", at: 3).transcript()[1...] == [
                "< @0 data \"abcdef\"", "closed server fin  client fin 0 B  server fin 6 B",
            ])
        // A SYN of the next connection ends the wait.
        var second = closed.packet(.server, at: 7, ack: 1)
        (second.clientInitial, second.serverInitial) = (90_000_000, 120_000)
        let told = second.handshake().client("two", at: 0).transcript()
        #expect(
            told[1...4] == [
                "< @0 data \"abc\"", "< @3 gap 3 missing", "closed server fin  client fin 0 B  server fin 3 B 3 missing",
                "opened handshake by handshake",
            ])
    }

    @Test func bytesBehindAResetAreInTheStream() {
        let talk = Segments().handshake().server("abc", at: 0).client("?", at: 0, ack: 3).server("ghi", at: 6)
        #expect(
            talk.reset(.server, at: 9).server("def", at: 3).transcript()[1...] == [
                "< @0 data \"abc\"", "> @0 data \"?\"", "< @3 data \"defghi\"", "closed server reset  client open 1 B  server reset 9 B",
            ])
        #expect(talk.reset(.server, at: 9).transcript().last == "closed server reset  client open 1 B  server reset 6 B 3 missing")
    }

    @Test func timeBoundsTheWaitOfASilentConnection() {
        let lost = Segments().handshake().server("abc", at: 0).server("ghi", at: 6).packet(.client, ack: 9)
        var other = lost
        other.clientPort = 50_001
        // One packet a millisecond: another connection speaks for less than a second, and for more than two.
        for (packets, isTold) in [(500, false), (2_200, true)] {
            var talk = other.handshake()
            for index in 0..<packets { talk = talk.packet(.client, [0x61], at: index) }
            talk.clientPort = lost.clientPort
            let told = talk.server("def", at: 3).transcript()
            #expect(told.contains("< @3 gap 3 missing") == isTold)
            #expect(told.contains { $0.hasPrefix("< @3 ! tcp.data-after-gap a=3") } == isTold)
        }
    }
}
