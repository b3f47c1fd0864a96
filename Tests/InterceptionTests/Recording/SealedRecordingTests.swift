import CaptureFiles
import Dissection
import Foundation
import NIOCore
import NIOEmbedded
import Reports
import Support
import Testing

@testable import Interception

/// The recording of what goes over the wire (`-w --sealed`): what a reader of it meets, in order.
@Suite("Sealed recording") struct SealedRecordingTests {
    private static let proxy = Endpoint(address: IPAddress(ipv4: 0x7F00_0001), port: 8_080)
    private static let outside = Endpoint(address: IPAddress(ipv4: 0x0A00_0001), port: 40_000)

    private func makeRun() throws -> RecorderRun { try RecorderRun { $0.recorded = RelayedPacketsForm(isSealed: true) } }

    /// Comments, secrets, and packets as flags and payload, each with its interface.
    private func contents(_ run: RecorderRun) throws -> [String] {
        run.finish()
        var reader = try CaptureReader(path: run.recordingPath)
        var seen: [String] = []
        while let item = try reader.next() {
            switch item {
            case .comment(let comment): seen.append("# " + String(decoding: Transcript.copy(comment.text), as: UTF8.self))
            case .secrets(let secrets): seen.append("! " + String(decoding: Transcript.copy(secrets.bytes), as: UTF8.self))
            case .packet(let packet):
                let bytes = Transcript.copy(packet.bytes)
                let start = packet.linkType == .raw ? 0 : 18
                let flags = bytes[start + 33]
                let name = [(1, "fin"), (2, "syn"), (4, "rst")].filter { flags & $0.0 != 0 }.map(\.1).joined(separator: " ")
                let text = String(decoding: bytes[(start + 40)...], as: UTF8.self)
                let port = UInt16(bytes[start + 20]) << 8 | UInt16(bytes[start + 21])
                seen.append(([name.isEmpty ? "from" : name, "\(port)", text].filter { !$0.isEmpty }).joined(separator: " "))
            case .block, .name, .process, .statistics, .section: break
            }
        }
        #expect(reader.interfaces.map(\.name).prefix(2) == ["client to proxy", "proxy to server"])
        return seen
    }

    @Test("both connections of a conversation, the secrets before what follows them, and nothing of what was said inside")
    func conversation() throws {
        let run = try makeRun()
        let recorder = run.recorder
        let one = recorder.begin(RecordedConnection(client: RecorderRun.client, server: Self.proxy, peer: .client), at: RecorderRun.at(0))
        let two = recorder.begin(RecordedConnection(client: Self.outside, server: RecorderRun.server, peer: .server), at: RecorderRun.at(5))
        recorder.carried(ByteBuffer(string: "hello"), from: .client, over: one, at: RecorderRun.at(10))
        var beginning = Beginning(
            client: LiveEndpoint(endpoint: RecorderRun.client), server: LiveEndpoint(endpoint: RecorderRun.server, name: "example.org"),
            via: Via(mode: "http", target: "example.org:443"))
        beginning.connections = [one, two]
        let number = recorder.begin(beginning, at: RecorderRun.at(11))
        recorder.take(secrets: ByteBuffer(string: "CLIENT_RANDOM aa bb\n"), at: RecorderRun.at(12))
        recorder.take(secrets: ByteBuffer(string: "CLIENT_RANDOM cc dd\n"), at: RecorderRun.at(12))
        recorder.carried(ByteBuffer(string: "sealed"), from: .server, over: two, at: RecorderRun.at(13))
        recorder.received(ByteBuffer(string: "plain"), from: .server, in: number, at: RecorderRun.at(13))
        recorder.finished(from: .server, over: two, at: RecorderRun.at(14))
        recorder.finished(from: .client, over: two, at: RecorderRun.at(14))
        recorder.left(two, at: RecorderRun.at(14))
        recorder.reset(from: .client, over: one, at: RecorderRun.at(15))
        recorder.left(one, at: RecorderRun.at(15))
        let said = "# conversation 1, via http to example.org:443, server example.org"
        #expect(
            try contents(run) == [
                "# recorded by the proxy at 127.0.0.1:9000; both connections of each conversation are as they were on the wire",
                "! # secrets of TLS sessions\n",
                "# connection 1, client to proxy", "syn 50123", "syn 8080", "from 50123",
                "# connection 2, proxy to server", "syn 40000", "syn 443", "from 40000",
                "from 50123 hello", said, "from 50123", said, "from 40000",
                "! CLIENT_RANDOM aa bb\nCLIENT_RANDOM cc dd\n", "from 443 sealed", "fin 443", "fin 40000", "rst 50123",
            ])
    }

    @Test("places are used again, and a connection between the same ends is told apart only while there are two")
    func places() throws {
        let run = try makeRun()
        let connection = RecordedConnection(client: RecorderRun.client, server: Self.proxy, peer: .client)
        let recorder = run.recorder
        let one = recorder.begin(connection, at: RecorderRun.at(0))
        let twin = recorder.begin(connection, at: RecorderRun.at(1))
        for number in [one, twin] { recorder.left(number, at: RecorderRun.at(2)) }
        // What is told of one that is over is left out.
        recorder.carried(ByteBuffer(string: "late"), from: .client, over: one, at: RecorderRun.at(3))
        _ = recorder.begin(connection, at: RecorderRun.at(4))
        run.finish()
        var reader = try CaptureReader(path: run.recordingPath)
        var tagged: [Bool] = []
        while let item = try reader.next() { if case .packet(let packet) = item { tagged.append(packet.linkType == .ethernet) } }
        #expect(tagged == [false, false, false, true, true, true, false, false, false])
    }

    /// Has secrets and an answer for whatever comes.
    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        let recorder: Recorder
        init(_ recorder: Recorder) { self.recorder = recorder }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            recorder.take(secrets: ByteBuffer(string: "a secret\n"), at: RecorderRun.at(0))
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "answer")), promise: nil)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "more")), promise: nil)
        }
    }

    @Test("a tap tells what came after the secrets that it led to, and before its answer")
    func order() throws {
        let run = try makeRun()
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([WireTap(run.recorder, peer: .client), Answering(run.recorder)])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 50_123)).wait()
        try channel.writeInbound(ByteBuffer(string: "hello"))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(
            try contents(run).dropFirst(2) == [
                "# connection 1, client to proxy", "syn 50123", "syn 0", "from 50123", "! a secret\n", "from 50123 hello", "from 0 answer",
                "from 0 more", "fin 50123", "fin 0",
            ])
    }
}
