import Dissection
import Support
import Testing

/// A keep-alive probe repeats the last byte of its side, and puts there what it likes (RFC 9293, section 3.8.4): where the capture lacks
/// that byte, the probe does not stand in for it.
@Suite struct KeepAliveProbeTests {
    /// Three bytes of the client; four more are sent, and then nothing but probes.
    private let said = Segments().handshake().client("abc", at: 0)

    private func told(_ segments: Segments) -> [String] { Array(segments.transcript()[1...].dropLast()) }

    @Test func aProbeBehindALossIsNoData() {
        let probed = said.packet(.server, ack: 7).packet(.client, [0x2A], at: 6).packet(.server, ack: 7)
        #expect(told(probed) == ["> @0 data \"abc\"", "> @3 gap 4 missing"], "\(told(probed))")
        let goesOn = probed.client("hij", at: 7).packet(.server, ack: 10)
        #expect(told(goesOn) == ["> @0 data \"abc\"", "> @3 gap 4 missing", "> @7 data \"hij\""], "\(told(goesOn))")
    }

    @Test func theSameHoldsWhereNobodyAcknowledges() {
        let probed = said.packet(.client, [0x2A], at: 6).packet(.client, [0x2A], at: 6)
        #expect(told(probed) == ["> @0 data \"abc\"", "> @3 gap 4 missing"], "\(told(probed))")
        let goesOn = probed.client("hij", at: 7)
        #expect(told(goesOn) == ["> @0 data \"abc\"", "> @3 gap 4 missing", "> @7 data \"hij\""], "\(told(goesOn))")
    }

    @Test func bytesThatComeAfterAProbeContradictNothing() {
        for probed in [said.packet(.client, [0x2A], at: 6), said.packet(.client, [0x2A], at: 6).client("hij", at: 7)] {
            let lines = told(probed.client("defg", at: 3))
            #expect(lines == [probed.packetCount == 5 ? "> @0 data \"abcdefg\"" : "> @0 data \"abcdefghij\""], "\(lines)")
        }
        // Late, behind bytes that have come since.
        let late = told(said.client("defghij", at: 3).packet(.client, [0x2A], at: 6))
        #expect(late == ["> @0 data \"abcdefghij\""], "\(late)")
        // Nearly: it asks for its delivery.
        let asked = told(said.packet(.client, [0x2A], at: 6, flags: [.psh, .ack]).client("defg", at: 3))
        #expect(asked.contains { $0.contains("overlap-conflict") }, "\(asked)")
    }

    @Test func dataInPiecesOfOneByteIsData() {
        let pieces = said.packet(.client, [0x64], at: 4).packet(.client, [0x65], at: 5).packet(.client, [0x66], at: 6)
        #expect(told(pieces) == ["> @0 data \"abc\"", "> @3 gap 1 missing", "> @4 data \"def\""], "\(told(pieces))")
        #expect(told(pieces.packet(.client, [0x2A], at: 3)) == ["> @0 data \"abc*def\""])
        // A zero-window probe: the next byte, which nobody has acknowledged.
        #expect(told(said.packet(.client, [0x64], at: 3)) == ["> @0 data \"abcd\""])
    }
}
