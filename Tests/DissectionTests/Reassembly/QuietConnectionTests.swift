import Dissection
import Support
import Testing

/// A connection that carries no payload costs little, and what is told of it is what would be told of any.
@Suite struct QuietConnectionTests {
    private static let client: UInt32 = 0x0A00_0001
    private static let server: UInt32 = 0x0A00_0002

    /// One segment of a script.
    private struct Step {
        var fromClient: Bool
        var sequence: UInt32
        var acknowledgement: UInt32 = 0
        var flags: TCPFlags
        var window: UInt16 = 1_000
        var payload: [UInt8] = []

        func segment() -> [UInt8] {
            PacketBuilder.tcp(
                from: fromClient ? 40_000 : 80, to: fromClient ? 80 : 40_000, sequence: sequence, acknowledgement: acknowledgement,
                flags: flags.rawValue, window: window, payload)
        }

        func ip(_ segment: [UInt8], at offset: Int = 0, hasMore: Bool = false) -> [UInt8] {
            PacketBuilder.ethernet(
                PacketBuilder.ipv4(
                    from: fromClient ? client : server, to: fromClient ? server : client, segment, identification: 7,
                    fragmentOffset: offset,
                    hasMore: hasMore))
        }
    }

    /// What may come of a connection, as it should, again, or wrongly.
    private static let steps: [Step] = [
        Step(fromClient: true, sequence: 100, flags: .syn),
        Step(fromClient: true, sequence: 100, flags: .syn, window: 900),
        Step(fromClient: true, sequence: 500, flags: .syn),
        Step(fromClient: false, sequence: 900, acknowledgement: 101, flags: [.syn, .ack]),
        Step(fromClient: false, sequence: 900, acknowledgement: 101, flags: [.syn, .ack]),
        Step(fromClient: false, sequence: 905, acknowledgement: 101, flags: [.syn, .ack]),
        Step(fromClient: false, sequence: 900, flags: .syn),
        Step(fromClient: true, sequence: 101, acknowledgement: 901, flags: .ack),
        Step(fromClient: true, sequence: 101, acknowledgement: 901, flags: .ack),
        Step(fromClient: true, sequence: 101, acknowledgement: 901, flags: .ack, window: 0),
        Step(fromClient: true, sequence: 101, acknowledgement: 950, flags: .ack),
        Step(fromClient: true, sequence: 100, acknowledgement: 901, flags: .ack),
        Step(fromClient: false, sequence: 901, acknowledgement: 101, flags: .ack),
        Step(fromClient: false, sequence: 901, acknowledgement: 105, flags: .ack),
        Step(fromClient: true, sequence: 101, acknowledgement: 901, flags: [.fin, .ack]),
        Step(fromClient: false, sequence: 901, acknowledgement: 102, flags: [.fin, .ack]),
        Step(fromClient: true, sequence: 101, flags: .rst),
        Step(fromClient: false, sequence: 901, acknowledgement: 101, flags: [.rst, .ack]),
        Step(fromClient: true, sequence: 101, flags: []),
        Step(fromClient: true, sequence: 101, acknowledgement: 901, flags: [.ack, .psh], payload: Array("GET / HTTP/1.1\r\n\r\n".utf8)),
        Step(fromClient: false, sequence: 901, acknowledgement: 119, flags: .ack, payload: Array("hello".utf8)),
    ]

