import Dissection
import Support
import Testing

/// A SYN and its answer between the ports of an open connection: bytes have to follow them.
@Suite struct ForgedHandshakeTests {
    private let known = Segments().handshake().client("one", at: 0, ack: 0).server("ONE", at: 0, ack: 3)

    /// The known connection goes on after `packets` of another handshake.
    private func talk(
        _ client: UInt32, _ server: UInt32, _ packets: (Segments) -> Segments
    ) -> [String] {
        var other = known
        other.clientInitial &+= client
        other.serverInitial &+= server
        var back = packets(other)
        (back.clientInitial, back.serverInitial) = (known.clientInitial, known.serverInitial)
        return back.client("two", at: 3, ack: 3).server("TWO", at: 3, ack: 6).transcript()
    }

    private static let distances: [(UInt32, UInt32)] = [
        (900_000_000, 77_000_000), (3_000_000_000, 2_500_000_000), (2_000, 4_000), (70_000, 2_000),
    ]

    @Test(arguments: distances) func aForgedHandshakeIsToldAndLeftOut(_ client: UInt32, _ server: UInt32) {
        let plain = talk(client, server) { $0 }
        for order in [false, true] {
            let told = talk(client, server) {
                order
                    ? $0.packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0).packet(.client, ack: 0)
                    : $0.packet(.server, flags: [.syn, .ack], ack: 0).packet(.client, flags: .syn)
            }
            #expect(told.filter { !$0.contains("!") } == plain, "\(told)")
            #expect(told.filter { $0.contains("tcp.syn-ignored") }.count == 2, "\(told)")
            #expect(!told.contains { $0.contains("reused") })
        }
    }

    @Test func aHandshakeThatIsTheLastToComeBeginsAConnection() {
        var other = known
        (other.clientInitial, other.serverInitial) = (900_000_000, 77_000_000)
        let told = other.packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0).transcript()
        #expect(told.contains { $0.contains("tcp.port-reused") } && told.filter { $0.hasPrefix("opened") }.count == 2, "\(told)")
        // Reset by either side it is over.
        for side in [Side.client, .server] {
            let reset = other.packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0).reset(side, at: 0).transcript()
            #expect(reset.last?.hasPrefix("closed \(side) reset") ?? false, "\(reset)")
        }
    }

    @Test func theServerMayGoOnFromItFirst() {
        var other = known
        (other.clientInitial, other.serverInitial) = (2_000, 4_000)
        let told = other.packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0).server("220", at: 0, ack: 0)
            .client("EHLO", at: 0, ack: 3).transcript()
        #expect(told.suffix(3).prefix(2) == ["< @0 data \"220\"", "> @0 data \"EHLO\""], "\(told)")
    }
}
