import CaptureFiles
import Dissection
import Foundation
import Support
import Testing

/// A capture of one side alone, or without the first request, accuses nobody of what the missing packets would have shown.
@Suite struct OneSidedCaptureTests {
    /// What is left of a capture.
    enum Cut: String, CaseIterable { case client, server, withoutFirstRequest }

    /// Findings by their id, notes left out.
    private struct Accusations: ConversationSink, ~Copyable {
        var ids: Set<String> = []
        var clients: Set<Endpoint> = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .opened(let opening): clients.insert(opening.client)
            case .finding(let finding) where finding.row.severity != .note: ids.insert(finding.row.id)
            default: break
            }
        }
    }

    /// Reads the packets of which `keeps` says so. Nil where the file has none for TCP.
    private static func read(_ bytes: [UInt8], _ keeps: (SegmentHeader) -> Bool) throws -> (ids: Set<String>, clients: Set<Endpoint>) {
        var sink = Accusations()
        var dissector = Dissector(seed: 7)
        var decoder = PacketDecoder()
        var reader = try CaptureReader(bytes: bytes)
        while let item = try reader.next() {
            guard case .packet(let packet) = item, case .segment(let header) = decoder.decode(packet), keeps(header) else { continue }
            dissector.receive(packet, sink: &sink)
        }
        dissector.finish(sink: &sink)
        return (sink.ids, sink.clients)
    }

    static let fixtures = [
        "websockets-deflate", "node-websocket", "node-http", "curl-nginx-http", "pipelined", "starttls", "tls-nginx", "upgrade-refused",
        "websockets-heartbeat", "fragments-both-ways", "connect-proxy", "websocket-through-nginx", "out-of-order-deflate", "upgrade-h2c",
        "websocket-snaplen-96", "handshake-cut-by-snaplen", "manner-socketio-polling", "gap-then-resync", "http-oddities",
        "websockets-deflate-no-takeover-9-bits", "bad-accept",
    ]

    @Test(arguments: fixtures) func accusesNobodyOfWhatIsNotInSight(fixture: String) throws {
        let path = UnmaskProcess.project.appendingPathComponent(GoldenTests.capture(fixture))
        let bytes = [UInt8](try Data(contentsOf: path))
        let whole = try Self.read(bytes) { _ in true }
        for cut in Cut.allCases {
            var hasDropped: Set<Endpoint> = []
            let left = try Self.read(bytes) { header in
                let isClient = whole.clients.contains(header.source)
                switch cut {
                case .client: return isClient
                case .server: return !isClient
                case .withoutFirstRequest:
                    return !isClient || header.payloadLength == 0 || !hasDropped.insert(header.source).inserted
                }
            }
            #expect(left.ids.isSubset(of: whole.ids), "\(fixture), \(cut.rawValue): \(left.ids.subtracting(whole.ids).sorted())")
        }
    }
}