    /// What is told of a script.
    ///
    /// - Parameter isQuiet: The first segment comes whole. In two fragments it says the same, and the connection is never a quiet
    ///   one, because of a quiet one the packet of each segment is kept, and these are two.
    private func told(_ script: [Step], isQuiet: Bool) -> [String] {
        var dissector = Dissector(seed: 3)
        var sink = Transcript()
        var number: UInt64 = 1
        var marks: [String] = []
        func send(_ bytes: [UInt8], _ dissector: inout Dissector, _ sink: inout Transcript) {
            dissector.receive(
                CapturedPacket(
                    number: number, time: Timestamp(nanoseconds: Int64(number) * 1_000), linkType: .ethernet,
                    originalLength: UInt32(bytes.count), bytes: bytes.rawBytes),
                sink: &sink)
            number += 1
        }
        for (index, step) in script.enumerated() {
            let segment = step.segment()
            if index == 0 {
                // The other way the first packet is none of it, so that the times are the same.
                send(isQuiet ? [0] : step.ip(Array(segment[..<8]), hasMore: true), &dissector, &sink)
                send(isQuiet ? step.ip(segment) : step.ip(Array(segment[8...]), at: 8), &dissector, &sink)
            } else {
                send(step.ip(segment), &dissector, &sink)
            }
            marks.append("\(dissector.openConversations) open after \(sink.lines.count) lines")
        }
        dissector.finish(sink: &sink)
        #expect(dissector.heldBytes == 0)
        return marks + sink.finished()
    }

    @Test func `it makes no difference to what is told`() {
        var random = SplitMix(seed: 21)
        var scripts = Self.steps.map { [$0] }
        for _ in 0..<3_000 {
            scripts.append((0...Int(random.next() % 7)).map { _ in Self.steps[Int(random.next() % UInt64(Self.steps.count))] })
        }
        // The usual course, with one step left out or put in.
        let course = [0, 3, 7, 19, 20, 14, 15].map { Self.steps[$0] }
        for at in course.indices {
            for step in Self.steps {
                var script = course
                script.insert(step, at: at)
                scripts.append(script)
                script.remove(at: (at + 1) % script.count)
                scripts.append(script)
            }
        }
        for script in scripts {
            let (quiet, loud) = (told(script, isQuiet: true), told(script, isQuiet: false))
            if quiet != loud { Issue.record("\(script)\n\(quiet)\n\(loud)") }
        }
    }

    @Test func `it costs at most 256 bytes, and nothing but its place in the table`() {
        #expect(Dissector.bytesPerConnection <= 256)
        var dissector = Dissector(seed: 3)
        var sink = Transcript()
        for client in 0..<1_000 as Range<UInt32> {
            for (index, step) in [Self.steps[0], Self.steps[3], Self.steps[7]].enumerated() {
                var segment = step.segment()
                segment[step.fromClient ? 0 : 2] = UInt8(truncatingIfNeeded: 0x80 + client >> 8)
                segment[step.fromClient ? 1 : 3] = UInt8(truncatingIfNeeded: client)
                let bytes = step.ip(segment)
                dissector.receive(
                    CapturedPacket(
                        number: UInt64(client * 3) + UInt64(index) + 1, time: nil, linkType: .ethernet, originalLength: UInt32(bytes.count),
                        bytes: bytes.rawBytes), sink: &sink)
            }
        }
        #expect(dissector.openConversations == 1_000)
        #expect(dissector.heldBytes == 0)
    }

    @Test func `conversations with payload and the table stay within the memory together`() {
        var limits = Limits()
        limits.totalBytes = 1 << 20
        var dissector = Dissector(limits: limits, seed: 3)
        var sink = Transcript()
        var most = 0
        for client in 0..<6_000 as Range<UInt32> {
            for step in [Self.steps[0], Self.steps[19]] {
                var segment = step.segment()
                segment[0] = UInt8(truncatingIfNeeded: 0x80 + client >> 8)
                segment[1] = UInt8(truncatingIfNeeded: client)
                let bytes = step.ip(segment)
                dissector.receive(
                    CapturedPacket(number: 1, time: nil, linkType: .ethernet, originalLength: UInt32(bytes.count), bytes: bytes.rawBytes),
                    sink: &sink)
            }
            most = max(most, dissector.heldBytes + dissector.overheadBytes)
        }
        #expect(most <= limits.totalBytes)
        #expect((100...1_000).contains(dissector.openConversations))
        dissector.finish(sink: &sink)
        let lines = sink.finished()
        #expect(lines.count { $0.hasPrefix("opened") } == 6_000)
        #expect(lines.count { $0.hasPrefix("closed") } == 6_000)
        #expect(lines.count { $0.hasPrefix("closed") && $0.contains("evicted") } > 5_000)
    }
}
