package import Dissection

/// A conversation as a test writes it: what each side brings, in order of arrival.
package struct Talk: Sendable {
    package enum Step {
        case bytes(Side, [UInt8])
        case gap(Side, Int, Gap.Cause)
        case finish(Side)
        case reset(Side)
    }

    /// How runs of bytes are cut before they are delivered.
    package enum Cutting: CustomStringConvertible {
        case whole
        case bytewise
        case random(seed: UInt64)

        package var description: String {
            switch self {
            case .whole: "whole"
            case .bytewise: "byte by byte"
            case .random(let seed): "cut at random, seed \(seed)"
            }
        }
    }

    package var steps: [Step]
    /// The client's side of the first step is known, as after a SYN.
    package var knowsRoles: Bool
    package var start: Opening.Start
    package var forced: LayerName?
    /// How the user said that raw bytes are cut.
    package var framing: FramingPair?
    /// What may be spoken.
    package var layers = LayerTable.standard
    package var limits: Limits
    package var showsFrames: Bool
    /// How much of the other side each side had received, as the acknowledgements of a capture say; 0 where there are none.
    package var received: UInt32 = 0
    /// When all of it was captured.
    package var time = Timestamp(nanoseconds: 0)
    /// When each step was, after that; steps without one come when the one before did.
    package var milliseconds: [Int64] = []

    package init(
        _ steps: [Step], knowsRoles: Bool = true, start: Opening.Start = .handshake, forced: LayerName? = nil,
        limits: Limits = Limits(), showsFrames: Bool = false
    ) {
        self.steps = steps
        self.knowsRoles = knowsRoles
        self.start = start
        self.forced = forced
        self.limits = limits
        self.showsFrames = showsFrames
    }

    /// What the dissector tells about it. `end` closes the conversation as the end of a capture does.
    package func transcript(_ cutting: Cutting = .whole) -> [String] {
        var sink = Transcript(showsFrames: showsFrames)
        play(cutting, into: &sink)
        return sink.finished()
    }

    /// Tells it to a sink.
    package func play<Sink: ConversationSink & ~Copyable>(_ cutting: Cutting = .whole, into sink: inout Sink) {
        let client = Endpoint(address: IPAddress(ipv4: 0x0A00_0001), port: 50_000)
        let server = Endpoint(address: IPAddress(ipv4: 0x0A00_0002), port: 8_080)
        // Without known roles the sender of the first step is the first direction.
        let first: Side = knowsRoles ? .client : steps.first.map(\.side) ?? .client
        var place = Place(time: time)
        place.received = received
        let rule = framing.map { DecodeRule(port: 8_080, framing: $0) } ?? forced.map { DecodeRule(port: 8_080, layer: $0) }
        var conversation = Conversation(
            number: 1, first: first == .client ? client : server, second: first == .client ? server : client,
            sideOfFirst: knowsRoles ? first : nil, start: start, forced: rule, layers: layers,
            limits: limits, place: place)
        conversation.open(sink: &sink)
        var random = SplitMix(seed: 1)
        if case .random(let seed) = cutting { random = SplitMix(seed: seed) }
        for (index, step) in steps.enumerated() {
            if index < milliseconds.count { place.time = Timestamp(nanoseconds: time.nanoseconds + milliseconds[index] * 1_000_000) }
            let direction: Direction = step.side == first ? .first : .second
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
                    conversation.receive(
                        .bytes(bytes.rawBytes.extracting(start..<start + length)), direction: direction, place: place, sink: &sink)
                    start += length
                }
            case .gap(_, let length, let cause):
                conversation.receive(.gap(length: UInt64(length), cause: cause), direction: direction, place: place, sink: &sink)
            case .finish:
                conversation.receive(.finished, direction: direction, place: place, sink: &sink)
            case .reset:
                conversation.receive(.reset, direction: direction, place: place, sink: &sink)
            }
        }
        conversation.close(.endOfCapture, sink: &sink)
    }

    /// The ways of cutting that every decoder is tried with.
    package static let cuttings: [Cutting] = [.whole, .bytewise] + (1...20).map { .random(seed: $0) }

    /// Compares what is told, however the bytes are cut, with `expected`; returns a readable difference, or nil.
    package func difference(from expected: [String]) -> String? {
        for cutting in Talk.cuttings {
            let told = transcript(cutting)
            if told == expected { continue }
            var report = "told \(cutting):\n"
            for line in 0..<max(told.count, expected.count) {
                let have = line < told.count ? told[line] : nil
                let want = line < expected.count ? expected[line] : nil
                if have == want {
                    report += "    \(have ?? "")\n"
                } else {
                    if let want { report += "  - \(want)\n" }
                    if let have { report += "  + \(have)\n" }
                }
            }
            return report
        }
        return nil
    }
}

extension Talk.Step {
    package var side: Side {
        switch self {
        case .bytes(let side, _), .gap(let side, _, _), .finish(let side), .reset(let side): side
        }
    }

    /// The client sends text; line ends are written as they are.
    package static func client(_ text: String) -> Talk.Step { .bytes(.client, Array(text.utf8)) }
    package static func server(_ text: String) -> Talk.Step { .bytes(.server, Array(text.utf8)) }
    package static func client(_ bytes: [UInt8]) -> Talk.Step { .bytes(.client, bytes) }
    package static func server(_ bytes: [UInt8]) -> Talk.Step { .bytes(.server, bytes) }
}

/// A small generator of numbers that are the same on every run (Steele, Lea, Flood: SplitMix64).
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
