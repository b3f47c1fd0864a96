package import Dissection

/// A TCP connection as a test writes it, segment by segment, with sequence numbers that count from the SYN of each side.
///
/// ```
/// Segments().handshake().client("GET", at: 0).client("!", at: 5).client("/x", at: 3).transcript()
/// ```
package struct Segments: Sendable {
    /// One captured packet.
    private var packets: [(bytes: [UInt8], originalLength: Int)] = []
    /// How much later than a millisecond after the one before it a packet was captured, by its place; in nanoseconds.
    private var pauses: [Int: Int64] = [:]
    private var acknowledged: (client: UInt32, server: UInt32) = (0, 0)
    package var clientInitial: UInt32 = 1_000
    package var serverInitial: UInt32 = 5_000
    package var clientPort: UInt16 = 50_000
    package var serverPort: UInt16 = 8_080
    package var limits = Limits()
    package var rules: [DecodeRule] = []
    /// What may be spoken.
    package var layers = LayerTable.standard

    package init(clientInitial: UInt32 = 1_000, serverInitial: UInt32 = 5_000) {
        self.clientInitial = clientInitial
        self.serverInitial = serverInitial
    }

    /// A copy of this with one more packet.
    /// - Parameters:
    ///   - at: position of the first payload byte in the stream of its side; 0 is the byte after SYN.
    ///   - ack: how many bytes of the other side are acknowledged; what was acknowledged last, unless told.
    ///   - captured: payload bytes that the capture has, if not all.
    package func packet(
        _ side: Side, _ payload: [UInt8] = [], at position: Int = 0, flags: TCPFlags = [.ack], ack: Int? = nil, window: UInt16 = 65_535,
        captured: Int? = nil
    ) -> Segments {
        var next = self
        let initial = side == .client ? clientInitial : serverInitial
        let other = side == .client ? serverInitial : clientInitial
        let sequence = initial &+ UInt32(truncatingIfNeeded: position) &+ (flags.contains(.syn) ? 0 : 1)
        if let ack {
            if side == .client {
                next.acknowledged.client = UInt32(truncatingIfNeeded: ack)
            } else {
                next.acknowledged.server = UInt32(truncatingIfNeeded: ack)
            }
        }
        let done = side == .client ? next.acknowledged.client : next.acknowledged.server
        let segment = PacketBuilder.tcp(
            from: side == .client ? clientPort : serverPort, to: side == .client ? serverPort : clientPort, sequence: sequence,
            acknowledgement: flags.contains(.ack) ? other &+ 1 &+ done : 0, flags: flags.rawValue, window: window, payload)
        let client: UInt32 = 0x0A00_0001
        let server: UInt32 = 0x0A00_0002
        var bytes = PacketBuilder.ethernet(
            PacketBuilder.ipv4(from: side == .client ? client : server, to: side == .client ? server : client, segment))
        let length = bytes.count
        if let captured { bytes.removeLast(payload.count - captured) }
        next.packets.append((bytes, length))
        return next
    }

    package func handshake() -> Segments {
        packet(.client, flags: .syn).packet(.server, flags: [.syn, .ack], ack: 0).packet(.client, ack: 0)
    }

    package func client(_ text: String, at position: Int, ack: Int? = nil) -> Segments {
        packet(.client, Array(text.utf8), at: position, flags: [.psh, .ack], ack: ack)
    }

    package func server(_ text: String, at position: Int, ack: Int? = nil) -> Segments {
        packet(.server, Array(text.utf8), at: position, flags: [.psh, .ack], ack: ack)
    }

    package func fin(_ side: Side, at position: Int, ack: Int? = nil) -> Segments {
        packet(side, at: position, flags: [.fin, .ack], ack: ack)
    }

    package func reset(_ side: Side, at position: Int) -> Segments { packet(side, at: position, flags: .rst) }

    /// The clock of the capture goes on, or back, before the next packet.
    package func pause(seconds: Int64) -> Segments {
        var next = self
        next.pauses[packets.count, default: 0] += seconds * 1_000_000_000
        return next
    }

    /// What the dissector tells about the packets, one a millisecond.
    package func transcript() -> [String] {
        var sink = Transcript()
        _ = dissect(into: &sink)
        return sink.finished()
    }

    /// Sends the packets through a dissector; returns its totals. `watch` is told what is held after each packet.
    package func dissect<Sink: ConversationSink & ~Copyable>(into sink: inout Sink, watch: (Int) -> Void = { _ in }) -> Totals {
        var dissector = Dissector(limits: limits, layers: layers, decodeAs: rules, seed: 7)
        var now: Int64 = 0
        for (index, packet) in packets.enumerated() {
            now += pauses[index] ?? 0
            dissector.receive(
                CapturedPacket(
                    number: UInt64(index + 1), time: Timestamp(nanoseconds: now + Int64(index) * 1_000_000), linkType: .ethernet,
                    originalLength: UInt32(packet.originalLength), bytes: packet.bytes.rawBytes),
                sink: &sink)
            watch(dissector.heldBytes)
        }
        dissector.finish(sink: &sink)
        return dissector.totals
    }

    /// The same packets in another order.
    package func reordered(_ order: (inout [Int]) -> Void) -> Segments {
        var indices = Array(packets.indices)
        order(&indices)
        var next = self
        next.packets = indices.map { packets[$0] }
        return next
    }

    package var packetCount: Int { packets.count }
}
