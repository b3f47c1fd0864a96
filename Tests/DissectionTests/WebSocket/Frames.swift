import Dissection
import Support

/// Frames as a test writes them (RFC 6455, section 5.2).
func frame(
    _ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, rsv: UInt8 = 0, key: [UInt8]? = nil, form: Int? = nil
) -> [UInt8] {
    var bytes: [UInt8] = [(fin ? 0x80 : 0) | rsv << 4 | opcode]
    let mask: UInt8 = key == nil ? 0 : 0x80
    let form = form ?? (payload.count < 126 ? 7 : payload.count < 65_536 ? 16 : 64)
    switch form {
    case 7: bytes.append(mask | UInt8(payload.count))
    case 16: bytes += [mask | 126] + bigEndian(UInt64(payload.count), 2)
    default: bytes += [mask | 127] + bigEndian(UInt64(payload.count), 8)
    }
    guard let key else { return bytes + payload }
    return bytes + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
}

func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64((count - 1 - $0) * 8)) }
}

extension Talk.Step {
    static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// A client's frame, masked.
    static func clientFrame(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, rsv: UInt8 = 0) -> Talk.Step {
        .bytes(.client, frame(opcode, payload, fin: fin, rsv: rsv, key: key))
    }

    /// A server's frame.
    static func serverFrame(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, rsv: UInt8 = 0) -> Talk.Step {
        .bytes(.server, frame(opcode, payload, fin: fin, rsv: rsv))
    }

    static func clientText(_ text: String) -> Talk.Step { clientFrame(1, Array(text.utf8)) }
    static func serverText(_ text: String) -> Talk.Step { serverFrame(1, Array(text.utf8)) }
}

/// Runs a talk through the WebSocket layer alone, behind a handshake with a known result.
struct FrameTalk: Sendable {
    var steps: [Talk.Step]
    var negotiation = WebSocketNegotiation()
    var limits = Limits()
    var showsFrames = false
    var startsMidstream = false

    init(
        _ steps: [Talk.Step], _ negotiation: WebSocketNegotiation = WebSocketNegotiation(), limits: Limits = Limits(),
        showsFrames: Bool = false, startsMidstream: Bool = false
    ) {
        self.steps = steps
        self.negotiation = negotiation
        self.limits = limits
        self.showsFrames = showsFrames
        self.startsMidstream = startsMidstream
    }

    static let deflate = WebSocketNegotiation(compression: Upgrade.Compression())

    func transcript(_ cutting: Talk.Cutting) -> [String] {
        var sink = Transcript(showsFrames: showsFrames)
        play(cutting, into: &sink)
        return sink.finished()
    }

    /// Has the layer read it.
    func play<Sink: ConversationSink & ~Copyable>(_ cutting: Talk.Cutting, into sink: inout Sink) {
        var layer = WebSocketLayer(negotiation: negotiation)
        var context = ConversationContext(number: 1, limits: limits, startsMidstream: startsMidstream)
        var offsets: [Side: UInt64] = [.client: 0, .server: 0]
        var random = SplitMix(seed: 1)
        if case .random(let seed) = cutting { random = SplitMix(seed: seed) }
        let place = Place(time: Timestamp(nanoseconds: 0))
        for step in steps {
            let side = step.side
            let offset = offsets[side] ?? 0
            switch step {
            case .bytes(_, let bytes):
                var start = 0
                while start < bytes.count {
                    let rest = bytes.count - start
                    let length =
                        switch cutting {
                        case .whole: rest
                        case .bytewise: 1
                        case .random: min(rest, 1 + Int(random.next() % 24))
                        }
                    _ = layer.receive(
                        bytes.rawBytes.extracting(start..<start + length),
                        at: Arrival(side: side, offset: offset + UInt64(start), place: place), context: &context, sink: &sink)
                    start += length
                }
                offsets[side] = offset + UInt64(bytes.count)
            case .gap(_, let length, let cause):
                let arrival = Arrival(side: side, offset: offset, place: place)
                context.emit(.gap(Gap(length: UInt64(length), cause: cause)), at: arrival, sink: &sink)
                _ = layer.skip(UInt64(length), at: arrival, context: &context, sink: &sink)
                offsets[side] = offset + UInt64(length)
            case .finish, .reset:
                layer.finish(at: Arrival(side: side, offset: offset, place: place), context: &context, sink: &sink)
            }
        }
    }

    /// Like `Talk.difference`.
    func difference(from expected: [String]) -> String? {
        for cutting in Talk.cuttings {
            let told = transcript(cutting)
            if told != expected { return "told \(cutting):\n" + told.map { "    \"\($0)\"," }.joined(separator: "\n") }
        }
        return nil
    }
}

extension FrameTalk {
    /// The findings that are told, as `id a b` without the prefix, the same however the bytes are cut.
    var findings: [String] {
        let whole = transcript(.whole)
        for cutting in Talk.cuttings where transcript(cutting) != whole {
            return ["differs \(cutting)"] + transcript(cutting) + ["whole"] + whole
        }
        return whole.compactMap { line in
            guard let mark = line.range(of: "! websocket.") else { return nil }
            return String(line[mark.upperBound...])
        }
    }
}

extension String {
    /// A plain search, so that the tests need no Foundation.
    func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
