import Dissection
import Support
import Testing

/// A RST or FIN that was captured ahead of everything else of its conversation.
@Suite struct FirstPacketTests {
    @Test func aKeepAliveProbeThatComesFirstIsNoContent() {
        let probe = Segments().packet(.client, [0x2A], at: 99, ack: 50).packet(.server, at: 50, ack: 100)
        let told = probe.client("abc", at: 100, ack: 50).server("uvw", at: 50, ack: 103).transcript()
        // It is shown, and not read; where it was acknowledged before it is nothing new.
        #expect(told[1...3] == ["> @0 data \"*\"", "> @0 ! connection.doubtful-bytes a=1 b=0", "> @1 data \"abc\""], "\(told)")
        let known = Segments().packet(.server, at: 50, ack: 100).packet(.client, [0x2A], at: 99, ack: 50).client("abc", at: 100, ack: 50)
        #expect(known.transcript()[1] == "> @0 data \"abc\"", "\(known.transcript())")
        // Nearly: it asks for its delivery, or is two bytes.
        for first in [Segments().packet(.client, [0x2A], at: 99, flags: [.psh, .ack]), Segments().packet(.client, [0x2A, 0x2A], at: 98)] {
            #expect(first.client("abc", at: 100).transcript().joined().contains("*abc"))
        }
    }

    /// The last packets of a talk, one of them captured first.
    private func first(_ index: Int, of talk: Segments) -> Segments {
        talk.reordered { $0.insert($0.remove(at: index), at: 0) }
    }

    private let asked = Segments().handshake().client("ask", at: 0, ack: 0).server("answer", at: 0, ack: 3)

    @Test func aResetIsTheEndAllTheSame() {
        for talk in [
            Segments().packet(.client, flags: .syn).packet(.server, flags: [.rst, .ack], ack: 0),
            Segments().handshake().reset(.client, at: 0), Segments().handshake().packet(.server, at: 0, flags: [.rst, .ack], ack: 0),
            asked.packet(.client, at: 3, flags: [.rst, .ack], ack: 6), asked.packet(.server, at: 6, flags: [.rst, .ack], ack: 3),
        ] {
            let truth = talk.transcript()
            #expect(truth.last?.contains("reset") == true)
            #expect(first(talk.packetCount - 1, of: talk).transcript() == truth)
        }
    }

    @Test func aFinIsTheEndAllTheSame() {
        let talk = asked.fin(.client, at: 3, ack: 6).fin(.server, at: 6, ack: 4).packet(.client, at: 4, ack: 7)
        for index in [5, 6] {
            #expect(first(index, of: talk).transcript().filter { !$0.hasPrefix("closed") } == talk.transcript().dropLast())
        }
    }

    @Test func aResetAloneIsTold() {
        let alone = Segments().reset(.server, at: 0)
        #expect(alone.transcript() == ["opened midstream by ports", "closed server reset  client open 0 B  server reset 0 B"])
        // A second of other traffic ends the wait.
        var other = alone
        other.clientPort = 50_001
        #expect(other.pause(seconds: 2).packet(.client, flags: .syn).transcript()[1].hasPrefix("closed server reset"))
    }

    @Test(arguments: [2_000, 900_000_000, 3_000_000_000] as [UInt32]) func whatDoesNotFitIsAnotherConnection(distance: UInt32) {
        for flags: TCPFlags in [.rst, [.rst, .ack]] {
            var talk = Segments().packet(.client, at: 500, flags: flags, ack: 77)
            talk.clientInitial &+= distance
            talk.serverInitial &+= distance
            let told = talk.handshake().client("ask", at: 0, ack: 0).server("answer", at: 0, ack: 3).transcript()
            #expect(told[0...1] == ["opened midstream by ports", "closed client reset  client reset 0 B  server open 0 B"])
            #expect(told[2...] == asked.transcript()[...])
        }
    }

    @Test func aResetThatIsNeverReachedIsNone() {
        // Its number fits, but its side goes on without reaching it.
        var talk = Segments().reset(.client, at: 40_000).handshake()
        for index in 0..<20 { talk = talk.client("x", at: index, ack: 0).packet(.server, ack: index + 1) }
        let told = talk.transcript()
        #expect(told.contains { $0.contains("tcp.reset-outside-window") })
        #expect(told.last == "closed unknown endOfCapture  client open 20 B  server open 0 B")
    }
}
