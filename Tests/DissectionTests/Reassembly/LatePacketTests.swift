import Dissection
import Support
import Testing

/// Single packets that come late, twice or ahead of others, where something is lost besides: nobody is accused, and what is told stays true.
@Suite struct LatePacketTests {
    private let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private var asked: Segments { Segments().handshake().client(request, at: 0, ack: 0) }

    private func findings(_ talk: Segments) -> [String] { talk.transcript().filter { $0.contains("! ") } }

    // MARK: - Who closed

    @Test func aFinThatAcknowledgesTheOtherCameAfterIt() {
        let talk = asked.server("abc", at: 0, ack: 27)
        let server = { (s: Segments) in s.fin(.server, at: 3, ack: 27) }
        let client = { (s: Segments) in s.fin(.client, at: 27, ack: 4) }
        let last = "closed server fin  client fin 27 B  server fin 3 B"
        #expect(client(server(talk)).packet(.server, at: 4, ack: 28).transcript().last == last)
        #expect(server(client(talk)).packet(.server, at: 4, ack: 28).transcript().last == last)
        // Sent again it acknowledges what came meanwhile, and was the first all the same.
        let again = talk.fin(.server, at: 3, ack: 27).fin(.client, at: 27, ack: 4).fin(.server, at: 3, ack: 28)
        #expect(again.transcript().last == last)
    }

    @Test func finsThatCrossAreToldByTheClock() {
        let talk = asked.server("abc", at: 0, ack: 27)
        #expect(talk.fin(.server, at: 3, ack: 27).fin(.client, at: 27, ack: 3).transcript().last?.hasPrefix("closed server") == true)
        #expect(talk.fin(.client, at: 27, ack: 3).fin(.server, at: 3, ack: 27).transcript().last?.hasPrefix("closed client") == true)
    }

    @Test func nobodyClosedWhereTheOtherMayHaveDoneSoUnseen() {
        // The server's FIN was not captured, or its last bytes and the FIN.
        for number in [4, 60] {
            let told = asked.server("abc", at: 0, ack: 27).packet(.client, at: 27, ack: number).fin(.client, at: 27, ack: number)
                .packet(.server, at: number, ack: 28).transcript()
            #expect(told.last?.hasPrefix("closed unknown fin  client fin 27 B  server open 3 B") == true, "\(told)")
            #expect(!told.contains { $0.contains("gap 1 ") })
        }
        let whole = asked.server("abc", at: 0, ack: 27).fin(.client, at: 27, ack: 3).packet(.server, at: 3, ack: 28)
        #expect(whole.transcript().last == "closed client fin  client fin 27 B  server open 3 B")
    }

    @Test func aCloseFrameThatAnswersAnUnseenOneIsNotTheFirst() {
        var talk = CleanTalk.webSocketOpen.segments
        let (asked, answered) = CleanTalk.webSocketOpen.sent
        talk = talk.packet(.server, [0x88, 2, 3, 0xE8], at: answered, flags: [.psh, .ack], ack: asked + 8)
        #expect(talk.fin(.client, at: asked + 8, ack: answered + 4).transcript().last?.hasPrefix("closed unknown closeFrame 1000") == true)
        let seen = talk.packet(.client, [0x88, 0x82, 0, 0, 0, 0, 3, 0xE8], at: asked, flags: [.psh, .ack], ack: answered)
        #expect(seen.transcript().last?.hasPrefix("closed client closeFrame 1000") == true)
    }

    @Test func aFinAfterWhatMayHaveBeenACloseFrameIsNotTheFirst() {
        let open = CleanTalk.webSocketOpen.says(.client, [0x81, 0x81, 0, 0, 0, 0, 0x61]).says(.server, [0x81, 1, 0x62])
        let closed = open.says(.client, [0x88, 0x82, 0, 0, 0, 0, 3, 0xE8]).sends(.server, [.fin, .ack]).sends(.client, [.fin, .ack])
            .sends(.server, .ack)
        let told = closed.segments.reordered { $0.remove(at: open.segments.packetCount) }.transcript()
        #expect(told.last?.hasPrefix("closed unknown fin  client fin") == true, "\(told)")
        // With nothing lost at the end it was.
        let whole = open.sends(.server, [.fin, .ack]).sends(.client, [.fin, .ack]).sends(.server, .ack)
        #expect(whole.segments.transcript().last?.hasPrefix("closed server fin  client fin") == true)
    }

    // MARK: - RST

    @Test func aResetAfterALostAnswerIsTheEnd() {
        // The server's SYN and ACK was not captured; its RST has the number that the client has acknowledged.
        let talk = Segments().packet(.client, flags: .syn).packet(.client, ack: 0).client("abc", at: 0)
        #expect(findings(talk.reset(.server, at: 0)) == [])
        #expect(talk.reset(.server, at: 0).transcript().last?.hasPrefix("closed server reset") == true)
        let late = talk.packet(.server, at: 50, flags: [.rst, .ack], ack: 3).server(String(repeating: "x", count: 50), at: 0, ack: 3)
        #expect(findings(late) == [])
        #expect(late.transcript().last == "closed server reset  client open 3 B  server reset 50 B")
    }

    @Test func theSameResetTwiceIsNoOther() {
        let part = "HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\n" + String(repeating: "x", count: 400)
        let talk = asked.server(part, at: 0, ack: 27).reset(.server, at: part.utf8.count + 200)
        for twice in [talk.reset(.server, at: part.utf8.count + 200), talk.packet(.client, at: 27, ack: part.utf8.count)] {
            #expect(findings(twice) == [])
            #expect(twice.transcript().last == talk.transcript().last)
        }
    }

