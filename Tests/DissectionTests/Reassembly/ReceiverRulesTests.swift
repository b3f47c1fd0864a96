import Dissection
import Support
import Testing

/// Packets that a receiver drops, or obeys, by a field other than the sequence number of payload: lines of docs/threat-model.md.
@Suite("What a receiver drops by its rules") struct ReceiverRulesTests {
    /// Two exchanges, with `forged` between them.
    private func exchange(_ forged: (Segments) -> Segments) -> [String] {
        forged(Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3))
            .client("def", at: 3, ack: 3).server("xyz", at: 3, ack: 6).packet(.client, at: 6, ack: 6).transcript()
    }

    private func withoutFindings(_ lines: [String]) -> [String] { lines.filter { !$0.contains("!") } }

    /// Beyond any window, and before the first byte of the connection by more than one.
    private static let unacceptable = [50_000_000, -200_000]

    // MARK: - The ACK field

    @Test("a segment at the expected number with an unacceptable acknowledgement is left out and reported", arguments: unacceptable)
    func aSegmentWithAnUnacceptableAcknowledgementIsLeftOut(acknowledgement: Int) {
        for side in [Side.client, .server] {
            let lines = exchange { $0.packet(side, Array("JUNK".utf8), at: 3, flags: [.psh, .ack], ack: acknowledgement) }
            #expect(withoutFindings(lines) == exchange { $0 }, "\(lines)")
            #expect(lines.contains("\(side == .client ? ">" : "<") @3 ! tcp.segment-ignored a=4 b=0"), "\(lines)")
        }
        // As the last packet as well.
        let last = Segments().handshake().client("abc", at: 0)
            .packet(.client, Array("JUNK".utf8), at: 3, flags: [.psh, .ack], ack: acknowledgement).transcript()
        #expect(last.last == "closed unknown endOfCapture  client open 3 B  server open 0 B", "\(last)")
    }

    @Test("a FIN with an unacceptable acknowledgement ends nothing where its side goes on", arguments: unacceptable)
    func aFinWithAnUnacceptableAcknowledgementIsIgnored(acknowledgement: Int) {
        for side in [Side.client, .server] {
            let lines = exchange { $0.fin(side, at: 3, ack: acknowledgement) }
            #expect(withoutFindings(lines) == exchange { $0 }, "\(lines)")
            #expect(lines.contains { $0.contains("tcp.fin-ignored") }, "\(lines)")
        }
    }

    // MARK: - RST

    @Test("a RST that does not acknowledge the client's SYN refuses nothing and is reported")
    func aRefusalOfAnotherSynIsIgnored() {
        let syn = Segments().packet(.client, flags: .syn)
        func rest(_ packets: Segments) -> [String] {
            packets.packet(.server, flags: [.syn, .ack], ack: 0).packet(.client, ack: 0).client("abc", at: 0, ack: 0)
                .server("uvw", at: 0, ack: 3).transcript()
        }
        let plain = rest(syn)
        for acknowledgement in [5_000, -5_000, 900 << 20] {
            let lines = rest(syn.packet(.server, at: -1, flags: [.rst, .ack], ack: acknowledgement))
            #expect(withoutFindings(lines) == plain, "\(acknowledgement): \(lines)")
            #expect(lines.contains { $0.contains("tcp.reset-outside-window") }, "\(acknowledgement): \(lines)")
        }
        let bare = rest(syn.packet(.server, at: -1, flags: .rst))
        #expect(withoutFindings(bare) == plain, "\(bare)")
        #expect(bare.contains { $0.contains("tcp.reset-outside-window") }, "\(bare)")
    }

    @Test("a RST with the expected number is the end, whatever it acknowledges and with a FIN as well")
    func anExactResetCountsWhateverElseItCarries() {
        for (flags, acknowledgement) in [([.rst, .ack], 500 << 20), ([.fin, .rst, .ack], 3)] as [(TCPFlags, Int)] {
            let lines = exchange { $0.packet(.server, at: 3, flags: flags, ack: acknowledgement) }
            #expect(lines.last == "closed server reset  client open 3 B  server reset 3 B", "\(lines)")
            #expect(lines.filter { $0.contains("data afterClose 3 B") }.count == 2, "\(lines)")
        }
    }

    @Test("of several RSTs inside the window each is reported, and none is the end where their side goes on")
    func manyResetsInTheWindowAreEachReported() {
        let lines = exchange { $0.reset(.server, at: 13).reset(.server, at: 23).reset(.server, at: 33) }
        #expect(withoutFindings(lines) == exchange { $0 }, "\(lines)")
        #expect(lines.filter { $0.contains("tcp.reset-outside-window") }.count == 3, "\(lines)")
    }

    // MARK: - SYN

    @Test("a SYN with a FIN inside an open connection is ignored and reported", arguments: [4, 70_000, -5_000])
    func aSynWithAFinIsIgnored(position: Int) {
        let lines = exchange { $0.packet(.client, at: position, flags: [.syn, .fin]) }
        #expect(withoutFindings(lines) == exchange { $0 }, "\(lines)")
        #expect(lines.filter { $0.contains("tcp.syn-ignored") }.count == 1, "\(lines)")
    }

    @Test("a handshake and bytes of both sides that go on from it begin another conversation, and what the first one sends is reported")
    func aWholeForgedConnectionTakesThePlace() {
        let known = Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3)
        var other = known
        (other.clientInitial, other.serverInitial) = (900_000_000, 77_000_000)
        var back = other.packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0).client("FORGED", at: 0, ack: 0)
            .server("JUNK", at: 0, ack: 6)
        (back.clientInitial, back.serverInitial) = (known.clientInitial, known.serverInitial)
        let lines = back.client("def", at: 3, ack: 3).server("xyz", at: 3, ack: 6).transcript()
        #expect(lines.filter { $0.hasPrefix("opened") }.count == 2, "\(lines)")
        #expect(lines.contains("> @3 ! tcp.port-reused a=0 b=0"), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("> @6 ! tcp.segment-ignored a=3 ") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("< @4 ! tcp.segment-ignored a=3 ") }, "\(lines)")
        #expect(!lines.contains { $0.contains("gap") }, "\(lines)")
    }
}
