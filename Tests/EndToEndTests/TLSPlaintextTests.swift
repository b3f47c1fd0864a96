import CaptureFiles
import Decryption
import Dissection
import Foundation
import Support
import Testing

/// The plaintext of captures with keys, byte for byte what tshark makes of them (`-z follow,tls,raw`).
@Suite("Plaintext of TLS, beside tshark's") struct TLSPlaintextTests {
    static let captures: [String] = {
        var paths = ["fixtures/tls-keys-inside/capture.pcapng"]
        if let folder = ProcessInfo.processInfo.environment["UNMASK_CAPTURES"] {
            paths += [
                "ja4/http2-with-cookies.pcapng", "wireshark-v2g/challenge01_ooo_stream.pcapng.gz",
                "wireshark-v2g/tls-fragmented-over-tcp-segmented.pcapng.gz", "wireshark/pcapng-example.pcapng",
            ].map { folder + "/" + $0 }
        }
        return paths
    }()

    /// Without it tshark stops decrypting at the first segment that is out of order.
    private static let settings = ["-o", "tcp.reassemble_out_of_order:TRUE"]

    @Test(arguments: captures) func isWhatTsharkFinds(path: String) throws {
        let tshark = "/usr/bin/tshark"
        guard FileManager.default.isExecutableFile(atPath: tshark) else {
            print("skipped: the plaintext of TLS beside tshark's (no tshark)")
            return
        }
        let ours = try PlainStreams(capture: path.hasPrefix("/") ? path : UnmaskProcess.project.path + "/" + path)
        #expect(!ours.all.isEmpty)
        for stream in ours.all {
            let filter = "tcp.port==\(stream.client) && tcp.port==\(stream.server) && tls"
            let number = try UnmaskProcess.run(
                Self.settings + ["-r", path, "-Y", filter, "-T", "fields", "-e", "tcp.stream", "-c", "100000"], through: tshark
            ).lines.first
            let followed = try UnmaskProcess.run(
                Self.settings + ["-r", path, "-q", "-z", "follow,tls,raw,\(number ?? "0")"], through: tshark
            ).text
            let (first, second) = Self.sides(of: followed)
            // It names the side first whose plaintext came first.
            let isClientFirst = followed.contains(":\(stream.client)\nNode 1:")
            let (client, server) = isClientFirst ? (first, second) : (second, first)
            let isSame = (stream.bytes[0] == client, stream.bytes[1] == server)
            #expect(isSame.0, "client of \(stream.client): \(stream.bytes[0].count) and \(client.count) bytes")
            #expect(isSame.1, "server of \(stream.client): \(stream.bytes[1].count) and \(server.count) bytes")
        }
    }

    /// Lines of hexadecimal: those of the second side begin with a tab.
    private static func sides(of text: String) -> (first: [UInt8], second: [UInt8]) {
        var sides: ([UInt8], [UInt8]) = ([], [])
        for line in Array(text.utf8).split(separator: 0x0A) {
            let isSecond = line.first == 0x09
            let nibbles = line.dropFirst(isSecond ? 1 : 0).map(nibble)
            guard nibbles.count % 2 == 0, !nibbles.contains(nil) else { continue }
            let bytes = stride(from: 0, to: nibbles.count, by: 2).map { (nibbles[$0] ?? 0) << 4 | (nibbles[$0 + 1] ?? 0) }
            if isSecond { sides.1 += bytes } else { sides.0 += bytes }
        }
        return sides
    }

    private static func nibble(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x61...0x66: character - 0x57
        default: nil
        }
    }
}

/// The bytes that were inside of the TLS of each conversation.
private struct PlainStreams: ConversationSink {
    struct Stream {
        var client: UInt16
        var server: UInt16
        var bytes: [[UInt8]] = [[], []]
    }

    private var open: [UInt64: Stream] = [:]

    /// Those that have some, in order.
    var all: [Stream] { open.sorted { $0.key < $1.key }.map(\.value).filter { $0.bytes != [[], []] } }

    init(capture path: String) throws {
        let secrets = KeyLogSecrets()
        let layers = LayerTable([LayerRow(TLSLayer<Reader>.self), LayerRow(BytesLayer.self)])
        var dissector = Dissector(
            layers: layers.opening(with: TLSDecryption(secrets: secrets, ciphers: RecordCiphers())), seed: 1)
        var reader = try CaptureReader(path: path)
        while let item = try? reader.next() {
            switch item {
            case .packet(let packet): dissector.receive(packet, sink: &self)
            case .secrets(let found):
                secrets.receive(found.bytes)
                secrets.finish()
            default: continue
            }
        }
        dissector.finish(sink: &self)
    }

    mutating func receive(_ event: borrowing ConversationEvent) {
        switch event.fact {
        case .opened(let opening): open[event.conversation] = Stream(client: opening.client.port, server: opening.server.port)
        case .data where event.channel.depth == 1:
            let bytes = (0..<event.content.byteCount).map { event.content[$0] }
            open[event.conversation]?.bytes[event.from == .client ? 0 : 1] += bytes
        default: return
        }
    }
}

/// Shows every byte as it comes.
private struct BytesLayer: RegisteredLayer {
    static var name: LayerName { .data }

    init(_ start: LayerStart) {}

    static func begins(client: RawSpan, server: RawSpan, searched: inout Int) -> Recognized { .yes }

    mutating func receive<Sink: ConversationSink & ~Copyable>(
        _ bytes: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> LayerOutcome {
        context.emit(.data(DataRun(length: UInt64(bytes.byteCount))), at: arrival, content: bytes, sink: &sink)
        return .taken
    }

    mutating func skip<Sink: ConversationSink & ~Copyable>(
        _ length: UInt64, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> NextLayer? { nil }

    mutating func finish<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {}

    func isHolding(_ side: Side) -> Bool { false }

    var heldBytes: Int { 0 }

    mutating func cutAssembly() -> Side? { nil }
}
