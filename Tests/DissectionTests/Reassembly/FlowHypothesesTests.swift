import Dissection
import Support
import Testing

/// A SYN and ACK that begins a connection between the ports of a known one, where the client's SYN was not captured.
@Suite struct FlowHypothesesTests {
    private let known = Segments().handshake().client("one", at: 0).server("ONE", at: 0, ack: 3)

    /// The known connection, then packets of another with initial numbers so far from those of the known one.
    private func reuse(_ client: UInt32, _ server: UInt32, _ next: (Segments) -> Segments) -> [String] {
        var second = known
        second.clientInitial &+= client
        second.serverInitial &+= server
        return next(second).transcript()
    }

    private func answer(_ talk: Segments) -> Segments { talk.packet(.server, flags: [.syn, .ack], ack: 0) }

    private let first = [
        "opened handshake by handshake", "> @0 data \"one\"", "< @0 data \"ONE\"", "< @3 ! tcp.port-reused a=0 b=0",
        "closed unknown timeout  client open 3 B  server open 3 B", "opened handshake by handshake",
    ]

    @Test(arguments: [(900_000_000, 77_000_000), (3_000_000_000, 2_500_000_000), (2_000, 4_000)] as [(UInt32, UInt32)])
    func anAnswerThatTheClientAcknowledgesBeginsAConnection(_ client: UInt32, _ server: UInt32) {
        #expect(
            reuse(client, server) { answer($0).packet(.client, ack: 0).client("two", at: 0).server("TWO", at: 0, ack: 3) } == first + [
                "> @0 data \"two\"", "< @0 data \"TWO\"", "closed unknown endOfCapture  client open 3 B  server open 3 B",
            ])
    }

    @Test func theServersDataBearsItOutAsWell() {
        #expect(
            reuse(900_000_000, 77_000_000) { answer($0).server("TWO", at: 0, ack: 3).client("two", at: 0, ack: 3) } == first + [
                // It was sent after the client's, which it acknowledges.
                "> @0 data \"two\"", "< @0 data \"TWO\"", "closed unknown endOfCapture  client open 3 B  server open 3 B",
            ])
    }

    @Test func aServerAloneBearsItOut() {
        var talk = answer(Segments()).packet(.server, ack: 3).server("ONE", at: 0, ack: 3)
        talk.clientInitial = 900_000_000
        talk.serverInitial = 77_000_000
        #expect(
            answer(talk).packet(.server, ack: 3).server("TWO", at: 0, ack: 3).transcript() == [
                "opened handshake by handshake", "< @0 data \"ONE\"", "< @3 ! tcp.port-reused a=0 b=0",
                "closed unknown timeout  client open 0 B  server open 3 B", "opened handshake by handshake", "< @0 data \"TWO\"",
                "closed unknown endOfCapture  client open 0 B  server open 3 B",
            ])
    }

    @Test func anAnswerThatNothingBearsOutIsIgnored() {
        for distance in [(900_000_000, 77_000_000), (0, 77_000_000)] as [(UInt32, UInt32)] {
            var second = known
            second.clientInitial &+= distance.0
            second.serverInitial &+= distance.1
            var back = answer(second)
            (back.clientInitial, back.serverInitial) = (known.clientInitial, known.serverInitial)
            let told = back.client("two", at: 3, ack: 3).server("TWO", at: 3, ack: 6).transcript()
            #expect(told.filter { !$0.contains("!") } == known.client("two", at: 3, ack: 3).server("TWO", at: 3, ack: 6).transcript())
            #expect(told.contains { $0.contains("tcp.syn-ignored") })
            // Nor does the end of the capture, nor that of the connection.
            #expect(!back.transcript().contains { $0.contains("reused") })
            #expect(!back.reset(.client, at: 3).transcript().contains { $0.contains("reused") })
        }
        // Of a server alone as well.
        var alone = answer(Segments()).server("ONE", at: 0, ack: 3)
        alone.clientInitial = 900_000_000
        alone.serverInitial = 77_000_000
        #expect(answer(alone).transcript().filter { $0.hasPrefix("opened") }.count == 1)
    }

    @Test func anAnswerAfterACloseBeginsAConnection() {
        let closed = known.fin(.client, at: 3, ack: 3).fin(.server, at: 3, ack: 4)
        var second = closed
        second.clientInitial &+= 900_000_000
        second.serverInitial &+= 77_000_000
        #expect(
            answer(second).packet(.client, ack: 0).client("two", at: 0).transcript()[3...] == [
                "closed client fin  client fin 3 B  server fin 3 B", "opened handshake by handshake", "> @0 data \"two\"",
                "closed unknown endOfCapture  client open 3 B  server open 0 B",
            ])
        // Another answer to the SYN of the closed one does not.
        second.clientInitial = closed.clientInitial
        #expect(answer(second).transcript() == closed.transcript())
    }

    /// Seen where two servers answer for one address: whichever the client acknowledges, it talks with that one.
    @Test func ofTwoAnswersToASynTheAcknowledgedOneCounts() {
        let told = ["< @0 data \"hello\"", "closed unknown endOfCapture  client open 0 B  server open 5 B"]
        let far = 1 << 29
        // The first is acknowledged, then another comes.
        let first = Segments().handshake().packet(.server, at: far, flags: [.syn, .ack]).packet(.client)
        #expect(first.server("hello", at: 0).transcript()[1...].filter { !$0.contains("tcp.syn-ignored") } == told)
        // Two come, in either order and one of them again; the client acknowledges the one at 0.
        let syn = Segments().packet(.client, flags: .syn)
        let (near, other) = (
            { (s: Segments) in s.packet(.server, flags: [.syn, .ack]) },
            { (s: Segments) in s.packet(.server, at: far, flags: [.syn, .ack]) }
        )
        for both in [other(near(syn)), near(other(syn)), near(other(near(syn))), other(near(other(syn)))] {
            // Its first bytes may come before the acknowledgement.
            for talk in [
                both.packet(.client, ack: 0).server("hello", at: 0), both.server("hello", at: 0).packet(.client, ack: 0),
            ] {
                let lines = talk.transcript()[1...]
                #expect(lines.filter { !$0.contains("tcp.syn-ignored") } == told)
                #expect(lines.contains { $0.contains("tcp.syn-ignored a=53687") })
            }
        }
    }
}
