internal import Dissection

/// Any bytes as packets through decoder, reassembly, layers and reports.
///
/// The first byte chooses bounds and text. Then for each packet one byte (bits 0 to 3 the link type, bit 4 that the
/// capture cut it, bits 5 to 7 how much later it came), its length in two bytes, most significant first, and the bytes.
enum PacketFuzzing {
    /// By their numbers in bits 0 to 3; scripts/fuzz_seeds.py knows them too.
    private static let linkTypes: [UInt32] = [1, 0, 101, 113, 276, 105, 119, 127, 9, 51, 104, 163, 166, 192, 239, 258]
    /// Nanoseconds by bits 5 to 7; none has no time at all.
    private static let steps: [Int64?] = [1_000_000, 0, 1_000_000_000, 70_000_000_000, 300_000_000_000, -5_000_000_000, nil, .max / 2]

    static func complaints(about input: [UInt8]) -> [String] {
        let choice = input.first ?? 0
        let limits = choice & 1 == 0 ? Limits() : Fuzzer.tightLimits
        var sink = CheckingSink(limits: limits, follows: choice & 2 != 0)
        var dissector = Dissector(limits: limits, seed: 7)
        dissect(input, &dissector, into: &sink) { dissector, sink in check(dissector, limits, &sink) }
        sink.finish(dissector.totals)
        if dissector.heldBytes != 0 { sink.complain("\(dissector.heldBytes) bytes are held after the end") }
        return sink.complaints
    }

    /// Sends the packets that the bytes stand for, and ends the run.
    static func dissect<Sink: ConversationSink & ~Copyable>(
        _ input: [UInt8], _ dissector: inout Dissector, into sink: inout Sink, afterEach look: (borrowing Dissector, inout Sink) -> Void
    ) {
        var cursor = InputCursor(input)
        _ = cursor.byte()
        var (number, nanoseconds): (UInt64, Int64) = (0, 1_600_000_000_000_000_000)
        while !cursor.isAtEnd {
            let head = cursor.byte()
            let bytes = cursor.run(cursor.length())
            let step = steps[Int(head >> 5)]
            nanoseconds &+= step ?? 0
            number += 1
            let packet = CapturedPacket(
                number: number, time: step == nil ? nil : Timestamp(nanoseconds: nanoseconds),
                linkType: LinkType(rawValue: linkTypes[Int(head & 15)]),
                originalLength: UInt32(bytes.count) + (head & 16 == 0 ? 0 : 100), bytes: bytes.rawBytes)
            dissector.receive(packet, sink: &sink)
            look(dissector, &sink)
        }
        dissector.finish(sink: &sink)
    }

    /// Memory stays within the bounds after each packet.
    static func check(_ dissector: borrowing Dissector, _ limits: Limits, _ sink: inout CheckingSink) {
        if dissector.heldBytes < 0 || dissector.heldBytes > limits.totalBytes { sink.complain("\(dissector.heldBytes) bytes are held") }
        if dissector.openConversations > limits.conversations { sink.complain("\(dissector.openConversations) conversations are open") }
    }
}