    @Test func aResetBehindWhichItsSideGoesOnIsForged() {
        let forged = asked.packet(.server, at: 30, flags: [.rst, .ack], ack: 27)
        let ignored = "< @0 ! tcp.reset-outside-window a=30 b=0"
        // With bytes behind it, with what it had not received, or again and again without reaching it.
        for talk in [
            forged.server(String(repeating: "x", count: 40), at: 0, ack: 27),
            forged.client("more", at: 27, ack: 0).packet(.server, ack: 31),
            (0..<9).reduce(forged) { talk, _ in talk.packet(.server, at: 0, ack: 27) },
            forged.server("abc", at: 0, ack: 27),
        ] {
            let told = talk.transcript()
            #expect(told.contains { $0.hasSuffix("! tcp.reset-outside-window a=30 b=0") }, "\(told)")
            #expect(told.last?.contains("endOfCapture") == true)
        }
        #expect(!asked.server("abc", at: 0, ack: 27).transcript().contains(ignored))
    }

    @Test func whatAResetAcknowledgesIsMissing() {
        let told = asked.server("abc", at: 0, ack: 27).packet(.client, at: 27, flags: [.rst, .ack], ack: 43).transcript()
        #expect(told.contains("< @3 gap 40 missing"))
        #expect(told.last == "closed client reset  client reset 27 B  server open 3 B 40 missing")
        #expect(!told.contains { $0.contains("!") && !$0.contains("http") }, "\(told)")
    }

    // MARK: - SYN

    @Test func aSynAfterTheLastOfTheHandshakeSaysWhoIsWho() {
        // The port of the client is the lower one, and what they say does not tell.
        var talk = Segments()
        (talk.clientPort, talk.serverPort) = (2_000, 9_999)
        let shaken = talk.handshake()
        let rest = { (s: Segments) in s.client("\u{1}\u{2}", at: 0, ack: 0).server("\u{3}", at: 0, ack: 2) }
        let truth = rest(shaken).transcript()
        for order in [[2, 0, 1], [2, 1, 0], [0, 2, 1], [1, 2, 0]] {
            #expect(rest(shaken.reordered { $0 = order }).transcript() == truth, "\(order)")
        }
    }

    @Test func theSameSynAfterTheCloseBeginsNothing() {
        let closed = asked.fin(.client, at: 27, ack: 0).fin(.server, at: 0, ack: 28).packet(.client, at: 28, ack: 1)
        #expect(closed.packet(.client, flags: .syn).transcript() == closed.transcript())
        let refused = Segments().packet(.client, flags: .syn).packet(.server, flags: [.rst, .ack], ack: 0)
        #expect(refused.packet(.client, flags: .syn).transcript() == refused.transcript())
        // Where it is answered, a host has begun anew with the same number.
        let anew = closed.handshake().client("again", at: 0, ack: 0)
        #expect(anew.transcript().filter { $0.hasPrefix("opened") }.count == 2)
        #expect(anew.transcript().contains("> @0 data \"again\""))
        // Another number is another connection at once.
        var other = closed
        other.clientInitial = 77_000
        #expect(other.packet(.client, flags: .syn).transcript().filter { $0.hasPrefix("opened") }.count == 2)
    }

    // MARK: - Acknowledgements

    @Test func aLateCopyOfAnOldAcknowledgementContradictsNothing() {
        let lost = asked.packet(.server, ack: 27).server("abc", at: 0, ack: 27).packet(.client, at: 27, ack: 3).packet(
            .client, at: 27, ack: 43)
        let truth = lost.transcript()
        #expect(truth.contains("< @3 gap 40 missing"))
        #expect(lost.packet(.client, at: 27, ack: 3).transcript() == truth)
        #expect(lost.client(request, at: 0, ack: 0).transcript() == truth)
        // A later one that goes less far does.
        #expect(findings(lost.client("x", at: 27, ack: 3)).contains { $0.contains("tcp.ack-ignored a=40") })
    }

    @Test func bareAcknowledgementsInAnotherOrderAtTheEndContradictNothing() {
        // The last of the server's bytes were not captured, and of the two that acknowledge them the later one came first.
        let lost = asked.server("abc", at: 0, ack: 27).server("def", at: 3, ack: 27)
        let truth = lost.packet(.client, at: 27, ack: 3).packet(.client, at: 27, ack: 46).transcript()
        #expect(truth.contains("< @6 gap 40 missing"))
        #expect(lost.packet(.client, at: 27, ack: 46).packet(.client, at: 27, ack: 3).transcript() == truth)
        // Many that go less far contradict it all the same.
        let contradicted = (0..<10).reduce(asked.server("abcdefghijk", at: 0, ack: 27).packet(.client, at: 27, ack: 46)) {
            $0.packet(.client, at: 27, ack: $1 + 1)
        }
        #expect(findings(contradicted).contains { $0.contains("tcp.ack-ignored a=35") })
    }

    @Test func whatCameBeforeItsSynIsPutInItsPlace() {
        let syn = Segments().packet(.client, flags: .syn)
        let rest = { (s: Segments) in
            s.packet(.server, flags: [.syn, .ack], ack: 0).packet(.client).client("ask", at: 0, ack: 0).server("uvw", at: 0, ack: 3)
        }
        let ends = { (s: Segments) in s.packet(.client, at: 3, ack: 6) }
        let truth = ends(rest(syn).server("xyz", at: 3, ack: 3)).transcript()
        #expect(ends(rest(syn.server("xyz", at: 3, ack: 3))).transcript() == truth)
        let closed = rest(syn.fin(.server, at: 3, ack: 3)).packet(.client, at: 3, ack: 4)
        #expect(findings(closed) == [])
        #expect(closed.transcript().last == "closed server fin  client open 3 B  server fin 3 B")
    }
}
