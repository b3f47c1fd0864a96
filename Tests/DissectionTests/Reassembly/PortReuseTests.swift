import Dissection
import Support
import Testing

/// A new connection between the ports of one whose end is not in the capture, with packets of its beginning missing or in another order.
@Suite struct PortReuseTests {
    private let known = Segments().handshake().client("one", at: 0, ack: 0).server("ONE", at: 0, ack: 3)

    private let first = [
        "opened handshake by handshake", "> @0 data \"one\"", "< @0 data \"ONE\"",
    ]
    private let second = ["> @0 data \"two\"", "< @0 data \"TWO\"", "closed unknown endOfCapture  client open 3 B  server open 3 B"]

    /// The known connection, then the packets of another with such numbers, in some order.
    private func reuse(_ client: UInt32, _ server: UInt32, pause: Int64 = 0, _ order: [Int]) -> [String] {
        var talk = known.pause(seconds: pause)
        talk.clientInitial &+= client
        talk.serverInitial &+= server
        let start = talk.packetCount
        return talk.handshake().client("two", at: 0, ack: 0).server("TWO", at: 0, ack: 3).packet(.client, at: 3, ack: 3).reordered { list in
            list.replaceSubrange(start..., with: order.map { start + $0 })
        }.transcript()
    }

    private static let distances: [(UInt32, UInt32)] = [
        (900_000_000, 77_000_000), (3_000_000_000, 2_500_000_000), (2_000, 4_000), (2_000, 77_000_000), (70_000, 2_000),
    ]

    @Test(arguments: distances) func itIsReadFromItsStart(_ client: UInt32, _ server: UInt32) {
        for pause in [0, 300] as [Int64] {
            let told = reuse(client, server, pause: pause, [0, 1, 2, 3, 4, 5])
            #expect(told.prefix(3) == first[...])
            #expect(told[3].hasSuffix("! tcp.port-reused a=0 b=0"))
            #expect(told[4] == "closed unknown timeout  client open 3 B  server open 3 B")
            #expect(told.suffix(3) == second[...])
        }
    }

    /// The answer ahead of its SYN, the third packet ahead of either, data ahead of the answer.
    @Test(arguments: [
        [1, 0, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5], [0, 2, 1, 3, 4, 5], [0, 3, 1, 2, 4, 5], [1, 0, 3, 2, 4, 5], [0, 1, 3, 4, 2, 5],
    ])
    func itsPacketsMayComeInAnotherOrder(order: [Int]) {
        let told = reuse(900_000_000, 77_000_000, order)
        #expect(told.prefix(3) == first[...], "\(told)")
        #expect(told[3].hasSuffix("! tcp.port-reused a=0 b=0"), "\(told)")
        #expect(told.suffix(3) == second[...], "\(told)")
        #expect(told.filter { $0.contains("!") }.count == 1, "\(told)")
    }

    /// The SYN or its answer was not captured; hosts take initial numbers that lie little behind those of the connection before.
    @Test(arguments: distances) func oneOfTheHandshakeMayBeMissing(_ client: UInt32, _ server: UInt32) {
        for order in [[0, 2, 3, 4, 5], [1, 2, 3, 4, 5], [0, 1, 3, 4, 5]] {
            let told = reuse(client, server, order)
            #expect(told.prefix(3) == first[...], "\(told)")
            #expect(told[3].hasSuffix("! tcp.port-reused a=0 b=0"), "\(order) \(told)")
            #expect(told.suffix(3) == second[...], "\(order) \(told)")
            #expect(told.filter { $0.contains("!") }.count == 1, "\(told)")
        }
    }

    @Test func aSynThatOnlyItsOwnSideKnowsOfIsIgnored() {
        // Its number is that of a later byte of the known connection, which goes on there.
        let told = known.packet(.client, at: 1_003, flags: .syn).packet(.client, at: 1_004, ack: 3).client("two", at: 3, ack: 3).server(
            "TWO", at: 3, ack: 6)
        #expect(told.transcript().contains("> @3 data \"two\""))
        #expect(!told.transcript().contains { $0.contains("reused") })
    }

    @Test func dataOfAnotherConnectionIsNotHeldAgainstOneThatHasEnded() {
        let ended = known.fin(.client, at: 3, ack: 3).packet(.server, at: 3, ack: 4)
        var other = ended
        (other.clientInitial, other.serverInitial) = (900_000_000, 77_000_000)
        let told = other.client("two", at: 0, ack: 0).client("three", at: 3, ack: 0).transcript()
        #expect(!told.contains { $0.contains("data-after-fin") || $0.contains("jump") || $0.contains("gap") }, "\(told)")
    }
}
