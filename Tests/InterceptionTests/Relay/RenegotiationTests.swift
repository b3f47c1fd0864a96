import Dissection
import Foundation
import NIOCore
import NIOEmbedded
import Support
import Testing

@testable import Interception

@Suite("A side that asks for a new TLS handshake")
struct RenegotiationTests {
    @Test("the records say who asked, and that the proxy ended the conversation", arguments: [Side.client, .server])
    func refused(side: Side) throws {
        let run = try RecorderRun { $0.isRecorded = false }
        let legs = [Leg(side: .client), Leg(side: .server)]
        let channels = try legs.map { leg in
            let channel = EmbeddedChannel()
            try channel.pipeline.syncOperations.addHandler(leg)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            return channel
        }
        let relay = Relay(
            client: legs[0], server: legs[1], conversation: run.begin(), recorder: run.recorder,
            memory: RelayMemory(limit: 1 << 20, recorder: run.recorder))
        relay.start(client: Inbox(), server: Inbox())
        relay.leg(side == .client ? legs[0] : legs[1], brokeWith: .unreadable(reason: "NO_RENEGOTIATION"))
        for channel in channels { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let log = LogRecords(lines: run.finish().split(separator: "\n").map { Data($0.utf8) })
        #expect(log.closings == ["reset by proxy"])
        #expect(
            FindingLines.of(log) == [
                "proxy.tls-failed: TLS could not be established: the \(side) asked for a renegotiation of TLS, which the proxy refuses; "
                    + "with --passthrough the TLS of the host is relayed unopened"
            ])
    }
}
